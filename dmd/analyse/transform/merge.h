/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * merge.h: merges the blocks of many profiles into one, for example those of a program's processes.
 *
 * Call order: init, add for each profile, finish. Numbers about the runs are added up. Other
 * properties on which the runs differ become "mixed", nothing, or the weaker statement: partial
 * stacks, the higher sampling limit. run.is_known is true if it is true for all.
 */
#ifndef DMD_ANALYSE_TRANSFORM_MERGE_H
#define DMD_ANALYSE_TRANSFORM_MERGE_H

#include "model/profile/profile.h"
#include "model/profile/translate.h"

/* ---- Adding the groups of a profile. ----
 *
 * Adds or subtracts the blocks of profiles.
 *
 * Reports, names and stacks are matched by text. The caller handles the mode and the description of
 * the run. */

/* Adds the blocks of one profile to another's through a translation, which can be used further. */
void dmd_combine(dmd_translation_t *ids);

/* Fills an initialised, empty profile with the difference of two: old blocks count negatively, so
 * that sums over its groups are the changes. The groups of both are moved, not copied, to save
 * memory; the two have no groups afterwards. Equal groups are not merged, since they are only added
 * up. */
void dmd_difference(dmd_profile_t *difference, dmd_profile_t *old, dmd_profile_t *new);

/* Like dmd_difference, but leaves both profiles as they are. */
void dmd_difference_beside(dmd_profile_t *difference, const dmd_profile_t *old,
                           const dmd_profile_t *new);

/* ---- Merging profiles. ---- */

typedef struct dmd_merge {
  dmd_profile_t profile; /* the result */
  uint32_t n;            /* profiles added */
  bool is_alone;         /* only one will be added, whose timeline is kept. May be set after init */
  /* Sums over these profiles. */
  uint64_t blocks, usable, faults, advised, advised_blocks, runs;
} dmd_merge_t;

/* The merge must stay in place until it is destroyed. */
void dmd_merge_init(dmd_merge_t *merge, const dmd_env_t *env);
void dmd_merge_destroy(dmd_merge_t *merge);

/* Adds a profile, whose mode must be that of the first. process: NULL or, to keep the blocks of
 * each profile separate, its process: all its stacks get an outermost frame with this name, and its
 * published values are attributed to this process. A profile whose processes are already separate
 * stays as it is. Returns false if the result exceeds the limits of a profile (profile.h) and is
 * thus unusable. */
bool dmd_merge_add(dmd_merge_t *merge, const dmd_profile_t *from, const char *process);

/* Marks the result as merged. It must contain at least one profile. */
void dmd_merge_finish(dmd_merge_t *merge);

#endif
