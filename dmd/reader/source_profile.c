/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/sources.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t *new_sums(const dmd_env_t *env, uint32_t n) {
  int64_t *sums = dmd_env_alloc(env, "dmdv.sums", ((size_t)n + 1) * sizeof *sums);
  dmd_mem_zero(sums, ((size_t)n + 1) * sizeof *sums);
  return sums;
}

/* Sums by reporter and by tag, [DMD_NONE] for neither. */
static void sum_up(const dmd_profile_t *profile, int64_t *by_reporter, int64_t *by_tag,
                   dmdv_coverage_t *coverage) {
  *coverage = (dmdv_coverage_t){0};
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    int64_t szB = (int64_t)(g->num * (g->req + g->slop));
    coverage->heap_szB += szB;
    if (g->reports == DMD_NONE) {
      by_tag[g->tag] += szB;
      continue;
    }
    const dmd_report_set_t *set = dmd_reports_at(&profile->reports, g->reports);
    by_reporter[set->report[0].reporter] += szB;
    if (set->count >= 2) {
      by_reporter[set->report[1].reporter] += szB;
      coverage->twice_szB += szB;
      coverage->twice_blocks += (int64_t)g->num;
    }
  }
}

static bool is_reserved(const char *path) {
  static const char *const derived[] = {"heap-allocated", "resident", "resident-unique",
                                        "explicit/heap-unclassified"};
  for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++) {
    size_t n = strlen(derived[i]);
    if (strncmp(path, derived[i], n) == 0 && (path[n] == '\0' || path[n] == '/'))
      return true;
  }
  return false;
}

static const char *add_heap(dmdv_memreports_t *m, const char *process, const char *before,
                            const char *path, const char *after, int64_t amount,
                            const char *description) {
  size_t szB = strlen(before) + strlen(path) + strlen(after) + 1;
  char *whole = dmd_env_alloc(m->env, "dmdv.path", szB);
  snprintf(whole, szB, "%s%s%s", before, path, after);
  const char *why =
      dmdv_memreports_add(m, process, whole, DMDV_HEAP, DMDV_BYTES, amount, description);
  dmd_env_free(m->env, whole);
  return why;
}

static const char *add_reporters(dmdv_memreports_t *m, const dmd_profile_t *profile,
                                 const char *process, const int64_t *by_reporter) {
  static const char UNNAMED[] = "explicit/(unnamed reporter)";
  const char *why = NULL;
  if (by_reporter[DMD_NONE] > 0)
    why = add_heap(m, process, "", UNNAMED, "", by_reporter[DMD_NONE],
                   "Blocks that were reported outside of any reporter.");
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->names) && why == NULL; id++) {
    const char *path = dmd_intern_get_str(&profile->names, id);
    if (by_reporter[id] > 0)
      why = add_heap(m, process, "", path[0] != '\0' ? path : UNNAMED,
                     is_reserved(path) ? " (reporter)" : "", by_reporter[id],
                     "Usable bytes of the blocks that this reporter reported.");
  }
  return why;
}

static const char *add_tags(dmdv_memreports_t *m, const dmd_profile_t *profile, const char *process,
                            const int64_t *by_tag) {
  const char *why = NULL;
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->tags) && why == NULL; id++)
    if (by_tag[id] > 0)
      why = add_heap(m, process, "explicit/tags/", dmd_intern_get_str(&profile->tags, id), "",
                     by_tag[id], "Usable bytes of the blocks with this tag that nobody reported.");
  return why;
}

const char *dmdv_memreports_from_profile(dmdv_memreports_t *m, const dmd_profile_t *profile,
                                         const char *process, dmdv_coverage_t *coverage) {
  int64_t *by_reporter = new_sums(m->env, dmd_intern_count(&profile->names));
  int64_t *by_tag = new_sums(m->env, dmd_intern_count(&profile->tags));
  sum_up(profile, by_reporter, by_tag, coverage);
  const char *why = add_reporters(m, profile, process, by_reporter);
  if (why == NULL)
    why = add_tags(m, profile, process, by_tag);
  if (why == NULL)
    why = dmdv_memreports_add(m, process, "heap-allocated", DMDV_OTHER, DMDV_BYTES,
                              coverage->heap_szB, "Usable bytes of all blocks.");
  dmd_env_free(m->env, by_tag);
  dmd_env_free(m->env, by_reporter);
  return why;
}

char *dmdv_process_name(const dmd_env_t *env, const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  bool known = run->is_known && run->command != NULL && run->command[0] != '\0';
  const char *command = known ? run->command : "(unknown process)";
  size_t n = known ? strcspn(command, " ") : strlen(command), start = n;
  while (start > 0 && command[start - 1] != '/')
    start--;
  char pid[32] = "";
  if (run->is_known && run->pid != 0)
    snprintf(pid, sizeof pid, " (pid %" PRIu64 ")", run->pid);
  size_t szB = n - start + sizeof pid;
  char *name = dmd_env_alloc(env, "dmdv.process", szB);
  snprintf(name, szB, "%.*s%s", (int)(n - start), command + start, pid);
  return name;
}
