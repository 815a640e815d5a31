/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reports of the block that contains an address. The analysis is the one at exit.
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

static char *volatile keep[32];
static char global[100];

static void expect(size_t size, size_t expected) {
  if (size != (RUNNING_ON_DMD > 0 ? expected : 0))
    abort();
}

static char *kept(int i, size_t szB) {
  return keep[i] = malloc(szB);
}

static void at_start(void) {
  expect(DMD_REPORT_ENCLOSING(kept(0, 100)), 104);
}

static void inside(void) {
  expect(DMD_REPORT_ENCLOSING(kept(1, 100) + 57), 104);
}

static void in_slop(void) {
  expect(DMD_REPORT_ENCLOSING(kept(2, 100) + 103), 104);
}

static void in_large(void) {
  kept(3, 40000000);
  size_t szB = DMD_REPORT(keep[3]);
  expect(DMD_REPORT_ENCLOSING(keep[3] + 39999999), szB);
}

static void twice(void) {
  kept(4, 100);
  DMD_REPORT(keep[4]);
  expect(DMD_REPORT_ENCLOSING(keep[4] + 8), 104);
}

static void owner(const char *path, const char *p) {
  DMD_REPORTER_BEGIN(path);
  DMD_REPORTER_END(DMD_REPORT_ENCLOSING_SHARED(p));
}

static void shared(void) {
  kept(5, 100);
  owner("explicit/one", keep[5] + 16);
  owner("explicit/two", keep[5] + 24);
}

static void claimed(void) {
  kept(6, 100);
  DMD_REPORTER_BEGIN("explicit/claimed");
  DMD_REPORTER_END(DMD_REPORT_ENCLOSING(keep[6] + 8));
}

static void claimed_too_little(void) {
  kept(7, 100);
  DMD_REPORTER_BEGIN("explicit/too-little");
  DMD_REPORTER_END(DMD_REPORT_ENCLOSING(keep[7] + 8) - DMD_REPORT_ENCLOSING(keep[7]) / 2);
}

static void of_freed(void) {
  char *volatile p = malloc(3000);
  free(p);
  expect(DMD_REPORT_ENCLOSING(p), 0);
}

static void behind_the_end(void) {
  kept(8, 100);
  expect(DMD_REPORT_ENCLOSING(keep[8] + DMD_REPORT(keep[8])), 0);
}

static void of_global(void) {
  expect(DMD_REPORT_ENCLOSING(global + 50), 0);
}

static void of_stack(void) {
  char local[100];
  expect(DMD_REPORT_ENCLOSING(local + 50), 0);
}

static void of_nonsense(void) {
  expect(DMD_REPORT_ENCLOSING((char *)0x10), 0);
}

static void of_null(void) {
  expect(DMD_REPORT_ENCLOSING(NULL), 0);
}

int main(void) {
  at_start();
  inside();
  in_slop();
  in_large();
  twice();
  shared();
  claimed();
  claimed_too_little();
  of_freed();
  behind_the_end();
  of_global();
  of_stack();
  of_nonsense();
  of_null();
  return 0;
}
