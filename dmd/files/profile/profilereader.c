/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/profilereader.h"

#include "analyse/records/allocfns.h"
#include "base/str.h"
#include "files/profile/readerstate.h"
#include "model/profile/profile.h"

/* ---- Files of about:memory. ---- */

/* Reads files that about:memory saved. */

/* ---- Reports. ---- */

/* A member that is a whole number from least to most. */
static double get_number(dmd_readerstate_t *l, const dmd_jsonvalue_t *report, const char *key,
                         double least, double most) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(report, key);
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_NUMBER)) {
    double v = item->number;
    if (v >= least && v <= most && v == (double)(int64_t)v)
      return v;
  }
  dmd_jsoncutter_reject(&l->cutter, "a report's \"%s\" is not a whole number from %.0f to %.0f",
                        key, least, most);
  return 0;
}

static const char *get_string(dmd_readerstate_t *l, const dmd_jsonvalue_t *report,
                              const char *key) {
  const dmd_jsonvalue_t *item = dmd_jsonvalue_get(report, key);
  if (dmd_jsonvalue_is(item, DMD_JSONVALUE_STRING))
    return item->string;
  dmd_jsoncutter_reject(&l->cutter, "a report's \"%s\" is not a string", key);
  return "";
}

static bool load_report(dmd_readerstate_t *l, const dmd_jsonvalue_t *report) {
  if (!dmd_jsonvalue_is(report, DMD_JSONVALUE_OBJECT))
    return dmd_jsoncutter_reject(&l->cutter, "an element of \"reports\" is not an object");
  dmd_memreport_t r = {
      .process = get_string(l, report, "process"),
      .path = get_string(l, report, "path"),
      .times = 1,
      .kind = (uint32_t)get_number(l, report, "kind", 0, DMD_MEMREPORT_N_KINDS - 1),
      .units = (uint32_t)get_number(l, report, "units", 0, DMD_MEMREPORT_N_UNITS - 1),
      .amount =
          (int64_t)get_number(l, report, "amount", -DMD_LOAD_MAX_NUMBER, DMD_LOAD_MAX_NUMBER)};
  if (dmd_jsonvalue_get(report, "description") != NULL)
    r.description = get_string(l, report, "description");
  if (dmd_jsoncutter_failed(&l->cutter))
    return false;
  if (r.path[0] == '\0')
    return dmd_jsoncutter_reject(&l->cutter, "a report's \"path\" is empty");
  const char *why = dmd_amounts_add(l->amounts, &r, 0);
  return why == NULL || dmd_jsoncutter_reject(&l->cutter, "a report %s", why);
}

static bool load_reports(void *ctx) {
  dmd_readerstate_t *l = ctx;
  dmd_jsoncutter_enter(&l->cutter, '[');
  while (dmd_jsoncutter_next_element(&l->cutter)) {
    const dmd_jsonvalue_t *report = dmd_jsoncutter_value(&l->cutter);
    if (report != NULL)
      load_report(l, report);
  }
  return !dmd_jsoncutter_failed(&l->cutter);
}

/* ---- The document. ---- */

static bool load_flag(void *ctx) {
  dmd_readerstate_t *l = ctx;
  const dmd_jsonvalue_t *flag = dmd_jsoncutter_value(&l->cutter);
  if (flag != NULL && !dmd_jsonvalue_is(flag, DMD_JSONVALUE_TRUE) &&
      !dmd_jsonvalue_is(flag, DMD_JSONVALUE_FALSE))
    dmd_jsoncutter_reject(&l->cutter, "\"hasMozMallocUsableSize\" is neither true nor false");
  return !dmd_jsoncutter_failed(&l->cutter);
}

static const dmd_jsondocument_part_t report_parts[] = {{"hasMozMallocUsableSize", load_flag, true},
                                                       {"reports", load_reports, true}};

static const dmd_jsondocument_format_t reports_format = {
    1, "\"version\" of the memory reports is not 1", report_parts,
    sizeof report_parts / sizeof report_parts[0]};

/* ---- Profiles. ---- */

/* Blocks name their stacks by trace ids, traces name frames by frame ids, and either table may come
 * after the references to it. So during reading, each id becomes a small number in order of first
 * occurrence, and groups and report sets hold these trace numbers instead of stacks. At the end the
 * numbers are replaced in place by the profile's ids. Faults and hints, which are few and keyed by
 * their stacks, are collected under trace numbers and added to the profile at the end. */

