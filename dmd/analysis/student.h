/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * student.h: what to expect of the next value, after a few of the same kind.
 *
 * A few values say little of how far others may lie from them: the fewer there are, the further
 * away is what must still be expected. Student's distribution says how far, for values that
 * scatter as errors do.
 */
#ifndef DMD_ANALYSIS_STUDENT_H
#define DMD_ANALYSIS_STUDENT_H

#include <stddef.h>
#include <stdint.h>

/* The square root of a number that is not negative. */
double dmd_sqrt(double x);

/* The standard error that goes with a variance, as a whole number. */
uint64_t dmd_standard_error(double variance);

/* The probability that a value of Student's distribution is above t, which is not negative; p's
 * inverse: what it is above with the probability p, from above 0 to 1/2. n: degrees of freedom, at
 * least 1. Where n is odd they answer for one degree fewer, and for 1 something larger than what is
 * right: so what is held to be unlikely is. */
double dmd_student_above(uint32_t n, double t);
double dmd_student_bound(uint32_t n, double p);

/* Mean and scatter of values: the square root of their mean squared distance from their mean, of
 * n - 1 degrees of freedom (0 of a single one). There must be one. */
typedef struct dmd_scatter {
  double mean, deviation;
} dmd_scatter_t;

dmd_scatter_t dmd_scatter_of(const int64_t *values, size_t n);

#endif
