/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Loses cycles of two blocks, of 24 and of 40 bytes; in half of them the smaller one came first.
 */
#include <stdlib.h>

struct half {
  struct half *other;
};

static struct half *make_half(size_t szB) {
  return malloc(szB);
}

static void lose_circles(void) {
  for (int i = 0; i < 20; i++) {
    struct half *a = make_half(i % 2 == 0 ? 24 : 40), *b = make_half(i % 2 == 0 ? 40 : 24);
    a->other = b;
    b->other = a;
  }
}

/* Overwrites the stack, and the registers. */
static void forget(void) {
  volatile char words[4096];
  for (size_t i = 0; i < sizeof words; i++)
    words[i] = 0;
}

int main(void) {
  lose_circles();
  forget();
  return 0;
}
