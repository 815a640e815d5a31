/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/reports.h"

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

static uint64_t set_hash(const dmd_reports_t *reports, const dmd_report_set_t *set) {
  return dmd_hash_bytes(reports->index.env->hash_seed, set, sizeof *set);
}

static uint32_t intern_new(dmd_reports_t *reports, uint64_t hash, const dmd_report_set_t *set) {
  uint32_t id = dmd_pool_add(&reports->pool);
  *DMD_POOL_AT(&reports->pool, dmd_report_set_t, id) = *set;
  dmd_table_add(&reports->index, hash, id);
  return id;
}

uint32_t dmd_reports_intern(dmd_reports_t *reports, const dmd_report_set_t *set) {
  uint64_t hash = set_hash(reports, set);
  uint32_t id = dmd_table_find(&reports->index, hash, set);
  return id != DMD_NONE ? id : intern_new(reports, hash, set);
}

/* ---- Sharing. ---- */

static bool is_same_owner(const dmd_report_t *a, const dmd_report_t *b) {
  return a->reporter == b->reporter && (a->reporter != DMD_NONE || a->stack == b->stack);
}

const dmd_report_t *dmd_reports_find_sharer(const dmd_reports_t *reports, uint32_t id,
                                            const dmd_report_t *report) {
  dmd_report_walk_t walk = dmd_reports_walk(reports, id);
  while (dmd_reports_next(&walk))
    if (is_same_owner(walk.report, report))
      return walk.report;
  return NULL;
}

/* The result of adding a sharer to the set with this id, which may be DMD_NONE. */
static dmd_report_set_t with_sharer(const dmd_reports_t *reports, uint32_t id,
                                    const dmd_report_t *report) {
  dmd_report_set_t set = {.count = 1, .older = id, .report[0] = *report};
  if (id != DMD_NONE) {
    const dmd_report_set_t *older = dmd_reports_at(reports, id);
    set.count = older->count + 1;
    set.report[0] = older->report[0];
    set.report[1] = *report;
  }
  return set;
}

/* Adds a sharer to a set that is empty or shared. */
static uint32_t add_sharer(dmd_reports_t *reports, uint32_t id, dmd_report_t report) {
  dmd_report_set_t set = with_sharer(reports, id, &report);
  uint64_t hash = set_hash(reports, &set);
  uint32_t known = dmd_table_find(&reports->index, hash, &set);
  if (known != DMD_NONE)
    return known;
  if (id != DMD_NONE && dmd_reports_find_sharer(reports, id, &report) != NULL)
    return id;
  return intern_new(reports, hash, &set);
}

static bool owner_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_report_t *sharers = owner;
  return is_same_owner(&sharers[id - 1], key);
}

static uint64_t owner_hash(const dmd_table_t *owners, const dmd_report_t *sharer) {
  bool named = sharer->reporter != DMD_NONE;
  return dmd_table_hash(owners, (uint64_t)named << 32 | (named ? sharer->reporter : sharer->stack));
}

uint32_t dmd_reports_intern_sharers(dmd_reports_t *reports, dmd_report_t *sharers, uint32_t n) {
  dmd_table_t owners; /* places in the list, from 1 */
  dmd_table_init(&owners, reports->pool.env, "dmd.reports.owners", owner_equal, sharers);
  uint32_t id = DMD_NONE, n_left = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t hash = owner_hash(&owners, &sharers[i]);
    if (dmd_table_find(&owners, hash, &sharers[i]) != DMD_NONE)
      continue;
    sharers[n_left++] = sharers[i];
    dmd_table_add(&owners, hash, n_left);
    dmd_report_set_t set = with_sharer(reports, id, &sharers[i]);
    id = dmd_reports_intern(reports, &set);
  }
  dmd_table_destroy(&owners);
  return id;
}

/* ---- Iteration. ---- */

dmd_report_walk_t dmd_reports_walk(const dmd_reports_t *reports, uint32_t id) {
  bool shared = id != DMD_NONE && dmd_reports_are_shared(reports, id);
  return (dmd_report_walk_t){.reports = reports, .id = id, .place = shared ? id : 0};
}

static bool next_sharer(dmd_report_walk_t *walk) {
  if (walk->place == DMD_NONE)
    return false;
  const dmd_report_set_t *set = dmd_reports_at(walk->reports, walk->place);
  walk->is_first = set->older == DMD_NONE;
  walk->times = 1;
  walk->report = &set->report[walk->is_first ? 0 : 1];
  walk->place = set->older;
  /* Reporters differ; only unnamed ones can be the same. */
  bool unnamed = walk->report->reporter == DMD_NONE;
  walk->is_again = unnamed && walk->had_unnamed;
  walk->had_unnamed |= unnamed;
  return true;
}

bool dmd_reports_next(dmd_report_walk_t *walk) {
  if (walk->id == DMD_NONE)
    return false;
  if (dmd_reports_are_shared(walk->reports, walk->id))
    return next_sharer(walk);
  const dmd_report_set_t *set = dmd_reports_at(walk->reports, walk->id);
  if (walk->place == DMD_REPORTS_KEPT || walk->place == set->count)
    return false;
  walk->report = &set->report[walk->place];
  walk->is_first = walk->place == 0;
  walk->is_again = !walk->is_first && walk->report->reporter == set->report[0].reporter;
  walk->place++;
  walk->times = walk->place == DMD_REPORTS_KEPT ? set->count - (DMD_REPORTS_KEPT - 1) : 1;
  return true;
}

