/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -s
 *
 * A program without symbols that allocates while a library that has them calls it back. Linked with
 * crate.c.
 */
#include <stdlib.h>

#include "dmd.h"

void *crate_new(size_t n);
void *crate_call(void *(*make)(size_t), size_t n);

static void *volatile keep[3];

static void *own_make(size_t n) {
  return malloc(n);
}

int main(void) {
  keep[0] = crate_call(own_make, 5000);
  keep[1] = crate_new(104);
  keep[2] = malloc(40);
  DMD_DUMP("all");
  return 0;
}
