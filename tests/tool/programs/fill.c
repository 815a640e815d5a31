/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Looks at memory that it has not written: fill PATTERN, a byte in hexadecimal, which new memory
 * must consist of; 0: it must not consist of equal bytes that are not zero. Prints "kept" if all
 * promises are.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned pattern;

static int is_all(const volatile unsigned char *bytes, size_t from, size_t to, unsigned byte) {
  while (from < to && bytes[from] == byte)
    from++;
  return from == to;
}

static void demand(int holds, const char *what, size_t szB) {
  if (!holds) {
    printf("broken: %s, %zu bytes\n", what, szB);
    exit(1);
  }
}

static void *look_at_new(void *block, const char *what, size_t szB) {
  demand(block != NULL, what, szB);
  if (pattern != 0)
    demand(is_all(block, 0, malloc_usable_size(block), pattern), what, szB);
  else
    demand(szB < 16 || !is_all(block, 0, szB, 0xa5), what, szB);
  return block;
}

static void look_at_family(size_t szB) {
  void *aligned;
  free(look_at_new(malloc(szB), "malloc", szB));
  free(look_at_new(realloc(NULL, szB), "realloc of NULL", szB));
  demand(posix_memalign(&aligned, 64, szB) == 0, "posix_memalign", szB);
  free(look_at_new(aligned, "posix_memalign", szB));
  free(look_at_new(aligned_alloc(32, (szB + 31) / 32 * 32), "aligned_alloc", szB));
  free(look_at_new(memalign(128, szB), "memalign", szB));
  free(look_at_new(valloc(szB), "valloc", szB));
  free(look_at_new(pvalloc(szB), "pvalloc", szB));
}

static void look_at_calloc(size_t szB) {
  unsigned char *block = calloc(szB, 1);
  size_t usable_szB = malloc_usable_size(block);
  demand(is_all(block, 0, usable_szB, 0), "calloc", szB);
  block = realloc(block, 3 * szB + 100);
  demand(is_all(block, 0, szB, 0), "realloc of calloc's block", szB);
  free(block);
}

/* The program may use all of a block, and realloc keeps it. */
static void look_at_realloc(size_t szB, int is_array) {
  unsigned char *block = malloc(szB);
  size_t usable_szB = malloc_usable_size(block), larger_szB = 4 * usable_szB + 1000;
  memset(block, 0x77, usable_szB);
  block = is_array ? reallocarray(block, larger_szB, 1) : realloc(block, larger_szB);
  demand(is_all(block, 0, usable_szB, 0x77), "what realloc keeps when it grows", szB);
  if (pattern != 0)
    demand(is_all(block, usable_szB, malloc_usable_size(block), pattern), "what realloc adds", szB);
  memset(block, 0x66, larger_szB);
  block = is_array ? reallocarray(block, szB, 1) : realloc(block, szB);
  demand(is_all(block, 0, szB, 0x66), "what realloc keeps when it shrinks", szB);
  free(block);
}

int main(int argc, char **argv) {
  static const size_t sizes[] = {1, 8, 24, 25, 100, 1000, 1024, 5000, 70000, 300000, 3000000};
  if (argc != 2)
    return 1;
  pattern = (unsigned)strtoul(argv[1], NULL, 16);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    look_at_family(sizes[i]);
    look_at_calloc(sizes[i]);
    look_at_realloc(sizes[i], 0);
    look_at_realloc(sizes[i], 1);
  }
  puts("kept");
  return 0;
}
