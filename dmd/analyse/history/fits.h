/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fits.h: fits of levels and ramps to the builds of a series, and whether chance explains them.
 *
 * A fit covers the builds [since, end): two levels (a split at the first build of the second one),
 * a line, or a level that turns into a ramp or the other way round (a bend). All are judged by the
 * sum of squared distances of the builds from them, their scatter.
 *
 * Builds are often not independent: the load of a machine, or a cache that is kept, makes
 * neighbours alike. Then a few builds deviate together, and a mean of n builds is known less well
 * than n independent ones would tell. So a difference that would be significant for independent
 * builds is judged again with the correlation of neighbours, as in an autoregressive process of
 * first order.
 *
 * Cost: constant for each fit, thanks to prefix sums; a walk over the builds where the correlation
 * of neighbours is needed.
 */
#ifndef DMD_ANALYSE_HISTORY_FITS_H
#define DMD_ANALYSE_HISTORY_FITS_H

#include "analyse/history/changepoints.h"

/* Sums over all builds before one: values minus the first value, which keeps the sums small;
 * squares of these; values times their indexes; variances of their means, as estimated from their
 * runs; numbers of runs. */
typedef struct dmd_fits_sums {
  double value, square, moment, variance, n_runs;
} dmd_fits_sums_t;

typedef struct dmd_fits {
  const dmd_env_t *env;
  const dmd_point_t *points; /* borrowed */
  dmd_fits_sums_t *sums;     /* one more than points */
} dmd_fits_t;

void dmd_fits_init(dmd_fits_t *fits, const dmd_env_t *env, const dmd_point_t *points, uint32_t n);
void dmd_fits_destroy(dmd_fits_t *fits);

double dmd_fits_mean(const dmd_fits_t *fits, uint32_t from, uint32_t end);

/* The sum of squared deviations from the mean; 0 if it is within the rounding error. */
double dmd_fits_scatter(const dmd_fits_t *fits, uint32_t from, uint32_t end);

/* The standard deviation of a build for this scatter of the builds [from, end); 0 for fewer than
 * three. It is not less than the runs of the builds suggest. */
double dmd_fits_deviation(const dmd_fits_t *fits, uint32_t from, uint32_t end, double scatter);

/* Two levels: the builds [since, first) and [first, end). */
typedef struct dmd_split {
  uint32_t since, first, end;
  double scatter;
} dmd_split_t;

dmd_split_t dmd_fits_split(const dmd_fits_t *fits, uint32_t since, uint32_t first, uint32_t end);

/* The split of [since, end) with the least scatter. It needs two builds at least. */
dmd_split_t dmd_fits_best_split(const dmd_fits_t *fits, uint32_t since, uint32_t end);

/* The regression line through builds. */
typedef struct dmd_line {
  double from, to; /* its values at the first and the last build */
  double slope;    /* per build */
  double scatter;
} dmd_line_t;

dmd_line_t dmd_fits_line(const dmd_fits_t *fits, uint32_t from, uint32_t end);

/* Two pieces that meet at build `at`: a level and then a ramp, or a ramp and then a level. */
typedef struct dmd_bend {
  uint32_t at;
  double from, to; /* its values at the first and the last build */
  double scatter;
} dmd_bend_t;

/* The bend with the least scatter whose place is in [first, last]; since <= first, last < end. */
dmd_bend_t dmd_fits_best_bend(const dmd_fits_t *fits, uint32_t since, uint32_t end, uint32_t first,
                              uint32_t last, bool level_first);

/* True if the difference between the levels is significant although it is the best of n_tries:
 * whether builds are independent or as alike as these are. */
bool dmd_fits_is_sure_split(const dmd_fits_t *fits, const dmd_split_t *split, uint32_t n_tries);

/* The same of a slope. bend: the level and the ramp that show how alike builds are; NULL: they are
 * independent. */
bool dmd_fits_is_sure_line(const dmd_fits_t *fits, const dmd_line_t *line, uint32_t from,
                           uint32_t end, const dmd_bend_t *bend, uint32_t n_tries);

/* True if the levels are so close, for their scatter, that no number of independent builds would
 * make the difference significant. */
bool dmd_fits_is_hopeless(const dmd_fits_t *fits, const dmd_split_t *split);

#endif
