/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/transform/merge.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "model/profile/profile.h"

/* ---- Adding the groups of a profile. ---- */

static void copy_beside(dmd_translation_t *ids, dmd_groups_t *to, const dmd_groups_t *from) {
  for (uint32_t id = 1; id <= dmd_groups_count(from); id++) {
    dmd_group_t group = dmd_translation_group(ids, dmd_groups_at(from, id));
    dmd_groups_add(to, &group);
  }
}

static void copy_lifetimes(dmd_translation_t *ids) {
  const dmd_lifetimes_t *from = &ids->from->lifetimes;
  for (uint32_t id = 1; id <= dmd_lifetimes_count(from); id++) {
    dmd_lifetime_t lifetime = *dmd_lifetimes_at(from, id);
    lifetime.stack = dmd_translation_stack(ids, lifetime.stack);
    dmd_lifetimes_add(&ids->to->lifetimes, &lifetime);
  }
  ids->to->lifetimes.is_known = from->is_known;
}

void dmd_combine(dmd_translation_t *ids) {
  enum { AHEAD = 64 };
  dmd_group_t ready[AHEAD];
  size_t n_ready = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&ids->from->groups); id++) {
    ready[n_ready++] = dmd_translation_group(ids, dmd_groups_at(&ids->from->groups, id));
    if (n_ready == AHEAD) {
      dmd_groups_add_all(&ids->to->groups, ready, n_ready);
      n_ready = 0;
    }
  }
  dmd_groups_add_all(&ids->to->groups, ready, n_ready);
  copy_lifetimes(ids);
  copy_beside(ids, &ids->to->gone, &ids->from->gone);
  copy_beside(ids, &ids->to->recent, &ids->from->recent);
  ids->to->has_peak = ids->from->has_peak;
  ids->to->has_recent = ids->from->has_recent;
}

/* passed: the groups of `from`, freed as they are copied; NULL: keeps them. */
static void append_groups(dmd_profile_t *to, const dmd_profile_t *from, bool negate,
                          dmd_groups_t *passed) {
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, to, from, NULL, NULL);
  for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++) {
    dmd_group_t g = dmd_translation_group(&ids, dmd_groups_at(&from->groups, id));
    if (negate)
      g.num = -g.num;
    dmd_groups_append(&to->groups, &g);
    if (passed != NULL)
      dmd_groups_pass(passed, id);
  }
  if (passed != NULL)
    dmd_groups_destroy(passed);
  dmd_translation_destroy(&ids);
}

void dmd_difference(dmd_profile_t *difference, dmd_profile_t *old, dmd_profile_t *new) {
  append_groups(difference, old, true, &old->groups);
  append_groups(difference, new, false, &new->groups);
}

void dmd_difference_beside(dmd_profile_t *difference, const dmd_profile_t *old,
                           const dmd_profile_t *new) {
  append_groups(difference, old, true, NULL);
  append_groups(difference, new, false, NULL);
}

/* ---- Merging profiles. ---- */

/* ---- The description of the runs. ---- */

static bool same(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && dmd_str_equal(a, b));
}

static void join(const char **to, const char *from, const char *otherwise) {
  if (!same(*to, from))
    *to = otherwise;
}

static void join_runs(dmd_profile_t *to, const dmd_profile_t *from) {
  dmd_run_t *a = &to->run;
  const dmd_run_t *b = &from->run;
  a->is_known &= b->is_known;
  join(&to->options, from->options, NULL);
  join(&a->version, b->version, "mixed");
  join(&a->valgrind_version, b->valgrind_version, "mixed");
  join(&a->label, b->label, NULL);
  join(&a->folder, b->folder, NULL);
  join(&a->host, b->host, NULL);
  join(&a->time, b->time, NULL);
  join(&a->allocator, b->allocator, "mixed");
  join(&a->allocator_chosen, b->allocator_chosen, NULL);
  join(&a->replaced_new, b->replaced_new, NULL);
  a->word_szB = a->word_szB > b->word_szB ? a->word_szB : b->word_szB;
  a->counts_instructions &= b->counts_instructions;
  a->partial_stacks |= b->partial_stacks;
  a->partial_hint |= b->partial_hint;
  a->sample_below = a->sample_below > b->sample_below ? a->sample_below : b->sample_below;
  a->sample_interval =
      a->sample_interval > b->sample_interval ? a->sample_interval : b->sample_interval;
  a->seed = a->seed == b->seed ? a->seed : 0;
  for (size_t i = 0; i < DMD_N_TOTAL_FIELDS; i++)
    *dmd_metric_at(&dmd_total_fields[i], a) += dmd_metric_of(&dmd_total_fields[i], b);
  dmd_footprint_add(&to->memory, &from->memory);
}

/* ---- Merging. ---- */

/* Adds up everything that has a limit. */
static void add_up(dmd_merge_t *merge, const dmd_profile_t *from) {
  for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&from->groups, id);
    merge->blocks += (uint64_t)dmd_group_blocks(from, g);
    merge->usable += (uint64_t)dmd_group_usable(from, g);
  }
  for (uint32_t id = 1; id <= dmd_faults_count(&from->faults); id++)
    merge->faults += dmd_faults_at(&from->faults, id)->num;
  for (uint32_t id = 1; id <= dmd_hints_count(&from->hints); id++) {
    const dmd_hint_t *hint = dmd_hints_at(&from->hints, id);
    merge->advised += hint->bytes;
    merge->advised_blocks += hint->blocks + hint->referrers_alike;
  }
  for (uint32_t id = 1; id <= dmd_reporter_runs_count(&from->reporter_runs); id++)
    merge->runs += dmd_reporter_runs_at(&from->reporter_runs, id)->n;
}

