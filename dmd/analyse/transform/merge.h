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

typedef struct dmd_merge {
  dmd_profile_t profile; /* the result */
  uint32_t n;            /* profiles added */
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
