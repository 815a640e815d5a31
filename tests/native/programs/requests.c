/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Makes each request once, and prints the answers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static char *blocks[8];

static void say(const char *what, size_t answer) {
  fprintf(stderr, "%s %zu\n", what, answer);
}

static char *once_block(void) {
  return malloc(1000);
}

static char *twice_block(void) {
  return malloc(2000);
}

static char *dark_block(void) {
  return malloc(3000);
}

static char *tagged_block(void) {
  return malloc(4000);
}

static void *run(void *inherited) {
  blocks[5] = malloc(5000);
  (void)inherited;
  say("set", DMD_SET_HEAP_BLOCK_TAG("own"));
  blocks[6] = malloc(6000);
  return NULL;
}

static void tags(void) {
  pthread_t thread;
  say("push", DMD_TAG_PUSH("tag"));
  blocks[3] = tagged_block();
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  say("pop", DMD_TAG_POP());
  say("bytes", DMD_TAG_BYTES("own") >= 6000);
  say("blocks", DMD_TAG_BLOCKS("own"));
}

static void reports(void) {
  int local;
  say("begin", DMD_REPORTER_BEGIN("explicit/good"));
  size_t n = measure(blocks[0]);
  say("size", n == malloc_usable_size(blocks[0]));
  say("end", DMD_REPORTER_END(n));
  DMD_REPORTER_BEGIN("explicit/bad");
  measure(blocks[1]);
  DMD_REPORTER_END(17);
  DMD_REPORT(blocks[1]);
  if (RUNNING_ON_DMD) /* else it has to be a block */
    say("local", DMD_REPORT(&local));
  say("null", DMD_REPORT(NULL));
}

int main(void) {
  struct dmd_memory_report report = {NULL, "explicit/x", DMD_KIND_HEAP, DMD_UNITS_BYTES,
                                     42,   "Some."};
  say("running", RUNNING_ON_DMD);
  blocks[0] = once_block();
  blocks[1] = twice_block();
  blocks[2] = dark_block();
  tags();
  reports();
  say("published", DMD_MEMORY_REPORT(&report));
  say("dump", DMD_DUMP("first"));
  say("cleared", DMD_CLEAR_REPORTS());
  say("dump", DMD_DUMP("second"));
  return 0;
}
