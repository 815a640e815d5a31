/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture_fixture.h: a live heap in 48 pages of memory that holds the words of its blocks, roots
 * and registers; and the graph that is captured of it, written to a file and read back.
 */
#ifndef TESTS_UNIT_CAPTURE_FIXTURE_H
#define TESTS_UNIT_CAPTURE_FIXTURE_H

#include "host.h"

#include "model/graph/heapgraph.h"
#include "record/heap/capture.h"

/* The program's memory, from BASE on; blocks and roots lie in it. */
enum { BASE = 0x400000, N_PAGES = 48, MEMORY_SZB = N_PAGES * DMD_PAGE_SZB };

/* A program of two functions and virtual tables. Its file has these addresses less BIAS. */
enum { CODE = 0x10000, TABLES = 0x20000, OBJECT_END = 0x30000, BIAS = 0xe000 };

enum { MAX_BLOCKS = 100, MAX_ROOTS = 4 };

/* A block that the test added. */
typedef struct {
  uint64_t addr, req, usable;
  uint32_t number; /* in the order in which they were made */
} added_t;

typedef struct {
  host_t host;
  uint64_t word_szB;
  unsigned char memory[MEMORY_SZB], tables[DMD_PAGE_SZB];
  enum { READABLE, UNREADABLE, EMPTY } pages[N_PAGES];
  bool knows_pages; /* the host can tell which are empty */
  dmd_live_t live;
  dmd_mappings_t mappings;
  added_t blocks[MAX_BLOCKS];
  uint32_t n_blocks;
  uint64_t roots[MAX_ROOTS][2]; /* address and size; the node behind them is that of registers */
  uint32_t n_roots;
  dmd_pool_t registers;
  dmd_heapgraph_t graph;
} capture_fixture_t;

extern capture_fixture_t g_capture;

void capture_begin(uint64_t word_szB);
void capture_end(void);

/* As above, on another test's host. */
void capture_begin_on(const dmd_env_t *env, uint64_t word_szB);
void capture_end_on(void);

bool capture_has_address(uint64_t addr);

/* Writes a word into the program's memory. */
void capture_put(uint64_t at, uint64_t word);

void capture_add_block(uint64_t addr, uint64_t req, uint64_t slop, uint32_t stack, uint32_t flags);
void capture_add_register(uint64_t word);

/* Writes the graph's file; stack n is one frame, "fn (a.c:1)", at address n. */
void capture(dmd_write_fn write, void *to);

/* Reads g_capture.graph from that file. Only with protobuf-c. */
void capture_and_load(void);

#endif
