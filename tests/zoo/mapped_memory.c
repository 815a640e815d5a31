/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that was mapped, and is not a heap block, is measured like one.
 *
 * Mozilla's DMD: nothing
 *
 * Expect: report-mapped
 *   num: 1
 *   memory: memory that the program mapped
 *   reporter: explicit/arena
 *   at: arena_size_of @fn < arena_measure @report
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <valgrind/dmd.h>

struct arena {
  char *pages;
  size_t length;
};

DMD_MALLOC_SIZE_OF_FN(arena_size_of) /* @fn */

static struct arena *arena_new(void) {
  struct arena *arena = malloc(sizeof *arena);
  arena->length = 1 << 20;
  arena->pages =
      mmap(NULL, arena->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return arena;
}

static void arena_measure(const struct arena *arena) {
  DMD_REPORTER_BEGIN("explicit/arena");
  size_t size = arena_size_of(arena);
#ifndef FIXED
  size += arena_size_of(arena->pages); /* @report */
#endif
  DMD_REPORTER_END(size);
}

int main(void) {
  struct arena *arena = arena_new();
  arena_measure(arena);
  DMD_DUMP("an arena");
  return 0;
}
