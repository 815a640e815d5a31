/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/history/changepoints.h"

#include "analyse/history/fits.h"
#include "base/str.h"

/* ---- Change points. ---- */

/* At each build the last 1, 2, 3 ... builds are compared with the rest of the level by Student's
 * t-test with a pooled variance. The significance level is so low that chance findings are rare
 * over all builds and series of a project. If both a step and a slow change are possible, the one
 * that fits the builds better is reported.
 *
 * Programs are less well-behaved than measurement errors: some switch between two levels by chance,
 * some have outliers. So most builds after a step must be closer to its level than to the previous
 * one, and the number of ways to choose the runs on the new side must be large
 * (DMD_CHANGEPOINTS_RARE): two runs suffice after 43, three after 20, four after 10.
 *
 * Builds after an alarm may show that it was due to chance: then the step is withdrawn, and its two
 * levels are one again.
 *
 * A level that rises with each build is found again and again. So if a change continues the one
 * before it in the same direction, and one ramp fits the builds as well as both, they become one
 * slow change.
 *
 * E-divisive, which others use, judges by permutations of the builds: the last of n builds is the
 * largest in one of n permutations however large it is, so a step only becomes significant after
 * many builds. */

typedef struct {
  dmd_fits_t fits;
  const dmd_point_t *points;
  uint32_t n;
  dmd_changepoints_limits_t limits;
  dmd_changepoint_t *found; /* room for one at each build */
  uint32_t n_found;
} search_t;

static double magnitude(double x) {
  return x < 0 ? -x : x;
}

/* True if the change exceeds the limits. */
static bool is_large(const search_t *s, double before, double after) {
  double least = magnitude(before) * s->limits.least_share;
  if (least < s->limits.least)
    least = s->limits.least;
  return before != after && magnitude(after - before) >= least;
}

/* ---- Steps. ---- */

/* True if there are at least DMD_CHANGEPOINTS_RARE ways to choose n_chosen of n_all. */
static bool is_rare(double n_chosen, double n_all) {
  double n_ways = 1;
  for (double i = 1; i <= n_chosen && i <= n_all - n_chosen && n_ways < DMD_CHANGEPOINTS_RARE; i++)
    n_ways *= (n_all - i + 1) / i;
  return n_ways >= DMD_CHANGEPOINTS_RARE;
}

static bool has_enough_runs(const search_t *s, const dmd_split_t *split) {
  const dmd_fits_sums_t *sums = s->fits.sums;
  return is_rare(sums[split->end].n_runs - sums[split->first].n_runs,
                 sums[split->end].n_runs - sums[split->since].n_runs);
}

/* The best split of the builds up to end; first is end if no split qualifies. */
static dmd_split_t best_split(const search_t *s, uint32_t since, uint32_t end, uint32_t *n_tries) {
  dmd_split_t best = {since, end, end, 0};
  *n_tries = 0;
  for (uint32_t n_after = 1; n_after <= DMD_CHANGEPOINTS_WINDOW && n_after + 1 < end - since;
       n_after++) {
    dmd_split_t split = dmd_fits_split(&s->fits, since, end - n_after, end);
    if (!has_enough_runs(s, &split))
      continue;
    ++*n_tries;
    if (best.first == end || split.scatter < best.scatter)
      best = split;
  }
  return best;
}

/* True if three in four builds after the split are closer to the new level. */
static bool are_near(const search_t *s, const dmd_split_t *split, double before, double after) {
  uint32_t n_near = 0;
  for (uint32_t i = split->first; i < split->end; i++) {
    double value = s->points[i].value;
    n_near += magnitude(value - after) < magnitude(value - before);
  }
  return n_near * 4 >= (split->end - split->first) * 3;
}

static bool is_step(const search_t *s, const dmd_split_t *split, uint32_t n_tries) {
  if (split->first == split->end)
    return false;
  double before = dmd_fits_mean(&s->fits, split->since, split->first);
  double after = dmd_fits_mean(&s->fits, split->first, split->end);
  return is_large(s, before, after) && dmd_fits_is_sure_split(&s->fits, split, n_tries) &&
         are_near(s, split, before, after);
}

/* ---- Slow changes. ---- */

