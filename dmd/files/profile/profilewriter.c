/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/profile/profilewriter.h"

static void key_str_or_null(dmd_jsonout_t *j, const char *key, const char *s) {
  dmd_jsonout_key(j, key);
  if (s != NULL)
    dmd_jsonout_str(j, s);
  else
    dmd_jsonout_null(j);
}

/* Writes nothing if s is unknown (NULL). */
static void key_str(dmd_jsonout_t *j, const char *key, const char *s) {
  if (s != NULL)
    key_str_or_null(j, key, s);
}

static const char *name_of(const dmd_profile_t *profile, uint32_t id) {
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&profile->names, id);
}

static void write_invocation(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "invocation");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  key_str_or_null(j, "dmdEnvVar", profile->options);
  dmd_jsonout_key_str(j, "mode", dmd_mode_name(profile->mode));
  dmd_jsonout_end(j);
}

static void write_totals(dmd_jsonout_t *j, const dmd_run_t *run) {
  dmd_jsonout_key(j, "totals");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < DMD_N_TOTAL_FIELDS; i++) {
    const dmd_metric_field_t *field = &dmd_total_fields[i];
    uint64_t total = dmd_metric_of(field, run);
    if (total > 0 || !field->is_optional)
      dmd_jsonout_key_u64(j, field->key, total);
  }
  dmd_jsonout_end(j);
}

static void write_peak(dmd_jsonout_t *j, const char *key, const dmd_moment_t *peak) {
  if (!peak->is_known)
    return;
  dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_u64(j, "bytes", peak->szB);
  dmd_jsonout_key_u64(j, "blocks", peak->n_blocks);
  dmd_jsonout_key_u64(j, "milliseconds", peak->ms);
  dmd_jsonout_key_u64(j, "allocated", peak->alloc_szB);
  if (peak->n_instructions > 0)
    dmd_jsonout_key_u64(j, "instructions", peak->n_instructions);
  if (peak->error_szB > 0)
    dmd_jsonout_key_u64(j, "error", peak->error_szB);
  dmd_jsonout_end(j);
}

static void key_name(dmd_jsonout_t *j, const dmd_profile_t *profile, const char *key, uint32_t id) {
  if (id != DMD_NONE)
    dmd_jsonout_key_str(j, key, name_of(profile, id));
}

/* Writes a field of a fault, if the fault has it. */
static void write_field(dmd_jsonout_t *j, const dmd_profile_t *profile,
                        const dmd_fault_field_t *field, dmd_fault_t *f,
                        void (*write_stack)(void *ctx, uint32_t stack), void *ctx) {
  if (field->kind == DMD_FIELD_NUMBER) {
    if (dmd_fault_numbers(f->kind) & field->numbers)
      dmd_jsonout_key_u64(j, field->key, *dmd_fault_number(field, f));
    return;
  }
  uint32_t id = *dmd_fault_id(field, f);
  if (field->kind == DMD_FIELD_NAME) {
    key_name(j, profile, field->key, id);
  } else if (id != DMD_NONE) {
    dmd_jsonout_key(j, field->key);
    write_stack(ctx, id);
  }
}

/* Writes how many reporters or scopes a fault concerns, and the first of them. */
static void write_fault_names(dmd_jsonout_t *j, const dmd_profile_t *profile,
                              const dmd_fault_t *f) {
  dmd_jsonout_key_u64(j, "names", f->n_names);
  dmd_jsonout_key(j, "someNames");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < DMD_FAULT_NAMES && f->names[i] != DMD_NONE; i++)
    dmd_jsonout_str(j, name_of(profile, f->names[i]));
  dmd_jsonout_end(j);
}

void dmd_json_write_fault_members(dmd_jsonout_t *j, const dmd_profile_t *profile,
                                  const dmd_fault_t *fault,
                                  void (*write_stack)(void *ctx, uint32_t stack), void *ctx) {
  dmd_fault_t f = *fault;
  dmd_jsonout_key_str(j, "kind", dmd_fault_name(f.kind));
  dmd_jsonout_key_u64(j, "num", f.num);
  if (f.bytes > 0)
    dmd_jsonout_key_u64(j, "bytes", f.bytes);
  if (f.reason != DMD_REASON_NONE)
    dmd_jsonout_key_str(j, "reason", dmd_reason_name(f.reason));
  for (uint32_t i = 0; i < DMD_N_FAULT_FIELDS; i++)
    write_field(j, profile, &dmd_fault_fields[i], &f, write_stack, ctx);
  if (f.n_names > 0)
    write_fault_names(j, profile, &f);
}

