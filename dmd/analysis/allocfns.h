/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocfns.h: which functions only allocate for their callers.
 *
 * To judge a name takes longer than to compare numbers, and a frame is in many stacks: each frame
 * of a profile is judged once.
 */
#ifndef DMD_ANALYSIS_ALLOCFNS_H
#define DMD_ANALYSIS_ALLOCFNS_H

#include "profile/profile.h"

/* Whether a frame's function is an allocator's, a wrapper's around one, or unknown ("???"). Only
 * the function's name counts, not the file's. The list is that of Mozilla's script. */
bool dmd_is_alloc_fn(const char *frame);

typedef struct dmd_allocfns {
  const dmd_profile_t *profile;
  dmd_pool_t judged; /* by frame id */
} dmd_allocfns_t;

/* For the frames of this profile, which may get more meanwhile. */
void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile);
void dmd_allocfns_destroy(dmd_allocfns_t *fns);

/* The same of a frame of the profile. */
bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame);

/* The first of a stack's n frames, by its number from 0, that is not such a function's: the one
 * that allocated. 0 where all are. */
size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n);

#endif
