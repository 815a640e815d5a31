/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagewords.h: which words of the program's memory are addresses in blocks, a page at a time.
 *
 * All words of a page are looked up together: searches for addresses wait for memory, and what they
 * want is on its way for all of them at once.
 *
 * Concurrency: that of memory.h and blockindex.h.
 */
#ifndef DMD_LIVE_PAGEWORDS_H
#define DMD_LIVE_PAGEWORDS_H

#include "live/blockstarts.h"
#include "live/pages.h"

enum { DMD_PAGE_MAX_WORDS = DMD_PAGE_SZB / sizeof(uint32_t) };

typedef struct dmd_pageword {
  uint32_t in_page; /* where the word is, in bytes */
  uint32_t block;   /* the innermost one around the address: its place in the index + 1 */
  uint64_t into;    /* bytes from the block's start */
} dmd_pageword_t;

typedef struct dmd_pagewords {
  dmd_pages_t pages;
  const dmd_blockindex_t *index;
  dmd_blockstarts_t starts;
  uint64_t word_szB;
  uint64_t addr; /* of the page that `found` is of; 1: none */
  dmd_pageword_t found[DMD_PAGE_MAX_WORDS];
  uint32_t n;
  uint32_t n_passed; /* of `found`: those before the place that was asked for last */
  /* While they are looked up: all words that may be addresses in blocks; and those of them that are
   * known to be no starts. */
  uint64_t words[DMD_PAGE_MAX_WORDS], others[DMD_PAGE_MAX_WORDS];
  uint32_t blocks[DMD_PAGE_MAX_WORDS];
  uint16_t in_page[DMD_PAGE_MAX_WORDS];
} dmd_pagewords_t;

void dmd_pagewords_init(dmd_pagewords_t *words, const dmd_memory_t *memory,
                        const dmd_blockindex_t *index, uint64_t word_szB);
void dmd_pagewords_destroy(dmd_pagewords_t *words);

/* The words found in the page that begins at addr, from in_page bytes on: *n of them, ascending,
 * good until the next call. */
const dmd_pageword_t *dmd_pagewords_from(dmd_pagewords_t *words, uint64_t addr, uint64_t in_page,
                                         uint32_t *n);

#endif
