/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/heapsum.h"

/* As unsigned numbers, which may overflow: a file says what it likes. */
static void add(dmd_blocksum_t *to, uint64_t usable, uint64_t num) {
  to->usable = (int64_t)((uint64_t)to->usable + usable);
  to->num = (int64_t)((uint64_t)to->num + num);
}

dmd_heapsum_t dmd_heapsum_of(const dmd_profile_t *profile) {
  dmd_heapsum_t sum = {.all = {0}};
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    uint64_t usable = (g->req + g->slop) * g->num;
    add(&sum.all, usable, g->num);
    add(&sum.section[dmd_section_of_group(profile, g)], usable, g->num);
  }
  return sum;
}
