/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/limits/calibration.h"

#include "analyse/limits/ttest.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/str.h"

/* ---- Scatter of single sizes. ---- */

/* One size: its bytes in each run minus those in the first, so that equal values have no rounding
 * error. */
typedef struct {
  int64_t first, now; /* bytes in the first run, and in this one */
  int64_t num;        /* blocks in this run */
  size_t n_runs;      /* number of runs with such blocks */
  double sum, squares;
} of_size_t;

typedef struct {
  dmd_intern_t sizes; /* usable sizes in bytes */
  dmd_pool_t figures; /* of_size_t, by id of the size */
} scatter_t;

static of_size_t *at(const scatter_t *s, uint32_t id) {
  return DMD_POOL_AT(&s->figures, of_size_t, id);
}

static void add_groups(scatter_t *s, const dmd_selector_t *selector) {
  const dmd_profile_t *profile = selector->subject->profile;
  for (uint32_t i = 1; i <= dmd_groups_count(&profile->groups); i++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, i);
    if (!dmd_gate_counts(selector, g))
      continue;
    uint64_t usable = g->req + g->slop;
    uint32_t id = dmd_intern_bytes(&s->sizes, &usable, sizeof usable);
    dmd_pool_reach(&s->figures, id);
    at(s, id)->num += dmd_group_blocks(profile, g);
    at(s, id)->now += dmd_group_bytes(profile, g, dmd_gate_counted_szB(selector, g));
  }
}

static void end_run(scatter_t *s, bool is_first) {
  for (uint32_t id = 1; id <= s->figures.last; id++) {
    of_size_t *size = at(s, id);
    if (is_first)
      size->first = size->now;
    double more = (double)size->now - (double)size->first;
    size->sum += more;
    size->squares += more * more;
    size->n_runs += size->num > 0;
    size->now = size->num = 0;
  }
}

static double largest(const scatter_t *s, size_t n_runs) {
  double most = 0, n = (double)n_runs;
  for (uint32_t id = 1; id <= s->figures.last; id++) {
    const of_size_t *size = at(s, id);
    double variance = (size->squares - size->sum * size->sum / n) / (n - 1);
    if (size->n_runs == n_runs && variance > most)
      most = variance;
  }
  return dmd_sqrt(most);
}

double dmd_size_scatter(const dmd_subject_t *runs, size_t n_runs, dmd_what_t what,
                        const char *name) {
  const dmd_env_t *env = runs[0].profile->env;
  scatter_t s;
  dmd_intern_init(&s.sizes, env, "dmd.calibration");
  dmd_pool_init(&s.figures, env, "dmd.calibration", sizeof(of_size_t));
  for (size_t i = 0; i < n_runs; i++) {
    dmd_selector_t selector;
    dmd_selector_init(&selector, dmd_gate_subject(&runs[i], what), what, name);
    add_groups(&s, &selector);
    dmd_selector_destroy(&selector);
    end_run(&s, i == 0);
  }
  double most = largest(&s, n_runs);
  dmd_pool_destroy(&s.figures);
  dmd_intern_destroy(&s.sizes);
  return most;
}

/* ---- Calibration. ---- */

/* ---- Metrics. ---- */

/* Ids count from 1. */
static int compare_values(const void *ctx, uint32_t a, uint32_t b) {
  const int64_t *values = ctx;
  int64_t x = values[a - 1], y = values[b - 1];
  return (x > y) - (x < y);
}

/* Rounds up, limited to INT64_MAX. */
static int64_t rounded_up(double number) {
  const double most = 9e18;
  return number < most ? (int64_t)number + ((double)(int64_t)number < number) : INT64_MAX;
}

/* risk: the probability that a further run exceeds one of these bounds. The next value scatters
 * around the mean, which is itself only known from n values; the difference of two values scatters
 * as both do, and is at least that from the lowest value seen. */
static void expect(dmd_noise_t *noise, size_t n, double risk) {
  double bound = dmd_ttest_bound((uint32_t)(n - 1), risk) * noise->scatter.deviation;
  noise->expected = rounded_up(noise->scatter.mean + bound * dmd_sqrt(1 + 1 / (double)n));
  noise->growth = rounded_up(bound * dmd_sqrt(2));
  if (noise->expected < noise->most)
    noise->expected = noise->most;
  if (noise->growth < noise->expected - noise->least)
    noise->growth = noise->expected - noise->least;
}

static dmd_noise_t noise_of(const dmd_env_t *env, const int64_t *values, size_t n) {
  uint32_t *order = dmd_sorted_ids(env, (uint32_t)n, compare_values, values);
  int64_t low = values[order[(n - 1) / 2] - 1], high = values[order[n / 2] - 1];
  dmd_noise_t noise = {.least = values[order[0] - 1],
                       .median = low + (high - low) / 2,
                       .most = values[order[n - 1] - 1],
                       .scatter = dmd_scatter_of(values, n)};
  dmd_env_free(env, order);
  return noise;
}

static bool differs(const dmd_noise_t *noise) {
  return noise->least < noise->most;
}

