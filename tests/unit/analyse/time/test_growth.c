/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heaps whose growth is known, seen every millisecond through the same points as a program's. */
#include "host.h"

#include "analyse/time/growth.h"
#include "record/heap/timekeeper.h"
#include <math.h>

#define MB 1e6

typedef struct series {
  host_t host;
  uint64_t now, dice;
  dmd_timekeeper_t keeper;
  dmd_profile_t profile;
  double level; /* of a heap that remembers where it was */
} series_t;

typedef double (*heap_fn)(series_t *s, double seconds, double period);

static uint64_t tell_time(void *ctx) {
  return ((series_t *)ctx)->now;
}

/* From 0 to 1. */
static double chance(series_t *s) {
  s->dice = s->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(s->dice >> 40) / (double)(1 << 24);
}

/* Returns whether growth was found. */
static bool find(heap_fn heap, double period, uint32_t seconds, uint64_t seed,
                 dmd_growth_t *growth) {
  static series_t s;
  s = (series_t){.dice = seed};
  host_init(&s.host);
  dmd_profile_init(&s.profile, &s.host.env);
  dmd_timekeeper_init(&s.keeper, &s.host.env, (dmd_clock_t){tell_time, &s},
                      (dmd_clock_t){NULL, NULL}, (dmd_resident_t){NULL, NULL}, true);
  for (s.now = 0; s.now < seconds * 1000u; s.now++) {
    double szB = heap(&s, (double)s.now / 1000, period);
    uint64_t bytes = szB < 0 ? 0 : (uint64_t)szB;
    dmd_timekeeper_add(&s.keeper, (dmd_timepoint_t){.szB = bytes, .least_szB = bytes});
  }
  dmd_timekeeper_tell(&s.keeper, (dmd_timepoint_t){.szB = 0}, 1, &s.profile);
  bool is_found = dmd_growth_find(&s.profile.timeline, growth);
  dmd_timekeeper_destroy(&s.keeper);
  dmd_profile_destroy(&s.profile);
  host_done(&s.host);
  return is_found;
}

/* ---- heaps ---- */

static double churn(series_t *s, double seconds, double period) {
  (void)seconds, (void)period;
  return 50 * MB * chance(s);
}

static double sawtooth(series_t *s, double seconds, double period) {
  (void)s;
  return 50 * MB * fmod(seconds, period) / period;
}

/* Wanders around 25 MB; it forgets within the period. */
static double wander(series_t *s, double seconds, double period) {
  (void)seconds;
  s->level +=
      (25 * MB - s->level) / (period * 1000) + (chance(s) - 0.5) * 20 * MB / sqrt(period * 1000);
  return s->level;
}

static double walk(series_t *s, double seconds, double period) {
  (void)seconds, (void)period;
  s->level += (chance(s) - 0.5) * MB;
  return 100 * MB + s->level;
}

static double fill_up(series_t *s, double seconds, double period) {
  return 50 * MB * (seconds < period ? seconds / period : 1) + 5 * MB * chance(s);
}

static double saturate(series_t *s, double seconds, double period) {
  return 50 * MB * (1 - exp(-seconds / period)) + 5 * MB * chance(s);
}

static double step(series_t *s, double seconds, double period) {
  return 20 * MB * (seconds > period) + 20 * MB * (seconds > 2 * period) + 5 * MB * chance(s);
}

/* With 100 KB a second more. */
static double leak(double seconds) {
  return 0.1 * MB * seconds;
}

static double leaking_churn(series_t *s, double seconds, double period) {
  return churn(s, seconds, period) + leak(seconds);
}

static double leaking_sawtooth(series_t *s, double seconds, double period) {
  return sawtooth(s, seconds, period) + leak(seconds);
}

static double late_leak(series_t *s, double seconds, double period) {
  return churn(s, seconds, period) + leak(seconds < period ? 0 : seconds - period);
}

static double only_leak(series_t *s, double seconds, double period) {
  (void)s, (void)period;
  return leak(seconds);
}

static double twice_the_leak(series_t *s, double seconds, double period) {
  (void)s, (void)period;
  return 2 * leak(seconds);
}

/* ---- what is found ---- */

enum { SEEDS = 20 };

static uint32_t n_found(heap_fn heap, double period, uint32_t seconds) {
  dmd_growth_t growth;
  uint32_t n = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++)
    n += find(heap, period, seconds, seed * 7919, &growth);
  return n;
}

static void a_leak_in_churn_is_found_within_a_minute(void **state) {
  (void)state;
  dmd_growth_t growth;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    assert_true(find(leaking_churn, 0, 60, seed, &growth));
    assert_true(growth.szB_per_s > 80000 && growth.szB_per_s < 120000);
  }
  assert_int_equal(n_found(leaking_sawtooth, 0.7, 60), SEEDS);
  assert_int_equal(n_found(leaking_sawtooth, 0.05, 60), SEEDS);
  assert_int_equal(n_found(leaking_churn, 0, 3600), SEEDS);
  assert_true(find(only_leak, 0, 12, 1, &growth));
  assert_in_range(growth.from_ms, 0, 100);
  assert_in_range(growth.szB_per_s, 95000, 105000);
}

