/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/gate.h"

#include "analyse/records/record.h"

#include "base/str.h"

const char *dmd_what_name(const dmd_limit_t *limit) {
  static const char *const names[] = {
      [DMD_TOTAL] = "total",   [DMD_UNREPORTED] = "unreported", [DMD_TWICE] = "twice-reported",
      [DMD_EXCESS] = "excess", [DMD_MISREPORTS] = "misreports", [DMD_LEAKED] = "leaked",
      [DMD_AT_PEAK] = "peak"};
  return limit->what == DMD_NAMED ? limit->name : names[limit->what];
}

bool dmd_path_is_below(const char *path, const char *of) {
  size_t n = dmd_str_length(of);
  while (n > 0 && of[n - 1] == '/')
    n--;
  return n > 0 && dmd_str_equal_n(path, of, n) && (path[n] == '\0' || path[n] == '/');
}

/* id: the name of a reporter, or DMD_NONE. */
static bool is_below(const dmd_profile_t *profile, uint32_t id, const char *name) {
  return id != DMD_NONE && dmd_path_is_below(dmd_intern_get_str(&profile->names, id), name);
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
    selector->names[id] = dmd_path_is_below(dmd_intern_get_str(&profile->names, id), name);
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

static dmd_metric_t count_misreports(const dmd_profile_t *profile) {
  dmd_metric_t figure = {0};
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    if (dmd_fault_is_misreport(dmd_faults_at(&profile->faults, id)->kind))
      figure.bytes += (int64_t)dmd_faults_at(&profile->faults, id)->num;
  return figure;
}

static dmd_metric_t count_peak(const dmd_run_t *run) {
  return (dmd_metric_t){.bytes = (int64_t)run->peak.szB,
                        .num = (int64_t)run->peak.n_blocks,
                        .sampled = run->sample_interval > 0};
}

dmd_metric_t dmd_gate_figure(const dmd_subject_t *of, dmd_what_t what, const char *name) {
  const dmd_subject_t *subject = dmd_gate_subject(of, what);
  const dmd_groups_t *groups = &subject->profile->groups;
  if (what == DMD_MISREPORTS)
    return count_misreports(subject->profile);
  if (what == DMD_AT_PEAK)
    return count_peak(&subject->profile->run);
  dmd_metric_t figure = {0};
  dmd_selector_t selector;
  dmd_selector_init(&selector, subject, what, name);
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    const dmd_group_t *g = dmd_groups_at(groups, id);
    if (!dmd_gate_counts(&selector, g))
      continue;
    figure.num += dmd_group_blocks(subject->profile, g);
    figure.bytes += dmd_group_bytes(subject->profile, g, dmd_gate_counted_szB(&selector, g));
    figure.sampled |= g->sampled;
    dmd_variance_add(&figure.variance, dmd_group_variance(subject->profile, g));
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

void dmd_gate_evaluate(dmd_finding_t *finding, const dmd_limit_t *limit, const dmd_subject_t *now,
                       const dmd_subject_t *before) {
  *finding = (dmd_finding_t){.limit = limit};
  finding->now = dmd_gate_figure(now, limit->what, limit->name);
  finding->heap = dmd_gate_figure(now, DMD_TOTAL, NULL).bytes;
  if (limit->growth) {
    finding->before = dmd_gate_figure(before, limit->what, limit->name);
    finding->ceiling = finding->before.bytes + dmd_size_bytes(&limit->size, finding->before.bytes);
  } else {
    finding->ceiling = dmd_size_bytes(&limit->size, finding->heap);
  }
  finding->broken = finding->now.bytes > finding->ceiling;
}
