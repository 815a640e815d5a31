/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/steps.h"

#include "analysis/student.h"
#include "base/mem.h"
#include "base/pool.h"

/* ---- Sums over builds. ---- */

/* Of the builds before one: their values, less the first's, which keeps the sums small; the values'
 * squares; the values by their places; the variances of their means that their runs tell; the runs.
 */
typedef struct {
  double value, square, moment, variance, n_runs;
} sums_t;

typedef struct {
  const dmd_env_t *env;
  const dmd_point_t *points;
  uint32_t n;
  dmd_steps_limits_t limits;
  const sums_t *sums; /* n + 1 of them */
  dmd_pool_t found;   /* dmd_step_t */
} search_t;

static sums_t *sum_up(const dmd_env_t *env, const dmd_point_t *points, uint32_t n) {
  sums_t *sums = dmd_env_alloc(env, "dmd.steps", ((size_t)n + 1) * sizeof *sums);
  sums[0] = (sums_t){.n_runs = 0};
  for (uint32_t i = 0; i < n; i++) {
    double value = points[i].value - points[0].value;
    double variance =
        points[i].n_runs > 1 ? points[i].deviation * points[i].deviation / points[i].n_runs : 0;
    sums[i + 1] =
        (sums_t){sums[i].value + value, sums[i].square + value * value, sums[i].moment + value * i,
                 sums[i].variance + variance, sums[i].n_runs + points[i].n_runs};
  }
  return sums;
}

static double mean_of(const search_t *s, uint32_t from, uint32_t end) {
  return s->points[0].value + (s->sums[end].value - s->sums[from].value) / (end - from);
}

/* The squared distances of builds from their mean; 0 where it is not more than what is lost by
 * rounding. */
static double scatter_of(const search_t *s, uint32_t from, uint32_t end) {
  const double lost = 1e-11;
  double value = s->sums[end].value - s->sums[from].value;
  double square = s->sums[end].square - s->sums[from].square;
  double scatter = square - value * value / (end - from);
  return scatter > square * lost ? scatter : 0;
}

/* The variance of a build, by its squared distances from what it should be, and by its runs. */
static double variance_of(const search_t *s, uint32_t from, uint32_t end, double scatter,
                          uint32_t n_free) {
  double by_runs = (s->sums[end].variance - s->sums[from].variance) / (end - from);
  double variance = scatter / n_free;
  return variance > by_runs ? variance : by_runs;
}

static double magnitude(double x) {
  return x < 0 ? -x : x;
}

/* Whether anybody wants to know of it. */
static bool is_large(const search_t *s, double before, double after) {
  double least = magnitude(before) * s->limits.least_share;
  if (least < s->limits.least)
    least = s->limits.least;
  return before != after && magnitude(after - before) >= least;
}

/* Whether a difference of such a variance, the best of n_tries, is no work of chance. */
static bool is_sure(double difference, double variance, uint32_t n_free, uint32_t n_tries) {
  const double hopeless = 16; /* squared: below that no number of builds makes it sure */
  double square = difference * difference;
  if (square <= hopeless * variance)
    return false;
  if (variance == 0)
    return true;
  double t = dmd_sqrt(square / variance);
  return 2 * dmd_student_above(n_free, t) * n_tries * DMD_STEPS_ODDS < 1;
}

/* ---- Steps. ---- */

/* Two levels: the builds from `since` on, those from `first` on up to before `end`. */
typedef struct {
  uint32_t since, first, end;
  double scatter;
} split_t;

static split_t split_at(const search_t *s, uint32_t since, uint32_t first, uint32_t end) {
  return (split_t){since, first, end, scatter_of(s, since, first) + scatter_of(s, first, end)};
}

/* Whether there are DMD_STEPS_RARE ways or more to choose so many of all. */
static bool is_rare(double n_chosen, double n_all) {
  double n_ways = 1;
  for (double i = 1; i <= n_chosen && i <= n_all - n_chosen && n_ways < DMD_STEPS_RARE; i++)
    n_ways *= (n_all - i + 1) / i;
  return n_ways >= DMD_STEPS_RARE;
}

