/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/translate.h"

#include "base/mem.h"

/* ---- Known ids. ---- */

static void init(dmd_translation_t *t, dmd_profile_t *to) {
  dmd_pool_t *const known[] = {&t->stacks, &t->frames, &t->names, &t->tags, &t->report_sets};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    dmd_pool_init(known[i], to->env, "dmd.translation", sizeof(uint32_t));
  t->to = to;
}

void dmd_translation_destroy(dmd_translation_t *t) {
  dmd_pool_destroy(&t->report_sets);
  dmd_pool_destroy(&t->tags);
  dmd_pool_destroy(&t->names);
  dmd_pool_destroy(&t->frames);
  dmd_pool_destroy(&t->stacks);
}

static uint32_t find(const dmd_pool_t *known, uint32_t id) {
  return id != DMD_NONE && id <= known->last ? *DMD_POOL_AT(known, uint32_t, id) : DMD_NONE;
}

static uint32_t keep(dmd_pool_t *known, uint32_t id, uint32_t fresh) {
  dmd_pool_reach(known, id);
  *DMD_POOL_AT(known, uint32_t, id) = fresh;
  return fresh;
}

/* ---- Strings. ---- */

static const char *word_for(const dmd_translation_t *t, const char *name, bool is_tag) {
  return t->rename != NULL ? t->rename(t->ctx, name, is_tag) : name;
}

uint32_t dmd_translation_name(dmd_translation_t *t, uint32_t id) {
  uint32_t there = find(&t->names, id);
  if (id == DMD_NONE || there != DMD_NONE)
    return there;
  const char *name = word_for(t, dmd_intern_get_str(t->from_names, id), false);
  return keep(&t->names, id, dmd_intern_str(&t->to->names, name));
}

uint32_t dmd_translation_tag(dmd_translation_t *t, uint32_t id) {
  uint32_t there = find(&t->tags, id);
  if (id == DMD_NONE || there != DMD_NONE)
    return there;
  const char *name = word_for(t, dmd_intern_get_str(t->from_tags, id), true);
  return keep(&t->tags, id, dmd_tag_intern(&t->to->tags, name));
}

uint32_t dmd_translation_frame(dmd_translation_t *t, uint32_t id) {
  uint32_t there = find(&t->frames, id);
  if (there != DMD_NONE)
    return there;
  return keep(&t->frames, id,
              t->add_frame != NULL ? t->add_frame(t->ctx, id)
                                   : dmd_frames_copy(&t->to->frames, &t->from->frames, id));
}

/* ---- Stacks and report sets. ---- */

static uint32_t copy_stack(dmd_translation_t *t, uint32_t id) {
  size_t n;
  const uint32_t *old = dmd_profile_frames(t->from, id, &n);
  if (n > t->max_frames)
    n = t->max_frames;
  const dmd_env_t *env = t->to->env;
  uint32_t *new = dmd_env_alloc(env, "dmd.translation", (n + 1) * sizeof *new);
  for (size_t i = 0; i < n; i++)
    new[i] = dmd_translation_frame(t, old[i]);
  if (t->root != DMD_NONE)
    new[n++] = t->root;
  uint32_t fresh = dmd_profile_stack(t->to, new, n);
  dmd_env_free(env, new);
  return fresh;
}

uint32_t dmd_translation_add_stack(dmd_translation_t *t, uint32_t id) {
  if (id == DMD_NONE)
    return DMD_NONE;
  return keep(&t->stacks, id, t->from != NULL ? copy_stack(t, id) : t->add_stack(t->ctx, id));
}

/* dmd_report_change_fn */
static dmd_report_t translate_report(void *ctx, const dmd_report_t *report) {
  dmd_translation_t *t = ctx;
  return (dmd_report_t){.stack = dmd_translation_stack(t, report->stack),
                        .reporter = dmd_translation_name(t, report->reporter),
                        .flags = report->flags & DMD_REPORT_SHARED};
}

uint32_t dmd_translation_reports(dmd_translation_t *t, uint32_t id) {
  uint32_t there = find(&t->report_sets, id);
  if (id == DMD_NONE || there != DMD_NONE)
    return there;
  return keep(&t->report_sets, id,
              dmd_reports_copy(&t->to->reports, t->from_reports, id, translate_report, t));
}

void dmd_translation_init(dmd_translation_t *t, dmd_profile_t *to, const dmd_intern_t *names,
                          const dmd_intern_t *tags, const dmd_reports_t *reports,
                          dmd_translate_fn add_stack, void *ctx) {
  *t = (dmd_translation_t){.from_names = names,
                           .from_tags = tags,
                           .from_reports = reports,
                           .add_stack = add_stack,
                           .ctx = ctx};
  init(t, to);
}