static void growth_has_a_beginning(void **state) {
  (void)state;
  dmd_growth_t growth;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    assert_true(find(late_leak, 60, 180, seed, &growth));
    assert_in_range(growth.from_ms, 45000, 80000);
  }
}

static void a_cache_that_levels_off_is_none(void **state) {
  (void)state;
  for (uint32_t i = 1; i <= 6; i++) {
    assert_int_equal(n_found(fill_up, 6 * i, 60), 0);
    assert_int_equal(n_found(saturate, 2 * i, 60), 0);
    assert_int_equal(n_found(step, 5 * i, 60), 0);
  }
}

static void what_comes_and_goes_is_none(void **state) {
  (void)state;
  uint32_t n = n_found(churn, 0, 60);
  for (double period = 0.02; period < 24; period *= 1.5)
    n += n_found(sawtooth, period, 60);
  for (double period = 0.1; period < 6; period *= 2)
    n += n_found(wander, period, 60);
  assert_int_equal(n, 0);
}

/* Nobody can tell a walk that went up from growth; few do so steadily. */
static void few_random_walks_look_like_growth(void **state) {
  (void)state;
  uint32_t n = 0;
  dmd_growth_t growth;
  for (uint64_t seed = 1; seed <= 500; seed++)
    n += find(walk, 0, 30, seed * 104729, &growth);
  assert_true(n <= 5);
}

/* ---- stacks ---- */

/* A breakdown each second with these heaps, each of a stack; then an empty heap. */
static bool find_stacks(const heap_fn *heaps, uint32_t n, double period, uint32_t seconds,
                        uint64_t seed, dmd_growth_t *growth) {
  static series_t all[8];
  host_t host;
  dmd_timeline_t timeline;
  host_init(&host);
  dmd_timeline_init(&timeline, &host.env);
  for (uint32_t k = 0; k < n; k++) {
    all[k] = (series_t){.dice = seed + k * 7919};
    dmd_timeline_add_stack(&timeline, 10 + k);
  }
  for (uint32_t i = 0; i <= seconds; i++) {
    dmd_timepoint_t at = {.ms = i * 1000};
    dmd_breakdown_t *breakdown = dmd_timeline_add_breakdown(&timeline, &at);
    for (uint32_t k = 0; k < n && i < seconds; k++) {
      double szB = heaps[k](&all[k], i, period);
      breakdown->stacks[k] = szB < 0 ? 0 : (uint64_t)szB;
      breakdown->at.szB += breakdown->stacks[k];
    }
  }
  bool is_found = dmd_growth_find(&timeline, growth);
  dmd_timeline_destroy(&timeline);
  host_done(&host);
  return is_found;
}

static void the_stack_that_leaks_is_named(void **state) {
  (void)state;
  heap_fn heaps[] = {churn, sawtooth, only_leak, saturate, churn};
  dmd_growth_t growth;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    assert_true(find_stacks(heaps, 5, 7, 60, seed, &growth));
    assert_int_equal(growth.stack, 12);
    assert_in_range(growth.szB_per_s, 90000, 110000);
    assert_int_equal(growth.stack_szB_per_s, growth.szB_per_s);
  }
}

static void two_stacks_that_leak_share_the_growth(void **state) {
  (void)state;
  heap_fn heaps[] = {churn, only_leak, twice_the_leak};
  dmd_growth_t growth;
  assert_true(find_stacks(heaps, 3, 7, 60, 1, &growth));
  assert_int_equal(growth.stack, 12);
  assert_in_range(growth.szB_per_s, 280000, 320000);
  assert_in_range(growth.stack_szB_per_s * 100 / growth.szB_per_s, 66, 67);
}

static void stacks_that_do_not_grow_are_none(void **state) {
  (void)state;
  heap_fn caches[] = {churn, fill_up, saturate, step}, walks[] = {churn, walk, walk, walk, walk};
  dmd_growth_t growth;
  uint32_t n = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++)
    n += find_stacks(caches, 4, (double)seed / 2, 60, seed, &growth);
  assert_int_equal(n, 0);
  for (uint64_t seed = 1; seed <= 250; seed++)
    n += find_stacks(walks, 5, 1, 60, seed * 104729, &growth);
  assert_true(n <= 5); /* of 1,000 walks */
}

static void what_is_short_is_none(void **state) {
  (void)state;
  dmd_growth_t growth;
  assert_false(find(only_leak, 0, 9, 1, &growth));
  assert_false(find(only_leak, 0, 0, 1, &growth));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_leak_in_churn_is_found_within_a_minute),
      cmocka_unit_test(growth_has_a_beginning),
      cmocka_unit_test(a_cache_that_levels_off_is_none),
      cmocka_unit_test(what_comes_and_goes_is_none),
      cmocka_unit_test(few_random_walks_look_like_growth),
      cmocka_unit_test(the_stack_that_leaks_is_named),
      cmocka_unit_test(two_stacks_that_leak_share_the_growth),
      cmocka_unit_test(stacks_that_do_not_grow_are_none),
      cmocka_unit_test(what_is_short_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
