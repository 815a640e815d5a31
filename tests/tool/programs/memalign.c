/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The allocation functions that take an alignment.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile keep[16];

static void *aligned_to(void *p, size_t alignment, size_t n) {
  if (p == NULL || (uintptr_t)p % alignment != 0)
    abort();
  memset(p, 1, n);
  return p;
}

static void with_memalign(void) {
  keep[0] = aligned_to(memalign(64, 100), 64, 100);
}

static void with_posix_memalign(void) {
  void *p = NULL;
  if (posix_memalign(&p, 4096, 300) != 0)
    abort();
  keep[1] = aligned_to(p, 4096, 300);
}

static void with_bad_posix_memalign(void) {
  void *p = &p;
  if (posix_memalign(&p, 3, 300) == 0 || p != &p)
    abort();
}

static void with_aligned_alloc(void) {
  keep[2] = aligned_to(aligned_alloc(128, 256), 128, 256);
}

static void with_valloc(void) {
  keep[3] = aligned_to(valloc(10), (size_t)sysconf(_SC_PAGESIZE), 10);
}

static void with_pvalloc(void) {
  keep[4] = aligned_to(pvalloc(10), (size_t)sysconf(_SC_PAGESIZE), 4096);
}

static void free_each(void) {
  free(memalign(1024, 5));
  void *p;
  if (posix_memalign(&p, 64, 5) == 0)
    free(p);
  free(aligned_alloc(64, 64));
  free(valloc(5));
}

static void move(void) {
  char *p = aligned_to(memalign(256, 40), 256, 40);
  p = realloc(p, 4000);
  for (int i = 0; i < 40; i++)
    if (p[i] != 1)
      abort();
  keep[5] = p;
}

int main(int argc, char **argv) {
  (void)argv;
  with_memalign();
  with_posix_memalign();
  with_bad_posix_memalign();
  with_aligned_alloc();
  with_valloc();
  free_each();
  move();
  if (argc > 1)
    with_pvalloc();
  return 0;
}
