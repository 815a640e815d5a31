/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks with all kinds of contents. After a dump it prints the address, the size and the nonzero
 * words of each block, as it sees them itself; and how many pages of a mostly unwritten block were
 * resident before and after the dump. With an argument the heap is large.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <valgrind/dmd.h>
#include <valgrind/valgrind.h>

enum { PAGE = 4096, MAX_BLOCKS = 32 };

static struct {
  unsigned char *start;
  size_t szB, hidden; /* bytes at its end that cannot be read */
} g_blocks[MAX_BLOCKS];
static size_t g_n;
static unsigned char g_own[3 * PAGE];

static void *add(void *start, size_t szB, size_t hidden) {
  g_blocks[g_n].start = start;
  g_blocks[g_n].szB = szB;
  g_blocks[g_n++].hidden = hidden;
  return start;
}

__attribute__((noinline)) static void *make_block(size_t szB) {
  return add(malloc(szB), szB, 0);
}

/* Announces a block in its own memory, which has no alignment. */
__attribute__((noinline)) static void announce(unsigned char *start, size_t szB) {
  VALGRIND_MALLOCLIKE_BLOCK(add(start, szB, 0), szB, 0, 0);
}

__attribute__((noinline)) static void announce_hidden(void) {
  void *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(pages, 0x77, 2 * PAGE);
  mprotect((char *)pages + PAGE, PAGE, PROT_NONE);
  VALGRIND_MALLOCLIKE_BLOCK(add(pages, 2 * PAGE, PAGE), 2 * PAGE, 0, 0);
}

/* How many pages of some memory are resident, without those at its ends. */
static size_t resident(unsigned char *start, size_t szB) {
  static unsigned char pages[8 << 8];
  size_t n = 0, n_pages = szB / PAGE - 1;
  mincore(start + (PAGE - (uintptr_t)start % PAGE), n_pages * PAGE, pages);
  for (size_t i = 0; i < n_pages; i++)
    n += pages[i] & 1;
  return n;
}

static uintptr_t word_at(size_t block, size_t i) {
  uintptr_t word = 0;
  unsigned char *end = g_blocks[block].start + g_blocks[block].szB - g_blocks[block].hidden;
  for (size_t k = 0; k < sizeof word; k++) {
    unsigned char *at = g_blocks[block].start + i * sizeof word + k;
    if (at < end)
      memcpy((char *)&word + k, at, 1);
  }
  return word;
}

static void print_block(size_t block) {
  printf("block %p %zu", (void *)g_blocks[block].start, g_blocks[block].szB);
  for (size_t i = 0; i < g_blocks[block].szB / sizeof(uintptr_t); i++)
    if (word_at(block, i) != 0)
      printf(" %zu=%lx", i, (unsigned long)word_at(block, i));
  printf("\n");
}

int main(int argc, char **argv) {
  (void)argv;
  static const size_t sizes[] = {0, 1, 7, 8, 9, 24, 100, PAGE, 20 * PAGE + 5};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    memset(make_block(sizes[i]), (int)(0xe0 + i), sizes[i]);
  uintptr_t *pointers = make_block(8 * sizeof *pointers);
  memset(pointers, 0, 8 * sizeof *pointers);
  for (size_t i = 1; i < 6; i++) /* the start of a block, and inside of larger ones */
    pointers[i] = (uintptr_t)g_blocks[i + 3].start + (i > 2 ? 5 * i : 0);
  pointers[6] = (uintptr_t)g_blocks[3].start + 8; /* behind its end */
  pointers[7] = (uintptr_t)g_blocks[0].start;     /* a block of no bytes */
  /* Reused memory still has the contents of the last block. */
  memset(pointers = malloc(48), 0x5c, 48);
  free(pointers);
  make_block(48);
  for (size_t i = 0; i < sizeof g_own; i++)
    g_own[i] = (unsigned char)(i * 3);
  announce(g_own + 3, 2 * PAGE + 41);
  announce_hidden();
  /* A piece of a block is part of that block. */
  unsigned char *pool = make_block(1024);
  memset(pool, 0x3a, 1024);
  VALGRIND_MALLOCLIKE_BLOCK(pool + 64, 128, 0, 0);
  /* Written in one place. */
  const size_t empty_szB = 8 << 20;
  unsigned char *empty = make_block(empty_szB);
  empty[empty_szB / 2] = 1;
  if (argc > 1)
    make_block(9 << 20);
  size_t before = resident(empty, empty_szB);
  if (DMD_DUMP(NULL) != 1)
    return 3;
  size_t after = resident(empty, empty_szB);
  for (size_t block = 0; block < g_n; block++)
    print_block(block);
  printf("resident %zu %zu\n", before, after);
  return 0;
}
