/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -shared -fPIC -Wl,-soname,libcrate.so.1
 *
 * A library that allocates, and that calls its user back.
 */
#include <stdlib.h>

void *crate_new(size_t n) {
  return malloc(n);
}

void *crate_call(void *(*make)(size_t), size_t n) {
  return make(n);
}
