/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An allocator that may be called in signal handlers, for programs that do so: blocks come from an
 * array, one after the other, each in one atomic step, and freed blocks are not reused.
 * Flags: -shared -fPIC
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SZB = 1 << 28, UNIT = 16 };

static _Alignas(UNIT) char bytes[SZB];
static atomic_size_t used;

void *malloc(size_t szB);
void free(void *p);
void *calloc(size_t n, size_t szB);
void *realloc(void *p, size_t szB);
size_t malloc_usable_size(void *p);

static void *give(size_t szB) {
  size_t all = ((szB + UNIT - 1) & ~(size_t)(UNIT - 1)) + UNIT;
  size_t at = atomic_fetch_add(&used, all);
  if (at + all > SZB)
    return NULL;
  memcpy(bytes + at, &szB, sizeof szB);
  return bytes + at + UNIT;
}

void *malloc(size_t szB) {
  return give(szB);
}

void free(void *p) {
  (void)p;
}

void *calloc(size_t n, size_t szB) {
  return give(n * szB);
}

size_t malloc_usable_size(void *p) {
  size_t szB;
  memcpy(&szB, (char *)p - UNIT, sizeof szB);
  return szB;
}

void *realloc(void *p, size_t szB) {
  void *now = give(szB);
  if (p != NULL && now != NULL)
    memcpy(now, p, malloc_usable_size(p) < szB ? malloc_usable_size(p) : szB);
  return now;
}
