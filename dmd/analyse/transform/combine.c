/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/transform/combine.h"

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
  for (uint32_t id = 1; id <= dmd_groups_count(&ids->from->gone); id++) {
    dmd_group_t gone = dmd_translation_group(ids, dmd_groups_at(&ids->from->gone, id));
    dmd_groups_add(&ids->to->gone, &gone);
  }
  ids->to->has_peak = ids->from->has_peak;
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
