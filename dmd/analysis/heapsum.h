/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapsum.h: what the blocks of a profile add up to, in all and by report state, without records.
 *
 * Cost: a walk over the groups.
 */
#ifndef DMD_ANALYSIS_HEAPSUM_H
#define DMD_ANALYSIS_HEAPSUM_H

#include "analysis/record.h"

/* Signed, since a difference has negative ones. */
typedef struct dmd_blocksum {
  int64_t usable, num; /* bytes, blocks */
  dmd_variance_t variance;
} dmd_blocksum_t;

typedef struct dmd_heapsum {
  dmd_blocksum_t all, section[DMD_N_SECTIONS];
} dmd_heapsum_t;

dmd_heapsum_t dmd_heapsum_of(const dmd_profile_t *profile);

#endif