void dmd_json_write_fault(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_fault_t *fault,
                          void (*write_stack)(void *ctx, uint32_t stack), void *ctx) {
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_json_write_fault_members(j, profile, fault, write_stack, ctx);
  dmd_jsonout_end(j);
}

static void write_id(void *ctx, uint32_t id) {
  dmd_jsonout_id(ctx, id);
}

static void write_faults(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "faults");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    dmd_json_write_fault(j, profile, dmd_faults_at(&profile->faults, id), write_id, j);
  dmd_jsonout_end(j);
}

static void write_hints(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  uint32_t n = dmd_hints_count(&profile->hints);
  if (n == 0)
    return;
  dmd_jsonout_key(j, "advice");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= n; id++) {
    const dmd_hint_t *a = dmd_hints_at(&profile->hints, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    if (a->alloc != DMD_NONE) {
      dmd_jsonout_key(j, "alloc");
      dmd_jsonout_id(j, a->alloc);
    }
    dmd_jsonout_key_str(j, "held", dmd_referrer_kind_name(a->referrer_kind));
    if (a->reporter != DMD_NONE)
      dmd_jsonout_key_str(j, "reporter", name_of(profile, a->reporter));
    dmd_jsonout_key(j, "at");
    dmd_jsonout_id(j, a->stack);
    if (a->offset != DMD_OFFSET_ANY)
      dmd_jsonout_key_u64(j, "offset", a->offset);
    dmd_jsonout_key_u64(j, "blocks", a->blocks);
    dmd_jsonout_key_u64(j, "bytes", a->bytes);
    if (a->pointed > 0)
      dmd_jsonout_key_u64(j, "pointed", a->pointed);
    if (a->referrers > 0)
      dmd_jsonout_key_u64(j, "holders", a->referrers);
    if (a->referrers_alike > 0)
      dmd_jsonout_key_u64(j, "holdersAlike", a->referrers_alike);
    if (a->before > 0)
      dmd_jsonout_key_u64(j, "before", a->before);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

void dmd_json_write_reporter_runs(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  uint32_t n = dmd_reporter_runs_count(&profile->reporter_runs);
  if (n == 0)
    return;
  dmd_jsonout_key(j, "reporterRuns");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= n; id++) {
    const dmd_reporter_run_t *run = dmd_reporter_runs_at(&profile->reporter_runs, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "reporter", name_of(profile, run->reporter));
    dmd_jsonout_key_u64(j, "runs", run->n);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_memory(dmd_jsonout_t *j, const dmd_footprint_t *memory) {
  dmd_jsonout_key(j, "memory");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++) {
    uint64_t szB = dmd_metric_of(&dmd_memory_fields[i], memory);
    if (szB != DMD_MEMORY_UNKNOWN)
      dmd_jsonout_key_u64(j, dmd_memory_fields[i].key, szB);
  }
  dmd_jsonout_end(j);
}

static void write_processes(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  uint32_t n = dmd_intern_count(&profile->processes);
  if (n == 0)
    return;
  dmd_jsonout_key(j, "processes");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= n; id++) {
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "process", dmd_intern_get_str(&profile->processes, id));
    write_memory(j, dmd_profile_process_memory(profile, id));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_memreports(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "memoryReports");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_memreports_count(&profile->memreports); id++) {
    dmd_memreport_t value = dmd_memreports_get(&profile->memreports, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    if (value.process != NULL)
      dmd_jsonout_key_str(j, "process", value.process);
    dmd_jsonout_key_str(j, "path", value.path);
    dmd_jsonout_key_str(j, "kind", dmd_memreport_kind_name(value.kind));
    dmd_jsonout_key_str(j, "units", dmd_memreport_units_name(value.units));
    dmd_jsonout_key(j, "amount");
    dmd_jsonout_i64(j, value.amount);
    if (value.description != NULL)
      dmd_jsonout_key_str(j, "description", value.description);
    if (value.times > 1)
      dmd_jsonout_key_u64(j, "times", value.times);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_mapped(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  uint32_t n = dmd_mapped_count(&profile->mapped);
  if (n == 0)
    return;
  dmd_jsonout_key(j, "mapped");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= n; id++) {
    const dmd_mapped_entry_t *entry = dmd_mapped_at(&profile->mapped, id);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_u64(j, "bytes", entry->szB);
    if (entry->num > 1)
      dmd_jsonout_key_u64(j, "num", entry->num);
    if (entry->stack != DMD_NONE) {
      dmd_jsonout_key(j, "alloc");
      dmd_jsonout_id(j, entry->stack);
    }
    if (entry->is_stack)
      dmd_jsonout_key_bool(j, "stack", true);
    if (entry->is_reported)
      dmd_jsonout_key_bool(j, "reported", true);
    if (entry->reporter != DMD_NONE)
      dmd_jsonout_key_str(j, "reporter", name_of(profile, entry->reporter));
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_arguments(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  uint32_t n = dmd_profile_n_arguments(profile);
  if (n == 0)
    return;
  dmd_jsonout_key(j, "argv");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < n; i++)
    dmd_jsonout_str(j, dmd_profile_argument(profile, i));
  dmd_jsonout_end(j);
}

/* ---- Data on frames besides their texts. ---- */

/* The first frame of an object, from this one on, whose text does not name the object. */
static uint32_t untold(const dmd_frames_t *frames, uint32_t id) {
  while (id != DMD_NONE && !dmd_frames_rest(frames, id).object)
    id = dmd_frames_at(frames, id)->next;
  return id;
}

static void write_object(dmd_jsonout_t *j, const dmd_frames_t *frames, uint32_t object) {
  uint32_t id = untold(frames, dmd_frames_of_object(frames, object));
  if (id == DMD_NONE)
    return;
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  dmd_jsonout_key_str(j, "path", dmd_frames_object(frames, object));
  if (dmd_frames_build_id(frames, object) != NULL)
    dmd_jsonout_key_str(j, "buildId", dmd_frames_build_id(frames, object));
  dmd_jsonout_key(j, "frames");
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  for (; id != DMD_NONE; id = untold(frames, dmd_frames_at(frames, id)->next)) {
    uint64_t offset = dmd_frames_at(frames, id)->offset;
    dmd_jsonout_key_id(j, id);
    if (offset <= DMD_MAX_COUNT)
      dmd_jsonout_u64(j, offset);
    else
      dmd_jsonout_null(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

static void write_objects(dmd_jsonout_t *j, const dmd_frames_t *frames) {
  dmd_jsonout_key(j, "objects");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t object = 1; object <= dmd_intern_count(&frames->objects); object++)
    write_object(j, frames, object);
  dmd_jsonout_end(j);
}

/* Writes functions whose names cannot be parsed from the frame's text; nothing without such
 * functions. */
static void write_functions(dmd_jsonout_t *j, const dmd_frames_t *frames) {
  bool any = false;
  for (uint32_t id = 1; id <= dmd_frames_count(frames); id++) {
    if (!dmd_frames_rest(frames, id).function)
      continue;
    if (!any) {
      dmd_jsonout_key(j, "functions");
      dmd_jsonout_object(j, DMD_JSONOUT_LINES);
      any = true;
    }
    dmd_location_t location = dmd_frames_location(frames, id);
    dmd_jsonout_key_id(j, id);
    dmd_jsonout_str(j, location.function != NULL ? location.function : "?\?\?");
  }
  if (any)
    dmd_jsonout_end(j);
}

/* ---- The run. ---- */

void dmd_json_write_identity(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  key_str_or_null(j, "command", run->command);
  write_arguments(j, profile);
  key_str(j, "folder", run->folder);
  key_str(j, "host", run->host);
  key_str(j, "time", run->time);
  dmd_jsonout_key_u64(j, "pid", run->pid);
  dmd_jsonout_key_u64(j, "dump", run->dump_number);
  key_str_or_null(j, "trigger", run->trigger);
  key_str_or_null(j, "label", run->label);
}

static void write_attach(dmd_jsonout_t *j, const dmd_run_t *run) {
  const dmd_attach_t *attach = &run->attach;
  if (!dmd_run_is_attached(run))
    return;
  dmd_jsonout_key(j, "attached");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "time", attach->time);
  if (attach->older_blocks != DMD_MEMORY_UNKNOWN)
    dmd_jsonout_key_u64(j, "olderBlocks", attach->older_blocks);
  if (attach->older_szB != DMD_MEMORY_UNKNOWN)
    dmd_jsonout_key_u64(j, "olderBytes", attach->older_szB);
  dmd_jsonout_end(j);
}

static void write_run(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  dmd_jsonout_key(j, "dmd");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(j, "formatVersion", DMD_FORMAT_VERSION);
  key_str_or_null(j, "version", run->version);
  key_str_or_null(j, "valgrindVersion", run->valgrind_version);
  dmd_json_write_identity(j, profile);
  write_attach(j, run);
  dmd_jsonout_key_u64(j, "wordSize", run->word_szB);
  key_str_or_null(j, "allocator", run->allocator);
  key_str(j, "allocatorChosen", run->allocator_chosen);
  key_str(j, "replacedNew", run->replaced_new);
  dmd_jsonout_key_str(j, "stacks", run->partial_stacks ? "partial" : "full");
  dmd_jsonout_key_u64(j, "sampleBelow", run->sample_below);
  if (run->sample_interval > 0)
    dmd_jsonout_key_u64(j, "sampleInterval", run->sample_interval);
  dmd_jsonout_key_u64(j, "seed", run->seed);
  write_totals(j, run);
  if (run->most_resident_szB > 0)
    dmd_jsonout_key_u64(j, "residentPeak", run->most_resident_szB);
  if (run->counts_instructions)
    dmd_jsonout_key_str(j, "timeUnit", "instructions");
  write_peak(j, "peak", &profile->run.peak);
  write_peak(j, "recentPeak", &profile->run.recent_peak);
  dmd_json_write_timeline(j, profile);
  write_faults(j, profile);
  write_hints(j, profile);
  if (run->partial_hint)
    dmd_jsonout_key_bool(j, "partialAdvice", true);
  dmd_json_write_reporter_runs(j, profile);
  write_memory(j, &profile->memory);
  write_processes(j, profile);
  write_memreports(j, profile);
  write_mapped(j, profile);
  write_objects(j, &profile->frames);
  write_functions(j, &profile->frames);
  dmd_jsonout_end(j);
}

static void write_sharer(dmd_jsonout_t *j, const dmd_profile_t *profile,
                         const dmd_report_t *sharer) {
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  dmd_jsonout_key(j, "at");
  dmd_jsonout_id(j, sharer->stack);
  key_name(j, profile, "reporter", sharer->reporter);
  dmd_jsonout_end(j);
}

/* DMD 5 takes a second report as a fault, so `reps` of a shared block has only the first. The other
 * sharers are written as stored, newest first. */
static void write_sharers(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t id) {
  dmd_jsonout_key(j, "sharers");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  write_sharer(j, profile, &dmd_reports_at(&profile->reports, id)->report[0]);
  dmd_report_walk_t walk = dmd_reports_walk(&profile->reports, id);
  while (dmd_reports_next(&walk))
    if (!walk.is_first)
      write_sharer(j, profile, walk.report);
  dmd_jsonout_end(j);
}

static void write_reports(dmd_jsonout_t *j, const dmd_profile_t *profile, uint32_t id) {
  const dmd_report_set_t *set = dmd_reports_at(&profile->reports, id);
  bool shared = dmd_reports_are_shared(&profile->reports, id);
  uint32_t n = shared ? 1 : set->count < DMD_REPORTS_KEPT ? set->count : DMD_REPORTS_KEPT;
  bool named = false;
  dmd_jsonout_key(j, "reps");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < n; i++) {
    dmd_jsonout_id(j, set->report[i].stack);
    named |= set->report[i].reporter != DMD_NONE;
  }
  dmd_jsonout_end(j);
  if (named) {
    dmd_jsonout_key(j, "reporters");
    dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
    for (uint32_t i = 0; i < n; i++) {
      if (set->report[i].reporter != DMD_NONE)
        dmd_jsonout_str(j, name_of(profile, set->report[i].reporter));
      else
        dmd_jsonout_null(j);
    }
    dmd_jsonout_end(j);
  }
  if (shared)
    write_sharers(j, profile, id);
  else if (set->count > DMD_REPORTS_KEPT)
    dmd_jsonout_key_u64(j, "reports", set->count);
}

/* Like DMD, writes nothing for a block that is smaller than a word. */
static void write_contents(dmd_jsonout_t *j, const dmd_scanned_t *scanned,
                           const dmd_scanned_block_t *block) {
  if (block->n_words == 0)
    return;
  dmd_jsonout_key(j, "contents");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < block->n_words; i++)
    dmd_jsonout_hex(j, *dmd_scanned_word(scanned, block, i));
  dmd_jsonout_end(j);
}

/* scanned: its address and contents; NULL: unknown. */
static void write_group(dmd_jsonout_t *j, const dmd_profile_t *profile, const dmd_group_t *g,
                        const dmd_scanned_block_t *scanned) {
  dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
  if (scanned != NULL && scanned->addr != 0) {
    dmd_jsonout_key(j, "addr");
    dmd_jsonout_hex(j, scanned->addr);
  }
  dmd_jsonout_key_u64(j, "req", g->req);
  if (g->slop > 0)
    dmd_jsonout_key_u64(j, "slop", g->slop);
  if (g->stack != DMD_NONE) {
    dmd_jsonout_key(j, "alloc");
    dmd_jsonout_id(j, g->stack);
  }
  if (g->reports != DMD_NONE)
    write_reports(j, profile, g->reports);
  if (g->num > 1)
    dmd_jsonout_key_u64(j, "num", g->num);
  if (g->tag != DMD_NONE)
    dmd_jsonout_key_str(j, "tag", dmd_intern_get_str(&profile->tags, g->tag));
  if (g->thread > 1)
    dmd_jsonout_key_u64(j, "thread", g->thread);
  if (g->sampled)
    dmd_jsonout_key_bool(j, "sampled", true);
  if (g->after_peak)
    dmd_jsonout_key_bool(j, "afterPeak", true);
  if (g->never_measured)
    dmd_jsonout_key_bool(j, "neverMeasured", true);
  if (scanned != NULL)
    write_contents(j, &profile->scanned, scanned);
  dmd_jsonout_end(j);
}

/* Blocks that are not in "blockList". */
static void write_beside(dmd_jsonout_t *j, const dmd_profile_t *profile, const char *key,
                         const dmd_groups_t *groups) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_groups_count(groups); id++)
    write_group(j, profile, dmd_groups_at(groups, id), NULL);
  dmd_jsonout_end(j);
}

