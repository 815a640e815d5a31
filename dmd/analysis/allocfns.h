/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocfns.h: which functions only allocate for their callers.
 *
 * To judge a name takes longer than to look a number up, and a frame is in many stacks. So each
 * frame of a profile is judged once.
 */
#ifndef DMD_ANALYSIS_ALLOCFNS_H
#define DMD_ANALYSIS_ALLOCFNS_H

#include "profile/profile.h"

/* Whether a frame's function belongs to an allocator, wraps one, or is unknown ("???"). Only the
 * function's name counts, not the file's. The list is that of Mozilla's script. */
bool dmd_is_alloc_fn(const char *frame);

typedef struct dmd_allocfns {
  const dmd_profile_t *profile;
  dmd_pool_t judged; /* by frame id */
} dmd_allocfns_t;

/* For the frames of this profile. Frames may be added to it meanwhile. */
void dmd_allocfns_init(dmd_allocfns_t *fns, const dmd_profile_t *profile);
void dmd_allocfns_destroy(dmd_allocfns_t *fns);

/* The same for a frame of the profile. */
bool dmd_allocfns_has(dmd_allocfns_t *fns, uint32_t frame);

/* The index, from 0, of the first of a stack's n frames that is not such a function: the one that
 * allocated. 0 if all are. */
size_t dmd_first_own_frame(dmd_allocfns_t *fns, const uint32_t *frames, size_t n);

#endif
