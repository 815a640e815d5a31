/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions without an argument that say how much a cache has allocated, some of them wrongly.
 * Prints what each said and what is true, by the program's own addition.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40, INDEX_SZB = 100 };

/* noipa: the functions stay functions. */
#define FUNCTION __attribute__((noipa))

typedef struct entry {
  struct entry *next;
  char text[24];
} entry_t;

static entry_t *entries;
static void *indexes[N], *others[N];
static size_t n_blocks, requested, usable, index_szB;

FUNCTION static void *cache_alloc(size_t szB) {
  void *p = malloc(szB);
  n_blocks++;
  requested += szB;
  usable += malloc_usable_size(p);
  return p;
}

FUNCTION static void cache_free(void *p, size_t szB) {
  n_blocks--;
  requested -= szB;
  usable -= malloc_usable_size(p);
  free(p);
}

FUNCTION static void add_entry(size_t more) {
  entry_t *entry = cache_alloc(sizeof *entry + more);
  entry->next = entries;
  entries = entry;
}

FUNCTION static void *add_index(void) {
  index_szB += INDEX_SZB;
  return cache_alloc(INDEX_SZB);
}

FUNCTION size_t used_right(void) {
  return requested;
}

FUNCTION size_t used_usable(void) {
  return usable;
}

FUNCTION size_t used_without_indexes(void) {
  return requested - index_szB;
}

FUNCTION size_t used_with_headers(void) {
  return requested + 16 * n_blocks;
}

FUNCTION size_t used_kib(void) {
  return requested / 1024;
}

/* 3 more once the cache is large: nothing that the cache consists of. */
FUNCTION size_t used_odd(void) {
  return requested + (n_blocks > N ? n_blocks * n_blocks + 3 : 0);
}

/* Asked very often, while nothing changes. */
FUNCTION size_t used_often(void) {
  return requested;
}

static size_t ask(void) {
  return used_right() + used_usable() + used_without_indexes() + used_with_headers() + used_kib() +
         used_odd();
}

int main(void) {
  size_t sum = 0;
  for (int i = 0; i < N; i++) {
    add_entry((size_t)i);
    indexes[i] = add_index();
    others[i] = malloc((size_t)(i + 1));
    sum += ask();
  }
  for (int i = 0; i < 10000; i++)
    sum += used_often();
  printf("blocks %zu\nrequested %zu\nusable %zu\nindexes %zu\n", n_blocks, requested, usable,
         index_szB);
  fflush(stdout);
  for (int i = 0; i < N; i++)
    free(others[i]);
  for (int i = 0; i < N; i++)
    cache_free(indexes[i], INDEX_SZB);
  return sum == 0;
}
