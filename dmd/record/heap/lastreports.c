/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/lastreports.h"

void dmd_lastreports_init(dmd_lastreports_t *last, const dmd_env_t *env) {
  last->env = env;
  last->is_clearing = false;
  dmd_stacks_init(&last->by_stack, env);
  dmd_stacks_init(&last->gone, env);
  dmd_stacks_init(&last->gone_kept, env);
  dmd_pool_init(&last->runs, env, "dmd.lasttime", sizeof(dmd_runs_t));
}

void dmd_lastreports_destroy(dmd_lastreports_t *last) {
  dmd_pool_destroy(&last->runs);
  dmd_stacks_destroy(&last->gone_kept);
  dmd_stacks_destroy(&last->gone);
  dmd_stacks_destroy(&last->by_stack);
}

void dmd_lastreports_note_run(dmd_lastreports_t *last, uint32_t reporter, uint64_t measured) {
  dmd_pool_reach(&last->runs, reporter);
  dmd_runs_t *runs = DMD_POOL_AT(&last->runs, dmd_runs_t, reporter);
  runs->measured += measured;
  runs->n += runs->n < UINT32_MAX;
  runs->is_known = true;
}

void dmd_lastreports_note_gone(dmd_lastreports_t *last, uint32_t stack, uint32_t reports,
                               bool kept) {
  dmd_stacks_t *gone = kept ? &last->gone_kept : &last->gone;
  if (stack != DMD_NONE && dmd_stacks_get(gone, stack) == 0)
    dmd_stacks_set(gone, stack, reports);
}

void dmd_lastreports_clear_block(dmd_lastreports_t *last, uint32_t stack, uint32_t reports) {
  if (stack == DMD_NONE)
    return;
  if (!last->is_clearing) {
    dmd_stacks_destroy(&last->by_stack);
    last->is_clearing = true;
  }
  if (dmd_stacks_get(&last->by_stack, stack) == 0)
    dmd_stacks_set(&last->by_stack, stack, reports);
}

void dmd_lastreports_clear_runs(dmd_lastreports_t *last) {
  last->is_clearing = false;
  dmd_stacks_destroy(&last->gone);
  for (uint32_t reporter = 1; reporter <= last->runs.last; reporter++) {
    dmd_runs_t *runs = DMD_POOL_AT(&last->runs, dmd_runs_t, reporter);
    if (runs->n > 0)
      *runs = (dmd_runs_t){.before = runs->measured, .is_known = true};
  }
}

dmd_runs_t dmd_lastreports_runs(const dmd_lastreports_t *last, uint32_t reporter) {
  bool known = reporter != DMD_NONE && reporter <= last->runs.last;
  return known ? *DMD_POOL_AT(&last->runs, const dmd_runs_t, reporter) : (dmd_runs_t){0};
}

static dmd_referrer_kind_t kind_of(const dmd_runs_t *runs) {
  if (runs->n == 0)
    return DMD_REFERRER_NOT_RUN;
  return runs->measured == 0 ? DMD_REFERRER_NOTHING_NOW : DMD_REFERRER_LAST_TIME;
}

/* The report set of the blocks from this stack before they were reallocated there. */
static uint32_t find_gone(const dmd_lastreports_t *last, uint32_t stack) {
  uintptr_t set = dmd_stacks_get(&last->gone, stack);
  return (uint32_t)(set != 0 ? set : dmd_stacks_get(&last->gone_kept, stack));
}

void dmd_lastreports_advise(const dmd_lastreports_t *last, const dmd_reports_t *reports,
                            dmd_translation_t *ids, const dmd_block_t *block) {
  uint32_t gone = find_gone(last, block->stack);
  uint32_t set = gone != DMD_NONE ? gone : (uint32_t)dmd_stacks_get(&last->by_stack, block->stack);
  if (block->stack == DMD_NONE || set == DMD_NONE)
    return;
  const dmd_report_t *report = &dmd_reports_at(reports, set)->report[0];
  if (report->reporter == DMD_NONE)
    return; /* it has no name, so it is unknown whether it ran */
  dmd_runs_t runs = dmd_lastreports_runs(last, report->reporter);
  dmd_referrer_kind_t kind = gone != DMD_NONE ? DMD_REFERRER_BEFORE_REALLOC : kind_of(&runs);
  dmd_hint_t hint = {.blocks = 1,
                     .bytes = dmd_block_usable(block),
                     .before = gone != DMD_NONE ? 0 : runs.before,
                     .alloc = dmd_translation_stack(ids, block->stack),
                     .referrer_kind = kind,
                     .reporter = dmd_translation_name(ids, report->reporter),
                     .stack = dmd_translation_stack(ids, report->stack),
                     .offset = DMD_OFFSET_ANY};
  dmd_hints_add(&ids->to->hints, &hint);
}

void dmd_lastreports_list_runs(const dmd_lastreports_t *last, dmd_translation_t *ids) {
  for (uint32_t reporter = 1; reporter <= last->runs.last; reporter++) {
    dmd_runs_t runs = dmd_lastreports_runs(last, reporter);
    if (runs.is_known)
      dmd_reporter_runs_add(&ids->to->reporter_runs, dmd_translation_name(ids, reporter), runs.n);
  }
}