/* Measures the bytes of one metric and, if requested, its number of blocks. */
static void measure(const dmd_calibration_t *c, const dmd_subject_t *runs, dmd_what_t what,
                    const char *name, dmd_noise_t *bytes, dmd_noise_t *blocks) {
  int64_t *values = dmd_env_alloc(c->env, "dmd.calibration", 2 * c->n_runs * sizeof *values);
  int64_t *nums = values + c->n_runs;
  for (size_t i = 0; i < c->n_runs; i++) {
    dmd_blocksum_t figure = dmd_gate_figure(&runs[i], what, name);
    values[i] = figure.bytes;
    nums[i] = figure.blocks;
  }
  *bytes = noise_of(c->env, values, c->n_runs);
  if (blocks != NULL)
    *blocks = noise_of(c->env, nums, c->n_runs);
  dmd_env_free(c->env, values);
  double of_size = differs(bytes) ? dmd_size_scatter(runs, c->n_runs, what, name) : 0;
  if (bytes->scatter.deviation < of_size)
    bytes->scatter.deviation = of_size;
}

/* ---- Names. ---- */

static void collect_names(dmd_intern_t *names, const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_reports_count(&profile->reports); id++)
    for (int i = 0; i < DMD_REPORTS_KEPT; i++) {
      uint32_t reporter = dmd_reports_at(&profile->reports, id)->report[i].reporter;
      if (reporter != DMD_NONE)
        dmd_intern_str(names, dmd_intern_get_str(&profile->names, reporter));
    }
  for (uint32_t id = 1; id <= dmd_intern_count(&profile->tags); id++)
    dmd_intern_str(names, dmd_intern_get_str(&profile->tags, id));
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b) {
  return dmd_str_compare(dmd_intern_get_str(ctx, a), dmd_intern_get_str(ctx, b));
}

/* ---- Limits. ---- */

/* A value that is equal in all runs is its own limit and takes no share of the risk. Growth in
 * total and growth of unreported blocks are separate limits. */
static uint32_t count_limits(const dmd_calibration_t *c) {
  uint32_t n = differs(&c->bytes[DMD_TOTAL]);
  if (c->knows_reports)
    n += 2 * (uint32_t)differs(&c->bytes[DMD_UNREPORTED]) + differs(&c->bytes[DMD_TWICE]);
  if (c->knows_misreports)
    n += differs(&c->bytes[DMD_MISREPORTS]);
  for (uint32_t i = 0; i < c->n_names; i++)
    n += dmd_calibration_is_in_first(c, i) && differs(&c->named[i]);
  return n > 0 ? n : 1;
}

/* Each limit gets an equal share of the risk. */
static void expect_all(dmd_calibration_t *c) {
  double risk = 1.0 / DMD_CALIBRATION_RUNS / count_limits(c);
  for (dmd_what_t what = DMD_TOTAL; what < DMD_NAMED; what++) {
    expect(&c->bytes[what], c->n_runs, risk);
    expect(&c->blocks[what], c->n_runs, risk);
  }
  for (uint32_t i = 0; i < c->n_names; i++)
    expect(&c->named[i], c->n_runs, risk);
  c->growth = c->bytes[DMD_TOTAL].growth;
  if (c->knows_reports && c->bytes[DMD_UNREPORTED].growth > c->growth)
    c->growth = c->bytes[DMD_UNREPORTED].growth;
}

/* ---- Set-up. ---- */

void dmd_calibration_init(dmd_calibration_t *c, const dmd_subject_t *runs, size_t n_runs) {
  const dmd_env_t *env = runs[0].profile->env;
  *c = (dmd_calibration_t){.env = env, .n_runs = n_runs, .knows_misreports = true};
  c->knows_reports = runs[0].profile->mode == DMD_MODE_DARK_MATTER;
  dmd_intern_init(&c->names, env, "dmd.calibration");
  for (size_t i = 0; i < n_runs; i++) {
    c->knows_misreports &= runs[i].profile->run.is_known;
    collect_names(&c->names, runs[i].profile);
    if (i == 0)
      c->n_in_first = dmd_intern_count(&c->names);
  }
  c->n_names = dmd_intern_count(&c->names);
  for (dmd_what_t what = DMD_TOTAL; what < DMD_NAMED; what++)
    measure(c, runs, what, NULL, &c->bytes[what], &c->blocks[what]);
  c->order = dmd_sorted_ids(env, c->n_names, compare_names, &c->names);
  c->named = dmd_env_alloc(env, "dmd.calibration", ((size_t)c->n_names + 1) * sizeof *c->named);
  for (uint32_t i = 0; i < c->n_names; i++)
    measure(c, runs, DMD_NAMED, dmd_calibration_name(c, i), &c->named[i], NULL);
  expect_all(c);
}

void dmd_calibration_destroy(dmd_calibration_t *c) {
  dmd_env_free(c->env, c->named);
  dmd_env_free(c->env, c->order);
  dmd_intern_destroy(&c->names);
}
