/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture.h: writes the live heap to a file as a graph while reading it.
 *
 * The nodes are all live blocks and the roots that the caller names. Each aligned word of a node
 * that is an address within a block's requested bytes (for an empty block: its start) is an edge,
 * whatever the word really is (Boehm's conservative view). Only requested bytes are read, as in
 * Memcheck's leak check: the slop behind them may hold stale data. A byte in several blocks belongs
 * to the innermost, and an address leads to the innermost block. Interior pointers are classified
 * by the heuristics of Memcheck's leak check (memcheck/mc_leakcheck.c, heuristic_reachedness; the
 * rules come from Dr. Memory).
 *
 * If contents are compared, the file says which blocks have equal ones, and which end in equal
 * bytes (fingerprints.h); and it has numbers beside pointers, such as a string's length: words that
 * are at most 3 words from a pointer to the start of a block, and not larger than the block. Not
 * for blocks with others in them, nor for programs with words of 4 bytes.
 *
 * Call order: dmd_capture_init; dmd_capture_root or dmd_capture_words for each root, in file order;
 * dmd_capture_blocks; if wanted, dmd_capture_residents. Then the caller writes the stacks numbered
 * in `capture->stacks`, which only it can read, and dmd_capture_reports writes the rest.
 *
 * Cost: memory for a block index (blockindex.h) and its starts (blockstarts.h), 4 bytes for each
 * stack, name, tag and report set, and one section of the file; time to read the heap and to search
 * for each address.
 *
 * Concurrency: the live state must not change during a capture, and the program's threads should be
 * stopped, since their memory is read.
 */
#ifndef DMD_RECORD_HEAP_CAPTURE_H
#define DMD_RECORD_HEAP_CAPTURE_H

#include "base/pool.h"
#include "files/graph/graphwriter.h"
#include "record/heap/fingerprints.h"
#include "record/heap/live.h"
#include "record/heap/mappings.h"
#include "record/heap/pagewords.h"

typedef struct dmd_capture {
  const dmd_live_t *live;
  const dmd_mappings_t *mappings;
  dmd_graphwriter_t *file;
  uint64_t word_szB; /* the program's */
  dmd_blockindex_t index;
  uint32_t *last_end; /* by place: of the block and those nested in it, the one that ends last; NULL
                         if no block can be nested */
  dmd_pagewords_t words; /* read in address order */
  bool compares;
  dmd_fingerprints_t prints; /* if it does */
  uint64_t most_req;         /* at least what any block has requested */
  uint64_t next_number;      /* address behind the latest number of the node */
  bool is_fingerprinted; /* the bytes being read belong to a block whose contents are compared */
  dmd_pages_t tables;    /* for random access: virtual function tables */
  /* Number the live heap's ids in file order. */
  dmd_numbering_t stacks, report_sets, names, tags;
} dmd_capture_t;

/* compares: whether to compare the contents of blocks. All arguments must stay in place until the
 * capture is destroyed. */
void dmd_capture_init(dmd_capture_t *capture, const dmd_live_t *live, const dmd_memory_t *memory,
                      const dmd_mappings_t *mappings, dmd_graphwriter_t *file, bool compares);
void dmd_capture_destroy(dmd_capture_t *capture);

/* Adds the next root: szB bytes of memory from addr on, or words that are not in memory: n of a
 * pool of uint64_t, from `first` on. */
void dmd_capture_root(dmd_capture_t *capture, uint64_t addr, uint64_t szB);
void dmd_capture_words(dmd_capture_t *capture, const dmd_pool_t *words, uint32_t first, uint32_t n);

void dmd_capture_blocks(dmd_capture_t *capture);
/* The pages in memory from the first to the last block of each mapping. */
void dmd_capture_residents(dmd_capture_t *capture);
void dmd_capture_reports(dmd_capture_t *capture);

#endif
