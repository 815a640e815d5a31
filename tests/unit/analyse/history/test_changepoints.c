/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Change points in series of builds, some generated with a change and some without. */
#include "fixture.h"

#include "analyse/history/changepoints.h"

enum { N = 100, LEVEL = 1000000, AT = 60, N_SERIES = 400 };

/* A generated series: noise at each build, and the changes. */
typedef double noise_fn(dice_t *dice);

/* Nearly normal with a standard deviation of 1: the sum of twelve uniform numbers from 0 to 1, less
 * 6. */
static double normal(dice_t *dice) {
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += (double)dice_below(dice, 1000001) / 1e6;
  return sum;
}

static double none(dice_t *dice) {
  (void)dice;
  return 0;
}

/* One of two values, one of them four times as likely as the other; standard deviation 1. */
static double bimodal(dice_t *dice) {
  return dice_below(dice, 5) == 0 ? 2 : -0.5;
}

/* Quiet, but for one build in fifty. */
static double spikes(dice_t *dice) {
  return dice_below(dice, 50) == 0 ? 10 * (double)dice_below(dice, 1000) / 1e3 : normal(dice) / 10;
}

typedef struct {
  dmd_point_t points[N];
  dmd_changepoint_t *steps;
  uint32_t n;
} series_t;

/* unit: a deviation, as a share of the level; change: at build AT, in these units. */
static void make(series_t *s, dice_t *dice, noise_fn *noise, double unit, double change) {
  for (int i = 0; i < N; i++)
    s->points[i] = (dmd_point_t){
        .value = LEVEL * (1 + unit * (noise(dice) + (i >= AT ? change : 0))), .n_runs = 1};
}

static const dmd_changepoints_limits_t some_limits = {.least = 1024, .least_share = 0.002};

static void find(host_t *host, series_t *s) {
  s->steps = dmd_changepoints_find(&host->env, s->points, N, some_limits, &s->n);
}

static void forget(host_t *host, series_t *s) {
  dmd_env_free(&host->env, s->steps);
}

/* In how many of n series a change point is found although there is no change. */
static int count_false(noise_fn *noise, double unit) {
  host_t host;
  host_init(&host);
  dice_t dice = {3};
  int n_false = 0;
  for (int i = 0; i < N_SERIES; i++) {
    series_t s;
    make(&s, &dice, noise, unit, 0);
    find(&host, &s);
    n_false += s.n > 0;
    forget(&host, &s);
  }
  host_done(&host);
  return n_false;
}

static void chance_makes_no_step(void **state) {
  (void)state;
  assert_int_equal(count_false(none, 0), 0);
  assert_int_equal(count_false(normal, 0.002), 0);
  assert_int_equal(count_false(normal, 0.01), 0);
  assert_int_equal(count_false(normal, 0.1), 0);
  assert_true(count_false(bimodal, 0.01) < N_SERIES / 25);
  assert_true(count_false(spikes, 0.01) < N_SERIES / 25);
}

/* In how many of n series exactly the one change point is found. at: in how many it is at the right
 * build. */
static int count_found(noise_fn *noise, double unit, double change, int *at) {
  host_t host;
  host_init(&host);
  dice_t dice = {4};
  int n_found = 0;
  *at = 0;
  for (int i = 0; i < N_SERIES; i++) {
    series_t s;
    make(&s, &dice, noise, unit, change);
    find(&host, &s);
    if (s.n == 1 && s.steps[0].earliest <= AT && AT <= s.steps[0].latest) {
      const dmd_changepoint_t *step = &s.steps[0];
      n_found++;
      *at += step->first == AT;
      assert_true(step->earliest <= step->first && step->first <= step->latest);
      assert_true(step->found >= step->first && step->found < N);
      double difference = (step->after - step->before) / LEVEL / unit;
      assert_true(difference > change - 1 && difference < change + 1);
    }
    forget(&host, &s);
  }
  host_done(&host);
  return n_found;
}