void dmd_translation_init_profile(dmd_translation_t *t, dmd_profile_t *to,
                                  const dmd_profile_t *from, dmd_translate_fn add_frame,
                                  void *ctx) {
  *t = (dmd_translation_t){.from_names = &from->names,
                           .from_tags = &from->tags,
                           .from_reports = &from->reports,
                           .add_frame = add_frame,
                           .ctx = ctx,
                           .from = from,
                           .max_frames = UINT32_MAX};
  to->frame_view = from->frame_view;
  if (from->run.sample_interval > 0)
    to->run.sample_interval = from->run.sample_interval;
  init(t, to);
}

/* ---- Translated elements. ---- */

dmd_group_t dmd_translation_group(dmd_translation_t *t, const dmd_group_t *group) {
  dmd_group_t g = *group;
  g.stack = g.stack == DMD_NONE && t->root != DMD_NONE ? dmd_profile_stack(t->to, &t->root, 1)
                                                       : dmd_translation_stack(t, g.stack);
  g.reports = dmd_translation_reports(t, g.reports);
  g.tag = (uint16_t)dmd_translation_tag(t, g.tag);
  return g;
}

static uint32_t stack_of(void *ctx, uint32_t id) {
  return dmd_translation_stack(ctx, id);
}

static uint32_t name_of(void *ctx, uint32_t id) {
  return dmd_translation_name(ctx, id);
}

void dmd_translation_add_faults(dmd_translation_t *t, const dmd_faults_t *faults) {
  for (uint32_t id = 1; id <= dmd_faults_count(faults); id++) {
    dmd_fault_t fault = *dmd_faults_at(faults, id);
    dmd_fault_translate(&fault, stack_of, name_of, t);
    dmd_faults_add(&t->to->faults, &fault);
  }
}

void dmd_translation_add_mapped(dmd_translation_t *t, const dmd_mapped_t *mapped) {
  for (uint32_t id = 1; id <= dmd_mapped_count(mapped); id++) {
    dmd_mapped_entry_t entry = *dmd_mapped_at(mapped, id);
    entry.stack = dmd_translation_stack(t, entry.stack);
    entry.reporter = dmd_translation_name(t, entry.reporter);
    dmd_mapped_add(&t->to->mapped, &entry);
  }
}

void dmd_translation_add_hints(dmd_translation_t *t, const dmd_hints_t *hints) {
  for (uint32_t id = 1; id <= dmd_hints_count(hints); id++) {
    dmd_hint_t hint = *dmd_hints_at(hints, id);
    dmd_hint_translate(&hint, stack_of, name_of, t);
    dmd_hints_add(&t->to->hints, &hint);
  }
}

void dmd_translation_add_runs(dmd_translation_t *t, const dmd_reporter_runs_t *runs) {
  for (uint32_t id = 1; id <= dmd_reporter_runs_count(runs); id++) {
    const dmd_reporter_run_t *run = dmd_reporter_runs_at(runs, id);
    dmd_reporter_runs_add(&t->to->reporter_runs, dmd_translation_name(t, run->reporter), run->n);
  }
}

static void add_breakdowns(dmd_translation_t *t, const dmd_timeline_t *timeline) {
  dmd_timeline_t *to = &t->to->timeline;
  for (uint32_t i = 0; i < timeline->stacks.last; i++)
    dmd_timeline_add_stack(to, dmd_translation_stack(t, *dmd_timeline_stack(timeline, i)));
  for (uint32_t i = 0; i < timeline->tags.last; i++)
    dmd_timeline_add_tag(to, dmd_translation_tag(t, *dmd_timeline_tag(timeline, i)));
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++) {
    const dmd_breakdown_t *from = &timeline->breakdowns[i];
    *dmd_timeline_add_breakdown(to, &from->at) = *from;
  }
  dmd_timeline_join_stacks(to);
}

void dmd_translation_add_timeline(dmd_translation_t *t, const dmd_timeline_t *timeline) {
  dmd_timeline_t *to = &t->to->timeline;
  to->spacing_ms = timeline->spacing_ms;
  to->is_forked = timeline->is_forked;
  to->counts_instructions = timeline->counts_instructions;
  for (uint32_t id = 1; id <= timeline->points.last; id++)
    dmd_timeline_add_point(to, dmd_timeline_point(timeline, id));
  for (uint32_t id = 1; id <= timeline->marks.last; id++) {
    dmd_timemark_t mark = *dmd_timeline_mark(timeline, id);
    mark.text = dmd_translation_name(t, mark.text);
    dmd_timeline_add_mark(to, &mark);
  }
  add_breakdowns(t, timeline);
}

bool dmd_translation_add_memreports(dmd_translation_t *t, const dmd_memreports_t *reports) {
  bool good = true;
  for (uint32_t id = 1; id <= dmd_memreports_count(reports); id++) {
    dmd_memreport_t report = dmd_memreports_get(reports, id);
    report.stack = DMD_NONE;
    if (report.process == NULL)
      report.process = t->process;
    good &= dmd_memreports_add(&t->to->memreports, &report);
  }
  return good;
}
