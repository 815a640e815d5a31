/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * merge.h: one profile of the blocks of many, such as those of a program's processes.
 *
 * init, then add for each profile, then finish. Numbers about the runs are added up. Where the runs
 * differ otherwise, the result says "mixed", nothing, or what promises less: partial stacks, the
 * higher sampling limit. run.is_known is true if it is true of all.
 */
#ifndef DMD_ANALYSIS_MERGE_H
#define DMD_ANALYSIS_MERGE_H

#include "profile/profile.h"

typedef struct dmd_merge {
  dmd_profile_t profile; /* the result */
  uint32_t n;            /* profiles added */
  /* What they have together. */
  uint64_t blocks, usable, faults, advised, advised_blocks, runs;
} dmd_merge_t;

/* The merge must stay where it is until it is destroyed. */
void dmd_merge_init(dmd_merge_t *merge, const dmd_env_t *env);
void dmd_merge_destroy(dmd_merge_t *merge);

/* Adds a profile, which must be of the mode of the first. process: NULL or, where the blocks of
 * each profile are to be told apart, its process: all its stacks get an outermost frame of this
 * name, and what it published is of this process. One in which processes are kept apart already
 * stays as it is. False where there is then more than one profile can hold (profile.h), which makes
 * the result useless. */
bool dmd_merge_add(dmd_merge_t *merge, const dmd_profile_t *from, const char *process);

/* Says that the result is a merged one. There must be a profile in it. */
void dmd_merge_finish(dmd_merge_t *merge);

#endif
