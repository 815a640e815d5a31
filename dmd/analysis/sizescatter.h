/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sizescatter.h: how much the blocks of one size scatter over equal runs.
 *
 * A figure is a sum over blocks of many sizes. Where threads share work, for one, there are more
 * blocks of one size because there are fewer of another, and the sum differs less than either. A
 * few runs do not tell whether that is so always, or happened to be: with all threads held up alike
 * the heap is the same again and again, until one of them is held up alone. So the sum is taken to
 * scatter no less than the blocks of any one size.
 *
 * Of sizes that are in each run: a buffer that is a bit longer or shorter in each run is another
 * size each time, and the sum says what it does.
 */
#ifndef DMD_ANALYSIS_SIZESCATTER_H
#define DMD_ANALYSIS_SIZESCATTER_H

#include "analysis/gate.h"

/* Of the bytes of a figure, as dmd_gate_figure counts them, the largest deviation that those of one
 * size have over n_runs runs (at least 2), of n_runs - 1 degrees of freedom. 0 where no size is in
 * each run, and of misreports. */
double dmd_size_scatter(const dmd_subject_t *runs, size_t n_runs, dmd_what_t what,
                        const char *name);

#endif