/* True if two levels fit the builds better than the bend, such as a change point that is too small
 * to report. */
static bool is_better_split(const search_t *s, const dmd_bend_t *bend, uint32_t from,
                            uint32_t end) {
  for (uint32_t first = from + 1; first < end; first++)
    if (dmd_fits_split(&s->fits, from, first, end).scatter <= bend->scatter)
      return true;
  return false;
}

/* Looks for a level that turns into a ramp of DMD_CHANGEPOINTS_TREND builds at least. The slope of
 * all builds decides whether there is one, since that needs no search. */
static bool is_slope(const search_t *s, uint32_t from, uint32_t end, dmd_bend_t *bend) {
  if (end - from < DMD_CHANGEPOINTS_TREND)
    return false;
  dmd_line_t line = dmd_fits_line(&s->fits, from, end);
  const uint32_t n_tries = DMD_CHANGEPOINTS_WINDOW;
  if (!is_large(s, line.from, line.to) ||
      !dmd_fits_is_sure_line(&s->fits, &line, from, end, NULL, n_tries))
    return false;
  *bend = dmd_fits_best_bend(&s->fits, from, end, from, end - DMD_CHANGEPOINTS_TREND, true);
  return is_large(s, bend->from, bend->to) &&
         dmd_fits_is_sure_line(&s->fits, &line, from, end, bend, n_tries) &&
         !is_better_split(s, bend, from, end);
}

/* A slow change from build `since` to build `first`, in a fit with this scatter that ends before
 * `end`. */
static dmd_changepoint_t make_slow(const search_t *s, uint32_t since, uint32_t first, uint32_t end,
                                   double before, double after, double scatter) {
  return (dmd_changepoint_t){.first = first,
                             .earliest = since + 1,
                             .latest = first,
                             .since = since,
                             .found = end - 1,
                             .before = before,
                             .after = after,
                             .deviation = dmd_fits_deviation(&s->fits, since, end, scatter),
                             .is_slow = true};
}

/* ---- Changes that go on. ---- */

/* True if a bend explains n builds about as well as two changes do: they gain less than chance and
 * the choice of their places may, which is three standard errors, or 9 times a build's variance. */
static bool is_no_worse(double bend, double two_changes, uint32_t n) {
  return bend <= two_changes * (1 + 9.0 / n);
}

/* Joins a change to the step before it, as a level and then a ramp. */
static bool join_step(search_t *s, dmd_changepoint_t *last, uint32_t end, double scatter) {
  dmd_bend_t bend = dmd_fits_best_bend(&s->fits, last->since, end, last->since, last->first, true);
  scatter += dmd_fits_scatter(&s->fits, last->since, last->first);
  if (!is_no_worse(bend.scatter, scatter, end - last->since))
    return false;
  *last = make_slow(s, bend.at, end - 1, end, bend.from, bend.to, bend.scatter);
  return true;
}

/* Joins a step to the slow change before it, as the rest of a ramp and then a level. */
static bool join_rest(search_t *s, dmd_changepoint_t *last, uint32_t end, double scatter) {
  dmd_bend_t bend = dmd_fits_best_bend(&s->fits, last->since, end, last->first, end - 1, false);
  scatter += dmd_fits_line(&s->fits, last->since, last->first).scatter;
  if (!is_no_worse(bend.scatter, scatter, end - last->since))
    return false;
  *last = make_slow(s, last->since, bend.at, end, last->before, bend.to, bend.scatter);
  return true;
}

static bool join_slow(search_t *s, dmd_changepoint_t *last, const dmd_changepoint_t *change,
                      uint32_t end) {
  dmd_line_t line = dmd_fits_line(&s->fits, last->since, end);
  *last = make_slow(s, last->since, end - 1, end, last->before, change->after, line.scatter);
  return true;
}

/* Adds a change of the builds [since, end), whose fit has this scatter, or joins it to the last one
 * if that goes on. Returns the start of the next level. */
