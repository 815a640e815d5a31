/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * allocfns.h: which functions only allocate for their callers.
 */
#ifndef DMD_ANALYSIS_ALLOCFNS_H
#define DMD_ANALYSIS_ALLOCFNS_H

#include "profile/profile.h"

/* Whether a frame's function is an allocator's, a wrapper's around one, or unknown ("???"). Only
 * the function's name counts, not the file's. The list is that of Mozilla's script. */
bool dmd_is_alloc_fn(const char *frame);

/* The first of a stack's n frames, by its number from 0, that is not such a function's: the one
 * that allocated. 0 where all are. */
size_t dmd_first_own_frame(const dmd_profile_t *profile, const uint32_t *frames, size_t n);

#endif
