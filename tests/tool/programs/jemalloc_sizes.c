/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the results of jemalloc's own functions, for a run with and without Valgrind, unless they
 * depend on what else is in the heap. It prints only at the end, so that no buffer is among the
 * blocks. Linked with libjemalloc, whose header need not be installed.
 * Flags: -l:libjemalloc.so.2
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mallocx(size_t size, int flags);
void *rallocx(void *p, size_t size, int flags);
size_t xallocx(void *p, size_t size, size_t extra, int flags);
size_t sallocx(const void *p, int flags);
void dallocx(void *p, int flags);
void sdallocx(void *p, size_t size, int flags);
size_t nallocx(size_t size, int flags);

/* As jemalloc.h has them. */
#define MALLOCX_LG_ALIGN(la) ((int)(la))
#define MALLOCX_ALIGN(a) __builtin_ctzll(a)
#define MALLOCX_ZERO 0x40
#define MALLOCX_TCACHE_NONE (1 << 8)

enum { MAX_LINES = 20000 };
static struct {
  const char *what;
  size_t size, flags, answer;
} lines[MAX_LINES];
static int n_lines;

static void note(const char *what, size_t size, int flags, size_t answer) {
  if (n_lines == MAX_LINES)
    abort();
  lines[n_lines].what = what;
  lines[n_lines].size = size;
  lines[n_lines].flags = (size_t)flags;
  lines[n_lines++].answer = answer;
}

static int has_only(const unsigned char *p, unsigned char byte, size_t from, size_t to) {
  while (from < to && p[from] == byte)
    from++;
  return from == to;
}

static void free_it(void *p, size_t size, int flags) {
  if (size % 2 == 0)
    sdallocx(p, size, flags);
  else if (size % 3 == 0)
    dallocx(p, flags);
  else
    free(p); /* one allocator, whatever the function */
}

static void allocate(size_t size, int flags) {
  unsigned char *p = mallocx(size, flags);
  size_t usable = sallocx(p, flags);
  note("mallocx", size, flags, usable);
  note("malloc_usable_size", size, flags, malloc_usable_size(p));
  note("nallocx", size, flags, nallocx(size, flags));
  note("aligned", size, flags, (uintptr_t)p % ((size_t)1 << (flags & 63)));
  if (flags & MALLOCX_ZERO)
    note("zeroed", size, flags, has_only(p, 0, 0, usable));
  memset(p, 1, usable);
  free_it(p, size, flags);
}

static void allocate_all(void) {
  static const int more[] = {0, MALLOCX_ZERO, MALLOCX_TCACHE_NONE,
                             MALLOCX_ZERO | MALLOCX_TCACHE_NONE};
  for (size_t size = 1; size < 300000; size += size / 5 + 1)
    for (int lg = 0; lg <= 16; lg += lg == 0 ? 3 : 1)
      allocate(size, MALLOCX_LG_ALIGN(lg) | more[(size + (size_t)lg) % 4]);
}

/* Old contents stay; the new part is zeroed from where the real size ended. */
static void resize(size_t from, size_t to, int flags) {
  unsigned char *p = mallocx(from, 0);
  size_t old = sallocx(p, 0), least = from < to ? from : to;
  memset(p, 7, old);
  p = rallocx(p, to, flags);
  size_t now = sallocx(p, 0);
  note("rallocx", to, flags, now);
  note("keeps", to, flags, has_only(p, 7, 0, least));
  note("aligned", to, flags, (uintptr_t)p % ((size_t)1 << (flags & 63)));
  if (flags & MALLOCX_ZERO && now > old)
    note("zeroed", to, flags, has_only(p, 0, old, now));
  memset(p, 9, now);
  free_it(p, to, flags);
}

static void resize_all(void) {
  static const int flags[] = {0, MALLOCX_ZERO, MALLOCX_ALIGN(256),
                              MALLOCX_ALIGN(8192) | MALLOCX_ZERO};
  for (size_t from = 1; from < 100000; from += from + 7)
    for (size_t to = 1; to < 200000; to += to + 3)
      for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        resize(from, to, flags[i]);
}

/* Small blocks never change in place; large ones shrink, at most to the wanted size. Whether they
 * can grow depends on the heap. */
static void resize_in_place(size_t from, size_t size, size_t extra) {
  unsigned char *p = mallocx(from, 0);
  size_t answer = xallocx(p, size, extra, 0);
  note("xallocx", size, 0, answer);
  note("sallocx", size, 0, sallocx(p, 0) == answer);
  memset(p, 9, answer);
  dallocx(p, 0);
}

static void resize_all_in_place(void) {
  static const size_t extra[] = {0, 1, 50, 5000};
  for (size_t from = 1; from < 400000; from += from / 2 + 1)
    for (size_t size = 1; size < 400000; size += size / 3 + 1)
      for (size_t i = 0; i < 4; i++)
        if (from < 14000 || size + extra[i] <= from)
          resize_in_place(from, size, extra[i]);
  resize_in_place(100, 50, SIZE_MAX - 50);
  resize_in_place(100, 50, SIZE_MAX);
}

static void ask_for_too_much(void) {
  static const size_t sizes[] = {1, SIZE_MAX, SIZE_MAX / 2, (size_t)7 << 60 | 1, (size_t)1 << 62};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (i != 4)
      note("nallocx", sizes[i], 0, nallocx(sizes[i], 0));
    note("nallocx", sizes[i], 63, nallocx(sizes[i], MALLOCX_LG_ALIGN(63)));
  }
}

int main(void) {
  allocate_all();
  resize_all();
  resize_all_in_place();
  ask_for_too_much();
  for (int i = 0; i < n_lines; i++)
    printf("%s(%zu, %zu) = %zu\n", lines[i].what, lines[i].size, lines[i].flags, lines[i].answer);
  return 0;
}