static bool has_enough_runs(const search_t *s, const split_t *split) {
  const sums_t *sums = s->sums;
  return is_rare(sums[split->end].n_runs - sums[split->first].n_runs,
                 sums[split->end].n_runs - sums[split->since].n_runs);
}

/* The best way to part the builds up to before end; first is end where there is none. */
static split_t best_split(const search_t *s, uint32_t since, uint32_t end, uint32_t *n_tries) {
  split_t best = {since, end, end, 0};
  *n_tries = 0;
  for (uint32_t n_after = 1; n_after <= DMD_STEPS_WINDOW && n_after + 1 < end - since; n_after++) {
    split_t split = split_at(s, since, end - n_after, end);
    if (!has_enough_runs(s, &split))
      continue;
    ++*n_tries;
    if (best.first == end || split.scatter < best.scatter)
      best = split;
  }
  return best;
}

/* Whether three of four builds after are nearer to what is after. */
static bool are_near(const search_t *s, const split_t *split, double before, double after) {
  uint32_t n_near = 0;
  for (uint32_t i = split->first; i < split->end; i++) {
    double value = s->points[i].value;
    n_near += magnitude(value - after) < magnitude(value - before);
  }
  return n_near * 4 >= (split->end - split->first) * 3;
}

static bool is_step(const search_t *s, const split_t *split, uint32_t n_tries) {
  if (split->first == split->end)
    return false;
  double before = mean_of(s, split->since, split->first);
  double after = mean_of(s, split->first, split->end);
  uint32_t n_before = split->first - split->since, n_after = split->end - split->first;
  uint32_t n_free = n_before + n_after - 2;
  double variance = variance_of(s, split->since, split->end, split->scatter, n_free);
  double of_both = variance * (1.0 / n_before + 1.0 / n_after);
  return is_large(s, before, after) && is_sure(after - before, of_both, n_free, n_tries) &&
         are_near(s, split, before, after);
}

/* ---- Slow changes. ---- */

/* The straight line through builds. */
typedef struct {
  double from, to;         /* its values at the first and at the last of them */
  double scatter;          /* the builds' squared distances from it */
  double slope, of_places; /* its rise per build, and the squared distances of places from theirs */
} line_t;

static line_t line_through(const search_t *s, uint32_t from, uint32_t end) {
  double n = end - from, middle = from + (n - 1) / 2;
  double value = s->sums[end].value - s->sums[from].value;
  double moment = s->sums[end].moment - s->sums[from].moment - middle * value;
  line_t line = {.of_places = n * (n * n - 1) / 12};
  line.slope = moment / line.of_places;
  line.scatter = scatter_of(s, from, end) - line.slope * moment;
  if (line.scatter < 0)
    line.scatter = 0;
  double mean = mean_of(s, from, end);
  line.from = mean - line.slope * (n - 1) / 2;
  line.to = mean + line.slope * (n - 1) / 2;
  return line;
}

/* Whether there are two levels that are nearer to the builds, a step too small to tell of, say. */
static bool is_better_split(const search_t *s, const line_t *line, uint32_t from, uint32_t end) {
  for (uint32_t first = from + 1; first < end; first++)
    if (split_at(s, from, first, end).scatter <= line->scatter)
      return true;
  return false;
}

static bool is_slope(const search_t *s, const line_t *line, uint32_t from, uint32_t end) {
  if (end - from < DMD_STEPS_TREND || !is_large(s, line->from, line->to))
    return false;
  uint32_t n_free = end - from - 2;
  double variance = variance_of(s, from, end, line->scatter, n_free);
  return is_sure(line->slope, variance / line->of_places, n_free, DMD_STEPS_WINDOW) &&
         !is_better_split(s, line, from, end);
}

/* ---- Builds in order. ---- */

static dmd_step_t *add_step(search_t *s) {
  uint32_t id = dmd_pool_add(&s->found);
  return DMD_POOL_AT(&s->found, dmd_step_t, id);
}

