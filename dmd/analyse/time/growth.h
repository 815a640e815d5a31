/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * growth.h: steady growth of a heap, as of a leak, hidden in memory that comes and goes.
 *
 * The run is divided into a few equal spans of time. Each counts with its smallest heap, where
 * memory that comes and goes is least. Each stack of the timeline's breakdowns is judged alike. A
 * series grows steadily if the spans of a window up to the end
 *
 *   - lie on a line almost exactly, with no span that adds much less than the others; or
 *   - for the heap as a whole, lie around a line without memory: the distance from the line says
 *     nothing about the next one. So a leak in the midst of large fluctuations is found, and a
 *     random walk, which strays from any line for long, is not.
 *
 * A cache that fills up and then levels off does not grow like this, nor does a heap with a single
 * step. The longest such window counts. The dump itself does not: a program that ends has freed
 * what it had.
 *
 * Cost: linear in the number of points and breakdowns, for each of a few windows.
 */
#ifndef DMD_ANALYSE_TIME_GROWTH_H
#define DMD_ANALYSE_TIME_GROWTH_H

#include "model/profile/timeline.h"

typedef struct dmd_growth {
  uint64_t from_ms, to_ms;
  uint64_t szB_per_s;
  uint32_t stack;           /* the stack that grows most; DMD_NONE: unknown */
  uint64_t stack_szB_per_s; /* at most szB_per_s */
} dmd_growth_t;

/* False if the heap does not grow steadily, or was not observed for 10 seconds. */
bool dmd_growth_find(const dmd_timeline_t *timeline, dmd_growth_t *growth);

#endif
