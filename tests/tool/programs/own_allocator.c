/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flags: -rdynamic
 *
 * A program whose symbols look as if an allocator were linked into it: malloc and the like, and the
 * function MARK, which only one allocator has.
 */
#include <stddef.h>

extern void *__libc_malloc(size_t n);
extern void __libc_free(void *p);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

#ifdef MARK
void MARK(void) {}
#endif

#ifndef NO_MALLOC
void *malloc(size_t n) {
  return __libc_malloc(n);
}
void free(void *p) {
  __libc_free(p);
}
void *calloc(size_t n, size_t size) {
  return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
  return __libc_realloc(p, n);
}
#else
extern void *malloc(size_t n);
#endif

static void *volatile keep;

int main(void) {
  keep = malloc(1100);
  return 0;
}
