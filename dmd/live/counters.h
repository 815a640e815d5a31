/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * counters.h: what allocators that count should have in their sums.
 *
 * A program may keep a sum of its own: it adds what a report on allocation returned, and subtracts
 * what taking that report back returned. So by rights the sum is what the reports on allocation of
 * one reporter cover at the moment: usable bytes of live blocks. That is kept here, by the
 * reporter's name, through every event that changes it.
 *
 * A block that is freed or reallocated while it is counted is not a fault by itself, for the
 * program may subtract its size without telling. But a sum that turns out too large by just these
 * bytes still has them: so they are kept as well, by where blocks were freed.
 *
 * A thread adds what its report returned a moment after the report, and in between another thread
 * may publish the sum: it then lacks this block, or still has one that was taken back, and is
 * right. So what the last threads changed last is kept, and what they change first after a
 * publication, which may have been in the sum before it was reported.
 *
 * Cost: constant for each report on allocation and for each counted block that goes; memory by the
 * number of reporters, and of places where their blocks are freed.
 *
 * Concurrency: nothing locks; one thread at a time, one for the whole process. Blocks call it when
 * they go, under their lock (blocks.h), which so comes before whatever guards this.
 */
#ifndef DMD_LIVE_COUNTERS_H
#define DMD_LIVE_COUNTERS_H

#include "base/pool.h"
#include "base/table.h"
#include "live/block.h"
#include "profile/reports.h"

/* What a thread's report, or one that it took back, changed a sum by. */
typedef struct dmd_change_by {
  uint32_t thread; /* 0: none */
  uint64_t szB;    /* modulo 2^64 */
} dmd_change_by_t;

/* Threads whose changes are kept for each reporter. */
enum { DMD_CHANGES_KEPT = 4 };

typedef struct dmd_counter {
  uint64_t live;      /* usable bytes that its reports on allocation cover now */
  uint64_t published; /* the same when a memory report of its path came last */
  dmd_change_by_t last[DMD_CHANGES_KEPT]; /* each thread's last change, the newest first */
  /* When it was published the last changes of other threads, and since then their first. */
  dmd_change_by_t before[DMD_CHANGES_KEPT], after[DMD_CHANGES_KEPT];
  uint32_t publisher; /* the thread that published it; 0: none has */
  uint64_t lost;      /* usable bytes of its blocks that were freed while counted */
  uint32_t losses;    /* the newest of them, by place; DMD_NONE: none */
  bool counts;        /* it has made such a report */
} dmd_counter_t;

/* Blocks of one reporter that were freed while counted, at one place. */
typedef struct dmd_loss {
  uint64_t num, bytes;
  uint32_t reporter, freed;     /* its name; stack of the free or realloc, DMD_NONE: not known */
  uint32_t allocated, reported; /* stacks of the last of them */
  uint32_t next;                /* of the same reporter */
} dmd_loss_t;

typedef struct dmd_counters {
  const dmd_reports_t *reports;
  dmd_pool_t by_name; /* of dmd_counter_t */
  dmd_pool_t losses;  /* of dmd_loss_t */
  dmd_table_t loss_index;
} dmd_counters_t;

/* The counters must stay where they are until they are destroyed, and the report sets as long. */
void dmd_counters_init(dmd_counters_t *counters, const dmd_env_t *env,
                       const dmd_reports_t *reports);
void dmd_counters_destroy(dmd_counters_t *counters);

/* A live block of so many usable bytes has these reports now, and not those before (report sets).
 */
void dmd_counters_change(dmd_counters_t *counters, uint64_t usable, uint32_t before, uint32_t now);

/* The block, which is reported, was freed at this stack, or became another by realloc. */
void dmd_counters_lose(dmd_counters_t *counters, const dmd_block_t *block, uint32_t freed);

/* The thread changed this reporter's sum by its report, or by taking one back. */
void dmd_counters_note_thread(dmd_counters_t *counters, uint32_t reporter, uint32_t thread,
                              uint64_t change);

/* The thread is no more: nothing of it is on its way. */
void dmd_counters_end_thread(dmd_counters_t *counters, uint32_t thread);

/* The thread made a memory report of this reporter's path, or of DMD_NONE. */
void dmd_counters_publish(dmd_counters_t *counters, uint32_t reporter, uint32_t thread);

/* Whether a sum that was published may be this, since other threads were counting. */
bool dmd_counter_may_be(const dmd_counter_t *counter, uint64_t sum);

/* The reporter's counter; NULL where it has not reported on allocation. */
dmd_counter_t *dmd_counters_find(const dmd_counters_t *counters, uint32_t reporter);

/* Which losses are just the bytes that the reporter's sum is too large by: all of them (*all, and
 * the newest one's id is returned), or those of one place and no other; DMD_NONE: neither. */
uint32_t dmd_counters_explain(const dmd_counters_t *counters, const dmd_counter_t *counter,
                              uint64_t excess, bool *all);

static inline const dmd_loss_t *dmd_counters_loss(const dmd_counters_t *counters, uint32_t id) {
  return DMD_POOL_AT(&counters->losses, const dmd_loss_t, id);
}

#endif
