/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/gate.h"

#include "analyse/records/plain.h"
#include "analyse/records/record.h"
#include "analyse/tree/pathsums.h"
#include "base/path.h"
#include "base/str.h"
#include "model/profile/translate.h"

/* ---- Limits. ---- */

const char *dmd_what_name(const dmd_limit_t *limit) {
  static const char *const names[] = {[DMD_TOTAL] = "total",
                                      [DMD_UNREPORTED] = "unreported",
                                      [DMD_TWICE] = "twice-reported",
                                      [DMD_EXCESS] = "excess",
                                      [DMD_MISREPORTS] = "misreports",
                                      [DMD_LEAKED] = "leaked",
                                      [DMD_AT_PEAK] = "peak",
                                      [DMD_WASTED] = "waste",
                                      [DMD_MOST_RESIDENT] = "peak resident memory"};
  return limit->name != NULL ? limit->name : names[limit->what];
}

/* id: the name of a reporter, or DMD_NONE. */
static bool is_below(const dmd_profile_t *profile, uint32_t id, const char *name) {
  return id != DMD_NONE && dmd_path_is_within(dmd_intern_get_str(&profile->names, id), name);
}

/* In a shared set only the first sharer and the newest are checked: the others occur in other
 * sets. */
bool dmd_gate_has_name(const dmd_profile_t *profile, const char *name) {
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->tags); id++)
    if (dmd_str_equal(dmd_intern_get_str(&profile->tags, id), name))
      return true;
  for (uint32_t id = 1; id <= dmd_reports_count(&profile->reports); id++) {
    const dmd_report_set_t *set = dmd_reports_at(&profile->reports, id);
    for (int i = 0; i < DMD_REPORTS_KEPT; i++) {
      if (is_below(profile, set->report[i].reporter, name))
        return true;
    }
  }
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++) {
    const dmd_fault_t *fault = dmd_faults_at(&profile->faults, id);
    if (is_below(profile, fault->reporter, name))
      return true;
    for (uint32_t i = 0; i < DMD_FAULT_NAMES; i++)
      if (is_below(profile, fault->names[i], name))
        return true;
  }
  return false;
}

/* ---- The blocks that count for a limit. ---- */

void dmd_selector_init(dmd_selector_t *selector, const dmd_subject_t *subject, dmd_what_t what,
                       const char *name) {
  const dmd_profile_t *profile = subject->profile;
  *selector = (dmd_selector_t){.subject = subject, .what = what};
  if (name == NULL)
    return;
  uint32_t n = dmd_intern_count(&profile->names);
  selector->names = dmd_env_alloc(profile->env, "dmd.selector", n + 1);
  selector->names[DMD_NONE] = false;
  for (uint32_t id = 1; id <= n; id++)
    selector->names[id] = dmd_path_is_within(dmd_intern_get_str(&profile->names, id), name);
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->tags); id++)
    if (dmd_str_equal(dmd_intern_get_str(&profile->tags, id), name))
      selector->tag = id;
}

void dmd_selector_destroy(dmd_selector_t *selector) {
  dmd_env_free(selector->subject->profile->env, selector->names);
}

static bool has_name(const dmd_selector_t *selector, const dmd_group_t *g) {
  if (g->tag != DMD_NONE && g->tag == selector->tag)
    return true;
  if (g->reports == DMD_NONE)
    return false;
  dmd_report_walk_t walk = dmd_reports_walk(&selector->subject->profile->reports, g->reports);
  while (dmd_reports_next(&walk))
    if (selector->names[walk.report->reporter])
      return true;
  return false;
}

static uint64_t reported_by(const dmd_selector_t *selector, const dmd_group_t *g) {
  const dmd_reports_t *reports = &selector->subject->profile->reports;
  uint64_t szB = 0;
  dmd_report_walk_t walk = dmd_reports_walk(reports, g->reports);
  while (dmd_reports_next(&walk))
    if (selector->names[walk.report->reporter])
      szB += dmd_szB_times(dmd_reports_part(reports, g->reports, walk.is_first, g->req + g->slop),
                           walk.times);
  return szB;
}

uint64_t dmd_gate_counted_szB(const dmd_selector_t *selector, const dmd_group_t *g) {
  const dmd_reports_t *reports = &selector->subject->profile->reports;
  bool by_tag = g->tag != DMD_NONE && g->tag == selector->tag;
  if (selector->what == DMD_NAMED && !by_tag)
    return reported_by(selector, g);
  uint64_t usable = g->req + g->slop;
  return selector->what != DMD_EXCESS
             ? usable
             : dmd_szB_times(usable, dmd_reports_excess(reports, g->reports));
}