/* A step of 1% where the noise is 0.2%, one of 2% where it is 1%, and the other way round. */
static void steps_are_found_where_they_are(void **state) {
  (void)state;
  int at;
  assert_true(count_found(normal, 0.002, 5, &at) >= N_SERIES * 99 / 100);
  assert_true(at >= N_SERIES * 95 / 100);
  assert_true(count_found(normal, 0.01, 2, &at) >= N_SERIES * 95 / 100);
  assert_true(at >= N_SERIES / 2);
  assert_true(count_found(normal, 0.01, -3, &at) >= N_SERIES * 97 / 100);
  assert_true(at >= N_SERIES * 3 / 4);
  assert_true(count_found(bimodal, 0.01, 5, &at) >= N_SERIES * 95 / 100);
}

/* Each build three times: found at the first build that has the change. Each build once: found as
 * soon as chance is unlikely, which depends on the number of builds. The smallest k such that n and
 * k builds can be chosen in a thousand ways: Pascal's triangle has 1,001 in row 14, at 4. */
static void without_noise_a_step_is_found_at_once(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  for (uint32_t n_runs = 1; n_runs <= 3; n_runs += 2)
    for (uint32_t at = 10; at <= 50; at += 10) {
      series_t s;
      for (uint32_t i = 0; i < N; i++)
        s.points[i] = (dmd_point_t){.value = i < at ? LEVEL : LEVEL + 4000, .n_runs = n_runs};
      find(&host, &s);
      assert_int_equal(s.n, 1);
      assert_int_equal(s.steps[0].first, at);
      assert_int_equal(s.steps[0].earliest, at);
      assert_int_equal(s.steps[0].latest, at);
      assert_true(s.steps[0].before == LEVEL && s.steps[0].after == LEVEL + 4000);
      static const uint32_t later[] = {4, 3, 3, 3, 2};
      assert_int_equal(s.steps[0].found, at + (n_runs == 3 ? 0 : later[at / 10 - 1] - 1));
      forget(&host, &s);
    }
  host_done(&host);
}

static void several_steps(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {9};
  series_t s;
  static const double levels[] = {0, 10, 0, -10, 30};
  for (uint32_t i = 0; i < N; i++)
    s.points[i] =
        (dmd_point_t){.value = LEVEL * (1 + 0.002 * (normal(&dice) + levels[i / 20])), .n_runs = 1};
  find(&host, &s);
  assert_int_equal(s.n, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(s.steps[i].first, 20 * (i + 1));
    assert_int_equal(s.steps[i].since, 20 * i);
    assert_false(s.steps[i].is_slow);
  }
  forget(&host, &s);
  host_done(&host);
}

/* A change below the threshold of interest is not a change point, however significant it is. */
static void small_ones_are_none(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {1};
  series_t s;
  make(&s, &dice, none, 0.001, 1.9);
  find(&host, &s);
  assert_int_equal(s.n, 0);
  forget(&host, &s);
  make(&s, &dice, none, 0.001, 2.1);
  find(&host, &s);
  assert_int_equal(s.n, 1);
  forget(&host, &s);
  host_done(&host);
}

/* A single build that stands out is not a change point, whatever the other builds do. */
static void outliers_are_none(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {2};
  for (int noisy = 0; noisy < 2; noisy++) {
    series_t s;
    make(&s, &dice, noisy ? normal : none, 0.002, 0);
    s.points[AT].value *= 2;
    s.points[N - 1].value *= 2;
    find(&host, &s);
    assert_int_equal(s.n, 0);
    forget(&host, &s);
  }
  host_done(&host);
}

/* 4% over fifty builds, each of which adds less than the noise. */
static void slow_growth(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {6};
  int n_slow = 0, n_series = 0;
  for (int i = 0; i < N_SERIES; i++) {
    series_t s;
    for (int k = 0; k < N; k++)
      s.points[k] = (dmd_point_t){
          .value = LEVEL * (1 + 0.002 * normal(&dice) + (k < N / 2 ? 0 : 0.04 * (k - N / 2) / 50)),
          .n_runs = 1};
    find(&host, &s);
    bool any = false;
    for (uint32_t k = 0; k < s.n; k++) {
      assert_true(s.steps[k].after > s.steps[k].before && s.steps[k].latest >= N / 2 - 8);
      any |= s.steps[k].is_slow;
    }
    n_series += s.n > 0;
    n_slow += any;
    forget(&host, &s);
  }
  assert_int_equal(n_series, N_SERIES);
  assert_true(n_slow > N_SERIES * 9 / 10);
  host_done(&host);
}

