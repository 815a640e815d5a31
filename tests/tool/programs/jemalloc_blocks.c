/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks and mistakes made with jemalloc's own functions. Linked with libjemalloc, whose header
 * need not be installed.
 * Flags: -l:libjemalloc.so.2
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

void *mallocx(size_t size, int flags);
void *rallocx(void *p, size_t size, int flags);
size_t xallocx(void *p, size_t size, size_t extra, int flags);
size_t sallocx(const void *p, int flags);
void dallocx(void *p, int flags);
void sdallocx(void *p, size_t size, int flags);

enum { ALIGN_64 = 6, ZERO = 0x40, TCACHE_NONE = 1 << 8 };

static void *volatile kept[10];
static volatile size_t measured;

static void *make(size_t size) {
  return mallocx(size, 0);
}

static void plain(void) {
  kept[0] = mallocx(100, TCACHE_NONE);
}
static void aligned(void) {
  kept[1] = mallocx(130, ALIGN_64 | ZERO);
}
static void grown(void) {
  kept[2] = rallocx(make(10), 1000, 0);
}
static void grown_within_its_class(void) {
  kept[3] = rallocx(make(100), 110, 0);
}
static void shrunk_in_place(void) {
  kept[4] = make(100000);
  measured = xallocx(kept[4], 50000, 1000, 0);
}
static void given_all_there_is(void) {
  kept[5] = make(100);
  measured = xallocx(kept[5], 100, SIZE_MAX, 0);
}
static void left_as_it_was(void) {
  kept[6] = make(200);
  measured = xallocx(kept[6], 10, 0, 0) + xallocx(kept[6], 1000, 0, 0);
}
static void freed(void) {
  dallocx(make(11), 0);
  sdallocx(make(12), 12, TCACHE_NONE);
  free(make(13));
}

static size_t measure(void) {
  return sallocx(kept[0], 0);
}

/* An address that is not a block is left alone, and nothing happens. */
static void mistakes(void) {
  char *p = mallocx(300, 0);
  dallocx(p + 8, 0);
  sdallocx(p + 16, 300, 0);
  if (rallocx(p + 24, 400, 0) != NULL || xallocx(p + 32, 400, 0, 0) != 0 || sallocx(p + 40, 0) != 0)
    abort();
  dallocx(p, 0);
  dallocx(p, 0);
  if (mallocx((size_t)1 << 63, 0) != NULL || mallocx(1, 63) != NULL || mallocx(1, 25) != NULL)
    abort();
  kept[7] = make(14);
  if (rallocx(kept[7], (size_t)1 << 63, 0) != NULL || rallocx(kept[7], 14, 40) != NULL)
    abort();
  if (xallocx(kept[7], (size_t)1 << 63, 0, 0) != 16)
    abort();
}

int main(void) {
  plain();
  aligned();
  grown();
  grown_within_its_class();
  shrunk_in_place();
  given_all_there_is();
  left_as_it_was();
  freed();
  measured = measure();
  mistakes();
  if (posix_memalign((void **)&kept[8], (size_t)1 << 25, 1) == 0)
    abort();
  return 0;
}
