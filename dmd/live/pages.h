/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pages.h: reads the program's memory page by page, each one once if they are asked for in order.
 *
 * A page that cannot be read, or whose reading would tell nothing but take up memory (one that was
 * never written, one of a file that is in no memory), is passed over.
 *
 * Concurrency: that of memory.h.
 */
#ifndef DMD_LIVE_PAGES_H
#define DMD_LIVE_PAGES_H

#include "base/limits.h"
#include "base/mem.h"
#include "live/memory.h"

enum { DMD_PAGES_AT_ONCE = 512 }; /* that the host is asked about */

typedef struct dmd_pages {
  const dmd_memory_t *memory;
  uint64_t addr;   /* of the page that was read last; 1: none */
  bool is_there;   /* it could be read */
  uint64_t window; /* the first of DMD_PAGES_AT_ONCE pages of which `holds` tells; 1: none */
  bool holds[DMD_PAGES_AT_ONCE];
  uint64_t words[DMD_PAGE_SZB / sizeof(uint64_t)];
} dmd_pages_t;

void dmd_pages_init(dmd_pages_t *pages, const dmd_memory_t *memory);

/* The contents of the page that begins at addr, good until the next call; NULL: passed over. */
const char *dmd_pages_read(dmd_pages_t *pages, uint64_t addr);

/* The word of 4 or 8 bytes at an address, which is aligned for it. False: passed over. */
bool dmd_pages_word(dmd_pages_t *pages, uint64_t addr, uint64_t word_szB, uint64_t *word);

/* The word of 4 or 8 bytes that these begin with. */
static inline uint64_t dmd_word_at(const char *bytes, uint64_t word_szB) {
  if (word_szB == sizeof(uint32_t)) {
    uint32_t half;
    dmd_mem_copy(&half, bytes, sizeof half);
    return half;
  }
  uint64_t word;
  dmd_mem_copy(&word, bytes, sizeof word);
  return word;
}

#endif
