/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/reports.h"

#include "base/mem.h"

static bool set_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_mem_equal(dmd_reports_at(owner, id), key, sizeof(dmd_report_set_t));
}

void dmd_reports_init(dmd_reports_t *reports, const dmd_env_t *env) {
  dmd_pool_init(&reports->pool, env, "dmd.reports", sizeof(dmd_report_set_t));
  dmd_table_init(&reports->index, env, "dmd.reports.index", set_equal, reports);
  reports->last_to = DMD_NONE;
}

void dmd_reports_destroy(dmd_reports_t *reports) {
  dmd_table_destroy(&reports->index);
  dmd_pool_destroy(&reports->pool);
}

uint32_t dmd_reports_intern(dmd_reports_t *reports, const dmd_report_set_t *set) {
  uint64_t hash = dmd_hash_bytes(reports->index.env->hash_seed, set, sizeof *set);
  uint32_t id = dmd_table_find(&reports->index, hash, set);
  if (id != DMD_NONE)
    return id;
  id = dmd_pool_add(&reports->pool);
  *DMD_POOL_AT(&reports->pool, dmd_report_set_t, id) = *set;
  dmd_table_add(&reports->index, hash, id);
  return id;
}

static bool is_same_sharer(const dmd_report_t *a, const dmd_report_t *b) {
  return a->stack == b->stack && a->reporter == b->reporter;
}

/* Makes one of those that are alike, where the first is. Returns how many are left. */
static uint32_t join_sharers(dmd_report_t *sharers, uint32_t n) {
  uint32_t n_left = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t first = 0;
    while (first < n_left && !is_same_sharer(&sharers[first], &sharers[i]))
      first++;
    if (first == n_left)
      sharers[n_left++] = sharers[i];
    else
      sharers[first].further += sharers[i].further + 1u;
  }
  return n_left;
}

/* No two of the sharers are alike. */
static uint32_t intern_different(dmd_reports_t *reports, const dmd_report_t *sharers, uint32_t n) {
  dmd_report_set_t set = {0};
  if (n > DMD_REPORTS_KEPT) {
    set.rest = intern_different(reports, sharers + DMD_REPORTS_KEPT, n - DMD_REPORTS_KEPT);
    set.count = dmd_reports_at(reports, set.rest)->count;
  }
  for (uint32_t i = 0; i < n && i < DMD_REPORTS_KEPT; i++) {
    set.report[i] = sharers[i];
    set.count += sharers[i].further + 1u;
  }
  return dmd_reports_intern(reports, &set);
}

uint32_t dmd_reports_intern_sharers(dmd_reports_t *reports, dmd_report_t *sharers, uint32_t n) {
  return intern_different(reports, sharers, join_sharers(sharers, n));
}

/* Which of the kept reports a new one becomes; DMD_REPORTS_KEPT: none. A report made on allocation
 * has to survive a clear: in a full set it takes the place of the last one that need not. */
static uint32_t place_for(const dmd_report_set_t *set, const dmd_report_t *report) {
  if (set->count < DMD_REPORTS_KEPT)
    return set->count;
  uint32_t place = DMD_REPORTS_KEPT;
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++)
    if ((report->flags & DMD_REPORT_ON_ALLOC) && !(set->report[i].flags & DMD_REPORT_ON_ALLOC))
      place = i;
  return place;
}

/* Adds a sharer to a set that is empty or shared. */
static uint32_t add_sharer(dmd_reports_t *reports, uint32_t id, dmd_report_t report) {
  dmd_report_set_t set = {0};
  if (id != DMD_NONE)
    set = *dmd_reports_at(reports, id);
  if (set.count == DMD_REPORTS_COUNTED)
    return id;
  uint32_t n_kept = 0;
  while (n_kept < DMD_REPORTS_KEPT && set.report[n_kept].flags != 0 &&
         !is_same_sharer(&set.report[n_kept], &report))
    n_kept++;
  if (n_kept == DMD_REPORTS_KEPT)
    set.rest = add_sharer(reports, set.rest, report);
  else if (set.report[n_kept].flags != 0)
    set.report[n_kept].further++;
  else
    set.report[n_kept] = report;
  set.count++;
  return dmd_reports_intern(reports, &set);
}