static double deviation_of(const search_t *s, uint32_t from, uint32_t end, double scatter) {
  return end - from > 2 ? dmd_sqrt(variance_of(s, from, end, scatter, end - from - 2)) : 0;
}

/* The build before end may be the one with which something is found. Returns where the level begins
 * that the next build is compared with. */
static uint32_t look_at(search_t *s, uint32_t since, uint32_t end) {
  uint32_t n_tries;
  split_t split = best_split(s, since, end, &n_tries);
  line_t line = line_through(s, since, end);
  bool step = is_step(s, &split, n_tries), slope = is_slope(s, &line, since, end);
  if (slope) {
    *add_step(s) = (dmd_step_t){.first = end - 1,
                                .earliest = since + 1,
                                .latest = end - 1,
                                .since = since,
                                .found = end - 1,
                                .before = line.from,
                                .after = line.to,
                                .deviation = deviation_of(s, since, end, line.scatter),
                                .is_slow = true};
    return end - 1;
  }
  if (!step)
    return since;
  *add_step(s) = (dmd_step_t){.first = split.first, .since = since, .found = end - 1};
  return split.first;
}

/* ---- Where a step is. ---- */

/* With the builds of both levels, up to before end, that are known by now. */
static void locate(const search_t *s, dmd_step_t *step, uint32_t end) {
  /* Twice the logarithm of 100: a place that is so much worse has a hundredth of the likelihood. */
  const double worse = 9.21;
  split_t best = split_at(s, step->since, step->first, end);
  for (uint32_t first = step->since + 1; first < end; first++) {
    split_t split = split_at(s, step->since, first, end);
    if (split.scatter < best.scatter)
      best = split;
  }
  step->first = step->earliest = step->latest = best.first;
  step->before = mean_of(s, step->since, best.first);
  step->after = mean_of(s, best.first, end);
  step->deviation = deviation_of(s, step->since, end, best.scatter);
  double variance = step->deviation * step->deviation;
  for (uint32_t first = step->since + 1; first < end; first++)
    if (split_at(s, step->since, first, end).scatter - best.scatter < worse * variance) {
      if (first < step->earliest)
        step->earliest = first;
      if (first > step->latest)
        step->latest = first;
    }
}

/* A level ends where the next step begins, and begins where the one before was found to. */
static void locate_all(const search_t *s) {
  for (uint32_t id = 1; id <= s->found.last; id++) {
    dmd_step_t *step = DMD_POOL_AT(&s->found, dmd_step_t, id);
    dmd_step_t *next = id < s->found.last ? DMD_POOL_AT(&s->found, dmd_step_t, id + 1) : NULL;
    uint32_t end = next == NULL ? s->n : next->is_slow ? next->since + 1 : next->first;
    if (step->is_slow)
      continue;
    locate(s, step, end > step->found ? end : step->found + 1);
    if (next != NULL && !next->is_slow && next->first > step->first)
      next->since = step->first;
  }
}

dmd_step_t *dmd_steps_find(const dmd_env_t *env, const dmd_point_t *points, uint32_t n_points,
                           dmd_steps_limits_t limits, uint32_t *n) {
  search_t s = {.env = env, .points = points, .n = n_points, .limits = limits};
  sums_t *sums = sum_up(env, points, n_points);
  s.sums = sums;
  dmd_pool_init(&s.found, env, "dmd.steps", sizeof(dmd_step_t));
  uint32_t since = 0;
  for (uint32_t end = 2; end <= n_points; end++)
    since = look_at(&s, since, end);
  locate_all(&s);
  *n = s.found.last;
  dmd_step_t *steps = NULL;
  if (*n > 0) {
    steps = dmd_env_alloc(env, "dmd.steps", *n * sizeof *steps);
    for (uint32_t i = 0; i < *n; i++)
      steps[i] = *DMD_POOL_AT(&s.found, dmd_step_t, i + 1);
  }
  dmd_pool_destroy(&s.found);
  dmd_env_free(env, sums);
  return steps;
}
