/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/tree/processes.h"

#include "model/profile/translate.h"

typedef struct {
  const dmd_profile_t *from;
  dmd_profile_t *parts;   /* process i has part i - 1; the last is for no process */
  dmd_translation_t *ids; /* one for each part */
} splitter_t;

/* Initialises a part as a run of its own. */
static void start(splitter_t *s, size_t i, const char *process) {
  dmd_profile_t *part = &s->parts[i];
  dmd_profile_init(part, s->from->env);
  part->mode = s->from->mode;
  part->run.is_known = true;
  part->run.word_szB = s->from->run.word_szB;
  part->run.sample_below = s->from->run.sample_below;
  dmd_profile_add_argument(part, process);
  dmd_translation_init_profile(&s->ids[i], part, s->from, NULL, NULL);
}

static size_t part_of_process(const splitter_t *s, const char *name) {
  uint32_t process = dmd_intern_find_str(&s->from->processes, name);
  return process != DMD_NONE ? process - 1 : dmd_intern_count(&s->from->processes);
}

static size_t part_of_stack(const splitter_t *s, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(s->from, stack, &n);
  const char *outermost = n > 0 ? dmd_frames_text(&s->from->frames, frames[n - 1]) : "";
  return part_of_process(s, outermost);
}

static void split_blocks(const splitter_t *s) {
  for (uint32_t id = 1; id <= dmd_groups_count(&s->from->groups); id++) {
    const dmd_group_t *group = dmd_groups_at(&s->from->groups, id);
    size_t i = part_of_stack(s, group->stack);
    dmd_group_t g = dmd_translation_group(&s->ids[i], group);
    dmd_groups_add(&s->parts[i].groups, &g);
  }
}

/* A report about a process that has no blocks here keeps that process's name. */
static void split_memory_reports(const splitter_t *s) {
  for (uint32_t id = 1; id <= dmd_memreports_count(&s->from->memreports); id++) {
    dmd_memreport_t report = dmd_memreports_get(&s->from->memreports, id);
    size_t i = part_of_process(s, report.process == NULL ? "" : report.process);
    bool is_own = i < dmd_intern_count(&s->from->processes);
    report.stack = DMD_NONE;
    if (is_own)
      report.process = NULL;
    dmd_memreports_add(&s->parts[is_own ? i : 0].memreports, &report);
  }
}

dmd_profile_t *dmd_processes_split(const dmd_profile_t *profile, size_t *n) {
  uint32_t n_processes = dmd_intern_count(&profile->processes);
  *n = 0;
  if (n_processes == 0)
    return NULL;
  const dmd_env_t *env = profile->env;
  size_t n_parts = (size_t)n_processes + 1;
  splitter_t s = {.from = profile};
  s.parts = dmd_env_alloc(env, "dmd.processes", n_parts * sizeof *s.parts);
  s.ids = dmd_env_alloc(env, "dmd.processes", n_parts * sizeof *s.ids);
  for (uint32_t i = 0; i < n_processes; i++) {
    start(&s, i, dmd_intern_get_str(&profile->processes, i + 1));
    s.parts[i].memory = *dmd_profile_process_memory(profile, i + 1);
  }
  start(&s, n_processes, "(other processes)");
  split_blocks(&s);
  split_memory_reports(&s);
  for (size_t i = 0; i < n_parts; i++)
    dmd_translation_destroy(&s.ids[i]);
  dmd_env_free(env, s.ids);
  *n = n_parts;
  if (dmd_groups_count(&s.parts[n_processes].groups) == 0)
    dmd_profile_destroy(&s.parts[--*n]);
  return s.parts;
}

void dmd_processes_free(dmd_profile_t *parts, size_t n) {
  if (parts == NULL)
    return;
  const dmd_env_t *env = parts->env;
  for (size_t i = 0; i < n; i++)
    dmd_profile_destroy(&parts[i]);
  dmd_env_free(env, parts);
}
