/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks from each allocation function; prints the usable size of each. It prints with write, since
 * a buffer would be another block.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *kept[32];
static int n_kept;

static void keep(const char *name, void *p) {
  char line[80];
  int n = snprintf(line, sizeof line, "%s %zu\n", name, malloc_usable_size(p));
  kept[n_kept++] = p;
  if (write(1, line, (size_t)n) != n)
    abort();
}

static void by_malloc(void) {
  keep(__func__, malloc(100));
}

static void by_calloc(void) {
  keep(__func__, calloc(10, 20));
}

static void by_realloc_of_null(void) {
  keep(__func__, realloc(NULL, 300));
}

static void by_realloc_that_grows(void) {
  void *volatile first = malloc(8);
  keep(__func__, realloc(first, 5000));
}

static void by_reallocarray(void) {
  void *volatile first = malloc(8);
  keep(__func__, reallocarray(first, 10, 40));
}

static void by_posix_memalign(void) {
  void *p;
  if (posix_memalign(&p, 256, 1000) == 0 && (uintptr_t)p % 256 == 0)
    keep(__func__, p);
}

static void by_aligned_alloc(void) {
  keep(__func__, aligned_alloc(64, 640));
}

static void by_memalign(void) {
  keep(__func__, memalign(128, 700));
}

static void by_valloc(void) {
  keep(__func__, valloc(800));
}

static void by_pvalloc(void) {
  keep(__func__, pvalloc(900));
}

static void by_strdup(void) {
  keep(__func__, strdup("twelve bytes"));
}

static void by_none(void) {
  void *volatile p = malloc(77);
  void *volatile q = calloc(3, 7);
  free(p);
  free(q);
  free(NULL);
  free(realloc(malloc(5), 50000));
}

static void by_realloc_that_fails(void) {
  void *volatile p = malloc(60);
  if (realloc(p, SIZE_MAX / 2 - 100) != NULL || reallocarray(p, SIZE_MAX / 2, 4) != NULL)
    abort();
  keep(__func__, p);
}

int main(void) {
  by_malloc();
  by_calloc();
  by_realloc_of_null();
  by_realloc_that_grows();
  by_reallocarray();
  by_posix_memalign();
  by_aligned_alloc();
  by_memalign();
  by_valloc();
  by_pvalloc();
  by_strdup();
  by_none();
  by_realloc_that_fails();
  return 0;
}
