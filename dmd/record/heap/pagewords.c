/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/pagewords.h"

enum { NO_ADDRESS = 1 };

void dmd_pagewords_init(dmd_pagewords_t *words, const dmd_memory_t *memory,
                        const dmd_blockindex_t *index, uint64_t word_szB) {
  dmd_pages_init(&words->pages, memory);
  words->index = index;
  dmd_blockstarts_init(&words->starts, index);
  words->word_szB = word_szB;
  words->addr = NO_ADDRESS;
}

void dmd_pagewords_destroy(dmd_pagewords_t *words) {
  dmd_blockstarts_destroy(&words->starts);
}

/* Collects all words between the lowest and the highest block address. Few words qualify, in no
 * pattern that a processor could predict, so this has no branch: it stores each word, and the next
 * one overwrites it unless it qualified. */
static inline uint32_t gather(dmd_pagewords_t *w, const char *page, uint64_t word_szB) {
  const uint64_t lowest = w->index->lowest, span = w->index->span;
  uint32_t n = 0;
  for (uint32_t at = 0; at < DMD_PAGE_SZB; at += (uint32_t)word_szB) {
    uint64_t word = dmd_word_at(page + at, word_szB);
    w->words[n] = word;
    w->in_page[n] = (uint16_t)at;
    n += word - lowest < span;
  }
  return n;
}

static uint32_t note_near(dmd_pagewords_t *w, const char *page) {
  return w->word_szB == sizeof(uint64_t) ? gather(w, page, sizeof(uint64_t))
                                         : gather(w, page, sizeof(uint32_t));
}

/* Keeps the words that are addresses in blocks. Only words that the table of starts does not know
 * are looked up in the index. */
static void look_up(dmd_pagewords_t *w, uint32_t n_near) {
  uint32_t n_others = 0, next = 0, n = 0;
  for (uint32_t i = 0; i < n_near; i++)
    dmd_blockstarts_fetch(&w->starts, w->words[i]);
  for (uint32_t i = 0; i < n_near; i++) {
    w->blocks[i] = dmd_blockstarts_find(&w->starts, w->words[i]);
    w->others[n_others] = w->words[i];
    n_others += w->blocks[i] == 0;
  }
  dmd_blockindex_fetch(w->index, w->others, n_others);
  for (uint32_t i = 0; i < n_near; i++) {
    dmd_pageword_t *found = &w->found[n];
    *found = (dmd_pageword_t){.in_page = w->in_page[i], .block = w->blocks[i]};
    if (found->block == 0) {
      const dmd_placed_block_t *block = dmd_blockindex_search(w->index, w->others[next++]);
      if (block == NULL)
        continue;
      found->block = (uint32_t)(block - w->index->blocks) + 1;
      found->into = w->words[i] - block->addr;
    }
    n++;
  }
  w->n = n;
}

const dmd_pageword_t *dmd_pagewords_from(dmd_pagewords_t *w, uint64_t addr, uint64_t in_page,
                                         uint32_t *n) {
  if (w->addr != addr) {
    const char *page = w->index->n > 0 ? dmd_pages_read(&w->pages, addr) : NULL;
    w->addr = addr;
    w->n = w->n_passed = 0;
    if (page != NULL)
      look_up(w, note_near(w, page));
  }
  if (w->n_passed > 0 && w->found[w->n_passed - 1].in_page >= in_page)
    w->n_passed = 0;
  while (w->n_passed < w->n && w->found[w->n_passed].in_page < in_page)
    w->n_passed++;
  *n = w->n - w->n_passed;
  return w->found + w->n_passed;
}