/* ---- Small values. ---- */

static bool load_invocation(void *ctx) {
  dmd_readerstate_t *l = ctx;
  const dmd_jsonvalue_t *invocation = dmd_jsoncutter_value(&l->cutter);
  if (invocation == NULL)
    return false;
  l->profile->options =
      dmd_profile_keep(l->profile, dmd_load_get_string(l, invocation, "dmdEnvVar"));
  const char *mode = dmd_load_get_string(l, invocation, "mode");
  int i = 0;
  while (mode != NULL && i <= DMD_MODE_SCAN && !dmd_str_equal(mode, dmd_mode_name(i)))
    i++;
  if (mode == NULL || i > DMD_MODE_SCAN)
    dmd_jsoncutter_reject(&l->cutter, "\"mode\" is not one of dark-matter, live, cumulative, scan");
  else
    l->profile->mode = i;
  return !dmd_jsoncutter_failed(&l->cutter);
}

/* ---- The document. ---- */

static const dmd_jsondocument_part_t parts[] = {
    {"invocation", load_invocation, true},
    {"blockList", dmd_load_blocks, true},
    {"traceTable", dmd_load_traces, true},
    {"frameTable", dmd_load_frames, true},
    {"dmd", dmd_load_run, false},
    {"peakBlockList", dmd_load_peak_blocks, false},
    {"recentPeakBlockList", dmd_load_recent_blocks, false},
    {"lifetimeList", dmd_load_lifetimes, false},
};
static const dmd_jsondocument_format_t profile_format = {
    5, "\"version\" is not 5, the one that dmdv reads", parts, sizeof parts / sizeof parts[0]};

/* Finds the profile's stack for a trace, without leading allocation functions if the options say
 * so. */
static bool resolve_trace(dmd_readerstate_t *l, dmd_allocfns_t *fns, uint32_t number,
                          uint32_t *stack) {
  uint32_t raw = *dmd_ids_meaning(&l->traces, number);
  if (raw == DMD_NONE)
    return dmd_jsoncutter_reject(&l->cutter, "trace id \"%.40s\" is not in \"traceTable\"",
                                 dmd_ids_text(&l->traces, number));
  size_t n;
  const uint32_t *numbers = dmd_intern_get(&l->raw_stacks, raw, &n);
  n /= sizeof *numbers;
  for (size_t i = 0; i < n; i++)
    if (*dmd_ids_meaning(&l->frames, numbers[i]) == DMD_NONE)
      return dmd_jsoncutter_reject(&l->cutter, "frame id \"%.40s\" is not in \"frameTable\"",
                                   dmd_ids_text(&l->frames, numbers[i]));
  uint32_t *frames = dmd_load_stack_frames(l, numbers, &n);
  size_t first = 0;
  while (l->options->ignore_alloc_fns && first < n && dmd_allocfns_has(fns, frames[first]))
    first++;
  *stack = dmd_profile_stack(l->profile, frames + first, n - first);
  dmd_env_free(l->env, frames);
  return true;
}

static uint32_t resolved(void *stacks, uint32_t number) {
  return ((const uint32_t *)stacks)[number];
}

static uint32_t same(void *ctx, uint32_t id) {
  (void)ctx;
  return id;
}

/* Faults that became equal, since allocation functions are gone and frames have names, become
 * one. */
static void add_faults(dmd_readerstate_t *l, uint32_t *stacks) {
  for (uint32_t id = 1; id <= dmd_faults_count(&l->collected_faults); id++) {
    dmd_fault_t fault = *dmd_faults_at(&l->collected_faults, id);
    dmd_fault_translate(&fault, resolved, same, stacks);
    dmd_faults_add(&l->profile->faults, &fault);
  }
}

static void add_mapped(dmd_readerstate_t *l, uint32_t *stacks) {
  for (uint32_t id = 1; id <= dmd_mapped_count(&l->collected_mapped); id++) {
    dmd_mapped_entry_t entry = *dmd_mapped_at(&l->collected_mapped, id);
    entry.stack = resolved(stacks, entry.stack);
    dmd_mapped_add(&l->profile->mapped, &entry);
  }
}

