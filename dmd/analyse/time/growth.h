/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * growth.h: steady growth of a heap, as of a leak, hidden in memory that comes and goes.
 *
 * A window up to the end is divided into blocks of equal time, and each block has its smallest and
 * its largest point. The heap grows steadily if both series are close to a line, and if all
 * quarters of the window contribute about equally: so a cache that fills up and then levels off
 * does not, nor does a heap with a single step. The longest such window counts. The dump itself
 * does not: a program that ends has freed what it had.
 *
 * Cost: linear in the number of points, for each of a few windows.
 */
#ifndef DMD_ANALYSE_TIME_GROWTH_H
#define DMD_ANALYSE_TIME_GROWTH_H

#include "model/profile/timeline.h"

typedef struct dmd_growth {
  uint64_t from_ms, to_ms;
  uint64_t szB_per_s;
} dmd_growth_t;

/* False if the heap does not grow steadily, or was not observed for 10 seconds. */
bool dmd_growth_find(const dmd_timeline_t *timeline, dmd_growth_t *growth);

#endif
