/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/moment.h"

#include "base/str.h"

/* The heap at the end is at most this share of a peak that matters. */
enum { END_SHARE = 2 };

/* Reports on allocation need no reporter to run. */
static bool any_reported(const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++)
    if (dmd_groups_at(&profile->groups, id)->reports != DMD_NONE)
      return true;
  return false;
}

bool dmd_peak_matters(const dmd_profile_t *profile) {
  const dmd_run_t *run = &profile->run;
  return profile->has_peak && run->peak.szB > 0 && run->trigger != NULL &&
         dmd_str_equal(run->trigger, "exit") && run->in_use_szB <= run->peak.szB / END_SHARE &&
         run->freed_reported == 0 && dmd_reporter_runs_count(&profile->reporter_runs) == 0 &&
         dmd_memreports_count(&profile->memreports) == 0 && !any_reported(profile);
}

/* ---- The groups of one moment. ---- */

static void add_of_peak(dmd_groups_t *to, const dmd_groups_t *from) {
  for (uint32_t id = 1; id <= dmd_groups_count(from); id++) {
    dmd_group_t group = *dmd_groups_at(from, id);
    group.reports = DMD_NONE;
    if (!group.after_peak)
      dmd_groups_add(to, &group);
  }
}

static dmd_pool_t groups_of_peak(const dmd_profile_t *profile) {
  dmd_groups_t groups;
  dmd_groups_init(&groups, profile->env);
  add_of_peak(&groups, &profile->groups);
  add_of_peak(&groups, &profile->gone);
  dmd_groups_finish(&groups);
  return groups.pool;
}

/* Blocks of a scan stay separate groups, because each has its own address. */
static void drop_peak(dmd_profile_t *profile) {
  bool any = false;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    dmd_group_t *group = dmd_groups_at(&profile->groups, id);
    any |= group->after_peak;
    group->after_peak = false;
  }
  if (any && dmd_scanned_is_empty(&profile->scanned))
    dmd_groups_join(&profile->groups);
}

/* ---- The moment that is not shown. ---- */

/* Who reported a block at the peak is unknown. */
void dmd_moment_side_init_peak(dmd_moment_side_t *side, const dmd_profile_t *profile) {
  side->groups = groups_of_peak(profile);
  side->mode = DMD_MODE_LIVE;
  dmd_scanned_init(&side->scanned, profile->env);
  for (size_t i = 0; i < DMD_N_MEMORY_FIELDS; i++)
    *dmd_metric_at(&dmd_memory_fields[i], &side->memory) = DMD_MEMORY_UNKNOWN;
  side->is_peak = true;
}

void dmd_moment_side_destroy(dmd_moment_side_t *side) {
  dmd_pool_destroy(&side->groups);
  dmd_scanned_destroy(&side->scanned);
}

void dmd_moment_swap(dmd_profile_t *profile, dmd_moment_side_t *side) {
  dmd_moment_side_t shown = {.groups = profile->groups.pool,
                             .mode = profile->mode,
                             .scanned = profile->scanned,
                             .memory = profile->memory,
                             .is_peak = profile->shows_peak};
  profile->groups.pool = side->groups;
  profile->mode = side->mode;
  profile->scanned = side->scanned;
  profile->memory = side->memory;
  profile->shows_peak = side->is_peak;
  *side = shown;
}

/* ---- Choosing one of them. ---- */

static void drop_end(dmd_profile_t *profile) {
  dmd_moment_side_t side;
  dmd_moment_side_init_peak(&side, profile);
  dmd_moment_swap(profile, &side);
  dmd_moment_side_destroy(&side);
  dmd_hints_destroy(&profile->advices);
  dmd_hints_init(&profile->advices, profile->env);
}

void dmd_moment_choose(dmd_profile_t *profile, dmd_moment_choice_t choice) {
  if (choice == DMD_MOMENT_ALL && profile->has_peak)
    return;
  bool takes_peak = choice == DMD_MOMENT_AUTO ? dmd_peak_matters(profile)
                                              : choice == DMD_MOMENT_PEAK && profile->has_peak;
  if (takes_peak)
    drop_end(profile);
  else
    drop_peak(profile);
  dmd_groups_destroy(&profile->gone);
  dmd_groups_init(&profile->gone, profile->env);
  profile->has_peak = false;
}
