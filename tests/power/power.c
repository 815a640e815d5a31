/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * power: measures how many steps are found and after how many builds, and how many are found where
 * there are no steps. Its series have the noise of real programs. It compares dmd's test
 * (analyse/history/changepoints.h) with that of Perfherder, and prints the tables of
 * perf/README.md.
 * The seeds are fixed.
 *
 * A build's heap is drawn from the heaps that equal runs of a program had (measured.h). Perfherder
 * compares the 12 builds before with the 12 after: Student's t, with means in which near builds
 * weigh more, must be above 7, and no lower than at the neighbouring builds. Both tests ignore the
 * same small changes.
 *
 * Steps of 2% with 1, 3, 5 and 10 runs a build show how often builds should be run. These are also
 * tried with normally distributed noise of 1%, because theory says how often the first build of
 * such a step can be recognised at best.
 *
 * Builds whose neighbours deviate together, drifts and long histories are drawn with noise that is
 * autoregressive of first order, or independent.
 */
#include "analyse/history/changepoints.h"
#include "analyse/limits/ttest.h"
#include "host/process.h"

#include "measured.h"

#include <stdio.h>

enum {
  N_BEFORE = 50,
  N_AFTER = 24,
  N_EQUAL = 100,
  MAX_BUILDS = 100,
  MAX_RUNS = 10,
  N_SERIES = 500,
  BACK = 12
};

static const dmd_changepoints_limits_t limits = {.least = 4096, .least_share = 0.002};

/* Marsaglia's xorshift. */
static uint32_t draw(uint32_t *seed, uint32_t n) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed % n;
}

/* 100,000,000 bytes that scatter by 1%: nearly normal, as the sum of twelve numbers from 0 to
 * 1,000,000 is, whose variance is 1,000,000 squared. */
static int64_t draw_normal(uint32_t *seed) {
  const int64_t mean = 100000000;
  int64_t sum = 0;
  for (int i = 0; i < 12; i++)
    sum += draw(seed, 1000001);
  return mean + sum - 6000000;
}

/* NULL: of no program, but as errors are. */
static int64_t draw_heap(const measured_t *program, uint32_t *seed) {
  return program == NULL ? draw_normal(seed) : program->heap[draw(seed, N_MEASURED)];
}

typedef struct {
  dmd_point_t points[MAX_BUILDS];
  uint32_t n;
} series_t;

/* n builds of so many runs each, which are larger by a share from build `at` on. */
static void make(series_t *s, const measured_t *program, uint32_t n, uint32_t n_runs, uint32_t at,
                 double share, uint32_t *seed) {
  s->n = n;
  for (uint32_t i = 0; i < n; i++) {
    int64_t values[MAX_RUNS];
    for (uint32_t k = 0; k < n_runs; k++)
      values[k] = draw_heap(program, seed);
    dmd_scatter_t scatter = dmd_scatter_of(values, n_runs);
    double more = i >= at ? share * (program == NULL ? 1e8 : (double)program->heap[0]) : 0;
    s->points[i] = (dmd_point_t){scatter.mean + more, n_runs, scatter.deviation};
  }
}

/* ---- Perfherder's test. ---- */

/* The mean of the builds from one on, in a direction; near ones weigh more. Adds the squared
 * distances of all of them from this mean to *squares. */
static double mean_of(const dmd_point_t *from, int direction, double *squares) {
  double sum = 0, weights = 0;
  for (int i = 0; i < BACK; i++) {
    sum += from[i * direction].value * (BACK - i);
    weights += BACK - i;
  }
  double mean = sum / weights;
  for (int i = 0; i < BACK; i++) {
    double distance = from[i * direction].value - mean;
    *squares += distance * distance;
  }
  return mean;
}

/* Student's t between the builds before one and those from it on; *change: by how much the mean
 * grew. */
