/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -pthread
 *
 * Tags and reporters: nested, in two threads, closed too often.
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void *volatile keep[16];

static void check(int good) {
  if (!good)
    abort();
}

static void untagged_before(void) {
  keep[0] = malloc(100);
}

static void outer_tag(void) {
  keep[1] = malloc(100);
}

static void inner_tag(void) {
  keep[2] = malloc(100);
}

static void outer_tag_again(void) {
  keep[3] = realloc(keep[1], 200);
  keep[4] = malloc(100);
}

static void untagged_after(void) {
  keep[5] = malloc(100);
}

static void pop_too_often(void) {
  check(DMD_TAG_POP() == 0);
  check(DMD_TAG_POP() == 0);
}

static void tags(void) {
  untagged_before();
  check(DMD_TAG_PUSH("outer") == 1);
  outer_tag();
  check(DMD_TAG_PUSH("inner") == 2);
  inner_tag();
  check(DMD_TAG_POP() == 1);
  outer_tag_again();
  check(DMD_TAG_POP() == 0);
  untagged_after();
  for (int i = 0; i < 3; i++)
    pop_too_often();
  DMD_TAG_PUSH("still works");
  keep[6] = malloc(55);
  DMD_TAG_POP();
}

static void end_too_often(void) {
  check(DMD_REPORTER_END(0) == 0);
}

static void block_of_outer(void) {
  keep[7] = malloc(100);
  measure(keep[7]);
}

static void block_of_inner(void) {
  keep[8] = malloc(100);
  measure(keep[8]);
}

static void block_of_both(void) {
  keep[9] = malloc(100);
  DMD_REPORTER_BEGIN("explicit/one");
  measure(keep[9]);
  DMD_REPORTER_END(104);
  measure(keep[9]);
}

static void fault_inside(void) {
  char *p = keep[7];
  measure(p + 1);
}

static void reporters(void) {
  check(DMD_REPORTER_BEGIN("explicit/outer") == 1);
  block_of_outer();
  check(DMD_REPORTER_BEGIN("explicit/outer/inner") == 2);
  block_of_inner();
  fault_inside();
  check(DMD_REPORTER_END(104) == 1);
  check(DMD_REPORTER_END(208) == 0);
  block_of_both();
  end_too_often();
}

/* Scopes belong to a thread: this one inherits only the main thread's tag, and passes none back.
 */
static void *in_thread(void *arg) {
  check(DMD_TAG_PUSH("of thread") == 2);
  check(DMD_REPORTER_BEGIN("explicit/thread") == 1);
  keep[10] = malloc(60);
  measure(keep[10]);
  return arg;
}

/* The first thread ends with its scopes open, and the second one gets its number. It cannot remove
 * the tag that it inherits. */
static void *in_second_thread(void *arg) {
  keep[11] = malloc(61);
  measure(keep[11]);
  check(DMD_TAG_POP() == 1);
  return arg;
}

static void threads(void) {
  pthread_t thread;
  DMD_TAG_PUSH("of main");
  DMD_REPORTER_BEGIN("explicit/main");
  check(pthread_create(&thread, NULL, in_thread, NULL) == 0);
  pthread_join(thread, NULL);
  check(pthread_create(&thread, NULL, in_second_thread, NULL) == 0);
  pthread_join(thread, NULL);
  keep[12] = malloc(62);
  measure(keep[12]);
  DMD_REPORTER_END(0);
  DMD_TAG_POP();
}

int main(void) {
  tags();
  reporters();
  threads();
  return 0;
}
