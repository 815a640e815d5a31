/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tags that are set and cleared, deep nesting, and the sums of tags. Runs anywhere; prints the
 * process id of the child that it forks.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dmd.h>
#include <valgrind/valgrind.h>

static void *volatile keep[32];
static char pool[4096];
static int under_dmd;

static void check(int good) {
  if (!good)
    abort();
}

/* Checks the result of a request: this under dmd, else 0. */
static void expect(size_t got, size_t under) {
  check(got == (under_dmd ? under : 0));
}

static void expect_sum(const char *name, size_t szB, size_t n_blocks) {
  expect(DMD_TAG_BYTES(name), szB);
  expect(DMD_TAG_BLOCKS(name), n_blocks);
}

static void first_set(void) {
  keep[0] = malloc(100);
}

static void second_set(void) {
  keep[1] = malloc(100);
}

static void set_inside_push(void) {
  keep[2] = malloc(100);
}

static void cleared_inside_push(void) {
  keep[3] = malloc(100);
}

static void after_the_pop(void) {
  keep[4] = malloc(100);
}

static void cleared(void) {
  keep[5] = malloc(100);
}

static void pop_of_what_was_set(void) {
  expect(DMD_TAG_POP(), 1);
}

static void set_and_clear(void) {
  expect(DMD_CLEAR_HEAP_BLOCK_TAG(), 0); /* nothing is set */
  expect(DMD_SET_HEAP_BLOCK_TAG("first"), 1);
  first_set();
  expect(DMD_SET_HEAP_BLOCK_TAG("second"), 1);
  second_set();
  expect(DMD_TAG_PUSH("pushed"), 2);
  expect(DMD_CLEAR_HEAP_BLOCK_TAG(), 2); /* nothing is set since the push */
  expect(DMD_SET_HEAP_BLOCK_TAG("third"), 3);
  set_inside_push();
  expect(DMD_CLEAR_HEAP_BLOCK_TAG(), 2);
  cleared_inside_push();
  expect(DMD_SET_HEAP_BLOCK_TAG("fourth"), 3);
  expect(DMD_TAG_POP(), 1);
  after_the_pop();
  pop_of_what_was_set();
  expect(DMD_CLEAR_HEAP_BLOCK_TAG(), 0);
  expect(DMD_CLEAR_HEAP_BLOCK_TAG(), 0);
  cleared();
}

/* Ten thousand pushes of seven names; a block at every thousandth, also on the way back. */
static void deep(void) {
  static const char *const names[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6"};
  for (size_t i = 1; i <= 10000; i++) {
    expect(DMD_TAG_PUSH(names[i % 7]), i);
    if (i % 1000 == 0)
      keep[6] = malloc(i);
  }
  for (size_t i = 10000; i >= 1; i--) {
    if (i % 1000 == 0)
      keep[6] = malloc(20000 + i);
    expect(DMD_TAG_POP(), i - 1);
  }
}

static size_t usable(void *p) {
  return malloc_usable_size(p);
}

/* The sum of "sum" against the program's own count of blocks. */
static void sums(void) {
  expect_sum("sum", 0, 0);
  DMD_TAG_PUSH("sum");
  expect_sum("sum", 0, 0);
  void *a = malloc(100), *b = calloc(10, 10), *c = memalign(64, 3000), *d = malloc(0);
  size_t total = usable(a) + usable(b) + usable(c) + usable(d);
  expect_sum("sum", total, 4);
  free(d);
  total -= 24;
  expect_sum("sum", total, 3);
  DMD_TAG_PUSH("other");
  expect_sum("sum", total, 3);
  size_t before = usable(b);
  b = realloc(b, before + 1); /* stays or moves; gets the current tag */
  total -= before;
  expect_sum("sum", total, 2);
  expect_sum("other", usable(b), 1);
  b = realloc(b, 100000); /* moves */
  expect_sum("other", usable(b), 1);
  DMD_TAG_POP();
  b = realloc(b, 90000); /* stays */
  total += usable(b);
  expect_sum("sum", total, 3);
  expect_sum("other", 0, 0);
  DMD_TAG_POP();
  c = realloc(c, 10); /* no tag */
  expect_sum("sum", usable(a) + usable(b), 2);
  free(c);
  free(b);
  expect_sum("sum", usable(a), 1);
  keep[7] = a; /* 104 usable bytes */
}

static void announced(void) {
  VALGRIND_MALLOCLIKE_BLOCK(pool, 100, 0, 0);
  DMD_TAG_PUSH("announced");
  VALGRIND_MALLOCLIKE_BLOCK(pool + 1000, 50, 0, 0);
  VALGRIND_MALLOCLIKE_BLOCK(pool + 1010, 10, 0, 0); /* within the other: both count */
  DMD_TAG_POP();
  expect_sum("announced", 60, 2);
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 1000, 50, 500, 0);
  VALGRIND_RESIZEINPLACE_BLOCK(pool, 100, 200, 0);
  expect_sum("announced", 510, 2);
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 1000, 500, 7, 0);
  expect_sum("announced", 17, 2);
  VALGRIND_FREELIKE_BLOCK(pool + 1010, 0);
  expect_sum("announced", 7, 1);
}

/* Without a name, or with a bad one, queries and pushes use the same tag; queries make none. */
static void names(void) {
  expect_sum("never used", 0, 0);
  DMD_TAG_PUSH(NULL);
  keep[8] = malloc(100);
  DMD_TAG_POP();
  DMD_SET_HEAP_BLOCK_TAG((const char *)8);
  keep[9] = malloc(100);
  DMD_CLEAR_HEAP_BLOCK_TAG();
  expect_sum("", 208, 2);
  expect_sum((const char *)16, 208, 2);
  static char long_name[10000]; /* cut to the same length everywhere */
  memset(long_name, 'n', sizeof long_name - 1);
  DMD_SET_HEAP_BLOCK_TAG(long_name);
  keep[10] = malloc(100);
  DMD_CLEAR_HEAP_BLOCK_TAG();
  expect_sum(long_name, 104, 1);
}

/* Small blocks, for --sample-below. */
static void many_small(void) {
  static void *volatile small[1000];
  DMD_TAG_PUSH("small");
  for (int i = 0; i < 1000; i++)
    small[i] = malloc(10);
  DMD_TAG_POP();
  expect_sum("small", 24000, 1000);
  for (int i = 0; i < 999; i++)
    free(small[i]);
  expect_sum("small", 24, 1);
}

/* A child has its parent's sums, and from then on its own. */
static void forked(void) {
  DMD_TAG_PUSH("forked");
  keep[11] = malloc(100);
  keep[12] = malloc(200);
  pid_t child = fork();
  if (child == 0) {
    expect_sum("forked", 304, 2);
    free(keep[11]);
    keep[13] = malloc(500);
    expect_sum("forked", 704, 2);
    expect(DMD_TAG_POP(), 0);
    _exit(7);
  }
  int status;
  check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  dprintf(1, "%d", (int)child);
  expect_sum("forked", 304, 2);
  DMD_TAG_POP();
}

int main(void) {
  under_dmd = RUNNING_ON_DMD;
  set_and_clear();
  deep();
  sums();
  announced();
  names();
  many_small();
  forked();
  return 0;
}
