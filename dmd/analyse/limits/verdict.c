/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/verdict.h"

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
    const char *why = dmd_gate_why_not(limit, now, before, which);
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
