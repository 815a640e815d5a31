/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapsum.h: totals of a profile's blocks, overall and by report state, without making records.
 * Cost: a walk over the groups.
 */
#ifndef DMD_ANALYSE_RECORDS_HEAPSUM_H
#define DMD_ANALYSE_RECORDS_HEAPSUM_H

#include "analyse/records/record.h"

/* Signed, since differences may be negative. */
typedef struct dmd_blocksum {
  int64_t usable, num; /* bytes, blocks */
  dmd_variance_t variance;
} dmd_blocksum_t;

typedef struct dmd_heapsum {
  dmd_blocksum_t all, section[DMD_N_SECTIONS];
} dmd_heapsum_t;

dmd_heapsum_t dmd_heapsum_of(const dmd_profile_t *profile);

#endif
