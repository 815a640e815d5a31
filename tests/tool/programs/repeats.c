/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The same stacks, round after round. dmd needs the stacks of certain calls: in the first round
 * these are new, in all later rounds they are known. Prints the number of such calls in a round,
 * and the number of rounds.
 *
 * Flags: -O1 -fno-optimize-sibling-calls
 */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/dmd.h>

#define KEEP __attribute__((noinline, noclone))

enum { ROUNDS = 100 };

static int g_calls;

/* Three calls: an allocation, a report and a free. */
KEEP static void block(int szB) {
  void *block = malloc((size_t)szB);
  DMD_REPORT(block);
  free(block);
  g_calls += 3;
}

/* 64 ways to the same place. */
KEEP static int left(int path, int depth);
KEEP static int right(int path, int depth);
KEEP static int down(int path, int depth) {
  if (depth == 0)
    block(16 + path);
  else
    return path & 1 ? left(path >> 1, depth - 1) + 1 : right(path >> 1, depth - 1) + 2;
  return path;
}
KEEP static int left(int path, int depth) {
  return down(path, depth) + 3;
}
KEEP static int right(int path, int depth) {
  return down(path, depth) + 4;
}

/* Frames that are found by their frame pointer, in several sizes. */
KEEP static void with_alloca(int szB) {
  char *p = alloca((size_t)szB);
  memset(p, 0, (size_t)szB);
  block(szB);
  __asm__ volatile("" : : "r"(p) : "memory");
}

/* A frame that the function aligns by itself. */
KEEP static void aligned(int szB) {
  char room[64] __attribute__((aligned(256)));
  memset(room, 0, sizeof room);
  block(szB);
  __asm__ volatile("" : : "r"(room) : "memory");
}

/* Called by the C library. */
KEEP static int compare(const void *a, const void *b) {
  block(100);
  return *(const int *)a - *(const int *)b;
}
KEEP static void sort(void) {
  int values[8] = {5, 3, 8, 1, 9, 2, 7, 4};
  qsort(values, 8, sizeof values[0], compare);
}

static void round_of_calls(void) {
  for (int path = 0; path < 64; path++)
    down(path, 6);
  for (int szB = 16; szB <= 512; szB *= 2)
    with_alloca(szB);
  aligned(200);
  sort();
}

int main(void) {
  int in_a_round = 0;
  DMD_REPORT(NULL); /* from the first report on, dmd needs the stacks of frees, too */
  for (int i = 0; i < ROUNDS; i++) {
    round_of_calls();
    in_a_round = i == 0 ? g_calls : in_a_round;
  }
  char line[64];
  int n = snprintf(line, sizeof line, "%d %d\n", in_a_round, ROUNDS);
  fwrite(line, 1, (size_t)n, stdout);
  return g_calls == ROUNDS * in_a_round ? 0 : 1;
}
