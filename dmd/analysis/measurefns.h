/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * measurefns.h: who measured, that is, which frames of a stack are code of measure.hpp.
 *
 * A block that measure.hpp reports has its functions on the top of the report's stack: one for each
 * step from container to container. People want to see their own line that measures. As with who
 * allocated (allocfns.h) only the innermost frames count. Functions are known by their namespace,
 * inlined ones by their file. The scopes of dmd.h, which are in that namespace, are among them only
 * where they are used by these.
 *
 * Cost: a search in the names of a stack's innermost frames.
 */
#ifndef DMD_ANALYSIS_MEASUREFNS_H
#define DMD_ANALYSIS_MEASUREFNS_H

#include "profile/profile.h"

/* How many innermost frames of a stack's n only measure for their callers. Between them may be some
 * of the C++ library. 0 where all of them would be. */
size_t dmd_measuring_frames(const dmd_profile_t *profile, const uint32_t *frames, size_t n);

#endif