static void add_hints(dmd_readerstate_t *l, uint32_t *stacks) {
  for (uint32_t id = 1; id <= dmd_hints_count(&l->collected_hints); id++) {
    dmd_hint_t hint = *dmd_hints_at(&l->collected_hints, id);
    dmd_hint_translate(&hint, resolved, same, stacks);
    dmd_hints_add(&l->profile->hints, &hint);
  }
}

/* dmd_report_change_fn */
static dmd_report_t with_stack(void *stacks, const dmd_report_t *report) {
  dmd_report_t changed = *report;
  changed.stack = resolved(stacks, report->stack);
  return changed;
}

static void resolve_beside(dmd_groups_t *groups, const uint32_t *stacks, bool joins) {
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++) {
    dmd_group_t *group = dmd_groups_at(groups, id);
    group->stack = stacks[group->stack];
  }
  if (joins)
    dmd_groups_join(groups);
}

static void resolve_lifetimes(dmd_profile_t *profile, const uint32_t *stacks) {
  dmd_lifetimes_t with_traces;
  dmd_lifetimes_init(&with_traces, profile->env);
  dmd_lifetimes_move(&with_traces, &profile->lifetimes);
  for (uint32_t id = 1; id <= dmd_lifetimes_count(&with_traces); id++) {
    dmd_lifetime_t lifetime = *dmd_lifetimes_at(&with_traces, id);
    lifetime.stack = stacks[lifetime.stack];
    dmd_lifetimes_add(&profile->lifetimes, &lifetime);
  }
  dmd_lifetimes_destroy(&with_traces);
}

static void resolve_timeline(dmd_timeline_t *timeline, const uint32_t *stacks) {
  for (uint32_t i = 0; i < timeline->stacks.last; i++) {
    uint32_t *stack = dmd_timeline_stack(timeline, i);
    *stack = stacks[*stack];
  }
  dmd_timeline_join_stacks(timeline);
}

/* Replaces trace numbers by stack ids in the groups and in their report sets. */
static void resolve_groups(dmd_readerstate_t *l, uint32_t *stacks) {
  dmd_reports_t now, *then = &l->profile->reports;
  size_t szB = (dmd_reports_count(then) + 1ul) * sizeof(uint32_t);
  uint32_t *sets = dmd_env_alloc(l->env, "dmd.load.reports", szB); /* the replacement of each set */
  dmd_mem_zero(sets, szB);
  dmd_reports_init(&now, l->env);
  for (uint32_t id = 1; id <= dmd_groups_count(&l->profile->groups); id++) {
    dmd_group_t *group = dmd_groups_at(&l->profile->groups, id);
    group->stack = stacks[group->stack];
    if (group->reports != DMD_NONE && sets[group->reports] == DMD_NONE)
      sets[group->reports] = dmd_reports_copy(&now, then, group->reports, with_stack, stacks);
    group->reports = sets[group->reports];
  }
  dmd_reports_destroy(then);
  dmd_reports_move(then, &now);
  dmd_env_free(l->env, sets);
}

/* Replaces trace numbers by stack ids. */
static bool resolve(dmd_readerstate_t *l) {
  dmd_profile_t *profile = l->profile;
  uint32_t n = dmd_ids_count(&l->traces);
  uint32_t *stacks = dmd_env_alloc(l->env, "dmd.load.stacks", (n + 1) * sizeof *stacks);
  stacks[DMD_NONE] = DMD_NONE;
  dmd_load_resolve_frames(l);
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, profile);
  bool good = true;
  for (uint32_t number = 1; number <= n && good; number++)
    good = resolve_trace(l, &fns, number, &stacks[number]);
  dmd_allocfns_destroy(&fns);
  if (good) {
    bool joins = dmd_intern_count(&profile->stacks) < n;
    resolve_groups(l, stacks);
    resolve_beside(&profile->gone, stacks, joins);
    resolve_beside(&profile->recent, stacks, joins);
    resolve_lifetimes(profile, stacks);
    resolve_timeline(&profile->timeline, stacks);
    add_faults(l, stacks);
    add_mapped(l, stacks);
    if (joins)
      dmd_load_join_hints(l, stacks);
    else
      add_hints(l, stacks);
    /* Blocks of a scan stay separate groups, because each has its own address. */
    if (joins && dmd_scanned_is_empty(&profile->scanned))
      dmd_groups_join(&profile->groups);
    profile->has_peak &= profile->run.peak.is_known;
    profile->has_recent &= profile->has_peak && profile->run.recent_peak.is_known;
    dmd_peak_add_up_never_measured(profile);
    dmd_moment_choose(profile, l->options->moment);
    if (!dmd_sampled_fits(profile))
      good = dmd_jsoncutter_reject(&l->cutter, "the samples stand for more than " DMD_MAX_TOTAL_TEXT
                                               " bytes, or " DMD_MAX_COUNT_TEXT " blocks");
  }
  dmd_env_free(l->env, stacks);
  return good;
}