/* ---- What later builds show. ---- */

enum { MANY = 3000 };

/* Three builds are high by chance, five deviations, and the next 2,900 are not. The alarm comes
 * with the third and is withdrawn later: over all builds the levels differ by less than 0.2%. A
 * step that stays is not withdrawn. */
static void chance_is_withdrawn(void **state) {
  (void)state;
  static dmd_point_t points[MANY];
  host_t host;
  host_init(&host);
  dice_t dice = {12};
  for (int stays = 0; stays < 2; stays++) {
    for (uint32_t i = 0; i < MANY; i++) {
      bool is_high = i >= AT && (stays != 0 || i < AT + 2);
      points[i] = (dmd_point_t){.value = LEVEL * (1 + 0.003 * ((is_high ? 6 : 0) + normal(&dice))),
                                .n_runs = 1};
    }
    uint32_t n;
    dmd_env_free(&host.env, dmd_changepoints_find(&host.env, points, AT + 2, some_limits, &n));
    assert_int_equal(n, 1);
    dmd_env_free(&host.env, dmd_changepoints_find(&host.env, points, MANY, some_limits, &n));
    assert_int_equal(n, stays);
  }
  host_done(&host);
}

/* 0.2% more with each build, for 60 builds after 40: one change, from the first of them to nearly
 * the last. */
static void a_drift_is_one_change(void **state) {
  (void)state;
  enum { BEGIN = 40 };
  static const double noises[] = {0, 0.001, 0.003};
  host_t host;
  host_init(&host);
  dice_t dice = {13};
  for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
    int n_alone = 0;
    for (int i = 0; i < N_SERIES; i++) {
      series_t s;
      make(&s, &dice, normal, noises[k], 0);
      for (int at = BEGIN; at < N; at++)
        s.points[at].value += LEVEL * 0.002 * (at - BEGIN);
      find(&host, &s);
      const dmd_changepoint_t *step = s.steps;
      assert_true(s.n > 0);
      n_alone += s.n == 1 && step->is_slow && step->since >= BEGIN - 8 &&
                 step->since <= BEGIN + 8 && step->first >= N - 15 &&
                 step->after - step->before > LEVEL * 0.08;
      forget(&host, &s);
    }
    assert_true(n_alone >= N_SERIES * 9 / 10);
  }
  host_done(&host);
}

/* ---- Builds whose neighbours are alike. ---- */

/* In how many of n series of equal builds a change point is found with any of the first 60 builds.
 * Each build's noise is that of the one before times r, and new noise; the deviation is 0.5%. */
static int count_false_alike(double r, double rest) {
  enum { FEW = 60 };
  host_t host;
  host_init(&host);
  dice_t dice = {14};
  int n_false = 0;
  for (int i = 0; i < N_SERIES; i++) {
    dmd_point_t points[FEW];
    double noise = normal(&dice);
    bool any = false;
    for (uint32_t k = 0; k < FEW; k++) {
      points[k] = (dmd_point_t){.value = LEVEL * (1 + 0.005 * noise), .n_runs = 1};
      noise = r * noise + rest * normal(&dice);
      uint32_t n = 0;
      if (!any)
        dmd_env_free(&host.env, dmd_changepoints_find(&host.env, points, k + 1, some_limits, &n));
      any |= n > 0;
    }
    n_false += any;
  }
  host_done(&host);
  return n_false;
}

/* Perfherder's test raises 7 in 100. 0.6 and 0.8 are the sides of a right-angled triangle. */
static void builds_that_are_alike_make_no_step(void **state) {
  (void)state;
  assert_int_equal(count_false_alike(0, 1), 0);
  assert_true(count_false_alike(0.6, 0.8) <= N_SERIES * 7 / 100);
  assert_true(count_false_alike(0.8, 0.6) <= N_SERIES * 20 / 100);
}

