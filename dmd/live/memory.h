/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memory.h: the program's memory, as the host lets it be read.
 *
 * Concurrency: the program's threads should be stopped, since its memory is read.
 */
#ifndef DMD_LIVE_MEMORY_H
#define DMD_LIVE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmd_memory {
  /* Copies n bytes at addr (all of one page of DMD_PAGE_SZB) to `to`, which is
   * aligned for words. Returns how many bytes from addr on could be had. */
  size_t (*read)(void *ctx, uint64_t addr, void *to, size_t n);
  /* Says of each of n pages from addr on, a page's start, whether to read it could tell anything:
   * not if it was never written, or is a file's and in no memory, which to read it would change.
   * False: that cannot be found out. NULL: it never can. */
  bool (*holds)(void *ctx, uint64_t addr, size_t n, bool *holds);
  void *ctx;
} dmd_memory_t;

#endif
