/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sizescatter.h: the scatter of the blocks of single sizes over equal runs.
 *
 * A metric is a sum over blocks of many sizes. If threads share work, for example, there may be
 * more blocks of one size because there are fewer of another, and the sum varies less than either.
 * A few runs cannot show whether that always holds: while all threads are delayed alike, the heap
 * is the same each time, until one of them is delayed alone. So the sum is assumed to scatter at
 * least as much as the blocks of any one size.
 *
 * Only sizes that occur in every run count: a buffer whose length varies slightly has another size
 * each time, and the sum already covers it.
 */
#ifndef DMD_ANALYSE_LIMITS_SIZESCATTER_H
#define DMD_ANALYSE_LIMITS_SIZESCATTER_H

#include "analyse/limits/gate.h"

/* The largest standard deviation among sizes, in bytes of the metric as counted by dmd_gate_figure,
 * over n_runs runs (at least 2), with n_runs - 1 degrees of freedom. 0 if no size occurs in every
 * run, and for misreports. */
double dmd_size_scatter(const dmd_subject_t *runs, size_t n_runs, dmd_what_t what,
                        const char *name);

#endif
