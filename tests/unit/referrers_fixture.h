/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * referrers_fixture.h: a live heap with 256 KiB of memory that its blocks lie in, whose words are
 * pointers, and the referrers that are found.
 */
#ifndef TESTS_UNIT_REFERRERS_FIXTURE_H
#define TESTS_UNIT_REFERRERS_FIXTURE_H

#include "host.h"

#include "record/heap/blockindex.h"
#include "record/heap/blockreferrers.h"

/* The program's memory, from BASE on. */
enum { BASE = 0x40000, PAGE = 4096, N_PAGES = 64, MEMORY_SZB = N_PAGES * PAGE };

/* The program's stacks 1 to N_STACKS have the same ids in the profile; TWIN + 1 and so on are other
 * stacks with equal text. */
enum { N_STACKS = 30, TWIN = 100 };

typedef struct {
  host_t host;
  dmd_live_t live;
  dmd_profile_t profile;
  dmd_hints_t found;
  uint64_t word_szB;
  unsigned char memory[MEMORY_SZB];
  bool unreadable[N_PAGES];
} referrers_fixture_t;

extern referrers_fixture_t g_referrers;

void referrers_begin(uint64_t word_szB);
void referrers_begin_sampled(uint64_t sample_below);
void referrers_end(void);

/* As above, on another test's host. */
void referrers_begin_on(const dmd_env_t *env, uint64_t word_szB, uint64_t sample_below);
void referrers_end_on(void);

void add_block(uint64_t addr, uint64_t szB, uint32_t stack);
void add_block_as(uint64_t addr, uint64_t szB, uint32_t stack, uint32_t flags);

/* reporter: NULL for a report outside of any scope. */
void report_block(uint64_t addr, uint32_t stack, const char *reporter);

/* Writes a pointer into the program's memory. */
void point(uint64_t from, uint64_t to);

/* Fills g_referrers.found. */
void find_referrers(void);

/* All referrers that were found, as "alloc <- held reporter at offset: blocks bytes", joined by ";
 * ". */
const char *found_text(void);

#endif