/* What a shared set is once it is no longer shared. */
static void make_plain(dmd_report_set_t *set) {
  set->rest = DMD_NONE;
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++)
    set->report[i].flags = set->report[i].further = 0;
  /* Several reports of one place were kept as one. */
  if (set->count > 1 && set->report[1].stack == DMD_NONE)
    set->report[1] = set->report[0];
}

static uint32_t add(dmd_reports_t *reports, uint32_t id, dmd_report_t report) {
  bool is_shared = id != DMD_NONE && dmd_reports_are_shared(reports, id);
  if ((report.flags & DMD_REPORT_SHARED) && (id == DMD_NONE || is_shared))
    return add_sharer(reports, id, report);
  dmd_report_set_t set = {0};
  if (id != DMD_NONE)
    set = *dmd_reports_at(reports, id);
  if (is_shared)
    make_plain(&set);
  report.flags &= (uint16_t)~DMD_REPORT_SHARED;
  uint32_t place = place_for(&set, &report);
  if (place < DMD_REPORTS_KEPT)
    set.report[place] = report;
  if (set.count < DMD_REPORTS_COUNTED)
    set.count++;
  return dmd_reports_intern(reports, &set);
}

static bool is_same(const dmd_report_t *a, const dmd_report_t *b) {
  return is_same_sharer(a, b) && a->flags == b->flags && a->further == b->further;
}

uint32_t dmd_reports_add(dmd_reports_t *reports, uint32_t id, dmd_report_t report) {
  if (id != reports->last_from || reports->last_to == DMD_NONE ||
      !is_same(&report, &reports->last_report)) {
    reports->last_to = add(reports, id, report);
    reports->last_from = id;
    reports->last_report = report;
  }
  return reports->last_to;
}

const dmd_report_t *dmd_reports_sharer(const dmd_reports_t *reports, uint32_t id, uint32_t i) {
  for (; id != DMD_NONE; i -= DMD_REPORTS_KEPT) {
    const dmd_report_set_t *set = dmd_reports_at(reports, id);
    if (i < DMD_REPORTS_KEPT)
      return set->report[i].flags != 0 ? &set->report[i] : NULL;
    id = set->rest;
  }
  return NULL;
}

uint64_t dmd_reports_share(const dmd_reports_t *reports, uint32_t id, uint32_t i, uint64_t usable) {
  uint32_t count = dmd_reports_at(reports, id)->count;
  uint64_t each = usable / count, remainder = usable % count;
  const dmd_report_t *sharer = dmd_reports_sharer(reports, id, i);
  return each * (sharer->further + 1u) + (i == 0 ? remainder : 0);
}

const dmd_report_t *dmd_reports_nth(const dmd_reports_t *reports, uint32_t id, uint32_t i) {
  if (dmd_reports_are_shared(reports, id))
    return dmd_reports_sharer(reports, id, i);
  const dmd_report_set_t *set = dmd_reports_at(reports, id);
  return i < set->count && i < DMD_REPORTS_KEPT ? &set->report[i] : NULL;
}

bool dmd_reports_is_again(const dmd_reports_t *reports, uint32_t id, uint32_t i) {
  uint32_t reporter = dmd_reports_nth(reports, id, i)->reporter;
  for (; id != DMD_NONE; id = dmd_reports_at(reports, id)->rest)
    for (uint32_t k = 0; k < DMD_REPORTS_KEPT; k++) {
      if (i-- == 0)
        return false;
      if (dmd_reports_at(reports, id)->report[k].reporter == reporter)
        return true;
    }
  return false;
}

uint32_t dmd_reports_clear(dmd_reports_t *reports, uint32_t id) {
  if (id == DMD_NONE)
    return DMD_NONE;
  const dmd_report_set_t *old = dmd_reports_at(reports, id);
  dmd_report_set_t set = {0};
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT && i < old->count; i++)
    if (old->report[i].flags & DMD_REPORT_ON_ALLOC)
      set.report[set.count++] = old->report[i];
  return set.count == 0 ? DMD_NONE : dmd_reports_intern(reports, &set);
}
