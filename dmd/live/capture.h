/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture.h: the live heap as a graph, written to a file while it is read.
 *
 * All live blocks are nodes, and the memory that the caller says is a root. Each aligned word of a
 * node that is an address in a block's requested bytes (of a block without any: its start) is an
 * edge, whatever the word really is (Boehm's conservative view). As in Memcheck's leak check, a
 * block's requested bytes are read; what lies behind them holds what was there before. A byte that
 * is in several blocks is read as the innermost one's, and an address leads to the innermost one.
 *
 * What an address into the middle of a block may be the usual one of is found as Memcheck's leak
 * check finds it (Valgrind's memcheck/mc_leakcheck.c, heuristic_reachedness; the rules come from
 * Dr. Memory).
 *
 * Call order: dmd_capture_init; dmd_capture_root or dmd_capture_words for each root, in the order
 * in which the file has them; dmd_capture_blocks. Then the caller writes the stacks of
 * `capture->stacks`, which only it can read, and dmd_capture_reports writes the rest.
 *
 * Cost: memory of a block index (blockindex.h) and of its starts (blockstarts.h), 4 bytes for each
 * stack, name, tag and report set, and one part of the file; time of reading the heap, and of a
 * search for each address. Nothing is kept of what was read.
 *
 * Concurrency: all of the live state stays as it is meanwhile; the program's threads should be
 * stopped, since its memory is read.
 */
#ifndef DMD_LIVE_CAPTURE_H
#define DMD_LIVE_CAPTURE_H

#include "base/numbering.h"
#include "graph/graphfile.h"
#include "live/live.h"
#include "live/mappings.h"
#include "live/pagewords.h"

typedef struct dmd_capture {
  const dmd_live_t *live;
  const dmd_mappings_t *mappings;
  dmd_graphfile_t *file;
  uint64_t word_szB; /* the program's */
  dmd_blockindex_t index;
  uint32_t *last_end; /* by place: of it and of what lies in it, the one that ends last. NULL where
                         no block can lie in another */
  dmd_pagewords_t words; /* read in order */
  dmd_pages_t tables;    /* read here and there: virtual tables */
  /* The live heap's ids, numbered as the file has them. */
  dmd_numbering_t stacks, report_sets, names, tags;
} dmd_capture_t;

/* Everything must stay where it is until the capture is destroyed. */
void dmd_capture_init(dmd_capture_t *capture, const dmd_live_t *live, const dmd_memory_t *memory,
                      const dmd_mappings_t *mappings, dmd_graphfile_t *file);
void dmd_capture_destroy(dmd_capture_t *capture);

/* The next root: szB bytes of memory from addr on, or words that are not in memory: n of a pool of
 * uint64_t, from `first` on. */
void dmd_capture_root(dmd_capture_t *capture, uint64_t addr, uint64_t szB);
void dmd_capture_words(dmd_capture_t *capture, const dmd_pool_t *words, uint32_t first, uint32_t n);

void dmd_capture_blocks(dmd_capture_t *capture);
void dmd_capture_reports(dmd_capture_t *capture);

#endif
