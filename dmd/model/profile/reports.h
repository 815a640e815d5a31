/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reports.h: the reports of a block, as a 32-bit id.
 *
 * Many blocks share few histories of reports, so a block stores only the id of its report set. Sets
 * are immutable and interned: to report a block is to move it to another set. The first two reports
 * are kept in full, later ones are counted, and stand as the last kept one where reporters are
 * added up (a report on allocation replaces one that is not, since it must survive a clear). Id 0
 * (DMD_NONE) is the empty set.
 *
 * A set is shared if all its reports are: its sharers are the owners of the block, in equal parts.
 * An owner is a reporter or, outside any reporter, the place of the report; it is one sharer
 * however often it reports the block. All sharers are kept in a list: a set has its first sharer,
 * its newest one, and the id of the set without the newest. So a further sharer needs one more set.
 * Adding the same sharer to the same set again is fast; otherwise a sharer is compared with all
 * sharers of the set. A plain report makes a shared set plain, and in a plain set a shared report
 * counts as plain.
 *
 * Both the live heap and profiles use report sets, each with its own ids.
 */
#ifndef DMD_MODEL_PROFILE_REPORTS_H
#define DMD_MODEL_PROFILE_REPORTS_H

#include "base/pool.h"
#include "base/table.h"

#include <stdbool.h>

typedef struct dmd_report {
  uint32_t stack;    /* where reported; always recorded */
  uint32_t reporter; /* name of the innermost reporter; DMD_NONE: outside any */
  uint32_t flags;    /* DMD_REPORT_..., at most one */
} dmd_report_t;

enum {
  DMD_REPORT_ON_ALLOC = 1, /* survives a clear */
  DMD_REPORT_SHARED = 2    /* from one of several owners */
};

enum {
  DMD_REPORTS_KEPT = 2, /* reports that a set keeps in full */
  /* The highest count of a plain set: further reports change nothing. Each count is a set of its
   * own, so this bounds the memory that one block can cost. */
  DMD_REPORTS_COUNTED = 1000000
};

typedef struct dmd_report_set {
  uint32_t count; /* number of reports, or of sharers in a shared set; at least 1 */
  uint32_t older; /* shared: the set without the newest sharer; DMD_NONE if there is only one */
  dmd_report_t report[DMD_REPORTS_KEPT]; /* shared: the first and the newest sharer */
} dmd_report_set_t;

typedef struct dmd_reports {
  dmd_pool_t pool;
  dmd_table_t index;
  /* A cache of the last report added, the set it was added to, and the result: a reporter walks a
   * structure and adds the same report to block after block. It stays valid, since sets never
   * change. */
  dmd_report_t last_report;
  uint32_t last_from, last_to; /* last_to is DMD_NONE: empty */
} dmd_reports_t;

/* The collection must not move until it is destroyed. */
void dmd_reports_init(dmd_reports_t *reports, const dmd_env_t *env);
void dmd_reports_destroy(dmd_reports_t *reports);

/* Returns the id of the set with these contents; unused report fields must be 0. */
uint32_t dmd_reports_intern(dmd_reports_t *reports, const dmd_report_set_t *set);

/* Returns the id of the set that results from adding one report to this set. */
uint32_t dmd_reports_add(dmd_reports_t *reports, uint32_t id, dmd_report_t report);

/* The same result, if it is in the cache of the last addition; else DMD_NONE. */
static inline uint32_t dmd_reports_added_last(const dmd_reports_t *reports, uint32_t id,
                                              const dmd_report_t *report) {
  const dmd_report_t *last = &reports->last_report;
  bool is_same = id == reports->last_from && report->stack == last->stack &&
                 report->reporter == last->reporter && report->flags == last->flags;
  return is_same ? reports->last_to : DMD_NONE;
}

/* Returns the id of the set that remains after a clear: its kept reports made on allocation. */
uint32_t dmd_reports_clear(dmd_reports_t *reports, uint32_t id);

static inline const dmd_report_set_t *dmd_reports_at(const dmd_reports_t *reports, uint32_t id) {
  return DMD_POOL_AT(&reports->pool, const dmd_report_set_t, id);
}

/* The number of sets; their ids are 1 to this. */
static inline uint32_t dmd_reports_count(const dmd_reports_t *reports) {
  return reports->pool.last;
}

/* Returns the id of the shared set of n >= 1 sharers. Sharers that are the same owner become one,
 * also in the array. Linear in n. */
uint32_t dmd_reports_intern_sharers(dmd_reports_t *reports, dmd_report_t *sharers, uint32_t n);

/* Copies a set from another collection, with each of its reports changed; returns its id here.
 * Sharers that become the same owner are merged. Linear in the number of its reports. */
typedef dmd_report_t (*dmd_report_change_fn)(void *ctx, const dmd_report_t *report);
uint32_t dmd_reports_copy(dmd_reports_t *to, const dmd_reports_t *from, uint32_t id,
                          dmd_report_change_fn change, void *ctx);

/* Moves a collection into an uninitialised one. */
void dmd_reports_move(dmd_reports_t *to, dmd_reports_t *from);

/* The set of a block within an outer block, whose reports also count for it. Either may be
 * DMD_NONE. Of a shared outer set only the newest two sharers count. */
uint32_t dmd_reports_join(dmd_reports_t *reports, uint32_t id, uint32_t of_outer);

/* Whether the set with this id, not DMD_NONE, is shared. */
static inline bool dmd_reports_are_shared(const dmd_reports_t *reports, uint32_t id) {
  return dmd_reports_at(reports, id)->report[0].flags & DMD_REPORT_SHARED;
}

/* The report in a shared set by the owner of this report, or NULL if it is not a sharer. */
const dmd_report_t *dmd_reports_find_sharer(const dmd_reports_t *reports, uint32_t id,
                                            const dmd_report_t *report);

/* The number of reports that a set keeps: in a shared set one for each sharer; 0 for DMD_NONE. */
uint32_t dmd_reports_n_kept(const dmd_reports_t *reports, uint32_t id);

/* Lists these reports in order. */
void dmd_reports_list(const dmd_reports_t *reports, uint32_t id, dmd_report_t *list);

/* Iterates over these reports; those of a shared set come newest first:
 *
 *   dmd_report_walk_t walk = dmd_reports_walk(reports, id);
 *   while (dmd_reports_next(&walk))
 *     ... walk.report ...
 */
typedef struct dmd_report_walk {
  const dmd_reports_t *reports;
  uint32_t id; /* the set */
  const dmd_report_t *report;
  uint32_t times; /* how many reports it stands for: 1, unless it is the last of a plain set */
  bool is_again;  /* an earlier report is by the same reporter */
  bool is_first;  /* the earliest report */
  uint32_t place; /* internal: in a plain set reports visited, in a shared one reports left */
  bool had_unnamed;
} dmd_report_walk_t;

dmd_report_walk_t dmd_reports_walk(const dmd_reports_t *reports, uint32_t id);
bool dmd_reports_next(dmd_report_walk_t *walk);

/* How many of the reports of this set, not DMD_NONE, are too many: all but one; none in a shared
 * set. */
static inline uint32_t dmd_reports_excess(const dmd_reports_t *reports, uint32_t id) {
  return dmd_reports_are_shared(reports, id) ? 0 : dmd_reports_at(reports, id)->count - 1;
}

/* The share of a block with this usable size that one of these reports, the first or another,
 * counts for. In a plain set it is the whole block. Sharers have equal parts; the first one also
 * has the remainder of the division, so that the parts add up to the block. */
uint64_t dmd_reports_part(const dmd_reports_t *reports, uint32_t id, bool is_first,
                          uint64_t usable);

#endif
