/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memory.h: read access to the program's memory, provided by the host. The program's threads should
 * be stopped meanwhile.
 */
#ifndef DMD_RECORD_HEAP_MEMORY_H
#define DMD_RECORD_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmd_memory {
  /* Copies n bytes at addr (all within one page of DMD_PAGE_SZB) to `to`, which is aligned for
   * words. Returns the number of bytes from addr on that could be read. */
  size_t (*read)(void *ctx, uint64_t addr, void *to, size_t n);
  /* Determines for each of n pages, the first of which starts at addr, whether reading it is
   * useful. It is not if the page was never written, or is a file's page that is not resident and
   * would become so. Returns false if this cannot be found out. NULL: it never can. */
  bool (*holds)(void *ctx, uint64_t addr, size_t n, bool *holds);
  void *ctx;
} dmd_memory_t;

#endif
