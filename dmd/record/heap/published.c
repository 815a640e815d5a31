/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/published.h"

#include "model/profile/measured.h"

typedef struct {
  const dmd_live_t *live;
  dmd_translation_t *ids;
  dmd_measured_t measured;
} check_t;

/* ---- Valid amounts. ---- */

/* Finds the amount closest to `claimed` among those that the reporter may rightly publish. Returns
 * false if it measured nothing, so that none is known. */
static bool find_nearest(const check_t *c, const char *path, uint32_t reporter, uint64_t claimed,
                         uint64_t *nearest) {
  const dmd_counter_t *counter = dmd_counters_find(&c->live->counters, reporter);
  uint64_t at_ends = dmd_lastreports_runs(&c->live->last_time, reporter).measured;
  const uint64_t of_blocks[] = {(uint64_t)dmd_measured_at(&c->measured, path),
                                (uint64_t)dmd_measured_at_or_below(&c->measured, path),
                                (uint64_t)dmd_measured_whole(&c->measured, path)};
  bool known = counter != NULL || at_ends != 0;
  *nearest = at_ends + (counter != NULL ? counter->published : 0);
  if (counter != NULL && dmd_counter_may_be(counter, claimed - at_ends))
    *nearest = claimed;
  if (!known && of_blocks[0] == 0)
    return false;
  for (size_t i = 0; i < sizeof of_blocks / sizeof of_blocks[0]; i++)
    if (of_blocks[i] != 0 &&
        (!known || dmd_distance(claimed, of_blocks[i]) < dmd_distance(claimed, *nearest))) {
      *nearest = of_blocks[i];
      known = true;
    }
  return true;
}

/* ---- Faults. ---- */

/* Adds a fault for one place where blocks were freed that the amount still includes. */
static void add_loss(const check_t *c, const dmd_loss_t *loss, dmd_fault_t fault) {
  fault.kind = DMD_FAULT_FREED_COUNTED;
  fault.num = loss->num;
  fault.bytes = loss->bytes;
  fault.allocated = dmd_translation_stack(c->ids, loss->allocated);
  fault.freed = dmd_translation_stack(c->ids, loss->freed);
  fault.reported = dmd_translation_stack(c->ids, loss->reported);
  dmd_faults_add(&c->ids->to->faults, &fault);
}

/* Adds a fault for each place whose freed blocks explain the excess; false if they do not. */
static bool add_losses(const check_t *c, uint32_t reporter, const dmd_fault_t *fault) {
  const dmd_counters_t *counters = &c->live->counters;
  const dmd_counter_t *counter = dmd_counters_find(counters, reporter);
  bool all;
  if (counter == NULL || fault->claimed < fault->measured)
    return false;
  uint32_t id = dmd_counters_explain(counters, counter, fault->bytes, &all);
  if (id == DMD_NONE)
    return false;
  do {
    add_loss(c, dmd_counters_loss(counters, id), *fault);
    id = dmd_counters_loss(counters, id)->next;
  } while (all && id != DMD_NONE);
  return true;
}

static void check(const check_t *c, const dmd_memreport_t *report) {
  dmd_profile_t *profile = c->ids->to;
  uint32_t reporter = dmd_intern_find_str(&c->live->reporter_names, report->path);
  uint64_t claimed = report->amount < 0 ? 0 : (uint64_t)report->amount, szB;
  if (!find_nearest(c, report->path, reporter, claimed, &szB) || szB == claimed)
    return;
  dmd_fault_t fault = {.num = 1,
                       .kind = DMD_FAULT_MEMORY_REPORT,
                       .stack = dmd_translation_stack(c->ids, report->stack),
                       .reporter = dmd_intern_str(&profile->names, report->path),
                       .bytes = dmd_distance(claimed, szB),
                       .claimed = claimed,
                       .measured = szB};
  if (!add_losses(c, reporter, &fault))
    dmd_faults_add(&profile->faults, &fault);
}

void dmd_published_check(const dmd_live_t *live, dmd_translation_t *ids) {
  const dmd_memreports_t *reports = &live->memreports;
  /* If blocks are sampled, the right amount is not known exactly enough. */
  if (dmd_memreports_count(reports) == 0 || !dmd_live_keeps_reports(live) ||
      live->config.sample_below > 0 || live->config.sample_interval > 0)
    return;
  check_t c = {.live = live, .ids = ids};
  dmd_measured_init(&c.measured, ids->to);
  for (uint32_t id = 1; id <= dmd_memreports_count(reports); id++) {
    dmd_memreport_t report = dmd_memreports_get(reports, id);
    if (report.process == NULL && report.units == DMD_MEMREPORT_BYTES)
      check(&c, &report);
  }
  dmd_measured_destroy(&c.measured);
}
