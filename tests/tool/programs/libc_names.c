/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The C library's allocation functions under their other names, and those that C23 adds; the
 * program defines these itself if the C library lacks them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
void __libc_free(void *p);

static void *volatile kept[8];

/* dmd must not see their native calls. */
void free_sized(void *p, size_t size);
void free_sized(void *p, size_t size) {
  if (p == NULL || size > 0)
    abort();
}

void free_aligned_sized(void *p, size_t alignment, size_t size);
void free_aligned_sized(void *p, size_t alignment, size_t size) {
  if (p == NULL || alignment > 0 || size > 0)
    abort();
}

static void with_malloc(void) {
  kept[0] = __libc_malloc(100);
}
static void with_calloc(void) {
  kept[1] = __libc_calloc(4, 50);
}
static void with_realloc(void) {
  kept[2] = __libc_realloc(__libc_malloc(10), 300);
}
static void with_memalign(void) {
  kept[3] = __libc_memalign(64, 400);
}
static void with_valloc(void) {
  kept[4] = __libc_valloc(500);
}
static void with_pvalloc(void) {
  kept[5] = __libc_pvalloc(5000);
  if ((uintptr_t)kept[5] % 4096 != 0)
    abort();
}

static void freed(void) {
  __libc_free(__libc_malloc(11));
  free(__libc_pvalloc(12));
  free_sized(malloc(13), 13);
  free_aligned_sized(aligned_alloc(64, 128), 64, 128);
  free_sized(NULL, 0);
  free_aligned_sized(NULL, 0, 0);
}

static void freed_twice(void) {
  void *p = malloc(14);
  free_sized(p, 14);
  free_sized(p, 14);
  p = malloc(15);
  free_aligned_sized(p, 16, 15);
  free_aligned_sized(p, 16, 15);
}

static void too_much(void) {
  errno = 0;
  if (__libc_pvalloc((size_t)1 << 62) != NULL || errno != ENOMEM)
    abort();
  if (__libc_pvalloc(SIZE_MAX) != NULL)
    abort();
}

int main(void) {
  with_malloc();
  with_calloc();
  with_realloc();
  with_memalign();
  with_valloc();
  with_pvalloc();
  freed();
  freed_twice();
  too_much();
  return 0;
}
