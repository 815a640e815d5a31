/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The results of the requests without dmd; exits with 0 if they are as dmd.h says. Prints usable
 * sizes.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(measure)

static void check(int good, int line) {
  if (!good) {
    fprintf(stderr, "line %d\n", line);
    exit(line);
  }
}
#define CHECK(condition) check((condition) != 0, __LINE__)

static void where_there_is_dmd(void) {
  CHECK(RUNNING_ON_DMD >= 1);
  CHECK(DMD_REPORTER_BEGIN("a") == 1 && DMD_REPORTER_BEGIN("b") == 2);
  CHECK(DMD_REPORTER_END(0) == 1 && DMD_REPORTER_END(0) == 0);
  CHECK(DMD_TAG_PUSH("a") == 1 && DMD_TAG_POP() == 0);
  CHECK(DMD_SET_HEAP_BLOCK_TAG("a") == 1 && DMD_CLEAR_HEAP_BLOCK_TAG() == 0);
  CHECK(DMD_TAG_BYTES("a") == 0 && DMD_TAG_BLOCKS("a") == 0);
  CHECK(DMD_CLEAR_REPORTS() == 0);
  CHECK(DMD_DUMP("one") == 1 && DMD_DUMP(NULL) == 2);
}

static void where_there_is_none(void) {
  CHECK(RUNNING_ON_DMD == 0);
  CHECK(DMD_REPORTER_BEGIN("a") == 0 && DMD_REPORTER_END(0) == 0);
  CHECK(DMD_TAG_PUSH("a") == 0 && DMD_TAG_POP() == 0);
  CHECK(DMD_SET_HEAP_BLOCK_TAG("a") == 0 && DMD_CLEAR_HEAP_BLOCK_TAG() == 0);
  CHECK(DMD_TAG_BYTES("a") == 0 && DMD_TAG_BLOCKS("a") == 0);
  CHECK(DMD_CLEAR_REPORTS() == 0);
  CHECK(DMD_DUMP("one") == 0 && DMD_DUMP(NULL) == 0);
}

int main(int argc, char **argv) {
  for (size_t n = 0; n < 3000; n += 17) {
    void *p = malloc(n);
    size_t usable = malloc_usable_size(p);
    CHECK(measure(p) == usable && DMD_REPORT(p) == usable && DMD_REPORT_ON_ALLOC(p) == usable);
    CHECK(DMD_UNREPORT(p) == usable);
    printf("%zu ", usable);
    free(p);
  }
  CHECK(DMD_REPORT(NULL) == 0 && DMD_UNREPORT(NULL) == 0);
  if (argc > 1 && strcmp(argv[1], "dmd") == 0)
    where_there_is_dmd();
  else
    where_there_is_none();
  return 0;
}
