/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Uses jemalloc under the names that Rust's crate gives it, and prints how many bytes jemalloc has
 * given out.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *_rjem_malloc(size_t szB);
void *_rjem_mallocx(size_t szB, int flags);
void *_rjem_rallocx(void *p, size_t szB, int flags);
void *_rjem_realloc(void *p, size_t szB);
void _rjem_sdallocx(void *p, size_t szB, int flags);
int _rjem_mallctl(const char *name, void *old, size_t *old_szB, void *now, size_t now_szB);

enum { KEPT = 10, ZEROED = 0x40, ALIGN_64 = 6 };

static void *kept[KEPT];

static void keep(int i) {
  kept[i] = _rjem_realloc(_rjem_malloc(10), 100000);
}

int main(void) {
  size_t allocated, szB = sizeof allocated;
  uint64_t epoch = 1;
  for (int i = 0; i < 1000; i++) {
    char *p = _rjem_mallocx(100, ZEROED | ALIGN_64);
    if ((uintptr_t)p % 64 != 0 || p[99] != 0)
      abort();
    memset(p, 1, 100);
    p = _rjem_rallocx(p, 5000, ZEROED | ALIGN_64);
    if ((uintptr_t)p % 64 != 0 || p[99] != 1 || p[4999] != 0)
      abort();
    _rjem_sdallocx(p, 5000, ALIGN_64);
  }
  for (int i = 0; i < KEPT; i++)
    keep(i);
  if (_rjem_mallctl("epoch", NULL, NULL, &epoch, sizeof epoch) != 0 ||
      _rjem_mallctl("stats.allocated", &allocated, &szB, NULL, 0) != 0)
    return 1;
  printf("%zu\n", allocated);
  return 0;
}
