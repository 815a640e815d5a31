/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Has a block of 4 MiB that was never written, one of as many zeroes, and one whose second half was
 * never written. Prints how many bytes of each are in memory; of the last, of that half.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SZB = 4 << 20, PAGE = 4096 };

static char *idle, *cleared, *half;

static unsigned long resident(const char *block, size_t from) {
  static unsigned char held[SZB / PAGE];
  uintptr_t start = ((uintptr_t)block + from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  size_t n_pages = (SZB - from) / PAGE - 1, n = 0;
  if (mincore((void *)start, n_pages * PAGE, held) != 0)
    abort();
  for (size_t i = 0; i < n_pages; i++)
    n += held[i] & 1;
  return n * PAGE;
}

int main(void) {
  idle = calloc(1, SZB);
  cleared = malloc(SZB);
  memset(cleared, 0, SZB);
  half = calloc(1, SZB);
  memset(half, 1, SZB / 2);
  printf("%lu %lu %lu\n", resident(idle, 0), resident(cleared, 0), resident(half, SZB / 2));
  return 0;
}
