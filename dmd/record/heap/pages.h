/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pages.h: reads the program's memory page by page; each page once if they are requested in order.
 *
 * Skips pages that cannot be read, and pages whose reading would yield nothing and make them
 * resident (never written, or of a file and not in memory).
 */
#ifndef DMD_RECORD_HEAP_PAGES_H
#define DMD_RECORD_HEAP_PAGES_H

#include "base/limits.h"
#include "base/mem.h"
#include "record/heap/memory.h"

enum { DMD_PAGES_AT_ONCE = 512 }; /* pages per query to the host */

typedef struct dmd_pages {
  const dmd_memory_t *memory;
  uint64_t addr;   /* of the page read last; 1: none */
  bool is_there;   /* that page could be read */
  uint64_t window; /* the first of the DMD_PAGES_AT_ONCE pages described by `holds`; 1: none */
  bool holds[DMD_PAGES_AT_ONCE];
  uint64_t words[DMD_PAGE_SZB / sizeof(uint64_t)];
} dmd_pages_t;

void dmd_pages_init(dmd_pages_t *pages, const dmd_memory_t *memory);

/* The contents of the page that begins at addr, valid until the next call; NULL if it is
 * skipped. */
const char *dmd_pages_read(dmd_pages_t *pages, uint64_t addr);

/* The word of 4 or 8 bytes at an aligned address. Returns false if its page is skipped. */
bool dmd_pages_word(dmd_pages_t *pages, uint64_t addr, uint64_t word_szB, uint64_t *word);

/* The word of 4 or 8 bytes at the start of bytes. */
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