static bool is_ignored(const dmd_subject_t *subject, const dmd_group_t *g) {
  return subject->ignored_by != NULL && subject->ignored_by[g->stack] != 0;
}

bool dmd_gate_counts(const dmd_selector_t *selector, const dmd_group_t *g) {
  const dmd_subject_t *subject = selector->subject;
  switch (selector->what) {
  case DMD_TOTAL:
    return true;
  case DMD_LEAKED:
    return !is_ignored(subject, g);
  case DMD_UNREPORTED:
    return g->reports == DMD_NONE && !is_ignored(subject, g);
  case DMD_TWICE:
  case DMD_EXCESS:
    return dmd_section_of_group(subject->profile, g) == DMD_SECTION_TWICE &&
           !is_ignored(subject, g);
  case DMD_NAMED:
    return has_name(selector, g);
  default:
    return false;
  }
}

/* ---- Metrics. ---- */

static dmd_blocksum_t count_misreports(const dmd_profile_t *profile) {
  dmd_blocksum_t figure = {0};
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    if (dmd_fault_is_misreport(dmd_faults_at(&profile->faults, id)->kind))
      figure.bytes += (int64_t)dmd_faults_at(&profile->faults, id)->num;
  return figure;
}

static dmd_blocksum_t count_peak(const dmd_run_t *run) {
  return (dmd_blocksum_t){.bytes = (int64_t)run->peak.szB,
                          .blocks = (int64_t)run->peak.n_blocks,
                          .sampled = run->sample_interval > 0};
}

static dmd_blocksum_t count_reports(const dmd_amounts_t *m, const char *path) {
  dmd_blocksum_t figure = {0};
  dmd_pathsum(m, path, &figure.bytes);
  return figure;
}

dmd_blocksum_t dmd_gate_figure(const dmd_subject_t *of, dmd_what_t what, const char *name) {
  if (what == DMD_WASTED)
    return dmd_wasted_sum(of->wasted, name);
  const dmd_subject_t *subject = dmd_gate_subject(of, what);
  if (of->amounts != NULL)
    return count_reports(of->amounts, what == DMD_NAMED ? name : "heap-allocated");
  const dmd_groups_t *groups = &subject->profile->groups;
  if (what == DMD_MISREPORTS)
    return count_misreports(subject->profile);
  if (what == DMD_AT_PEAK)
    return count_peak(&subject->profile->run);
  if (what == DMD_MOST_RESIDENT)
    return (dmd_blocksum_t){.bytes = (int64_t)subject->profile->run.most_resident_szB};
  dmd_blocksum_t figure = {0};
  dmd_selector_t selector;
  dmd_selector_init(&selector, subject, what, name);
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *g = dmd_groups_at(groups, id);
    if (!dmd_gate_counts(&selector, g))
      continue;
    dmd_blocksum_add(&figure,
                     dmd_group_sum(subject->profile, g, dmd_gate_counted_szB(&selector, g)));
  }
  dmd_selector_destroy(&selector);
  return figure;
}

/* ---- Evaluation. ---- */

static const char *why_not(const dmd_limit_t *limit, const dmd_profile_t *profile) {
  bool reports =
      limit->what == DMD_UNREPORTED || limit->what == DMD_TWICE || limit->what == DMD_EXCESS;
  if (reports && profile->mode != DMD_MODE_DARK_MATTER)
    return "its mode is not dark-matter, so it contains no reports";
  if (limit->what == DMD_MISREPORTS && !profile->run.is_known)
    return "it was not written by dmd, so it contains no data on misreports";
  if (limit->what == DMD_AT_PEAK && !profile->run.peak.is_known)
    return "it has no peak: an older dmd, --peak=no, --mode=cumulative or a merge wrote it";
  if (limit->what == DMD_MOST_RESIDENT && profile->run.most_resident_szB == 0)
    return "it has no peak of resident memory: an older dmd or a merge wrote it, or the system did "
           "not say";
  return NULL;
}

const char *dmd_gate_why_not(const dmd_limit_t *limit, const dmd_profile_t *now,
                             const dmd_profile_t *before, int *which) {
  *which = 0;
  const char *why = why_not(limit, now);
  if (why == NULL && limit->growth) {
    *which = 1;
    why = why_not(limit, before);
  }
  /* A name that occurs nowhere is more likely misspelt than without blocks, and a gate that nothing
   * can break is worse than no gate. */
  if (why == NULL && limit->what == DMD_NAMED && !dmd_gate_has_name(now, limit->name) &&
      (before == NULL || !dmd_gate_has_name(before, limit->name))) {
    *which = 0;
    why = before != NULL ? "neither it nor the baseline has a reporter or a tag of this name"
                         : "it has no reporter and no tag of this name";
  }
  return why;
}

