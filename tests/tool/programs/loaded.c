/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -O2 -shared -fPIC
 *
 * A library with an inlined call: inner makes the block, and is inlined into make_block.
 */
#include <stdlib.h>

static void *volatile keep;

static inline __attribute__((always_inline)) void inner(size_t n) {
  keep = malloc(n);
}

void make_block(int i) {
  inner((size_t)i * 1000);
}
