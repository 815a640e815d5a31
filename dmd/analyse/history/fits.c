/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/history/fits.h"

#include "analyse/limits/ttest.h"

/* ---- Prefix sums over builds. ---- */

void dmd_fits_init(dmd_fits_t *fits, const dmd_env_t *env, const dmd_point_t *points, uint32_t n) {
  dmd_fits_sums_t *sums = dmd_env_alloc(env, "dmd.steps", ((size_t)n + 1) * sizeof *sums);
  sums[0] = (dmd_fits_sums_t){.n_runs = 0};
  for (uint32_t i = 0; i < n; i++) {
    double value = points[i].value - points[0].value;
    double variance =
        points[i].n_runs > 1 ? points[i].deviation * points[i].deviation / points[i].n_runs : 0;
    sums[i + 1] = (dmd_fits_sums_t){sums[i].value + value, sums[i].square + value * value,
                                    sums[i].moment + value * i, sums[i].variance + variance,
                                    sums[i].n_runs + points[i].n_runs};
  }
  *fits = (dmd_fits_t){env, points, sums};
}

void dmd_fits_destroy(dmd_fits_t *fits) {
  dmd_env_free(fits->env, fits->sums);
}

double dmd_fits_mean(const dmd_fits_t *fits, uint32_t from, uint32_t end) {
  return fits->points[0].value + (fits->sums[end].value - fits->sums[from].value) / (end - from);
}

static double square_of(const dmd_fits_t *fits, uint32_t from, uint32_t end) {
  return fits->sums[end].square - fits->sums[from].square;
}

/* The scatter, or 0 if it is within the rounding error of the squares that it was made of. */
static double rounded(double scatter, double square) {
  const double lost = 1e-11;
  return scatter > square * lost ? scatter : 0;
}

double dmd_fits_scatter(const dmd_fits_t *fits, uint32_t from, uint32_t end) {
  double value = fits->sums[end].value - fits->sums[from].value;
  double square = square_of(fits, from, end);
  return rounded(square - value * value / (end - from), square);
}

/* The variance of a build: the larger of the estimates from the squared deviations and from its
 * runs. */
static double variance_of(const dmd_fits_t *fits, uint32_t from, uint32_t end, double scatter,
                          double n_free) {
  double by_runs = (fits->sums[end].variance - fits->sums[from].variance) / (end - from);
  double variance = scatter / n_free;
  return variance > by_runs ? variance : by_runs;
}

double dmd_fits_deviation(const dmd_fits_t *fits, uint32_t from, uint32_t end, double scatter) {
  return end - from > 2 ? dmd_sqrt(variance_of(fits, from, end, scatter, end - from - 2)) : 0;
}

/* ---- Splits, lines and bends. ---- */

dmd_split_t dmd_fits_split(const dmd_fits_t *fits, uint32_t since, uint32_t first, uint32_t end) {
  return (dmd_split_t){since, first, end,
                       dmd_fits_scatter(fits, since, first) + dmd_fits_scatter(fits, first, end)};
}

dmd_split_t dmd_fits_best_split(const dmd_fits_t *fits, uint32_t since, uint32_t end) {
  dmd_split_t best = dmd_fits_split(fits, since, since + 1, end);
  for (uint32_t first = since + 2; first < end; first++) {
    dmd_split_t split = dmd_fits_split(fits, since, first, end);
    if (split.scatter < best.scatter)
      best = split;
  }
  return best;
}

/* The sum of squared deviations of n indexes from their mean. */
static double spread_of_places(double n) {
  return n * (n * n - 1) / 12;
}

/* The sum of the values times the deviations of their indexes from the indexes' mean. */
static double moment_of(const dmd_fits_t *fits, uint32_t from, uint32_t end) {
  double middle = from + (end - from - 1) / 2.0;
  return fits->sums[end].moment - fits->sums[from].moment -
         middle * (fits->sums[end].value - fits->sums[from].value);
}

