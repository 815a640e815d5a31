/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory reports at paths that reporters have: some equal the measured values, others do not.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void *volatile keep[16];

static void publish(const char *path, int kind, size_t amount) {
  struct dmd_memory_report report = {NULL, path, kind, DMD_UNITS_BYTES, (long long)amount, NULL};
  DMD_MEMORY_REPORT(&report);
}

/* 104 usable bytes, reported within the path. */
static size_t one_block(int i, const char *path) {
  keep[i] = malloc(100);
  DMD_REPORTER_BEGIN(path);
  size_t n = measure(keep[i]);
  DMD_REPORTER_END(n);
  return n;
}

static void right(void) {
  publish("explicit/right", DMD_KIND_HEAP, one_block(0, "explicit/right"));
}

static void in_two_parts(void) {
  publish("explicit/parts", DMD_KIND_HEAP, one_block(1, "explicit/parts"));
  publish("explicit/parts", DMD_KIND_HEAP, one_block(2, "explicit/parts"));
}

static void too_much(void) {
  publish("explicit/much", DMD_KIND_HEAP, one_block(3, "explicit/much") + 1000);
}

static void nothing(void) {
  one_block(4, "explicit/nothing");
  publish("explicit/nothing", DMD_KIND_HEAP, 0);
}

static void as_no_heap(void) {
  one_block(5, "explicit/mapped");
  publish("explicit/mapped", DMD_KIND_NONHEAP, 4096);
}

/* The outer reporter's own block, and all of both. */
static void nested(void) {
  keep[6] = malloc(100);
  DMD_REPORTER_BEGIN("explicit/outer");
  size_t n = measure(keep[6]), own = n;
  n += one_block(7, "explicit/outer/inner");
  DMD_REPORTER_END(n);
  publish("explicit/outer", DMD_KIND_HEAP, n);
  keep[8] = malloc(100);
  DMD_REPORTER_BEGIN("explicit/leaf");
  n = measure(keep[8]), own = n;
  n += one_block(9, "explicit/leaf/inner");
  DMD_REPORTER_END(n);
  publish("explicit/leaf", DMD_KIND_HEAP, own);
}

static void freed_since(void) {
  publish("explicit/freed", DMD_KIND_HEAP, one_block(10, "explicit/freed"));
  free(keep[10]);
}

static void shared_block(void) {
  static const char *const paths[] = {"explicit/owner/a", "explicit/owner/b", "explicit/owner/c"};
  keep[11] = malloc(100);
  for (int i = 0; i < 3; i++) {
    DMD_REPORTER_BEGIN(paths[i]);
    size_t n = DMD_REPORT_SHARED(keep[11]);
    DMD_REPORTER_END(n);
    publish(paths[i], DMD_KIND_HEAP, n);
  }
}

static void without_reporter(void) {
  keep[12] = malloc(100);
  publish("explicit/alone", DMD_KIND_HEAP, measure(keep[12]) + 1);
  publish("explicit/much/data", DMD_KIND_HEAP, 5);
}

int main(void) {
  right();
  in_two_parts();
  too_much();
  nothing();
  as_no_heap();
  nested();
  freed_since();
  shared_block();
  without_reporter();
  DMD_DUMP("one");
  right();
  DMD_DUMP("two");
  return 0;
}
