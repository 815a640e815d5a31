/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * counters.h: what the running sums of counting allocators should be.
 *
 * A program may keep a running sum: it adds what a report on allocation returned, and subtracts
 * what taking the report back returned. The sum should equal the usable bytes of the live blocks
 * that one reporter's reports on allocation cover. This module maintains that value by reporter
 * name through every event that changes it.
 *
 * Freeing or reallocating a counted block is not a fault by itself, since the program may subtract
 * the size without a request. But if a sum turns out too large by exactly these bytes, they are the
 * cause, so they are recorded by the place of the free.
 *
 * Cost: constant for each report on allocation and each counted block that goes; memory in
 * proportion to the number of reporters and of places where their blocks are freed.
 *
 * Concurrency: one thread at a time, one object for the process. Blocks that go call this under
 * their shard's lock (blocks.h), which therefore comes before the lock that guards this.
 */
#ifndef DMD_RECORD_HEAP_COUNTERS_H
#define DMD_RECORD_HEAP_COUNTERS_H

#include "base/pool.h"
#include "base/table.h"
#include "model/profile/reports.h"
#include "record/heap/block.h"

/* How much a thread's report, or its withdrawal, changed a sum. */
typedef struct dmd_change_by {
  uint32_t thread; /* 0: unused entry */
  uint64_t szB;    /* modulo 2^64 */
} dmd_change_by_t;

/* Threads whose changes are recorded for each reporter. */
enum { DMD_CHANGES_KEPT = 4 };

typedef struct dmd_counter {
  uint64_t live;      /* usable bytes that its reports on allocation cover now */
  uint64_t published; /* the value of live at the last memory report of its path */
  dmd_change_by_t last[DMD_CHANGES_KEPT]; /* each thread's last change, newest first */
  /* Other threads' last changes before the last publication, and their first ones after it. */
  dmd_change_by_t before[DMD_CHANGES_KEPT], after[DMD_CHANGES_KEPT];
  uint32_t publisher; /* thread that published it; 0: none yet */
  uint64_t lost;      /* usable bytes of its blocks that were freed while counted */
  uint32_t losses;    /* newest of the losses, by place; DMD_NONE: none */
  bool counts;        /* it has made a report on allocation */
} dmd_counter_t;

/* Blocks of one reporter that were freed while counted, at one place. */
typedef struct dmd_loss {
  uint64_t num, bytes;
  uint32_t reporter,
      freed; /* the reporter's name; stack of the free or realloc, DMD_NONE: unknown */
  uint32_t allocated, reported; /* stacks of the last such block */
  uint32_t next;                /* next loss of the same reporter */
} dmd_loss_t;

typedef struct dmd_counters {
  const dmd_reports_t *reports;
  dmd_pool_t by_name; /* of dmd_counter_t */
  dmd_pool_t losses;  /* of dmd_loss_t */
  dmd_table_t loss_index;
} dmd_counters_t;

/* `counters` must stay in place until they are destroyed; the report sets must live as long. */
void dmd_counters_init(dmd_counters_t *counters, const dmd_env_t *env,
                       const dmd_reports_t *reports);
void dmd_counters_destroy(dmd_counters_t *counters);

/* A live block of this many usable bytes changes from the report set `before` to the set `now`. */
void dmd_counters_change(dmd_counters_t *counters, uint64_t usable, uint32_t before, uint32_t now);

/* The block, which is reported, was freed at this stack or became another by realloc. */
void dmd_counters_lose(dmd_counters_t *counters, const dmd_block_t *block, uint32_t freed);

/* The thread's report, or its withdrawal, changed this reporter's sum. */
void dmd_counters_note_thread(dmd_counters_t *counters, uint32_t reporter, uint32_t thread,
                              uint64_t change);

/* The thread ended: none of its changes are pending any more. */
void dmd_counters_end_thread(dmd_counters_t *counters, uint32_t thread);

/* The thread made a memory report for this reporter's path, or for DMD_NONE. */
void dmd_counters_publish(dmd_counters_t *counters, uint32_t reporter, uint32_t thread);

/* True if a published sum may be right, given what other threads were counting at the time. */
bool dmd_counter_may_be(const dmd_counter_t *counter, uint64_t sum);

/* The reporter's counter; NULL if it has not reported on allocation. */
dmd_counter_t *dmd_counters_find(const dmd_counters_t *counters, uint32_t reporter);

/* The losses that equal the excess of the reporter's sum: all of them (sets *all and returns the
 * newest), or those of exactly one place; DMD_NONE if neither. */
uint32_t dmd_counters_explain(const dmd_counters_t *counters, const dmd_counter_t *counter,
                              uint64_t excess, bool *all);

static inline const dmd_loss_t *dmd_counters_loss(const dmd_counters_t *counters, uint32_t id) {
  return DMD_POOL_AT(&counters->losses, const dmd_loss_t, id);
}

#endif