/* True if a file may contain these memory sizes. */
static bool memory_fits(const dmd_footprint_t *memory) {
  bool good = true;
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++) {
    uint64_t szB = dmd_metric_of(&dmd_memory_fields[i], memory);
    good &= szB <= DMD_MAX_COUNT || szB == DMD_MEMORY_UNKNOWN;
  }
  return good;
}

/* True if the result can be read back. Each file's own numbers are within these limits, so nothing
 * overflows if this is called after each file. */
static bool fits(const dmd_merge_t *merge) {
  const uint64_t counts[] = {merge->blocks, merge->faults, merge->advised, merge->advised_blocks,
                             merge->runs};
  bool good = merge->usable <= DMD_MAX_TOTAL;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    good &= counts[i] <= DMD_MAX_COUNT;
  for (size_t i = 0; i < DMD_N_TOTAL_FIELDS; i++)
    good &= dmd_metric_of(&dmd_total_fields[i], &merge->profile.run) <= DMD_MAX_COUNT;
  return good && memory_fits(&merge->profile.memory);
}

void dmd_merge_init(dmd_merge_t *merge, const dmd_env_t *env) {
  dmd_mem_zero(merge, sizeof *merge);
  dmd_profile_init(&merge->profile, env);
}

void dmd_merge_destroy(dmd_merge_t *merge) {
  dmd_profile_destroy(&merge->profile);
}

/* The whole name is the function's: "app (pid 7)" has no location "pid 7". */
static uint32_t process_frame(dmd_profile_t *to, const char *process) {
  dmd_frame_words_t words = {.function = process};
  words.text = dmd_frames_keep_text(&to->frames, process, dmd_str_length(process));
  return dmd_frames_read(&to->frames, &words);
}

/* Processes that are already separate stay so, whatever this merge does. Returns false if a limit
 * is exceeded. */
static bool add_processes(dmd_profile_t *to, const dmd_profile_t *from) {
  bool good = true;
  for (uint32_t id = 1; id <= dmd_intern_count(&from->processes); id++) {
    const char *name = dmd_intern_get_str(&from->processes, id);
    good &= memory_fits(dmd_profile_add_process(to, name, dmd_profile_process_memory(from, id)));
  }
  return good;
}

static void forget_lifetimes(dmd_profile_t *profile) {
  dmd_lifetimes_destroy(&profile->lifetimes);
  dmd_lifetimes_init(&profile->lifetimes, profile->env);
}

bool dmd_merge_add(dmd_merge_t *merge, const dmd_profile_t *from, const char *process) {
  dmd_profile_t *to = &merge->profile;
  /* A merged profile has lifetimes if all of its files do, in one unit. */
  bool adds_lifetimes =
      merge->n == 0 ||
      (to->lifetimes.is_known && to->run.counts_instructions == from->run.counts_instructions);
  if (merge->n++ == 0)
    dmd_profile_take_run(to, from);
  else
    join_runs(to, from);
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, to, from, NULL, NULL);
  bool fits_alone = add_processes(to, from);
  if (process != NULL && dmd_intern_count(&from->processes) == 0) {
    ids.process = process;
    ids.root = process_frame(to, process);
    fits_alone = memory_fits(dmd_profile_add_process(to, process, &from->memory));
  }
  dmd_combine(&ids);
  if (!adds_lifetimes || !from->lifetimes.is_known)
    forget_lifetimes(to);
  if (merge->is_alone)
    dmd_translation_add_timeline(&ids, &from->timeline);
  dmd_translation_add_faults(&ids, &from->faults);
  dmd_translation_add_hints(&ids, &from->hints);
  dmd_translation_add_runs(&ids, &from->reporter_runs);
  dmd_translation_add_mapped(&ids, &from->mapped);
  bool good = dmd_translation_add_memreports(&ids, &from->memreports);
  dmd_translation_destroy(&ids);
  add_up(merge, from);
  return good && fits_alone && fits(merge);
}

/* The merged profile belongs to no process or dump. Blocks of several processes have no common
 * addresses, so scans become profiles of mode live. */
void dmd_merge_finish(dmd_merge_t *merge) {
  dmd_profile_t *profile = &merge->profile;
  dmd_run_t *run = &profile->run;
  dmd_strbuf_t command;
  dmd_strbuf_init(&command, profile->env);
  dmd_strbuf_str(&command, "merged from ");
  dmd_strbuf_u64(&command, merge->n);
  dmd_strbuf_str(&command, merge->n == 1 ? " file" : " files");
  run->command = dmd_profile_keep(profile, command.text);
  dmd_strbuf_destroy(&command);
  run->trigger = "merge";
  if (profile->mode == DMD_MODE_SCAN)
    profile->mode = DMD_MODE_LIVE;
  run->pid = 0;
  run->peak.is_known = run->recent_peak.is_known = false;
  run->most_resident_szB = 0;
  run->attach = (dmd_attach_t){.time = ""};
  run->dump_number = 0;
  /* A file may omit what every file of dmd contains. */
  const char **texts[] = {&run->version, &run->valgrind_version, &run->allocator};
  for (int i = 0; i < 3; i++)
    if (*texts[i] == NULL)
      *texts[i] = "unknown";
}
