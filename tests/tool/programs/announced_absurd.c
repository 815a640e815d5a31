/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Announces impossible blocks to Valgrind. The profile must be readable after any of these
 * announcements.
 */
#include <stddef.h>
#include <valgrind/dmd.h>
#include <valgrind/valgrind.h>

static char pool[4096];

static void largest(void) {
  VALGRIND_MALLOCLIKE_BLOCK(pool, (size_t)-1, 0, 0);
  DMD_REPORT(pool);
}

static void negative(void) {
  VALGRIND_MALLOCLIKE_BLOCK(pool + 16, (size_t)-64, 0, 0);
}

static void beyond(void) {
  VALGRIND_MALLOCLIKE_BLOCK(pool + 32, (size_t)1 << 60, 0, 0);
}

static void grown(void) {
  VALGRIND_MALLOCLIKE_BLOCK(pool + 48, 10, 0, 0);
  VALGRIND_RESIZEINPLACE_BLOCK(pool + 48, 10, (size_t)-1, 0);
}

int main(void) {
  largest();
  negative();
  beyond();
  grown();
  return 0;
}
