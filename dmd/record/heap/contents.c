/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/contents.h"

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
