/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stands in for memoryserver.c in a build without libmicrohttpd.
 */
#include "dmdv/memory/memoryserver.h"

#include "host/process.h"

int dmdv_serve_memory(const char *address, const dmdv_served_t *served) {
  (void)address, (void)served;
  dmdv_error("memory: this dmdv was built without libmicrohttpd, which --listen and --view need");
  return 2;
}