static int64_t at_least_0(int64_t n) {
  return n < 0 ? 0 : n;
}

const char *dmd_gate_why_not_reports(const dmd_limit_t *limit, const dmd_amounts_t *now,
                                     const dmd_amounts_t *before, int *which) {
  int64_t sum;
  *which = 0;
  if (limit->what != DMD_NAMED)
    return "it has memory reports, not the blocks of a profile: only --budget can be checked";
  if (!dmd_pathsum(now, limit->name, &sum) &&
      (before == NULL || !dmd_pathsum(before, limit->name, &sum)))
    return before != NULL ? "neither it nor the baseline has bytes at this path"
                          : "it has no bytes at this path";
  return NULL;
}

void dmd_gate_evaluate(dmd_finding_t *finding, const dmd_limit_t *limit, const dmd_subject_t *now,
                       const dmd_subject_t *before) {
  *finding = (dmd_finding_t){.limit = limit};
  finding->now = dmd_gate_figure(now, limit->what, limit->name);
  finding->heap = dmd_gate_figure(now, DMD_TOTAL, NULL).bytes;
  if (limit->growth) {
    finding->before = dmd_gate_figure(before, limit->what, limit->name);
    finding->ceiling =
        finding->before.bytes + dmd_size_bytes(&limit->size, at_least_0(finding->before.bytes));
  } else {
    finding->ceiling = dmd_size_bytes(&limit->size, at_least_0(finding->heap));
  }
  finding->broken = finding->now.bytes > finding->ceiling;
}

/* ---- Causes. ---- */

/* The view is a separate profile into which the blocks that count are copied, those of the baseline
 * negatively. Thread numbers are reused in it to tell the two apart, so that both values of a
 * record can be recovered. */

enum { THREAD_NOW = 0, THREAD_BEFORE = 1 };

/* Maps frames without lines to their text in the view; DMD_NONE: several texts. */
typedef struct {
  dmd_intern_t plain;
  dmd_pool_t shown;
} lines_t;

/* The frames of one profile while they are added to the view. */
typedef struct {
  dmd_profile_t *view;
  const dmd_profile_t *from;
  lines_t *lines;
} frames_t;

/* ---- Frames. ---- */

/* Records how to show the frames of one profile. What an earlier profile determined for a function
 * has precedence. */
static void note_lines(lines_t *lines, const dmd_profile_t *from) {
  uint32_t n_known = dmd_intern_count(&lines->plain);
  for (uint32_t id = 1; id <= dmd_frames_count(&from->frames); id++) {
    uint32_t plain = dmd_frame_intern_without_line(&lines->plain, &from->frames, id);
    bool is_first = plain > lines->shown.last;
    if (is_first)
      dmd_pool_add(&lines->shown);
    if (plain > n_known)
      *DMD_POOL_AT(&lines->shown, const char *, plain) =
          is_first ? dmd_frames_text(&from->frames, id) : dmd_intern_get_str(&lines->plain, plain);
  }
}

static uint32_t add_frame(void *ctx, uint32_t id) {
  const frames_t *f = ctx;
  uint32_t plain = dmd_frame_intern_without_line(&f->lines->plain, &f->from->frames, id);
  return dmd_frames_read_text(&f->view->frames,
                              *DMD_POOL_AT(&f->lines->shown, const char *, plain));
}

/* ---- Blocks. ---- */

static void copy_blocks(dmd_profile_t *view, const dmd_subject_t *of, const dmd_limit_t *limit,
                        lines_t *lines, bool is_before) {
  const dmd_subject_t *subject = dmd_gate_subject(of, limit->what);
  const dmd_profile_t *from = subject->profile;
  frames_t frames = {view, from, lines};
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, view, from, lines != NULL ? add_frame : NULL, &frames);
  dmd_selector_t selector;
  dmd_selector_init(&selector, subject, limit->what, limit->name);
  for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++) {
    const dmd_group_t *group = dmd_groups_at(&from->groups, id);
    if (!dmd_gate_counts(&selector, group))
      continue;
    dmd_group_t g = dmd_translation_group(&ids, group);
    g.thread = is_before ? THREAD_BEFORE : THREAD_NOW;
    /* Causes must add up to the metric, so a block has as many bytes as it counts for. */
    uint64_t counted_szB = dmd_gate_counted_szB(&selector, group);
    if (counted_szB != g.req + g.slop) {
      g.req = g.req < counted_szB ? g.req : counted_szB;
      g.slop = counted_szB - g.req;
    }
    if (is_before)
      g.num = -g.num;
    dmd_groups_add(&view->groups, &g);
  }
  dmd_selector_destroy(&selector);
  dmd_translation_destroy(&ids);
}

/* ---- Records. ---- */