static uint32_t add(search_t *s, const dmd_changepoint_t *change, uint32_t since, uint32_t end,
                    double scatter) {
  dmd_changepoint_t *last = s->n_found > 0 ? &s->found[s->n_found - 1] : NULL;
  bool same_way = last != NULL &&
                  (last->after < last->before) == (change->after < change->before) &&
                  last->first == since;
  uint32_t found = last != NULL ? last->found : 0;
  if (same_way && (!last->is_slow     ? join_step(s, last, end, scatter)
                   : !change->is_slow ? join_rest(s, last, end, scatter)
                                      : join_slow(s, last, change, end))) {
    last->found = found;
    return last->first;
  }
  s->found[s->n_found++] = *change;
  return change->first;
}

/* ---- Sequential search. ---- */

/* True if the levels still differ by enough to report, and by more than chance makes likely. */
static bool is_borne_out(const search_t *s, const dmd_split_t *split) {
  return is_large(s, dmd_fits_mean(&s->fits, split->since, split->first),
                  dmd_fits_mean(&s->fits, split->first, split->end)) &&
         !dmd_fits_is_hopeless(&s->fits, split);
}

/* An end of the builds after a step that leaves the last ones out, among which another step may
 * have begun that is not found yet. */
static uint32_t end_without_last(const dmd_changepoint_t *step, uint32_t end) {
  return end > step->found + DMD_CHANGEPOINTS_WINDOW ? end - DMD_CHANGEPOINTS_WINDOW
                                                     : step->found + 1;
}

/* Looks at the last step again with the builds up to end. If neither its first build nor a better
 * one separates two levels any longer, the step is withdrawn. Returns the start of the level. */
static uint32_t review(search_t *s, uint32_t since, uint32_t end) {
  dmd_changepoint_t *last = s->n_found > 0 ? &s->found[s->n_found - 1] : NULL;
  if (last == NULL || last->is_slow || end <= last->found + DMD_CHANGEPOINTS_WINDOW)
    return since;
  dmd_split_t split = dmd_fits_split(&s->fits, last->since, last->first, end);
  dmd_split_t early =
      dmd_fits_split(&s->fits, last->since, last->first, end_without_last(last, end));
  if (is_borne_out(s, &split) || is_borne_out(s, &early))
    return since;
  split = dmd_fits_best_split(&s->fits, last->since, end);
  if (is_borne_out(s, &split)) {
    last->first = split.first;
    if (last->found < last->first)
      last->found = last->first;
    return last->first;
  }
  s->n_found--;
  return last->since;
}

/* Checks whether the build before end completes the evidence for a change. Returns the start of the
 * level that the next build is compared with. */
static uint32_t look_at(search_t *s, uint32_t since, uint32_t end) {
  dmd_changepoint_t change;
  dmd_bend_t bend;
  if (is_slope(s, since, end, &bend)) {
    change = make_slow(s, bend.at, end - 1, end, bend.from, bend.to, bend.scatter);
    return add(s, &change, since, end, bend.scatter);
  }
  uint32_t n_tries;
  dmd_split_t split = best_split(s, since, end, &n_tries);
  if (!is_step(s, &split, n_tries))
    return review(s, since, end);
  change = (dmd_changepoint_t){.first = split.first,
                               .since = since,
                               .found = end - 1,
                               .before = dmd_fits_mean(&s->fits, since, split.first),
                               .after = dmd_fits_mean(&s->fits, split.first, end)};
  return add(s, &change, since, end, split.scatter);
}

/* ---- Locating change points. ---- */

/* Uses all builds of both levels, up to end, that are known by now. False if these do not bear the
 * step out. */
static bool locate(const search_t *s, dmd_changepoint_t *step, uint32_t end) {
  /* 2 ln 100: a place with a value higher by this much has a hundredth of the likelihood. */
  const double worse = 9.21;
  dmd_split_t best = dmd_fits_best_split(&s->fits, step->since, end);
  step->first = step->earliest = step->latest = best.first;
  if (step->found < step->first)
    step->found = step->first;
  step->before = dmd_fits_mean(&s->fits, step->since, best.first);
  step->after = dmd_fits_mean(&s->fits, best.first, end);
  step->deviation = dmd_fits_deviation(&s->fits, step->since, end, best.scatter);
  double variance = step->deviation * step->deviation;
  for (uint32_t first = step->since + 1; first < end; first++)
    if (dmd_fits_split(&s->fits, step->since, first, end).scatter - best.scatter <
        worse * variance) {
      if (first < step->earliest)
        step->earliest = first;
      if (first > step->latest)
        step->latest = first;
    }
  return is_borne_out(s, &best);
}