/* 2% where the noise is 0.5%, after 40 builds: nearly all are found, after less than four builds
 * on average. */
static void independent_builds_keep_their_power(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {15};
  uint32_t n_builds = 0, n_found = 0;
  for (int i = 0; i < N_SERIES; i++) {
    series_t s;
    make(&s, &dice, normal, 0.005, 4);
    /* 20 builds less before the step */
    uint32_t n, at = AT - 20;
    dmd_changepoint_t *steps =
        dmd_changepoints_find(&host.env, s.points + 20, N - 20, some_limits, &n);
    if (n == 1 && steps[0].earliest <= at && at <= steps[0].latest) {
      n_found++;
      n_builds += steps[0].found + 1 - at;
    }
    dmd_env_free(&host.env, steps);
  }
  assert_true(n_found >= N_SERIES * 97 / 100);
  assert_true(n_builds < 4 * n_found);
  host_done(&host);
}

/* ---- Few builds. ---- */

/* Whether the step is found in series without noise, wherever it is. */
static bool is_any_found(host_t *host, uint32_t n_builds, uint32_t n_runs) {
  bool any = false;
  for (uint32_t at = 1; at < n_builds; at++) {
    dmd_point_t points[N];
    uint32_t n;
    for (uint32_t i = 0; i < n_builds; i++)
      points[i] = (dmd_point_t){.value = i < at ? LEVEL : 2 * LEVEL, .n_runs = n_runs};
    dmd_env_free(&host->env, dmd_changepoints_find(&host->env, points, n_builds, some_limits, &n));
    any |= n > 0;
  }
  return any;
}

/* 13 runs are the fewest of which some can be chosen in a thousand ways: 1,716 for 6 of them, and
 * 924 for 6 of 12. Two builds at least are before the step, and one has it. */
static void too_few_builds_are_known(void **state) {
  (void)state;
  static const uint32_t needed[] = {0, 13, 7, 5};
  host_t host;
  host_init(&host);
  for (uint32_t n_runs = 1; n_runs <= 3; n_runs++)
    for (uint32_t n = 1; n < 20; n++) {
      dmd_point_t points[20];
      for (uint32_t i = 0; i < n; i++)
        points[i] = (dmd_point_t){.value = LEVEL, .n_runs = n_runs};
      assert_int_equal(dmd_changepoints_needed(points, n), n < needed[n_runs] ? needed[n_runs] : 0);
      assert_int_equal(is_any_found(&host, n, n_runs), n >= needed[n_runs]);
    }
  assert_int_equal(dmd_changepoints_needed(NULL, 0), 13);
  host_done(&host);
}

static void none_and_few(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_point_t points[3] = {{1, 1, 0}, {2, 1, 0}, {2000000, 1, 0}};
  for (uint32_t n_points = 0; n_points <= 3; n_points++) {
    uint32_t n;
    assert_null(dmd_changepoints_find(&host.env, points, n_points, some_limits, &n));
    assert_int_equal(n, 0);
  }
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  series_t *s = arg;
  find(host, s);
  assert_int_equal(s->n, 1);
  forget(host, s);
}

static void out_of_memory(void **state) {
  (void)state;
  dice_t dice = {1};
  series_t s;
  make(&s, &dice, none, 0.01, 1);
  assert_true(host_fail_everywhere(use, &s) > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chance_makes_no_step),
      cmocka_unit_test(steps_are_found_where_they_are),
      cmocka_unit_test(without_noise_a_step_is_found_at_once),
      cmocka_unit_test(several_steps),
      cmocka_unit_test(small_ones_are_none),
      cmocka_unit_test(outliers_are_none),
      cmocka_unit_test(slow_growth),
      cmocka_unit_test(chance_is_withdrawn),
      cmocka_unit_test(a_drift_is_one_change),
      cmocka_unit_test(builds_that_are_alike_make_no_step),
      cmocka_unit_test(independent_builds_keep_their_power),
      cmocka_unit_test(too_few_builds_are_known),
      cmocka_unit_test(none_and_few),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