dmd_line_t dmd_fits_line(const dmd_fits_t *fits, uint32_t from, uint32_t end) {
  double n = end - from, moment = moment_of(fits, from, end);
  dmd_line_t line = {.slope = n > 1 ? moment / spread_of_places(n) : 0};
  line.scatter =
      rounded(dmd_fits_scatter(fits, from, end) - line.slope * moment, square_of(fits, from, end));
  double mean = dmd_fits_mean(fits, from, end);
  line.from = mean - line.slope * (n - 1) / 2;
  line.to = mean + line.slope * (n - 1) / 2;
  return line;
}

/* Regression on a variable that is 0 along the level and grows by 1 with each build of the ramp; in
 * a ramp that comes first it ends at 0. */
static dmd_bend_t bend_at(const dmd_fits_t *fits, uint32_t since, uint32_t end, uint32_t at,
                          bool level_first) {
  uint32_t from = level_first ? at : since, to = level_first ? end : at + 1;
  double n = end - since, n_ramp = to - from;
  double mean = (level_first ? n_ramp - 1 : 1 - n_ramp) / 2; /* of the variable along the ramp */
  double sum = n_ramp * mean;
  double spread = spread_of_places(n_ramp) + sum * mean - sum * sum / n;
  double on_ramp = fits->sums[to].value - fits->sums[from].value;
  double all = fits->sums[end].value - fits->sums[since].value;
  double moment = moment_of(fits, from, to) + mean * on_ramp - sum / n * all;
  double slope = spread > 0 ? moment / spread : 0;
  double level = dmd_fits_mean(fits, since, end) - slope * sum / n;
  dmd_bend_t bend = {.at = at, .from = level, .to = level};
  *(level_first ? &bend.to : &bend.from) += slope * 2 * mean;
  bend.scatter =
      rounded(dmd_fits_scatter(fits, since, end) - slope * moment, square_of(fits, since, end));
  return bend;
}

dmd_bend_t dmd_fits_best_bend(const dmd_fits_t *fits, uint32_t since, uint32_t end, uint32_t first,
                              uint32_t last, bool level_first) {
  dmd_bend_t best = bend_at(fits, since, end, first, level_first);
  for (uint32_t at = first + 1; at <= last; at++) {
    dmd_bend_t bend = bend_at(fits, since, end, at, level_first);
    if (bend.scatter < best.scatter)
      best = bend;
  }
  return best;
}

/* ---- The correlation of neighbours. ---- */

/* Sums over the distances of builds from a fit: of the products of neighbours, and of squares. */
typedef struct {
  double products, squares;
} distances_t;

/* Adds the distances of the builds [from, end) from a line that begins at `level`. */
static void add_distances(distances_t *d, const dmd_fits_t *fits, uint32_t from, uint32_t end,
                          double level, double slope) {
  double last = 0;
  for (uint32_t i = from; i < end; i++) {
    double distance = fits->points[i].value - level - slope * (i - from);
    d->products += distance * last;
    d->squares += distance * distance;
    last = distance;
  }
}

/* The correlation of neighbours among n builds; 0 if chance explains it, which keeps the power for
 * independent builds. A fit goes through the builds, so their distances from it are less alike than
 * those from the truth: by (1 + 4 r) / n (Marriott and Pope, 1954). */
static double correlation_of(const distances_t *d, double n) {
  const double usual = 1.5, most = 0.95; /* usual: in standard errors, which are 1 / sqrt(n) */
  if (d->squares == 0)
    return 0;
  double found = d->products / d->squares;
  double r = found + (1 + 4 * (found > 0 ? found : 0)) / n;
  return r * dmd_sqrt(n) < usual ? 0 : r < most ? r : most;
}

/* The variance of a mean of n builds, times n, if neighbours correlate by r and a build's variance
 * is 1. */
