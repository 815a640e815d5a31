/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ttest.h: Student's t-distribution, and statistics for a few values.
 *
 * A few values say little about how far others may be from them: the fewer there are, the wider the
 * margin must be. The t-distribution gives that margin for normally distributed values.
 */
#ifndef DMD_ANALYSE_LIMITS_TTEST_H
#define DMD_ANALYSE_LIMITS_TTEST_H

#include <stddef.h>
#include <stdint.h>

/* The square root of a non-negative number. */
double dmd_sqrt(double x);

/* The standard error for a variance, as a whole number. */
uint64_t dmd_standard_error(double variance);

/* The probability that a t-distributed value exceeds t (t >= 0); and its inverse, the bound
 * exceeded with probability p (0 < p <= 1/2). n: degrees of freedom, at least 1. Conservative: odd
 * n are treated as n - 1, and n = 1 overestimates, so what they call unlikely is unlikely. */
double dmd_ttest_above(uint32_t n, double t);
double dmd_ttest_bound(uint32_t n, double p);

/* Mean and sample standard deviation of at least one value: the square root of the mean squared
 * deviation, with n - 1 degrees of freedom (0 for a single value). */
typedef struct dmd_scatter {
  double mean, deviation;
} dmd_scatter_t;

dmd_scatter_t dmd_scatter_of(const int64_t *values, size_t n);

#endif
