/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/combine.h"

/* Ids of `from` on the left, what they are in `to` on the right. */
typedef struct {
  uint32_t *stacks;
  uint32_t *report_sets;
  uint32_t *tags;
} translation_t;

static uint32_t *new_map(const dmd_env_t *env, uint32_t n) {
  uint32_t *map = dmd_env_alloc(env, "dmd.combine", (n + 1) * sizeof *map);
  map[DMD_NONE] = DMD_NONE;
  return map;
}

static uint32_t translate_str(dmd_intern_t *to, const dmd_intern_t *from, uint32_t id) {
  return id == DMD_NONE ? DMD_NONE : dmd_intern_str(to, dmd_intern_get_str(from, id));
}

static uint32_t *translate_stacks(dmd_profile_t *to, const dmd_profile_t *from) {
  uint32_t *frames = new_map(to->env, dmd_intern_count(&from->frames));
  for (uint32_t id = 1; id <= dmd_intern_count(&from->frames); id++)
    frames[id] = translate_str(&to->frames, &from->frames, id);
  uint32_t *stacks = new_map(to->env, dmd_intern_count(&from->stacks));
  for (uint32_t id = 1; id <= dmd_intern_count(&from->stacks); id++) {
    size_t n;
    const uint32_t *old = dmd_profile_frames(from, id, &n);
    uint32_t *new = dmd_env_alloc(to->env, "dmd.combine", (n + 1) * sizeof *new);
    for (size_t i = 0; i < n; i++)
      new[i] = frames[old[i]];
    stacks[id] = dmd_profile_stack(to, new, n);
    dmd_env_free(to->env, new);
  }
  dmd_env_free(to->env, frames);
  return stacks;
}

static uint32_t *translate_reports(dmd_profile_t *to, const dmd_profile_t *from,
                                   const uint32_t *stacks) {
  uint32_t *sets = new_map(to->env, from->reports.pool.last);
  for (uint32_t id = 1; id <= from->reports.pool.last; id++) {
    dmd_report_set_t set = *dmd_reports_at(&from->reports, id);
    set.rest = sets[set.rest]; /* it came before */
    for (uint32_t i = 0; i < DMD_REPORTS_KEPT; i++) {
      set.report[i].stack = stacks[set.report[i].stack];
      set.report[i].reporter = translate_str(&to->names, &from->names, set.report[i].reporter);
    }
    sets[id] = dmd_reports_intern(&to->reports, &set);
  }
  return sets;
}

void dmd_combine(dmd_profile_t *to, const dmd_profile_t *from, bool negate) {
  uint32_t *stacks = translate_stacks(to, from);
  uint32_t *sets = translate_reports(to, from, stacks);
  for (uint32_t id = 1; id <= dmd_groups_count(&from->groups); id++) {
    dmd_group_t g = *dmd_groups_at(&from->groups, id);
    g.stack = stacks[g.stack];
    g.reports = sets[g.reports];
    g.tag = (uint16_t)translate_str(&to->tags, &from->tags, g.tag);
    if (negate)
      g.num = -g.num;
    dmd_groups_add(&to->groups, &g);
  }
  dmd_env_free(to->env, sets);
  dmd_env_free(to->env, stacks);
}
