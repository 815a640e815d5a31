/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * realloc in every way. Exits with 0 if the contents were kept throughout.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void *volatile keep[16];
static volatile size_t huge = (size_t)1 << 60, negative = (size_t)-100;

static void check(int good) {
  if (!good)
    abort();
}

static void fill(unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = (unsigned char)(i * 7 + 1);
}

static int holds(const unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != (unsigned char)(i * 7 + 1))
      return 0;
  return 1;
}

static void from_null(void) {
  void *volatile none = NULL;
  keep[0] = realloc(none, 50);
}

static void *make(size_t n) {
  unsigned char *p = malloc(n);
  check(p != NULL);
  fill(p, n);
  return p;
}

static void to_zero(void) {
  void *p = make(10);
  void *q = realloc(p, 0);
  check(q == NULL);
}

static void grow(void) {
  void *p = make(100);
  measure(p);
  p = realloc(p, 5000);
  check(holds(p, 100));
  keep[1] = p;
}

static void shrink(void) {
  void *p = make(5000);
  measure(p);
  p = realloc(p, 100);
  check(holds(p, 100));
  keep[2] = p;
}

/* One byte more or less stays in its place. */
static void stay(void) {
  void *p = make(1000);
  measure(p);
  void *q = realloc(p, 999);
  check(q == p && holds(q, 999));
  keep[3] = q;
}

/* A fence behind each block, so that it cannot grow where it is. */
static void creep(void) {
  unsigned char *p = make(1);
  for (size_t n = 2; n <= 300; n++) {
    void *fence = malloc(16);
    p = realloc(p, n);
    check(holds(p, n - 1));
    fill(p, n);
    free(fence);
  }
  keep[4] = p;
}

static void fail(void) {
  unsigned char *p = make(77);
  measure(p);
  check(realloc(p, huge) == NULL);
  check(realloc(p, negative) == NULL);
  check(holds(p, 77));
  keep[5] = p;
}

/* What malloc_usable_size promises can be written to, and realloc keeps it. */
static void keep_slop(size_t from, size_t to) {
  unsigned char *p = malloc(from);
  size_t usable = malloc_usable_size(p);
  check(usable >= from);
  fill(p, usable);
  p = realloc(p, to);
  size_t now = malloc_usable_size(p);
  check(holds(p, usable < now ? usable : now));
  free(p);
}

static void keep_all_slop(void) {
  for (size_t from = 0; from < 300; from += 7)
    for (size_t to = 1; to < 900; to += 31)
      keep_slop(from, to);
  keep_slop(100, 10000);
  keep_slop(150001, 300000);
  keep_slop(300000, 150001);
}

int main(int argc, char **argv) {
  (void)argv;
  from_null();
  to_zero();
  grow();
  shrink();
  stay();
  creep();
  fail();
  if (argc > 1)
    keep_all_slop();
  return 0;
}