static double t_at(const series_t *s, uint32_t i, double *change) {
  const double beyond = 1e9;
  if (i < BACK || i > MAX_BUILDS - BACK || i + BACK > s->n)
    return 0;
  double squares = 0;
  double before = mean_of(&s->points[i - 1], -1, &squares);
  double after = mean_of(&s->points[i], 1, &squares);
  *change = after - before;
  double size = *change < 0 ? -*change : *change;
  double error = dmd_sqrt(squares / (BACK - 1) / BACK);
  return size == 0 ? 0 : error == 0 ? beyond : size / error;
}

/* Whether there is a step with this first build. */
static bool is_perfherders(const series_t *s, uint32_t i) {
  const double threshold = 7;
  double change = 0, other = 0, t = t_at(s, i, &change);
  double size = change < 0 ? -change : change;
  return t > threshold && t >= t_at(s, i - 1, &other) && t >= t_at(s, i + 1, &other) &&
         size >= limits.least && size >= limits.least_share * s->points[i - 1].value;
}

/* ---- What is found. ---- */

enum { OURS_ONCE, OURS_THRICE, PERFHERDERS, N_WAYS };

/* After how many builds that have the step it is found; N_AFTER + 1: never. *right: whether its
 * first build is the right one. */
static uint32_t found_after(const series_t *s, int way, bool *right) {
  if (way == PERFHERDERS) {
    for (uint32_t i = N_BEFORE - 2; i <= N_BEFORE + 2; i++)
      if (is_perfherders(s, i)) {
        *right = i == N_BEFORE;
        return i + BACK - N_BEFORE;
      }
    return N_AFTER + 1;
  }
  uint32_t n, after = N_AFTER + 1;
  dmd_changepoint_t *steps = dmd_changepoints_find(&dmdv_env, s->points, s->n, limits, &n);
  for (uint32_t i = 0; i < n && after > N_AFTER; i++)
    if (steps[i].after > steps[i].before && steps[i].found >= N_BEFORE &&
        steps[i].earliest <= N_BEFORE && steps[i].latest >= N_BEFORE) {
      after = steps[i].found + 1 - N_BEFORE;
      *right = steps[i].first == N_BEFORE;
    }
  dmd_env_free(&dmdv_env, steps);
  return after;
}

static uint32_t count_steps(const series_t *s, int way) {
  uint32_t n = 0;
  if (way == PERFHERDERS) {
    for (uint32_t i = BACK; i + BACK <= s->n; i++)
      n += is_perfherders(s, i);
  } else {
    dmd_env_free(&dmdv_env, dmd_changepoints_find(&dmdv_env, s->points, s->n, limits, &n));
  }
  return n;
}

/* ---- Tables. ---- */

static double noise_of(const measured_t *program) {
  dmd_scatter_t scatter = dmd_scatter_of(program->heap, N_MEASURED);
  return 100 * scatter.deviation / scatter.mean;
}

/* The percentage of series whose step is found after so many builds. */
static int percent(const uint32_t *counts, uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i <= n; i++)
    sum += counts[i];
  return (int)(100 * sum / N_SERIES);
}

static void print_steps_of(const measured_t *program, double share) {
  static const uint32_t columns[N_WAYS][4] = {{2, 4, 8, 24}, {1, 2, 4, 8}, {12, 24}};
  uint32_t n_right = 0, n_found = 0;
  printf("| %s, %.2f%% | %.1f%% |", program->name, noise_of(program), share * 100);
  for (int way = 0; way < N_WAYS; way++) {
    uint32_t counts[N_AFTER + 2] = {0}, seed = 1 + (uint32_t)way;
    for (int i = 0; i < N_SERIES; i++) {
      series_t s;
      bool right = false;
      make(&s, program, N_BEFORE + N_AFTER, way == OURS_THRICE ? 3 : 1, N_BEFORE, share, &seed);
      uint32_t after = found_after(&s, way, &right);
      counts[after]++;
      n_found += way == OURS_ONCE && after <= N_AFTER;
      n_right += way == OURS_ONCE && right;
    }
    for (int i = 0; i < 4 && columns[way][i] != 0; i++)
      printf(" %d |", percent(counts, columns[way][i]));
    if (way == OURS_ONCE && n_found > 0)
      printf(" %u |", 100 * n_right / n_found);
    else if (way == OURS_ONCE)
      printf(" |");
  }
  printf("\n");
}

