/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory reports: good ones, and structures that no program should pass.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/dmd.h>

typedef struct dmd_memory_report report_t;

static void check(int good, int line) {
  if (!good) {
    fprintf(stderr, "line %d\n", line);
    exit(line);
  }
}
#define CHECK(condition) check((condition) != 0, __LINE__)

static size_t publish(const char *process, const char *path, int kind, int units, long long amount,
                      const char *description) {
  report_t r = {process, path, kind, units, amount, description};
  return DMD_MEMORY_REPORT(&r);
}

static void good_ones(void) {
  CHECK(publish(NULL, "explicit/a", DMD_KIND_HEAP, DMD_UNITS_BYTES, 100, "Some.") == 1);
  CHECK(publish("", "explicit/a", DMD_KIND_HEAP, DMD_UNITS_BYTES, 11, "Others.") == 1);
  CHECK(publish("child", "explicit/a", DMD_KIND_HEAP, DMD_UNITS_BYTES, 7, NULL) == 2);
  CHECK(publish(NULL, "explicit/a", DMD_KIND_NONHEAP, DMD_UNITS_BYTES, 5, "") == 3);
  CHECK(publish(NULL, "cache/hits", DMD_KIND_OTHER, DMD_UNITS_COUNT_CUMULATIVE, -3, "Hits.") == 4);
  CHECK(publish(NULL, "full", DMD_KIND_OTHER, DMD_UNITS_PERCENTAGE, 9950, "") == 5);
  CHECK(publish(NULL, "doors", DMD_KIND_OTHER, DMD_UNITS_COUNT, 2, "") == 6);
  CHECK(DMD_MEMORY_REPORT(&(report_t){"", "compound", DMD_KIND_OTHER, DMD_UNITS_COUNT, 1, ""}) ==
        7);
}

static char *map(size_t n, int protection) {
  char *p = mmap(NULL, n, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

/* The last bytes of a page that none follows. */
static char *page_end(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *two = map(2 * page, PROT_READ | PROT_WRITE);
  CHECK(mprotect(two + page, page, PROT_NONE) == 0);
  return two + page - n;
}

static void bad_structures(void) {
  report_t *unreadable = (report_t *)(void *)map(4096, PROT_NONE);
  char *half = page_end(sizeof(report_t) / 2);
  DMD_MEMORY_REPORT((report_t *)0);
  DMD_MEMORY_REPORT((report_t *)8);
  DMD_MEMORY_REPORT((report_t *)-8);
  DMD_MEMORY_REPORT(unreadable);
  DMD_MEMORY_REPORT((report_t *)(void *)half);
}

static void bad_values(void) {
  const int bytes = DMD_UNITS_BYTES, heap = DMD_KIND_HEAP;
  const long long max = 1LL << 53;
  publish(NULL, NULL, heap, bytes, 1, "");
  publish(NULL, "", heap, bytes, 1, "");
  publish(NULL, (char *)8, heap, bytes, 1, "");
  publish(NULL, "kind", -1, bytes, 1, "");
  publish(NULL, "kind", 3, bytes, 1, "");
  publish(NULL, "units", heap, -1, 1, "");
  publish(NULL, "units", heap, 4, 1, "");
  publish(NULL, "amount", heap, bytes, max + 1, "");
  publish(NULL, "amount", heap, bytes, -max - 1, "");
}

/* Strings are kept up to unreadable memory; sums stop at 2^53. */
static void odd_ones(void) {
  const int bytes = DMD_UNITS_BYTES, other = DMD_KIND_OTHER;
  const long long max = 1LL << 53;
  char *half = page_end(3), *long_one = map(1 << 20, PROT_READ | PROT_WRITE);
  memcpy(half, "cut", 3);
  memset(long_one, 'L', 1 << 20);
  publish((char *)8, half, other, bytes, 1, (char *)8);
  publish(long_one, long_one, other, bytes, 2, long_one);
  publish("a\xff\n\"b", "p\xff\n\"q", other, bytes, 3, "d\xff\n\"e");
  publish(NULL, "large", other, bytes, max, "");
  publish(NULL, "large", other, bytes, max, "");
  publish(NULL, "small", other, bytes, -max, "");
  publish(NULL, "small", other, bytes, -max, "");
}

static void too_many(void) {
  char path[64];
  size_t kept = 0;
  for (int i = 0; i < 66000; i++) {
    snprintf(path, sizeof path, "many/%d", i);
    kept = publish(NULL, path, DMD_KIND_OTHER, DMD_UNITS_COUNT, 1, NULL);
  }
  CHECK(kept == 65536);
  CHECK(publish(NULL, "many/0", DMD_KIND_OTHER, DMD_UNITS_COUNT, 1, NULL) == 65536);
}

static void too_much_text(void) {
  enum { LENGTH = 4000 };
  static char path[LENGTH + 1];
  memset(path, 't', LENGTH);
  for (int i = 0; i < 6000; i++) {
    sprintf(path, "%d", i);
    path[strlen(path)] = 't';
    publish(NULL, path, DMD_KIND_OTHER, DMD_UNITS_COUNT, 1, NULL);
  }
}

/* Published values go into the next dump only; a clear discards them. */
static void dumps(void) {
  const int bytes = DMD_UNITS_BYTES, other = DMD_KIND_OTHER;
  publish(NULL, "first", other, bytes, 1, "");
  DMD_DUMP("one");
  DMD_DUMP("none");
  CHECK(publish(NULL, "forgotten", other, bytes, 1, "") == 1);
  DMD_CLEAR_REPORTS();
  CHECK(publish(NULL, "second", other, bytes, 2, "") == 1);
  DMD_DUMP("two");
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!RUNNING_ON_DMD) {
    CHECK(publish(NULL, "path", DMD_KIND_HEAP, DMD_UNITS_BYTES, 1, "") == 0);
    CHECK(DMD_MEMORY_REPORT((report_t *)8) == 0);
    return 0;
  }
  if (strcmp(what, "many") == 0) {
    too_many();
  } else if (strcmp(what, "text") == 0) {
    too_much_text();
  } else if (strcmp(what, "dumps") == 0) {
    dumps();
  } else {
    good_ones();
    bad_structures();
    bad_values();
    odd_ones();
  }
  return 0;
}
