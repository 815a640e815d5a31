/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of the program's own allocator, announced to Valgrind, correctly and incorrectly.
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>
#include <valgrind/valgrind.h>

static char *arena;
static char pool[4096];
static void *volatile keep;

static void check(int good) {
  if (!good)
    abort();
}

static void carve(char *at, size_t n) {
  VALGRIND_MALLOCLIKE_BLOCK(at, n, 0, 0);
}

static void in_static_pool(void) {
  carve(pool, 100);
  carve(pool + 100, 50);
  check(DMD_REPORT(pool + 100) == 50);
  carve(pool + 200, 30);
  VALGRIND_FREELIKE_BLOCK(pool + 200, 0);
}

static void in_malloced_arena(void) {
  carve(arena + 64, 64);
  carve(arena, 32);
}

static void resized(void) {
  carve(pool + 1000, 10);
  DMD_REPORT(pool + 1000);
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 1000, 10, 20, 0);
  check(DMD_REPORT(pool + 1000) == 20);
}

static void resized_wrongly(void) {
  carve(pool + 2000, 10);
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 2000, 11, 20, 0); /* not its size */
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 2000, 10, 0, 0);  /* to nothing */
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 2001, 10, 20, 0); /* not its start */
}

static void freed_wrongly(void) {
  VALGRIND_FREELIKE_BLOCK(pool + 3000, 0);
  carve(pool + 3001, 1);
  VALGRIND_FREELIKE_BLOCK(pool + 3001, 0);
  VALGRIND_FREELIKE_BLOCK(pool + 3001, 0);
}

/* free() of an announced block: the block is gone, but the tool does not free its memory. */
static void freed_with_free(void) {
  carve(pool + 3200, 64);
  memset(pool + 3200, 'x', 64);
  free(pool + 3200);
  check(pool[3200] == 'x' && pool[3263] == 'x');
}

/* realloc() of one: it moves to the heap. */
static void moved_with_realloc(void) {
  carve(pool + 3400, 40);
  memset(pool + 3400, 'y', 40);
  char *p = realloc(pool + 3400, 500);
  check(p != pool + 3400 && p[0] == 'y' && p[39] == 'y');
  keep = p;
}

int main(void) {
  arena = malloc(1000);
  in_static_pool();
  in_malloced_arena();
  resized();
  resized_wrongly();
  freed_wrongly();
  freed_with_free();
  moved_with_realloc();
  return 0;
}