/* The end of the level that the first of n changes begins, at least up to where it was found. */
static uint32_t end_of_level(const search_t *s, const dmd_changepoint_t *change, uint32_t n) {
  const dmd_changepoint_t *next = n > 1 ? change + 1 : NULL;
  uint32_t end = next == NULL ? s->n : next->is_slow ? next->since + 1 : next->first;
  return end > change->found ? end : change->found + 1;
}

/* A level ends at the next change point, and begins where the previous one was located. */
static void locate_all(search_t *s) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < s->n_found; i++) {
    dmd_changepoint_t *change = &s->found[i];
    dmd_changepoint_t *next = i + 1 < s->n_found ? change + 1 : NULL;
    uint32_t since = change->since;
    uint32_t end = end_of_level(s, change, s->n_found - i);
    bool good = change->is_slow || locate(s, change, end) ||
                locate(s, change, end_without_last(change, end));
    if (good && !change->is_slow)
      since = change->first;
    if (!change->is_slow && next != NULL && !next->is_slow && next->first > since)
      next->since = since;
    if (good)
      s->found[n_kept++] = *change;
  }
  s->n_found = n_kept;
}

dmd_changepoint_t *dmd_changepoints_find(const dmd_env_t *env, const dmd_point_t *points,
                                         uint32_t n_points, dmd_changepoints_limits_t limits,
                                         uint32_t *n) {
  *n = 0;
  if (n_points == 0)
    return NULL;
  search_t s = {.points = points, .n = n_points, .limits = limits};
  dmd_fits_init(&s.fits, env, points, n_points);
  s.found = dmd_env_alloc(env, "dmd.steps", n_points * sizeof *s.found);
  uint32_t since = 0;
  for (uint32_t end = 2; end <= n_points; end++)
    since = look_at(&s, since, end);
  locate_all(&s);
  dmd_fits_destroy(&s.fits);
  *n = s.n_found;
  if (s.n_found > 0)
    return s.found;
  dmd_env_free(env, s.found);
  return NULL;
}

uint32_t dmd_changepoints_needed(const dmd_point_t *points, uint32_t n_points) {
  uint32_t more = n_points > 0 && points[n_points - 1].n_runs > 0 ? points[n_points - 1].n_runs : 1;
  double n_runs = 0;
  for (uint32_t i = 0; i < n_points; i++)
    n_runs += points[i].n_runs;
  /* The runs are split most evenly among two builds at least before and one after the step. */
  uint32_t n = n_points;
  for (;; n++, n_runs += more) {
    bool enough = false;
    for (uint32_t n_after = 1; n_after + 1 < n && !enough; n_after++)
      enough = is_rare((double)n_after * more, n_runs);
    if (enough)
      return n > n_points ? n : 0;
  }
}

/* ---- Alarms. ---- */

const char *dmd_alarm_state_name(dmd_alarm_state_t state) {
  static const char *const names[] = {[DMD_ALARM_NEW] = "new",
                                      [DMD_ALARM_ACKNOWLEDGED] = "acknowledged",
                                      [DMD_ALARM_FIXED] = "fixed",
                                      [DMD_ALARM_IMPROVED] = "improved"};
  return names[state];
}

int64_t dmd_alarm_delta(const dmd_alarm_t *alarm) {
  return (int64_t)(alarm->step.after - alarm->step.before);
}

bool dmd_alarm_is_certain(const dmd_alarm_t *alarm) {
  return dmd_str_equal(alarm->earliest, alarm->latest);
}

bool dmd_alarm_is_one_event(const dmd_alarm_t *a, const dmd_alarm_t *b) {
  return dmd_str_equal(a->first_build, b->first_build) && dmd_str_equal(a->branch, b->branch) &&
         dmd_str_equal(a->moment, b->moment) && dmd_str_equal(a->environment, b->environment) &&
         (a->state == DMD_ALARM_IMPROVED) == (b->state == DMD_ALARM_IMPROVED);
}
