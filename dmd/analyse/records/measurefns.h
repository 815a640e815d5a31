/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * measurefns.h: finds who measured: which frames of a stack are code of measure.hpp.
 *
 * If measure.hpp reports a block, the report's stack begins with its functions, one per step from
 * container to container, but people want to see their own line. As for allocations (allocfns.h),
 * only the innermost frames are skipped. Functions are recognised by their namespace, inlined ones
 * by their file. The scopes of dmd.h, in the same namespace, only count if these functions use
 * them.
 *
 * Cost: a search in the names of a stack's innermost frames.
 */
#ifndef DMD_ANALYSE_RECORDS_MEASUREFNS_H
#define DMD_ANALYSE_RECORDS_MEASUREFNS_H

#include "model/profile/profile.h"

/* How many of a stack's innermost frames only measure for their callers; frames of the C++ library
 * may be in between. 0 if it would be all frames. */
size_t dmd_measuring_frames(const dmd_profile_t *profile, const uint32_t *frames, size_t n);

#endif
