/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reports.h: by whom a block was reported, as a 32-bit id.
 *
 * Very many blocks share very few histories of reports, so a block holds only the id of its report
 * set. Sets are immutable and interned: reporting a block means moving it to another set. The first
 * two reports are kept in full, later ones are counted (one made on allocation takes the place of
 * one that was not, since it must survive a clear). Id 0 (DMD_NONE) is the empty set.
 *
 * A set is shared when all of its reports say so: owners of one block, which divide it in equal
 * parts. An owner is a reporter or, outside of any, the place of the report; however often it
 * reports the block, it is one sharer. All sharers are kept, in a list that grows at its newest
 * end: a set has its first sharer, its newest one, and the id of the set of all but the newest. So
 * a further sharer takes one set. Whether a sharer is new is known at once if the same one was
 * added to the same set before; otherwise it is compared with all sharers of the set. A plain
 * report makes a shared set plain, and in a plain set a shared report counts as plain.
 *
 * Like groups, sets are used by the live heap and by profiles, each with ids of its own.
 *
 * Concurrency: nothing locks. One thread at a time, as for the pool and table that it is made of;
 * of the live heap one for the whole process. Sets do not change once they are there.
 */
#ifndef DMD_PROFILE_REPORTS_H
#define DMD_PROFILE_REPORTS_H

#include "base/pool.h"
#include "base/table.h"

#include <stdbool.h>

typedef struct dmd_report {
  uint32_t stack;    /* where reported; always recorded */
  uint32_t reporter; /* name of the innermost reporter scope; DMD_NONE: outside of any */
  uint32_t flags;    /* DMD_REPORT_..., at most one */
} dmd_report_t;

enum {
  DMD_REPORT_ON_ALLOC = 1, /* survives a clear */
  DMD_REPORT_SHARED = 2    /* by one of several owners */
};

enum {
  DMD_REPORTS_KEPT = 2,    /* reports that a set holds in full */
  DMD_REPORTS_COUNTED = 99 /* the highest count of a plain set: further reports change nothing */
};

typedef struct dmd_report_set {
  uint32_t count; /* reports in all, of a shared set sharers; at least 1 */
  uint32_t older; /* shared: the set of all sharers but the newest; DMD_NONE: there is one only */
  dmd_report_t report[DMD_REPORTS_KEPT]; /* shared: the first sharer and the newest one */
} dmd_report_set_t;

typedef struct dmd_reports {
  dmd_pool_t pool;
  dmd_table_t index;
  /* The report added last, the set that it was added to, and the resulting set: a reporter walks a
   * structure and adds the same report to block after block. No set ever changes, so this stays
   * true. */
  dmd_report_t last_report;
  uint32_t last_from, last_to; /* last_to is DMD_NONE: nothing was added yet */
} dmd_reports_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_reports_init(dmd_reports_t *reports, const dmd_env_t *env);
void dmd_reports_destroy(dmd_reports_t *reports);

/* The id of the set with these contents; unused report fields must be 0. */
uint32_t dmd_reports_intern(dmd_reports_t *reports, const dmd_report_set_t *set);

/* The id of the set that results from adding one report to the set with this id. */
uint32_t dmd_reports_add(dmd_reports_t *reports, uint32_t id, dmd_report_t report);

/* That id, if it is what dmd_reports_add was asked for last, as in a loop that reports; else
 * DMD_NONE. */
static inline uint32_t dmd_reports_added_last(const dmd_reports_t *reports, uint32_t id,
                                              const dmd_report_t *report) {
  const dmd_report_t *last = &reports->last_report;
  bool is_same = id == reports->last_from && report->stack == last->stack &&
                 report->reporter == last->reporter && report->flags == last->flags;
  return is_same ? reports->last_to : DMD_NONE;
}

/* The id of the set that remains of this one after a clear: the kept reports made on allocation. */
uint32_t dmd_reports_clear(dmd_reports_t *reports, uint32_t id);

static inline const dmd_report_set_t *dmd_reports_at(const dmd_reports_t *reports, uint32_t id) {
  return DMD_POOL_AT(&reports->pool, const dmd_report_set_t, id);
}

/* How many sets there are; their ids are 1 to this. */
static inline uint32_t dmd_reports_count(const dmd_reports_t *reports) {
  return reports->pool.last;
}

/* The id of the shared set of n sharers, at least one. Sharers that are the same owner become one,
 * also in the array. Linear in n. */
uint32_t dmd_reports_intern_sharers(dmd_reports_t *reports, dmd_report_t *sharers, uint32_t n);

/* The id that a set of another collection has in this one, with each of its reports changed.
 * Sharers that are the same owner then become one. Linear in the number of its reports. */
typedef dmd_report_t (*dmd_report_change_fn)(void *ctx, const dmd_report_t *report);
uint32_t dmd_reports_copy(dmd_reports_t *to, const dmd_reports_t *from, uint32_t id,
                          dmd_report_change_fn change, void *ctx);

/* Moves a collection into one that is not initialised. */
void dmd_reports_move(dmd_reports_t *to, dmd_reports_t *from);

/* The set of a block that lies in another one, whose kept reports count as reports of it as
 * well. Either may be DMD_NONE. */
uint32_t dmd_reports_join(dmd_reports_t *reports, uint32_t id, uint32_t of_outer);

/* Whether the set with this id, not DMD_NONE, is shared. */
static inline bool dmd_reports_are_shared(const dmd_reports_t *reports, uint32_t id) {
  return dmd_reports_at(reports, id)->report[0].flags & DMD_REPORT_SHARED;
}

/* The report in a shared set by the owner that made this report; NULL if that owner is not a
 * sharer.
 */
const dmd_report_t *dmd_reports_find_sharer(const dmd_reports_t *reports, uint32_t id,
                                            const dmd_report_t *report);

/* How many reports are kept of the set with this id: for a shared set one for each sharer; 0 for
 * DMD_NONE. */
uint32_t dmd_reports_n_kept(const dmd_reports_t *reports, uint32_t id);

/* Lists these reports, the first one first. */
void dmd_reports_list(const dmd_reports_t *reports, uint32_t id, dmd_report_t *list);

/* The same, one by one; those of a shared set the newest first:
 *
 *   dmd_report_walk_t walk = dmd_reports_walk(reports, id);
 *   while (dmd_reports_next(&walk))
 *     ... walk.report ...
 */
typedef struct dmd_report_walk {
  const dmd_reports_t *reports;
  uint32_t id; /* the set */
  const dmd_report_t *report;
  bool is_again;  /* an earlier one is by the same reporter */
  bool is_first;  /* the first that was made */
  uint32_t place; /* the walk's own: for a plain set how many were visited, for a shared one how
                     many are left */
  bool had_unnamed;
} dmd_report_walk_t;

dmd_report_walk_t dmd_reports_walk(const dmd_reports_t *reports, uint32_t id);
bool dmd_reports_next(dmd_report_walk_t *walk);

/* How many bytes of a block of this usable size one of these reports, the first or another, counts
 * for. In a plain set that is the whole block. Sharers have equal parts; the first one also has the
 * remainder of the division, so that the parts add up to the block. */
uint64_t dmd_reports_part(const dmd_reports_t *reports, uint32_t id, bool is_first,
                          uint64_t usable);

#endif
