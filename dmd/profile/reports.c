/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/reports.h"

#include "base/mem.h"

static bool set_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_mem_equal(dmd_reports_at(owner, id), key, sizeof(dmd_report_set_t));
}

void dmd_reports_init(dmd_reports_t *reports, const dmd_env_t *env) {
  dmd_pool_init(&reports->pool, env, "dmd.reports", sizeof(dmd_report_set_t));
  dmd_table_init(&reports->index, env, "dmd.reports.index", set_equal, reports);
}

void dmd_reports_destroy(dmd_reports_t *reports) {
  dmd_table_destroy(&reports->index);
  dmd_pool_destroy(&reports->pool);
}

uint32_t dmd_reports_intern(dmd_reports_t *reports, const dmd_report_set_t *set) {
  uint64_t hash = dmd_hash_bytes(set, sizeof *set);
  uint32_t id = dmd_table_find(&reports->index, hash, set);
  if (id != DMD_NONE)
    return id;
  id = dmd_pool_add(&reports->pool);
  *DMD_POOL_AT(&reports->pool, dmd_report_set_t, id) = *set;
  dmd_table_add(&reports->index, hash, id);
  return id;
}

/* Which of the kept reports a new one becomes; DMD_REPORTS_KEPT: none. A report made on allocation
 * has to survive a clear: in a full set it takes the place of the last one that need not. */
static uint32_t place_for(const dmd_report_set_t *set, const dmd_report_t *report) {
  if (set->count < DMD_REPORTS_KEPT)
    return set->count;
  uint32_t place = DMD_REPORTS_KEPT;
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++)
    if (report->on_alloc && !set->report[i].on_alloc)
      place = i;
  return place;
}

uint32_t dmd_reports_add(dmd_reports_t *reports, uint32_t id, dmd_report_t report) {
  dmd_report_set_t set = {0};
  if (id != DMD_NONE)
    set = *dmd_reports_at(reports, id);
  uint32_t place = place_for(&set, &report);
  if (place < DMD_REPORTS_KEPT)
    set.report[place] = report;
  if (set.count < DMD_REPORTS_COUNTED)
    set.count++;
  return dmd_reports_intern(reports, &set);
}

uint32_t dmd_reports_clear(dmd_reports_t *reports, uint32_t id) {
  if (id == DMD_NONE)
    return DMD_NONE;
  const dmd_report_set_t *old = dmd_reports_at(reports, id);
  dmd_report_set_t set = {0};
  for (uint32_t i = 0; i < DMD_REPORTS_KEPT && i < old->count; i++)
    if (old->report[i].on_alloc)
      set.report[set.count++] = old->report[i];
  return set.count == 0 ? DMD_NONE : dmd_reports_intern(reports, &set);
}
