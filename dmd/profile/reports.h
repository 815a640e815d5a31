/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reports.h: by whom a block was reported, as a 32-bit id.
 *
 * Very many blocks share very few histories of reports, so a block holds only the id of its report
 * set. Sets are immutable and interned: reporting a block means moving it to another set. The first
 * two reports are kept in full, later ones are counted (one made on allocation takes the place of
 * one that was not, since it must survive a clear). Id 0 (DMD_NONE) is the empty set.
 *
 * A set is shared when all of its reports say so: owners of one block, that each count for their
 * share of it. All of them are kept, those of the same place and reporter as one with a number;
 * what does not fit into the set is in another, of which it has the id. A plain report makes a
 * shared set plain, and a shared one counts as plain in a plain set.
 *
 * Like groups, sets are used by the live heap and by profiles, each with ids of its own.
 */
#ifndef DMD_PROFILE_REPORTS_H
#define DMD_PROFILE_REPORTS_H

#include "base/pool.h"
#include "base/table.h"

#include <stdbool.h>

typedef struct dmd_report {
  uint32_t stack;    /* where reported; always recorded */
  uint32_t reporter; /* name of the innermost reporter scope; DMD_NONE: outside of any */
  uint16_t flags;    /* DMD_REPORT_... */
  uint16_t further;  /* shared: further reports like this one */
} dmd_report_t;

enum {
  DMD_REPORT_ON_ALLOC = 1, /* survives a clear */
  DMD_REPORT_SHARED = 2    /* by one of several owners */
};

enum {
  DMD_REPORTS_KEPT = 2,    /* reports that a set holds in full */
  DMD_REPORTS_COUNTED = 99 /* the highest count: beyond it, further reports change nothing */
};

typedef struct dmd_report_set {
  uint32_t count; /* reports in all, at least 1 */
  uint32_t rest;  /* shared: a set of the sharers that have no room here, or DMD_NONE */
  dmd_report_t report[DMD_REPORTS_KEPT];
} dmd_report_set_t;

typedef struct dmd_reports {
  dmd_pool_t pool;
  dmd_table_t index;
  /* What was added last, to which set, and which came of it: a reporter walks a structure and adds
   * the same report to block after block. No set ever changes, so this stays true. */
  dmd_report_t last_report;
  uint32_t last_from, last_to; /* last_to is DMD_NONE: nothing was added yet */
} dmd_reports_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_reports_init(dmd_reports_t *reports, const dmd_env_t *env);
void dmd_reports_destroy(dmd_reports_t *reports);

/* The id of the set with these contents; unused report fields must be 0. */
uint32_t dmd_reports_intern(dmd_reports_t *reports, const dmd_report_set_t *set);

/* The id of the set that comes of adding one report to the set with this id. */
uint32_t dmd_reports_add(dmd_reports_t *reports, uint32_t id, dmd_report_t report);

/* The id of the set that remains of this one after a clear: the kept reports made on allocation. */
uint32_t dmd_reports_clear(dmd_reports_t *reports, uint32_t id);

static inline const dmd_report_set_t *dmd_reports_at(const dmd_reports_t *reports, uint32_t id) {
  return DMD_POOL_AT(&reports->pool, const dmd_report_set_t, id);
}

/* How many sets there are; their ids are 1 to this. */
static inline uint32_t dmd_reports_count(const dmd_reports_t *reports) {
  return reports->pool.last;
}

/* The id of the shared set of n sharers, at least one, whose reports are DMD_REPORTS_COUNTED at
 * most. Those that are alike become one, in the list too. */
uint32_t dmd_reports_intern_sharers(dmd_reports_t *reports, dmd_report_t *sharers, uint32_t n);

/* Whether the set with this id, not DMD_NONE, is shared. */
static inline bool dmd_reports_are_shared(const dmd_reports_t *reports, uint32_t id) {
  return dmd_reports_at(reports, id)->report[0].flags & DMD_REPORT_SHARED;
}

/* The i-th of the different sharers of a shared set, from 0; NULL beyond the last. */
const dmd_report_t *dmd_reports_sharer(const dmd_reports_t *reports, uint32_t id, uint32_t i);

/* How much of a block of this many usable bytes the i-th sharer of a shared set counts for: as many
 * parts as it reported it times. What cannot be divided is the first one's, so that the shares of
 * all add up to the block. */
uint64_t dmd_reports_share(const dmd_reports_t *reports, uint32_t id, uint32_t i, uint64_t usable);

/* The i-th report that is kept of any set, of a shared one the i-th sharer; NULL beyond the last.
 */
const dmd_report_t *dmd_reports_nth(const dmd_reports_t *reports, uint32_t id, uint32_t i);

/* Whether an earlier one than the i-th is of the same reporter. */
bool dmd_reports_is_again(const dmd_reports_t *reports, uint32_t id, uint32_t i);

#endif
