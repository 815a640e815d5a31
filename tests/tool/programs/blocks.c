/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plain allocation and freeing. No stdio: its buffer would be a block, too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *volatile keep[16];

static void come_and_go(void) {
  for (size_t i = 1; i <= 100; i++) {
    void *volatile p = malloc(i);
    free(p);
  }
}

static void leak(void) {
  for (int i = 0; i < 10; i++)
    keep[0] = malloc(48);
}

static void free_null(void) {
  for (int i = 0; i < 5; i++)
    free(NULL);
}

static void clear(void) {
  unsigned char *p = calloc(3, 7);
  for (int i = 0; i < 21; i++)
    if (p[i] != 0)
      abort();
  keep[1] = p;
}

/* calloc must clear the contents of a freed block. */
static void clear_again(void) {
  for (int i = 0; i < 50; i++) {
    unsigned char *volatile dirty = malloc(200);
    memset(dirty, 0xaa, 200);
    free(dirty);
    unsigned char *p = calloc(1, 200);
    for (int k = 0; k < 200; k++)
      if (p[k] != 0)
        abort();
    free(p);
  }
}

/* Blocks of no bytes have addresses of their own. */
static void nothing(void) {
  keep[2] = malloc(0);
  keep[3] = malloc(0);
  keep[4] = calloc(0, 8);
  keep[5] = calloc(8, 0);
  for (int i = 2; i <= 5; i++)
    for (int k = 2; k < i; k++)
      if (keep[i] == NULL || keep[i] == keep[k])
        abort();
}

static void sizes(void) {
  keep[6] = malloc(24);
  keep[7] = malloc(25);
  keep[8] = malloc(1000);
  keep[9] = malloc(131072);
  keep[10] = malloc(200000);
}

int main(void) {
  come_and_go();
  leak();
  free_null();
  clear();
  clear_again();
  nothing();
  sizes();
  return 3;
}