static void print_steps(void) {
  static const double shares[] = {0.005, 0.01, 0.02, 0.05};
  printf("| program, noise | step | 2 builds | 4 | 8 | 24 | first build right | thrice: 1 build | "
         "2 | 4 | 8 |"
         " t-test: 12 builds | 24 |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < N_PROGRAMS; i++)
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
      print_steps_of(&measured[i], shares[k]);
}

static void print_false(void) {
  printf("\n| program | once | three times | t-test |\n|---|---|---|---|\n");
  for (int i = 0; i < N_PROGRAMS; i++) {
    printf("| %s |", measured[i].name);
    for (int way = 0; way < N_WAYS; way++) {
      uint32_t n = 0, seed = 11 + (uint32_t)way;
      for (int k = 0; k < N_SERIES; k++) {
        series_t s;
        make(&s, &measured[i], N_EQUAL, way == OURS_THRICE ? 3 : 1, N_EQUAL, 0, &seed);
        n += count_steps(&s, way);
      }
      printf(" %.3f |", (double)n / N_SERIES);
    }
    printf("\n");
  }
}

/* The probability that a sum of steps, each normal with a mean of `distance` / 2 and a deviation of
 * 1, in units of its own, never falls below 0 (Spitzer's identity): a build beside the first one of
 * a step, `distance` deviations high, never looks the likelier one. Builds lie on both sides. */
static double at_best(double distance) {
  enum { ENOUGH = 50, MANY = 10000 };
  double sum = 0;
  for (int n = 1; n <= ENOUGH; n++)
    sum += dmd_ttest_above(MANY, distance / 2 * dmd_sqrt(n)) / n;
  double e = 1;
  for (int n = 20; n > 0; n--)
    e = 1 - 2 * sum / n * e;
  return e;
}

static void print_runs_of(const measured_t *program, uint32_t n_runs) {
  static const uint32_t columns[] = {1, 2, 4, 8, 24};
  const double share = 0.02, noise = 0.01;
  uint32_t n_right = 0, n_found = 0, counts[N_AFTER + 2] = {0}, seed = 5 + n_runs;
  for (int i = 0; i < N_SERIES; i++) {
    series_t s;
    bool right = false;
    make(&s, program, N_BEFORE + N_AFTER, n_runs, N_BEFORE, share, &seed);
    uint32_t after = found_after(&s, OURS_ONCE, &right);
    counts[after]++;
    n_found += after <= N_AFTER;
    n_right += right;
  }
  if (program == NULL)
    printf("| as errors do, 1.00%% | %u |", n_runs);
  else
    printf("| %s, %.2f%% | %u |", program->name, noise_of(program), n_runs);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    printf(" %d |", percent(counts, columns[i]));
  printf(" %u |", n_found > 0 ? 100 * n_right / n_found : 0);
  if (program == NULL)
    printf(" %.0f |\n", 100 * at_best(share / noise * dmd_sqrt(n_runs)));
  else
    printf(" |\n");
}

/* Leaves out programs whose noise is far below 1%. */
static void print_runs(void) {
  static const uint32_t runs[] = {1, 3, 5, MAX_RUNS};
  const double near = 0.5;
  printf("\n| noise | runs a build | 1 build | 2 | 4 | 8 | 24 | first build right | at best |\n"
         "|---|---|---|---|---|---|---|---|---|\n");
  for (int i = -1; i < N_PROGRAMS; i++)
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
      if (i < 0 || noise_of(&measured[i]) > near)
        print_runs_of(i < 0 ? NULL : &measured[i], runs[k]);
}

/* ---- Builds whose neighbours are alike, drifts, and long histories. ---- */

enum { N_ALIKE = 60, N_LONG = 10000, N_LONG_SERIES = 100 };

/* Builds of 100,000,000 bytes that scatter by `noise`; each one's noise is that of the one before
 * times r, and new noise. rest: the root of 1 - r * r. */
static void make_alike(dmd_point_t *points, uint32_t n, double r, double noise, uint32_t *seed) {
  const double level = 1e8, rest = dmd_sqrt(1 - r * r), unit = 1e6; /* of draw_normal */
  double deviation = ((double)draw_normal(seed) - level) / unit;
  for (uint32_t i = 0; i < n; i++) {
    points[i] = (dmd_point_t){level * (1 + noise * deviation), 1, 0};
    deviation = r * deviation + rest * ((double)draw_normal(seed) - level) / unit;
  }
}

static uint32_t count_changes(const dmd_point_t *points, uint32_t n) {
  uint32_t n_steps;
  dmd_env_free(&dmdv_env, dmd_changepoints_find(&dmdv_env, points, n, limits, &n_steps));
  return n_steps;
}

/* Whether the history raises an alarm after any of its builds. */
static bool raises_any(const series_t *s) {
  bool any = false;
  for (uint32_t n = 1; n <= s->n && !any; n++)
    any = count_changes(s->points, n) > 0;
  return any;
}

static void print_alike_by(double r) {
  uint32_t n_false = 0, n_perfherders = 0, n_found = 0, n_after = 0, seed = 7;
  for (int i = 0; i < N_SERIES; i++) {
    series_t s = {.n = N_ALIKE};
    bool right;
    make_alike(s.points, s.n, r, 0.005, &seed);
    n_false += raises_any(&s);
    n_perfherders += count_steps(&s, PERFHERDERS) > 0;
    s.n = N_BEFORE + N_AFTER;
    make_alike(s.points, s.n, r, 0.005, &seed);
    for (uint32_t k = N_BEFORE; k < s.n; k++)
      s.points[k].value += 0.02 * 1e8;
    uint32_t after = found_after(&s, OURS_ONCE, &right);
    n_found += after <= N_AFTER;
    n_after += after <= N_AFTER ? after : 0;
  }
  printf("| %.1f | %.1f | %.1f | %u | %.1f |\n", r, 100.0 * n_false / N_SERIES,
         100.0 * n_perfherders / N_SERIES, 100 * n_found / N_SERIES,
         n_found > 0 ? (double)n_after / n_found : 0);
}

static void print_alike(void) {
  static const double correlations[] = {0, 0.3, 0.6, 0.8};
  printf("\n| correlation | false alarms | of the t-test | steps found | after builds |\n"
         "|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof correlations / sizeof *correlations; i++)
    print_alike_by(correlations[i]);
}

static void print_drift_of(double noise) {
  uint32_t n_alarms = 0, n_single = 0, n_long = 0, seed = 9;
  static dmd_point_t points[N_LONG];
  for (int i = 0; i < N_SERIES; i++) {
    make_alike(points, N_BEFORE + N_ALIKE, 0, noise, &seed);
    for (uint32_t k = N_BEFORE; k < N_BEFORE + N_ALIKE; k++)
      points[k].value += 0.002 * 1e8 * (k - N_BEFORE);
    uint32_t n = count_changes(points, N_BEFORE + N_ALIKE);
    n_alarms += n;
    n_single += n == 1;
  }
  for (int i = 0; i < N_LONG_SERIES; i++) {
    make_alike(points, N_LONG, 0, noise, &seed);
    n_long += count_changes(points, N_LONG);
  }
  printf("| %.1f%% | %.2f | %u | %u |\n", noise * 100, (double)n_alarms / N_SERIES,
         100 * n_single / N_SERIES, n_long);
}

static void print_drifts(void) {
  static const double noises[] = {0.001, 0.003, 0.005};
  printf("\n| noise | alarms of a drift | exactly one, %% | steps in 100 equal series of 10,000 |\n"
         "|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
    print_drift_of(noises[i]);
}

int main(void) {
  print_steps();
  print_runs();
  print_false();
  print_alike();
  print_drifts();
  return 0;
}
