/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagewords.h: finds the words of the program's memory that are addresses in blocks, one page at a
 * time.
 *
 * Looks up all words of a page together: the searches wait for memory, so the data for all of them
 * is prefetched at once.
 *
 * Concurrency: as for pages.h and blockindex.h.
 */
#ifndef DMD_RECORD_HEAP_PAGEWORDS_H
#define DMD_RECORD_HEAP_PAGEWORDS_H

#include "record/heap/blockstarts.h"
#include "record/heap/pages.h"

enum { DMD_PAGE_MAX_WORDS = DMD_PAGE_SZB / sizeof(uint32_t) };

typedef struct dmd_pageword {
  uint32_t in_page; /* offset of the word in the page, in bytes */
  uint32_t block;   /* the innermost block that contains the address: its place in the index + 1 */
  uint64_t into;    /* bytes from the block's start */
} dmd_pageword_t;

typedef struct dmd_pagewords {
  dmd_pages_t pages;
  const dmd_blockindex_t *index;
  dmd_blockstarts_t starts;
  uint64_t word_szB;
  uint64_t addr; /* the page that `found` describes; 1: none */
  dmd_pageword_t found[DMD_PAGE_MAX_WORDS];
  uint32_t n;
  uint32_t n_passed; /* entries of `found` before the place requested last */
  /* During a look-up: all words that may be addresses in blocks; and those that are not known to be
   * starts. */
  uint64_t words[DMD_PAGE_MAX_WORDS], others[DMD_PAGE_MAX_WORDS];
  uint32_t blocks[DMD_PAGE_MAX_WORDS];
  uint16_t in_page[DMD_PAGE_MAX_WORDS];
} dmd_pagewords_t;

void dmd_pagewords_init(dmd_pagewords_t *words, const dmd_memory_t *memory,
                        const dmd_blockindex_t *index, uint64_t word_szB);
void dmd_pagewords_destroy(dmd_pagewords_t *words);

/* The words found in the page that begins at addr, from in_page bytes on, in ascending order; their
 * number in *n. Valid until the next call. */
const dmd_pageword_t *dmd_pagewords_from(dmd_pagewords_t *words, uint64_t addr, uint64_t in_page,
                                         uint32_t *n);

#endif
