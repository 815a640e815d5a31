/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * measured.h: the sums that the reporters of a profile measured, by path.
 *
 * A reporter measured the usable bytes of the blocks that it reported. A block counts once for each
 * of its reports, as in the program's own sums. A shared block counts for each owner
 * with its share, so that together they count it once.
 *
 * Cost: one walk over the groups and a sort of the reporters; each query is then a binary search.
 */
#ifndef DMD_MODEL_PROFILE_MEASURED_H
#define DMD_MODEL_PROFILE_MEASURED_H

#include "model/profile/profile.h"

typedef struct dmd_measured {
  const dmd_profile_t *profile;
  int64_t *by_reporter; /* by name id; [DMD_NONE]: outside any reporter */
  int64_t *shared;      /* by name id: the additional bytes if shared blocks counted whole */
  uint32_t *order;      /* name ids of reporters that measured anything, by path */
  int64_t *before;      /* for each place in order, and its end: the sum of all before it */
  uint32_t n;
} dmd_measured_t;

/* The profile must not change until the sums are destroyed. */
void dmd_measured_init(dmd_measured_t *measured, const dmd_profile_t *profile);
void dmd_measured_destroy(dmd_measured_t *measured);

/* The bytes that the reporter with exactly this path measured, with shares of shared blocks (at),
 * or with whole shared blocks (whole); and the bytes of this path and all paths below it. */
int64_t dmd_measured_at(const dmd_measured_t *measured, const char *path);
int64_t dmd_measured_whole(const dmd_measured_t *measured, const char *path);
int64_t dmd_measured_at_or_below(const dmd_measured_t *measured, const char *path);

#endif
