/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/combine.h"

void dmd_combine_blocks(dmd_translation_t *ids, bool negate) {
  for (uint32_t id = 1; id <= dmd_groups_count(&ids->from->groups); id++) {
    dmd_group_t g = dmd_translation_group(ids, dmd_groups_at(&ids->from->groups, id));
    if (negate)
      g.num = -g.num;
    dmd_groups_add(&ids->to->groups, &g);
  }
}

void dmd_combine(dmd_profile_t *to, const dmd_profile_t *from, bool negate) {
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, to, from, NULL, NULL);
  dmd_combine_blocks(&ids, negate);
  dmd_translation_destroy(&ids);
}
