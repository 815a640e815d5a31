/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * reduce.h: a profile that is smaller, for a reader that cannot take all of it.
 *
 * The stacks that hold most bytes stay as they are, as many as there is room for. Blocks of all
 * other stacks become blocks from "(smaller records)": those that are equal in how they were
 * reported, by whom, in tag and thread are put together, with sizes of which the sums are the same.
 * So every sum but those by stack stays: of sections, of reporters, of tags and of the heap. Where
 * a merged profile keeps processes apart, they stay apart.
 *
 * Faults, advice, memory reports and the run stay as they are. Profiles of mode scan, in which each
 * block has an address of its own, are not made smaller.
 */
#ifndef DMD_ANALYSIS_REDUCE_H
#define DMD_ANALYSIS_REDUCE_H

#include "profile/profile.h"

#define DMD_SMALLER_RECORDS "(smaller records)"

typedef struct dmd_reduce_limits {
  uint64_t max_groups; /* of blocks */
  uint64_t max_frames; /* in all stacks of blocks together */
} dmd_reduce_limits_t;

/* What was put together. */
typedef struct dmd_reduced {
  uint64_t stacks, groups, bytes;
} dmd_reduced_t;

/* Whether a profile is larger than this. */
bool dmd_reduce_is_needed(const dmd_profile_t *profile, const dmd_reduce_limits_t *limits);

/* Fills an initialised, empty profile. The groups that are left of the others come on top of the
 * limits. */
dmd_reduced_t dmd_reduce(dmd_profile_t *to, const dmd_profile_t *from,
                         const dmd_reduce_limits_t *limits);

#endif
