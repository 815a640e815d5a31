/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * grown.h: what grew between two moments of a timeline, by stack and tag.
 *
 * Compares the breakdowns that are nearest to the two moments, each of which is exact for its own
 * moment. The start of a program counts as a breakdown of an empty heap.
 */
#ifndef DMD_ANALYSE_TIME_GROWN_H
#define DMD_ANALYSE_TIME_GROWN_H

#include "model/profile/profile.h"

typedef struct dmd_grown_row {
  uint32_t id; /* of a stack or a tag */
  int64_t szB;
} dmd_grown_row_t;

typedef struct dmd_grown {
  dmd_timepoint_t from, to; /* the moments that are compared */
  uint32_t n_stacks, n_tags;
  dmd_grown_row_t stacks[DMD_MAX_TIMESTACKS], tags[DMD_MAX_TIMETAGS]; /* most growth first; not 0 */
  int64_t others; /* what no row of the stacks has */
} dmd_grown_t;

/* False if there are no breakdowns, or one is the nearest to both moments. */
bool dmd_grown_find(const dmd_profile_t *profile, const dmd_timepoint_t *from,
                    const dmd_timepoint_t *to, dmd_grown_t *grown);

#endif
