/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints usable sizes of all kinds of blocks, for a run with and without Valgrind. Standard output
 * is not buffered before the end, so that its buffer is not a block among them.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 4000 };
static size_t lines[MAX_LINES][3];
static int n_lines;

/* All bytes that the allocator promised can be written to. */
static void note(size_t how, size_t req, void *p) {
  if (p == NULL || n_lines == MAX_LINES)
    abort();
  lines[n_lines][0] = how;
  lines[n_lines][1] = req;
  lines[n_lines++][2] = malloc_usable_size(p);
  memset(p, 1, malloc_usable_size(p));
}

/* Frees no block, so that glibc cannot reuse one. */
static void sizes(void) {
  for (size_t n = 0; n < 120000; n += n / 6 + 7)
    note(1, n, malloc(n));
}

/* Grows and shrinks by various amounts. */
static void resizes(size_t from) {
  void *p = malloc(from);
  for (size_t n = from; n < 60 * from; n += n / 9 + 1)
    note(2, n, p = realloc(p, n));
  for (size_t n = 60 * from; n > 1; n -= n / 9 + 1)
    note(2, n, p = realloc(p, n));
  free(p);
}

static void alignments(void) {
  for (size_t align = 32; align <= 16384; align *= 4) {
    for (size_t n = 1; n < 40000; n += n / 2 + 60) {
      void *p;
      if (posix_memalign(&p, align, n) != 0)
        abort();
      note(align, n, p);
      note(align, n, aligned_alloc(align, n));
      note(align, n, memalign(align, n));
    }
  }
}

int main(int argc, char **argv) {
  sizes();
  resizes(10);
  resizes(300);
  if (argc < 2 || strcmp(argv[1], "unaligned") != 0)
    alignments();
  for (int i = 0; i < n_lines; i++)
    printf("%zu %zu: %zu\n", lines[i][0], lines[i][1], lines[i][2]);
  return 0;
}
