/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * live_fixture.h: a fixture for tests of the live state: a host that knows a few places of memory
 * and of the program, the state on it, and queries of the state.
 *
 * Reports, names and faults are visible only in a dump, which translates them all (see
 * test_snapshot.c). The queries below look at them before that, so that tests need not know where
 * they are stored.
 */
#ifndef TESTS_UNIT_LIVE_FIXTURE_H
#define TESTS_UNIT_LIVE_FIXTURE_H

#include "host.h"

#include "record/heap/live.h"

enum { A = 0x10000, B = 0x20000, C = 0x30000 }; /* addresses of blocks */

/* Memory that the host knows: one piece of each kind, 4 KiB long. */
enum { ON_STACK = 0xa0000, GLOBAL = 0xb0000, MAPPED = 0xc0000, NOTHING = 0xd0000 };

typedef struct live_fixture {
  host_t host;
  dmd_live_t live;
  const char *memory;       /* description of MAPPED */
  const uint64_t *on_stack; /* code of the functions on the stack, the innermost first, then 0 */
  uint32_t with_coroutine;  /* a stack that runs a coroutine, which began no scope */
  uint32_t runs, left;      /* stacks whose functions began scopes that are running, or were left */
} live_fixture_t;

/* Answers of a fixture's host: functions are 256 bytes of code. */
dmd_live_host_t live_host(live_fixture_t *f);

/* A program of 8-byte words, unless the config says another size. */
void live_begin_as(live_fixture_t *f, dmd_live_config_t config);

/* As above, with glibc's sizes, and a host that knows nothing. */
void live_begin(live_fixture_t *f, dmd_mode_t mode);

/* With that host; 4 freed blocks are remembered. */
void live_begin_knowing(live_fixture_t *f, dmd_live_config_t config);

void live_end(live_fixture_t *f);

/* ---- Events. ---- */

/* A scope's place and end, for tests in which they do not matter and for tests in which they do. */
extern const dmd_place_t nowhere;
extern const dmd_scope_end_t innermost;
dmd_place_t at(uint64_t ip, uint64_t sp); /* with the stack 1000 + ip */

/* The three steps of an allocation, as the host makes them, up to the last. */
dmd_new_block_t new_block(dmd_live_t *live, uint32_t thread, uint64_t addr, uint64_t req,
                          uint32_t stack);

void alloc_in(live_fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req, uint32_t stack);
void alloc(live_fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack);

/* Allocates a block of any size for thread 1. */
void alloc_sized(live_fixture_t *f, uint64_t addr, uint64_t req, uint64_t usable, uint32_t stack);

/* The block must exist. */
void free_block(live_fixture_t *f, uint64_t addr);
void free_at(live_fixture_t *f, uint64_t addr, uint32_t stack);
void resize_announced(live_fixture_t *f, uint64_t addr, uint64_t req);

/* The id of a name for reports; NULL: DMD_NONE. */
uint32_t id_of_name(live_fixture_t *f, const char *name);

/* Thread 1 reports a block; returns the answer to the program. report_from expects the usable
 * size. */
uint64_t report(live_fixture_t *f, uint64_t addr, uint32_t stack);
uint64_t report_by(live_fixture_t *f, uint64_t addr, uint32_t stack, const char *reporter);
uint64_t report_shared(live_fixture_t *f, uint64_t addr, uint32_t stack);
void report_from(live_fixture_t *f, uint64_t addr, uint32_t stack);

void begin_reporter(live_fixture_t *f, const char *path);
void end_reporter(live_fixture_t *f, uint64_t claimed, uint32_t stack);

/* ---- Queries. ---- */

/* The block must exist. */
const dmd_block_t *block_at(const live_fixture_t *f, uint64_t addr);
const char *tag_of(const live_fixture_t *f, uint64_t addr);

/* How often it was reported, and one of the reports that are kept, from 0; the name of its
 * reporter, "" for none. */
uint32_t count_at(const live_fixture_t *f, uint64_t addr);
const dmd_report_t *report_at(const live_fixture_t *f, uint64_t addr, uint32_t which);
const char *reporter_of(const live_fixture_t *f, uint64_t addr, uint32_t which);
bool is_shared_at(const live_fixture_t *f, uint64_t addr);

/* How many scopes a thread has open; for tags the inherited one counts. */
uint32_t open_reporters(const live_fixture_t *f, uint32_t thread);
uint32_t open_tags(const live_fixture_t *f, uint32_t thread);

/* Tags that have a number of their own. */
uint32_t n_tags(const live_fixture_t *f);

/* The groups of cumulative mode, from 1. */
uint32_t n_in_history(const live_fixture_t *f);
const dmd_group_t *history_at(const live_fixture_t *f, uint32_t id);

dmd_totals_t totals(const live_fixture_t *f);
void expect_sum(live_fixture_t *f, const char *tag, uint64_t usable, uint64_t n_blocks);

/* The name with this id in reports and faults; "" for DMD_NONE. */
const char *name_of(const live_fixture_t *f, uint32_t id);

/* The number of different faults, one of them from 1, and how often a fault of this kind
 * occurred. */
uint32_t n_faults(const live_fixture_t *f);
const dmd_fault_t *fault_at(const live_fixture_t *f, uint32_t id);
uint64_t count_faults(const live_fixture_t *f, dmd_fault_kind_t kind);

/* A fault as expect() wants it: the n-th of `of` faults, with all its fields. */
typedef struct {
  dmd_fault_t fault; /* the names are apart */
  const char *reporter, *other_reporter, *scope, *memory;
} expected_t;

void expect(const live_fixture_t *f, uint32_t n, uint32_t of, const expected_t *expected);
void expect_none(const live_fixture_t *f);

#endif