/* Reads a document in one of n formats and returns which one. On failure returns NULL with *fail
 * filled in. */
static const dmd_jsondocument_format_t *load(dmd_readerstate_t *l, const dmd_source_t *source,
                                             const dmd_jsondocument_format_t *const *formats, int n,
                                             dmd_fail_t *fail) {
  const dmd_env_t *env = l->env;
  dmd_jsoncutter_init(&l->cutter, env, source);
  dmd_ids_init(&l->traces, env, "dmd.load.traces");
  dmd_ids_init(&l->frames, env, "dmd.load.frames");
  dmd_pool_init(&l->frame_order, env, "dmd.load.frames", sizeof(uint32_t));
  dmd_pool_init(&l->frame_notes, env, "dmd.load.frames", sizeof(frame_note_t));
  dmd_pool_init(&l->objects, env, "dmd.load.frames", sizeof(object_note_t));
  dmd_intern_init(&l->frame_strings, env, "dmd.load.frames");
  dmd_pool_init(&l->namings, env, "dmd.load.frames", sizeof(naming_t));
  dmd_pool_init(&l->named, env, "dmd.load.frames", sizeof(named_t));
  dmd_intern_init(&l->raw_stacks, env, "dmd.load.raw_stacks");
  dmd_faults_init(&l->collected_faults, env);
  dmd_hints_init(&l->collected_hints, env);
  dmd_mapped_init(&l->collected_mapped, env);

  const dmd_jsondocument_format_t *format = dmd_jsondocument_load(
      &l->cutter, formats, n,
      "is neither a profile (no \"blockList\") nor a file of memory reports (no "
      "\"reports\")",
      l);
  if (format == &profile_format && !resolve(l))
    format = NULL;
  if (format == &profile_format)
    dmd_groups_finish(&l->profile->groups);
  *fail = l->cutter.fail;

  dmd_mapped_destroy(&l->collected_mapped);
  dmd_hints_destroy(&l->collected_hints);
  dmd_faults_destroy(&l->collected_faults);
  dmd_intern_destroy(&l->raw_stacks);
  dmd_pool_destroy(&l->named);
  dmd_pool_destroy(&l->namings);
  dmd_intern_destroy(&l->frame_strings);
  dmd_pool_destroy(&l->objects);
  dmd_pool_destroy(&l->frame_notes);
  dmd_pool_destroy(&l->frame_order);
  dmd_ids_destroy(&l->frames);
  dmd_ids_destroy(&l->traces);
  dmd_jsoncutter_destroy(&l->cutter);
  return format;
}

bool dmd_load_profile(dmd_profile_t *profile, const dmd_source_t *source,
                      const dmd_load_options_t *options, dmd_fail_t *fail) {
  static const dmd_jsondocument_format_t *const formats[] = {&profile_format};
  dmd_readerstate_t l = {.env = profile->env, .profile = profile, .options = options};
  profile->frame_view = options->frame_view;
  return load(&l, source, formats, 1, fail) != NULL;
}

bool dmd_load_reports(dmd_amounts_t *amounts, const dmd_source_t *source, dmd_fail_t *fail) {
  static const dmd_jsondocument_format_t *const formats[] = {&reports_format};
  dmd_readerstate_t l = {.env = amounts->env, .amounts = amounts};
  return load(&l, source, formats, 1, fail) != NULL;
}

bool dmd_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const dmd_source_t *source,
                     const dmd_load_options_t *options, bool *is_profile, dmd_fail_t *fail) {
  static const dmd_jsondocument_format_t *const formats[] = {&profile_format, &reports_format};
  dmd_readerstate_t l = {
      .env = profile->env, .profile = profile, .options = options, .amounts = amounts};
  profile->frame_view = options->frame_view;
  const dmd_jsondocument_format_t *format = load(&l, source, formats, 2, fail);
  *is_profile = format == &profile_format;
  return format != NULL;
}
