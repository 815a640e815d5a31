/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/records/rows.h"

#include "base/sort.h"
#include "base/str.h"

void dmd_rows_add(dmd_rows_t *rows, const dmd_record_t *r) {
  for (uint32_t i = 0; i < r->n_groups; i++)
    dmd_bitset_add(&rows->groups, rows->records->groups[r->first_group + i]);
}

static void add_group(dmd_rows_t *rows, uint32_t id) {
  const dmd_profile_t *profile = rows->records->profile;
  dmd_section_t section = dmd_section_of_group(profile, dmd_groups_at(&profile->groups, id));
  dmd_rowwalk_t walk = dmd_rownames_walk(&rows->names, id);
  while (dmd_rowwalk_next(&walk)) {
    dmd_pool_reach(&rows->tallies, walk.row);
    dmd_tally_add(DMD_POOL_AT(&rows->tallies, dmd_tally_t, walk.row), section, walk.num, walk.szB);
  }
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_rows_t *rows = ctx;
  int order = dmd_compare_magnitudes(DMD_POOL_AT(&rows->tallies, const dmd_tally_t, a)->total,
                                     DMD_POOL_AT(&rows->tallies, const dmd_tally_t, b)->total);
  return order != 0 ? order
                    : dmd_str_compare(dmd_intern_get_str(&rows->names.names, a),
                                      dmd_intern_get_str(&rows->names.names, b));
}

void dmd_rows_begin(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by) {
  *rows = (dmd_rows_t){.records = records};
  dmd_rownames_init(&rows->names, records->profile, by, records->types);
  dmd_pool_init(&rows->tallies, records->profile->env, "dmd.rows", sizeof(dmd_tally_t));
  dmd_bitset_init(&rows->groups, records->profile->env, "dmd.rows.groups",
                  (uint64_t)dmd_groups_count(&records->profile->groups) + 1);
}

void dmd_rows_finish(dmd_rows_t *rows) {
  uint32_t n_groups = dmd_groups_count(&rows->records->profile->groups);
  for (uint32_t id = 1; id <= n_groups; id++)
    if (dmd_bitset_has(&rows->groups, id))
      add_group(rows, id);
  dmd_bitset_destroy(&rows->groups);
  rows->n = rows->tallies.last;
  rows->order = dmd_sorted_ids(rows->records->profile->env, rows->n, compare_rows, rows);
}

void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections) {
  dmd_rows_begin(rows, records, by);
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    const dmd_section_records_t *s = &records->section[section];
    if (sections != 0 && !(sections & 1u << section))
      continue;
    for (uint32_t i = 0; i < s->n; i++)
      dmd_rows_add(rows, dmd_records_at(records, s->ids[i]));
  }
  dmd_rows_finish(rows);
}

void dmd_rows_destroy(dmd_rows_t *rows) {
  dmd_env_free(rows->records->profile->env, rows->order);
  dmd_pool_destroy(&rows->tallies);
  dmd_rownames_destroy(&rows->names);
}
