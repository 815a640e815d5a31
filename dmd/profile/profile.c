/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/profile.h"

#include "base/mem.h"

const char *dmd_mode_name(dmd_mode_t mode) {
  static const char *const names[] = {"dark-matter", "live", "cumulative", "scan"};
  return names[mode];
}

static const struct {
  const char *name, *text;
} fault_words[DMD_N_FAULTS] = {
    [DMD_FAULT_INVALID_FREE] = {"invalid-free", "invalid free"},
    [DMD_FAULT_INVALID_REALLOC] = {"invalid-realloc", "invalid realloc"},
    [DMD_FAULT_REPORT_INTERIOR] = {"report-interior", "report of an interior pointer"},
    [DMD_FAULT_REPORT_NO_BLOCK] = {"report-no-block", "report of no live block"},
    [DMD_FAULT_SCOPE_UNDERFLOW] = {"scope-underflow", "end of a scope that had not begun"},
    [DMD_FAULT_ABSURD_SIZE] = {"absurd-size", "allocation of a negative size"},
};

const char *dmd_fault_name(dmd_fault_kind_t kind) {
  return fault_words[kind].name;
}

const char *dmd_fault_text(dmd_fault_kind_t kind) {
  return fault_words[kind].text;
}

void dmd_profile_init(dmd_profile_t *profile, const dmd_env_t *env) {
  dmd_mem_zero(profile, sizeof *profile);
  profile->env = env;
  dmd_intern_init(&profile->frames, env, "dmd.profile.frames");
  dmd_intern_init(&profile->stacks, env, "dmd.profile.stacks");
  dmd_intern_init(&profile->names, env, "dmd.profile.names");
  dmd_intern_init(&profile->tags, env, "dmd.profile.tags");
  dmd_reports_init(&profile->reports, env);
  dmd_groups_init(&profile->groups, env);
  dmd_pool_init(&profile->faults, env, "dmd.profile.faults", sizeof(dmd_fault_t));
}

void dmd_profile_destroy(dmd_profile_t *profile) {
  dmd_pool_destroy(&profile->faults);
  dmd_groups_destroy(&profile->groups);
  dmd_reports_destroy(&profile->reports);
  dmd_intern_destroy(&profile->tags);
  dmd_intern_destroy(&profile->names);
  dmd_intern_destroy(&profile->stacks);
  dmd_intern_destroy(&profile->frames);
}

const char *dmd_profile_keep(dmd_profile_t *profile, const char *s) {
  if (s == NULL)
    return NULL;
  return dmd_intern_get_str(&profile->names, dmd_intern_str(&profile->names, s));
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

void dmd_profile_add_fault(dmd_profile_t *profile, const dmd_fault_t *fault) {
  uint32_t id = dmd_pool_add(&profile->faults);
  *DMD_POOL_AT(&profile->faults, dmd_fault_t, id) = *fault;
}
