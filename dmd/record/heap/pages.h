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
#include "model/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read access to the program's memory, provided by the host. The program's threads should be
 * stopped meanwhile. */

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

/* ---- The words of a block's memory, for profiles of mode scan. ----
 *
 * Words are counted from the block's start, whatever its alignment, and have the program's word
 * size; an incomplete word at the end is left out. Skipped pages count as zeroes. */

/* Adds the words of szB bytes at addr to the block that was added last. Fastest if blocks are added
 * in address order. */
void dmd_contents_add(dmd_scanned_t *scanned, dmd_pages_t *pages, uint64_t addr, uint64_t szB,
                      uint64_t word_szB);

#endif