static void write_classes(dmd_jsonout_t *j, const dmd_lifetime_t *lifetime) {
  int n = DMD_LIFETIME_CLASSES;
  while (n > 0 && lifetime->classes[n - 1] == 0)
    n--;
  dmd_jsonout_key(j, "lifetimes");
  dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
  for (int i = 0; i < n; i++)
    dmd_jsonout_u64(j, lifetime->classes[i]);
  dmd_jsonout_end(j);
}

static void write_lifetimes(dmd_jsonout_t *j, const dmd_lifetimes_t *lifetimes) {
  dmd_jsonout_key(j, "lifetimeList");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_lifetimes_count(lifetimes); id++) {
    const dmd_lifetime_t *lifetime = dmd_lifetimes_at(lifetimes, id);
    dmd_jsonout_object(j, DMD_JSONOUT_DENSE);
    if (lifetime->stack != DMD_NONE) {
      dmd_jsonout_key(j, "alloc");
      dmd_jsonout_id(j, lifetime->stack);
    }
    dmd_jsonout_key_u64(j, "allocs", lifetime->n_allocs);
    dmd_jsonout_key_u64(j, "bytes", lifetime->alloc_szB);
    dmd_jsonout_key_u64(j, "frees", lifetime->n_freed);
    dmd_jsonout_key_u64(j, "temporary", lifetime->n_temporary);
    if (lifetime->most_szB > 0)
      dmd_jsonout_key_u64(j, "mostBytes", lifetime->most_szB);
    dmd_jsonout_key_u64(j, "meanLifetime", dmd_lifetime_mean(lifetime));
    write_classes(j, lifetime);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

/* A trace or frame id is its number in the profile, as a string. */
static void write_traces(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "traceTable");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->stacks); id++) {
    size_t n;
    const uint32_t *frames = dmd_profile_frames(profile, id, &n);
    dmd_jsonout_key_id(j, id);
    dmd_jsonout_array(j, DMD_JSONOUT_DENSE);
    for (size_t i = 0; i < n; i++)
      dmd_jsonout_id(j, frames[i]);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_frames(dmd_jsonout_t *j, const dmd_profile_t *profile) {
  dmd_jsonout_key(j, "frameTable");
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_frames_count(&profile->frames); id++) {
    dmd_jsonout_key_id(j, id);
    dmd_jsonout_str2(j, "#00: ", dmd_frames_text(&profile->frames, id));
  }
  dmd_jsonout_end(j);
}

void dmd_profilewriter_write(dmd_out_t *out, const dmd_profile_t *profile) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(&j, "version", 5);
  write_invocation(&j, profile);
  if (profile->run.is_known)
    write_run(&j, profile);
  dmd_jsonout_key(&j, "blockList");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    write_group(&j, profile, dmd_groups_at(&profile->groups, id),
                dmd_scanned_of(&profile->scanned, id));
  dmd_jsonout_end(&j);
  if (profile->has_peak)
    write_beside(&j, profile, "peakBlockList", &profile->gone);
  if (profile->has_recent)
    write_beside(&j, profile, "recentPeakBlockList", &profile->recent);
  if (profile->lifetimes.is_known)
    write_lifetimes(&j, &profile->lifetimes);
  write_traces(&j, profile);
  write_frames(&j, profile);
  dmd_jsonout_end(&j);
}
