/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/profile.h"

#include "base/mem.h"
#include "base/str.h"

const char *dmd_mode_name(dmd_mode_t mode) {
  static const char *const names[] = {"dark-matter", "live", "cumulative", "scan"};
  return names[mode];
}

#define TOTAL(field) offsetof(dmd_run_t, field)
#define MEMORY(field) offsetof(dmd_footprint_t, field)

const dmd_metric_field_t dmd_total_fields[DMD_N_TOTAL_FIELDS] = {
    {"allocs", TOTAL(n_allocs), false},           {"frees", TOTAL(n_frees), false},
    {"allocBytes", TOTAL(alloc_szB), false},      {"inUseBytes", TOTAL(in_use_szB), false},
    {"inUseBlocks", TOTAL(in_use_blocks), false}, {"freedReported", TOTAL(freed_reported), false},
    {"nestedBytes", TOTAL(nested_szB), true},
};

const dmd_metric_field_t dmd_memory_fields[DMD_N_MEMORY_FIELDS] = {
    {"heapAllocated", MEMORY(heap_allocated), false},
    {"heapOverhead", MEMORY(heap_overhead), false},
    {"resident", MEMORY(resident), false},
    {"residentUnique", MEMORY(resident_unique), false},
};

#define STRING(field) offsetof(dmd_run_t, field)

const size_t dmd_run_strings[DMD_N_RUN_STRINGS] = {
    STRING(version),      STRING(valgrind_version),
    STRING(command),      STRING(folder),
    STRING(host),         STRING(time),
    STRING(label),        STRING(trigger),
    STRING(allocator),    STRING(allocator_chosen),
    STRING(replaced_new),
};

void dmd_profile_init(dmd_profile_t *profile, const dmd_env_t *env) {
  dmd_mem_zero(profile, sizeof *profile);
  profile->env = env;
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    *dmd_metric_at(&dmd_memory_fields[i], &profile->memory) = DMD_MEMORY_UNKNOWN;
  dmd_frames_init(&profile->frames, env);
  dmd_intern_init(&profile->stacks, env, "dmd.profile.stacks");
  dmd_intern_init(&profile->names, env, "dmd.profile.names");
  dmd_pool_init(&profile->arguments, env, "dmd.profile.arguments", sizeof(uint32_t));
  dmd_intern_init(&profile->tags, env, "dmd.profile.tags");
  dmd_reports_init(&profile->reports, env);
  dmd_groups_init(&profile->groups, env);
  dmd_faults_init(&profile->faults, env);
  dmd_hints_init(&profile->advices, env);
  dmd_memreports_init(&profile->memreports, env);
  dmd_intern_init(&profile->processes, env, "dmd.profile.processes");
  dmd_pool_init(&profile->process_memory, env, "dmd.profile.processes", sizeof(dmd_footprint_t));
  dmd_reporter_runs_init(&profile->reporter_runs, env);
  dmd_scanned_init(&profile->scanned, env);
  dmd_groups_init(&profile->gone, env);
}

void dmd_profile_destroy(dmd_profile_t *profile) {
  dmd_groups_destroy(&profile->gone);
  dmd_scanned_destroy(&profile->scanned);
  dmd_hints_destroy(&profile->advices);
  dmd_pool_destroy(&profile->process_memory);
  dmd_intern_destroy(&profile->processes);
  dmd_reporter_runs_destroy(&profile->reporter_runs);
  dmd_memreports_destroy(&profile->memreports);
  dmd_faults_destroy(&profile->faults);
  dmd_groups_destroy(&profile->groups);
  dmd_reports_destroy(&profile->reports);
  dmd_intern_destroy(&profile->tags);
  dmd_pool_destroy(&profile->arguments);
  dmd_intern_destroy(&profile->names);
  dmd_intern_destroy(&profile->stacks);
  dmd_frames_destroy(&profile->frames);
}

const char *dmd_profile_keep(dmd_profile_t *profile, const char *s) {
  if (s == NULL)
    return NULL;
  return dmd_intern_get_str(&profile->names, dmd_intern_str(&profile->names, s));
}

void dmd_profile_set_run(dmd_profile_t *profile, const dmd_run_t *run) {
  profile->run = *run;
  for (size_t i = 0; i < DMD_N_RUN_STRINGS; i++) {
    const char **string = dmd_run_string(&profile->run, i);
    *string = dmd_profile_keep(profile, *string);
  }
}

void dmd_profile_take_run(dmd_profile_t *profile, const dmd_profile_t *from) {
  profile->mode = from->mode;
  profile->options = dmd_profile_keep(profile, from->options);
  profile->memory = from->memory;
  dmd_profile_set_run(profile, &from->run);
}

void dmd_profile_add_argument(dmd_profile_t *profile, const char *argument) {
  uint32_t number = dmd_pool_add(&profile->arguments);
  *DMD_POOL_AT(&profile->arguments, uint32_t, number) = dmd_intern_str(&profile->names, argument);
}

const char *dmd_profile_argument(const dmd_profile_t *profile, uint32_t i) {
  return dmd_intern_get_str(&profile->names, *DMD_POOL_AT(&profile->arguments, uint32_t, i + 1));
}

const char *dmd_profile_program(const dmd_profile_t *profile, size_t *n) {
  bool has_arguments = dmd_profile_n_arguments(profile) > 0;
  const char *program = has_arguments ? dmd_profile_argument(profile, 0) : profile->run.command;
  if (!profile->run.is_known || program == NULL || program[0] == '\0')
    return NULL;
  *n = has_arguments ? dmd_str_length(program) : dmd_str_span_without(program, " ");
  return program;
}

uint32_t dmd_profile_stack(dmd_profile_t *profile, const uint32_t *frames, size_t n) {
  return dmd_intern_bytes(&profile->stacks, frames, n * sizeof *frames);
}

const uint32_t *dmd_profile_frames(const dmd_profile_t *profile, uint32_t stack, size_t *n) {
  if (stack == DMD_NONE) {
    *n = 0;
    return NULL;
  }
  const uint32_t *frames = dmd_intern_get(&profile->stacks, stack, n);
  *n /= sizeof *frames;
  return frames;
}

static void join_figure(uint64_t *to, uint64_t from) {
  if (*to != DMD_MEMORY_UNKNOWN)
    *to = from == DMD_MEMORY_UNKNOWN ? from : *to + from;
}

void dmd_footprint_add(dmd_footprint_t *to, const dmd_footprint_t *from) {
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    join_figure(dmd_metric_at(&dmd_memory_fields[i], to),
                dmd_metric_of(&dmd_memory_fields[i], from));
}

dmd_footprint_t *dmd_profile_add_process(dmd_profile_t *profile, const char *name,
                                         const dmd_footprint_t *memory) {
  uint32_t process = dmd_intern_str(&profile->processes, name);
  bool is_new = process > profile->process_memory.last;
  dmd_pool_reach(&profile->process_memory, process);
  dmd_footprint_t *sum = DMD_POOL_AT(&profile->process_memory, dmd_footprint_t, process);
  if (is_new)
    *sum = *memory;
  else
    dmd_footprint_add(sum, memory);
  return sum;
}