uint64_t dmd_reports_part(const dmd_reports_t *reports, uint32_t id, bool is_first,
                          uint64_t usable) {
  if (!dmd_reports_are_shared(reports, id))
    return usable;
  uint32_t count = dmd_reports_at(reports, id)->count;
  return usable / count + (is_first ? usable % count : 0);
}

uint32_t dmd_reports_n_kept(const dmd_reports_t *reports, uint32_t id) {
  if (id == DMD_NONE)
    return 0;
  uint32_t count = dmd_reports_at(reports, id)->count;
  bool all = dmd_reports_are_shared(reports, id) || count < DMD_REPORTS_KEPT;
  return all ? count : DMD_REPORTS_KEPT;
}

void dmd_reports_list(const dmd_reports_t *reports, uint32_t id, dmd_report_t *list) {
  uint32_t n = dmd_reports_n_kept(reports, id);
  bool newest_first = id != DMD_NONE && dmd_reports_are_shared(reports, id);
  dmd_report_walk_t walk = dmd_reports_walk(reports, id);
  for (uint32_t i = 0; dmd_reports_next(&walk); i++)
    list[newest_first ? n - 1 - i : i] = *walk.report;
}

/* ---- Adding, clearing. ---- */

/* The place of a new report among the kept ones, or DMD_REPORTS_KEPT. A report on allocation must
 * survive a clear: in a full set it replaces the last report that need not. */
static uint32_t place_for(const dmd_report_set_t *set, const dmd_report_t *report) {
  if (set->count < DMD_REPORTS_KEPT)
    return set->count;
  uint32_t place = DMD_REPORTS_KEPT;
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++)
    if ((report->flags & DMD_REPORT_ON_ALLOC) && !(set->report[i].flags & DMD_REPORT_ON_ALLOC))
      place = i;
  return place;
}

/* Makes a shared set plain: each sharer is a report. */
static void make_plain(dmd_report_set_t *set) {
  set->older = DMD_NONE;
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++)
    set->report[i].flags = 0;
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
  report.flags &= ~(uint32_t)DMD_REPORT_SHARED;
  uint32_t place = place_for(&set, &report);
  if (place < DMD_REPORTS_KEPT)
    set.report[place] = report;
  if (set.count < DMD_REPORTS_COUNTED)
    set.count++;
  return dmd_reports_intern(reports, &set);
}

uint32_t dmd_reports_add(dmd_reports_t *reports, uint32_t id, dmd_report_t report) {
  if (dmd_reports_added_last(reports, id, &report) == DMD_NONE) {
    reports->last_to = add(reports, id, report);
    reports->last_from = id;
    reports->last_report = report;
  }
  return reports->last_to;
}

/* The set with so many reports more, none of which is kept. */
static uint32_t with_further(dmd_reports_t *reports, uint32_t id, uint32_t n) {
  dmd_report_set_t set = *dmd_reports_at(reports, id);
  if (n == 0 || dmd_reports_are_shared(reports, id))
    return id;
  set.count += n < DMD_REPORTS_COUNTED - set.count ? n : DMD_REPORTS_COUNTED - set.count;
  return dmd_reports_intern(reports, &set);
}

uint32_t dmd_reports_join(dmd_reports_t *reports, uint32_t id, uint32_t of_outer) {
  if (id == DMD_NONE || of_outer == DMD_NONE)
    return id == DMD_NONE ? of_outer : id;
  dmd_report_walk_t walk = dmd_reports_walk(reports, of_outer);
  dmd_report_t kept[DMD_REPORTS_KEPT];
  size_t n = 0;
  while (n < DMD_REPORTS_KEPT && dmd_reports_next(&walk))
    kept[n++] = *walk.report;
  for (size_t i = 0; i < n; i++)
    id = dmd_reports_add(reports, id, kept[i]);
  bool shared = dmd_reports_are_shared(reports, of_outer);
  return shared ? id
                : with_further(reports, id, dmd_reports_at(reports, of_outer)->count - (uint32_t)n);
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

/* ---- Copies between collections. ---- */

uint32_t dmd_reports_copy(dmd_reports_t *to, const dmd_reports_t *from, uint32_t id,
                          dmd_report_change_fn change, void *ctx) {
  uint32_t n = dmd_reports_n_kept(from, id), fresh;
  dmd_report_t *list = dmd_env_alloc(to->pool.env, "dmd.reports.copy", (n + 1ul) * sizeof *list);
  dmd_reports_list(from, id, list);
  for (uint32_t i = 0; i < n; i++)
    list[i] = change(ctx, &list[i]);
  if (dmd_reports_are_shared(from, id)) {
    fresh = dmd_reports_intern_sharers(to, list, n);
  } else {
    dmd_report_set_t set = {.count = dmd_reports_at(from, id)->count};
    dmd_mem_copy(set.report, list, n * sizeof *list);
    fresh = dmd_reports_intern(to, &set);
  }
  dmd_env_free(to->pool.env, list);
  return fresh;
}

void dmd_reports_move(dmd_reports_t *to, dmd_reports_t *from) {
  *to = *from;
  to->index.owner = to;
}