static double inflation(double r, uint32_t n) {
  double power = 1;
  for (uint32_t i = 0; i < n && power > 1e-9; i++)
    power *= r;
  return (1 + r) / (1 - r) - 2 * r * (1 - power) / (n * (1 - r) * (1 - r));
}

/* The number of independent builds that tell the variance as well, less two. */
static uint32_t free_of(double r, double n) {
  double n_free = n * (1 - r * r) / (1 + r * r) - 2;
  return n_free < 1 ? 1 : (uint32_t)n_free;
}

/* ---- Significance. ---- */

static const double hopeless = 16; /* squared; below this no number of builds is significant */

/* True if a difference with this variance, the best of n_tries, is significant. */
static bool is_sure(double difference, double variance, uint32_t n_free, uint32_t n_tries) {
  double square = difference * difference;
  if (square <= hopeless * variance)
    return false;
  if (variance == 0)
    return true;
  double t = dmd_sqrt(square / variance);
  return 2 * dmd_ttest_above(n_free, t) * n_tries * DMD_CHANGEPOINTS_ODDS < 1;
}

/* What a split says: the difference between the levels, and its variance for independent builds. */
typedef struct {
  double n_before, n_after, before, after, variance, of_difference;
} levels_t;

static levels_t levels_of(const dmd_fits_t *fits, const dmd_split_t *split) {
  levels_t l = {.n_before = split->first - split->since,
                .n_after = split->end - split->first,
                .before = dmd_fits_mean(fits, split->since, split->first),
                .after = dmd_fits_mean(fits, split->first, split->end)};
  double n = l.n_before + l.n_after;
  l.variance = variance_of(fits, split->since, split->end, split->scatter, n > 2 ? n - 2 : 1);
  l.of_difference = l.variance * (1 / l.n_before + 1 / l.n_after);
  return l;
}

bool dmd_fits_is_hopeless(const dmd_fits_t *fits, const dmd_split_t *split) {
  levels_t l = levels_of(fits, split);
  double difference = l.after - l.before;
  return difference * difference <= hopeless * l.of_difference;
}

bool dmd_fits_is_sure_split(const dmd_fits_t *fits, const dmd_split_t *split, uint32_t n_tries) {
  levels_t l = levels_of(fits, split);
  uint32_t n = split->end - split->since;
  if (n < 3 || !is_sure(l.after - l.before, l.of_difference, n - 2, n_tries))
    return false;
  distances_t d = {0, 0};
  add_distances(&d, fits, split->since, split->first, l.before, 0);
  add_distances(&d, fits, split->first, split->end, l.after, 0);
  double r = correlation_of(&d, n);
  if (r == 0)
    return true;
  double before = inflation(r, split->first - split->since);
  double after = inflation(r, split->end - split->first);
  double n_free = n - before - after;
  double variance = l.variance * (n - 2) / (n_free > 1 ? n_free : 1);
  return is_sure(l.after - l.before, variance * (before / l.n_before + after / l.n_after),
                 free_of(r, n), n_tries);
}

bool dmd_fits_is_sure_line(const dmd_fits_t *fits, const dmd_line_t *line, uint32_t from,
                           uint32_t end, const dmd_bend_t *bend, uint32_t n_tries) {
  double n = end - from;
  double variance = variance_of(fits, from, end, line->scatter, n - 2) / spread_of_places(n);
  if (!is_sure(line->slope, variance, end - from - 2, n_tries))
    return false;
  if (bend == NULL)
    return true;
  distances_t d = {0, 0};
  add_distances(&d, fits, from, bend->at, bend->from, 0);
  double n_ramp = end - bend->at;
  add_distances(&d, fits, bend->at, end, bend->from, (bend->to - bend->from) / (n_ramp - 1));
  double r = correlation_of(&d, n);
  if (r == 0)
    return true;
  double more = (1 + r) / (1 - r), n_free = n - more;
  variance *= more * (n - 2) / (n_free > 1 ? n_free : 1);
  return is_sure(line->slope, variance, free_of(r, n), n_tries);
}
