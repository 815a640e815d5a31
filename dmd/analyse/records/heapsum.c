/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/heapsum.h"

/* Computes unsigned, since sums over an untrusted file may overflow. */
static void add(dmd_blocksum_t *to, int64_t usable, int64_t num, dmd_variance_t variance) {
  to->usable = (int64_t)((uint64_t)to->usable + (uint64_t)usable);
  to->num = (int64_t)((uint64_t)to->num + (uint64_t)num);
  dmd_variance_add(&to->variance, variance);
}

dmd_heapsum_t dmd_heapsum_of(const dmd_profile_t *profile) {
  dmd_heapsum_t sum = {.all = {0}};
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    int64_t usable = dmd_group_usable(profile, g), num = dmd_group_blocks(profile, g);
    dmd_variance_t variance = dmd_group_variance(profile, g);
    add(&sum.all, usable, num, variance);
    add(&sum.section[dmd_section_of_group(profile, g)], usable, num, variance);
  }
  return sum;
}