static bool grew(void *ctx, const dmd_records_t *records, const dmd_record_t *r) {
  (void)records;
  dmd_causes_t *causes = ctx;
  if (r->usable < 0) {
    causes->n_shrunk++;
    causes->shrunk -= r->usable;
  }
  return r->usable > 0;
}

void dmd_causes_init(dmd_causes_t *causes, const dmd_finding_t *finding, const dmd_subject_t *now,
                     const dmd_subject_t *before, uint32_t max_frames) {
  const dmd_env_t *env = now->profile->env;
  const dmd_limit_t *limit = finding->limit;
  bool by_reports = limit->what == DMD_TWICE || limit->what == DMD_EXCESS;
  *causes = (dmd_causes_t){.section = by_reports ? DMD_SECTION_TWICE : DMD_SECTION_ALL};
  dmd_profile_init(&causes->view, env);
  causes->view.mode = by_reports ? DMD_MODE_DARK_MATTER : DMD_MODE_LIVE;
  if (before == NULL) {
    copy_blocks(&causes->view, now, limit, NULL, false);
  } else {
    lines_t lines;
    dmd_intern_init(&lines.plain, env, "dmd.causes");
    dmd_pool_init(&lines.shown, env, "dmd.causes", sizeof(const char *));
    note_lines(&lines, now->profile);
    note_lines(&lines, before->profile);
    copy_blocks(&causes->view, now, limit, &lines, false);
    copy_blocks(&causes->view, before, limit, &lines, true);
    dmd_pool_destroy(&lines.shown);
    dmd_intern_destroy(&lines.plain);
  }
  dmd_records_init(&causes->records, &causes->view, max_frames, DMD_SORT_USABLE);
  dmd_records_filter(&causes->records, grew, causes);
  causes->n = causes->records.section[causes->section].n;
}

void dmd_causes_destroy(dmd_causes_t *causes) {
  dmd_records_destroy(&causes->records);
  dmd_profile_destroy(&causes->view);
}

dmd_blocksum_t dmd_causes_before(const dmd_causes_t *causes, const dmd_record_t *r) {
  dmd_blocksum_t before = {.sampled = r->sampled};
  for (uint32_t i = 0; i < r->n_groups; i++) {
    const dmd_group_t *g = dmd_record_group(&causes->records, r, i);
    if (g->thread == THREAD_BEFORE)
      dmd_blocksum_add(&before, dmd_group_usable_sum(&causes->view, g));
  }
  before.bytes = -before.bytes;
  before.blocks = -before.blocks;
  return before;
}

uint32_t *dmd_misreports(const dmd_profile_t *profile, uint32_t *n) {
  uint32_t *ids = dmd_faults_sorted(&profile->faults, profile->env);
  *n = 0;
  while (*n < dmd_faults_count(&profile->faults) &&
         dmd_fault_is_misreport(dmd_faults_at(&profile->faults, ids[*n])->kind))
    ++*n;
  return ids;
}

/* ---- A check of a profile. ---- */

const char *dmd_verdict_evaluate(dmd_verdict_t *v, const dmd_limit_t *limits, size_t n,
                                 const dmd_limit_t **wrong, int *which) {
  const dmd_profile_t *now = v->now.profile, *before = v->before.profile;
  v->findings = dmd_env_alloc(now->env, "dmd.findings", (n + 1) * sizeof *v->findings);
  v->n = 0;
  for (size_t i = 0; i < n; i++) {
    const dmd_limit_t *limit = &limits[i];
    /* The part of --max-growth about reports only applies to profiles that have them. */
    if (limit->growth && limit->what == DMD_UNREPORTED && now->mode != DMD_MODE_DARK_MATTER)
      continue;
    const char *why = v->now.amounts != NULL ? dmd_gate_why_not_reports(limit, v->now.amounts,
                                                                        v->before.amounts, which)
                                             : dmd_gate_why_not(limit, now, before, which);
    if (why != NULL) {
      *wrong = limit;
      return why;
    }
    dmd_gate_evaluate(&v->findings[v->n++], limit, &v->now, &v->before);
  }
  return NULL;
}

void dmd_verdict_destroy(dmd_verdict_t *v) {
  dmd_env_free(v->now.profile->env, v->findings);
}

size_t dmd_verdict_n_broken(const dmd_verdict_t *v) {
  size_t n = 0;
  for (size_t i = 0; i < v->n; i++)
    n += v->findings[i].broken;
  return n;
}

uint64_t dmd_count_other_faults(const dmd_profile_t *profile) {
  uint64_t n = 0;
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    if (!dmd_fault_is_misreport(dmd_faults_at(&profile->faults, id)->kind))
      n += dmd_faults_at(&profile->faults, id)->num;
  return n;
}
