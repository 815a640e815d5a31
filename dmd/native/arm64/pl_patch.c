/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_patch.h"

#include <stddef.h>

char *pl_patch_page(uint64_t start, uint64_t end) {
  (void)start, (void)end;
  return NULL;
}

bool pl_patch_all(const pl_patch_t *patches, uint32_t n, uint64_t start, uint64_t end) {
  (void)patches, (void)n, (void)start, (void)end;
  return false;
}
