/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory pools, announced with Valgrind's own requests, correctly and incorrectly.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>

static char *arena;
static char area[4096];

static void check(int good) {
  if (!good)
    abort();
}

/* The pool's anchor is the arena, and so is its first chunk. */
static void hand_out(void) {
  VALGRIND_MEMPOOL_ALLOC(arena, arena, 100);
  VALGRIND_MEMPOOL_ALLOC(arena, arena + 200, 50);
  VALGRIND_MEMPOOL_ALLOC(arena, arena + 300, 30);
  VALGRIND_MEMPOOL_FREE(arena, arena + 300);
  check(VALGRIND_MEMPOOL_EXISTS(arena));
  check(DMD_REPORT(arena + 200) == (RUNNING_ON_DMD ? 50 : 0));
}

static void destroyed(void) {
  VALGRIND_CREATE_MEMPOOL(area, 0, 0);
  for (int i = 0; i < 10; i++)
    VALGRIND_MEMPOOL_ALLOC(area, area + i * 10, 10);
  VALGRIND_DESTROY_MEMPOOL(area);
  check(!VALGRIND_MEMPOOL_EXISTS(area));
}

static void trimmed(void) {
  VALGRIND_CREATE_MEMPOOL(area + 1, 0, 0);
  VALGRIND_MEMPOOL_ALLOC(area + 1, area + 1000, 100);
  VALGRIND_MEMPOOL_ALLOC(area + 1, area + 1100, 100);
  VALGRIND_MEMPOOL_ALLOC(area + 1, area + 1200, 100);
  VALGRIND_MEMPOOL_TRIM(area + 1, area + 1020, 160);
}

static void moved(void) {
  VALGRIND_CREATE_MEMPOOL(area + 2, 0, 0);
  VALGRIND_MEMPOOL_ALLOC(area + 2, area + 2000, 10);
  DMD_REPORT(area + 2000);
  VALGRIND_MOVE_MEMPOOL(area + 2, area + 3);
  VALGRIND_MEMPOOL_CHANGE(area + 3, area + 2000, area + 2100, 20);
}

/* A freed chunk takes the blocks with it that were announced in it. */
static void auto_freed(void) {
  VALGRIND_CREATE_MEMPOOL_EXT(area + 4, 0, 0,
                              VALGRIND_MEMPOOL_METAPOOL | VALGRIND_MEMPOOL_AUTO_FREE);
  VALGRIND_MEMPOOL_ALLOC(area + 4, area + 3000, 500);
  VALGRIND_MALLOCLIKE_BLOCK(area + 3000, 20, 0, 0);
  VALGRIND_MALLOCLIKE_BLOCK(area + 3100, 20, 0, 0);
  VALGRIND_MALLOCLIKE_BLOCK(area + 3600, 20, 0, 0);
  VALGRIND_MEMPOOL_FREE(area + 4, area + 3000);
}

static void wrongly(void) {
  VALGRIND_MEMPOOL_ALLOC(area + 5, area + 3700, 8);
  VALGRIND_MEMPOOL_FREE(area + 5, area + 3700);
  VALGRIND_DESTROY_MEMPOOL(area + 5);
  VALGRIND_MEMPOOL_FREE(area + 4, area + 3700);
}

int main(void) {
  arena = malloc(1000);
  VALGRIND_CREATE_MEMPOOL(arena, 0, 0);
  hand_out();
  destroyed();
  trimmed();
  moved();
  auto_freed();
  wrongly();
  free(malloc(10));
  return 0;
}
