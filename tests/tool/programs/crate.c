/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -shared -fPIC -Wl,-soname,libcrate.so.1
 *
 * A library that allocates, calls its user back, and queries usable sizes.
 */
#include <malloc.h>
#include <stdlib.h>

void *crate_new(size_t n) {
  return malloc(n);
}

void *crate_call(void *(*make)(size_t), size_t n) {
  return make(n);
}

size_t crate_size(void *p) {
  return malloc_usable_size(p);
}
