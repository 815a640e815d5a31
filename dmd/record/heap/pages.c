/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/pages.h"

enum { NO_ADDRESS = 1 };

void dmd_pages_init(dmd_pages_t *pages, const dmd_memory_t *memory) {
  pages->memory = memory;
  pages->addr = NO_ADDRESS;
  pages->window = NO_ADDRESS;
}

static void look_ahead(dmd_pages_t *pages, uint64_t window) {
  const dmd_memory_t *memory = pages->memory;
  pages->window = window;
  if (memory->holds != NULL && memory->holds(memory->ctx, window, DMD_PAGES_AT_ONCE, pages->holds))
    return;
  for (size_t i = 0; i < DMD_PAGES_AT_ONCE; i++)
    pages->holds[i] = true;
}

static bool read(dmd_pages_t *pages, uint64_t addr) {
  const dmd_memory_t *memory = pages->memory;
  uint64_t window = addr - addr % (DMD_PAGES_AT_ONCE * DMD_PAGE_SZB);
  if (window != pages->window)
    look_ahead(pages, window);
  return pages->holds[(addr - window) / DMD_PAGE_SZB] &&
         memory->read(memory->ctx, addr, pages->words, DMD_PAGE_SZB) == DMD_PAGE_SZB;
}

const char *dmd_pages_read(dmd_pages_t *pages, uint64_t addr) {
  if (addr != pages->addr) {
    pages->is_there = read(pages, addr);
    pages->addr = addr;
  }
  return pages->is_there ? (const char *)pages->words : NULL;
}

bool dmd_pages_word(dmd_pages_t *pages, uint64_t addr, uint64_t word_szB, uint64_t *word) {
  uint64_t in_page = addr % DMD_PAGE_SZB;
  const char *page = dmd_pages_read(pages, addr - in_page);
  if (page != NULL)
    *word = dmd_word_at(page + in_page, word_szB);
  return page != NULL;
}

/* ---- The words of a block's memory. ---- */

/* Reads a word that spans two pages, either of which may be missing. */
static uint64_t read_bytes(dmd_pages_t *pages, uint64_t addr, uint64_t word_szB) {
  char bytes[sizeof(uint64_t)] = {0};
  for (uint64_t i = 0; i < word_szB; i++) {
    uint64_t in_page = (addr + i) % DMD_PAGE_SZB;
    const char *page = dmd_pages_read(pages, addr + i - in_page);
    bytes[i] = page == NULL ? '\0' : page[in_page];
  }
  return dmd_word_at(bytes, word_szB);
}

void dmd_contents_add(dmd_scanned_t *scanned, dmd_pages_t *pages, uint64_t addr, uint64_t szB,
                      uint64_t word_szB) {
  for (; szB >= word_szB; szB -= word_szB, addr += word_szB) {
    uint64_t word = 0;
    if (addr % DMD_PAGE_SZB > DMD_PAGE_SZB - word_szB)
      word = read_bytes(pages, addr, word_szB);
    else
      dmd_pages_word(pages, addr, word_szB, &word);
    dmd_scanned_add_word(scanned, word);
  }
}
