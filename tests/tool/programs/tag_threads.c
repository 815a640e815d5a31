/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Two threads carry tags at once. They take turns at barriers, so that each step of one falls
 * between two of the other.
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

static pthread_barrier_t turn;
static void *volatile keep[8];

static void check(int good) {
  if (!good)
    abort();
}

static void next_turn(void) {
  pthread_barrier_wait(&turn);
}

static void *left_thread(void *arg) {
  check(DMD_TAG_PUSH("left") == 1);
  next_turn(); /* 1: left has its tag */
  next_turn(); /* 2: right has two */
  keep[0] = malloc(100);
  check(DMD_TAG_PUSH("both") == 2);
  next_turn(); /* 3: left has two as well; the upper ones have one name */
  keep[1] = malloc(100);
  check(DMD_TAG_POP() == 1);
  next_turn(); /* 4: left is back at its first */
  keep[2] = malloc(100);
  next_turn(); /* 5: right has no tags */
  keep[3] = malloc(100);
  check(DMD_TAG_POP() == 0);
  return arg;
}

static void *right_thread(void *arg) {
  next_turn(); /* 1 */
  check(DMD_TAG_PUSH("right") == 1);
  check(DMD_TAG_PUSH("both") == 2);
  next_turn(); /* 2 */
  next_turn(); /* 3 */
  keep[4] = malloc(300);
  next_turn(); /* 4 */
  keep[5] = malloc(300);
  check(DMD_TAG_POP() == 1);
  keep[6] = malloc(300);
  check(DMD_TAG_POP() == 0);
  next_turn(); /* 5 */
  keep[7] = malloc(300);
  return arg;
}

int main(void) {
  pthread_t left, right;
  check(pthread_barrier_init(&turn, NULL, 2) == 0);
  check(pthread_create(&left, NULL, left_thread, NULL) == 0);
  check(pthread_create(&right, NULL, right_thread, NULL) == 0);
  pthread_join(left, NULL);
  pthread_join(right, NULL);
  if (RUNNING_ON_DMD) {
    check(DMD_TAG_BYTES("left") == 3 * 104 && DMD_TAG_BLOCKS("left") == 3);
    check(DMD_TAG_BYTES("right") == 312 && DMD_TAG_BLOCKS("right") == 1);
    check(DMD_TAG_BYTES("both") == 104 + 2 * 312 && DMD_TAG_BLOCKS("both") == 3);
  }
  return 0;
}
