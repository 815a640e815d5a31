/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Misuse of free and realloc; the program goes on, as under Memcheck.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

static void *volatile keep[8];
static char global[64];
static volatile size_t minus_one = (size_t)-1, negative = (size_t)-8, half = SIZE_MAX / 2 + 2;

static void check(int good) {
  if (!good)
    abort();
}

static void free_stack(void) {
  char local[64];
  void *volatile p = local;
  free(p);
}

static void free_global(void) {
  void *volatile p = global + 16;
  free(p);
}

static void free_interior(void) {
  char *volatile p = malloc(100);
  keep[0] = p;
  free(p + 8);
}

static void free_twice(void) {
  void *volatile p = malloc(100);
  free(p);
  free(p);
  free(p);
}

static void realloc_bad(void) {
  void *volatile p = global + 16;
  check(realloc(p, 100) == NULL);
  void *volatile q = malloc(100);
  free(q);
  check(realloc(q, 100) == NULL);
}

static void negative_size(void) {
  check(malloc(minus_one) == NULL);
  check(malloc(negative) == NULL);
  check(calloc(1, negative) == NULL);
  check(memalign(64, negative) == NULL);
}

static void overflow(void) {
  check(calloc(half, 2) == NULL);
  check(calloc(SIZE_MAX / 16, 32) == NULL);
}

static void usable_of_bad(void) {
  void *volatile p = global;
  check(malloc_usable_size(p) == 0);
  check(malloc_usable_size(NULL) == 0);
}

static void goes_on(void) {
  keep[1] = malloc(100);
}

int main(void) {
  free_stack();
  free_global();
  free_interior();
  free_twice();
  realloc_bad();
  negative_size();
  overflow();
  usable_of_bad();
  goes_on();
  return 0;
}
