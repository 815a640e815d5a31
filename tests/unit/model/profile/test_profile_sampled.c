/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Estimates from samples: compared with the formulas, evaluated by the C library, and with programs
 * whose blocks are known and that are sampled many times.
 */
#include "fixture.h"

#include <math.h>

#include "analyse/records/sums.h"
#include "analyse/transform/merge.h"
#include "model/profile/profile.h"
#include "record/heap/sample.h"

enum { INTERVAL = 4096 };

static void weights_are_those_of_the_formula(void **state) {
  (void)state;
  for (uint64_t interval = 1; interval <= DMD_MAX_SAMPLE_INTERVAL; interval *= 8)
    for (uint64_t req = 1; req < UINT64_C(1) << 40; req += 1 + req / 3) {
      double expected = -1 / expm1(-(double)req / (double)interval);
      assert_true(fabs(dmd_sampled_weight(interval, req) / expected - 1) < 1e-12);
    }
  assert_true(dmd_sampled_weight(4096, 0) == dmd_sampled_weight(4096, 1));
}

/* ---- Sampling. ---- */

/* How many of n blocks of this size are sampled. */
static uint64_t count_kept(dmd_countdown_t *countdown, uint64_t seed, uint64_t req, int n) {
  uint64_t n_kept = 0;
  for (int i = 0; i < n; i++)
    n_kept += !dmd_countdown_passes(countdown, req) &&
              dmd_countdown_keeps(countdown, INTERVAL, seed, req);
  return n_kept;
}

/* Independent of earlier blocks: sizes alternate. Five standard deviations. */
static void a_block_is_kept_by_its_size(void **state) {
  (void)state;
  static const uint64_t sizes[] = {0, 1, 24, 100, 1000, 4096, 10000, 50000};
  enum { ROUNDS = 20000 };
  uint64_t n_kept[COUNT_OF(sizes)] = {0};
  dmd_countdown_t countdown = {0};
  for (int i = 0; i < ROUNDS; i++)
    for (size_t k = 0; k < COUNT_OF(sizes); k++)
      n_kept[k] += count_kept(&countdown, 11, sizes[k], 1);
  for (size_t k = 0; k < COUNT_OF(sizes); k++) {
    double p = 1 / dmd_sampled_weight(INTERVAL, sizes[k]), deviation = sqrt(ROUNDS * p * (1 - p));
    assert_true(fabs((double)n_kept[k] - ROUNDS * p) <= 5 * deviation + 1e-3);
  }
}

static void equal_seeds_keep_equal_blocks(void **state) {
  (void)state;
  dmd_countdown_t a = {0}, b = {0}, c = {0};
  int n_same = 0, n_kept = 0;
  for (int i = 0; i < 100000; i++) {
    uint64_t kept = count_kept(&a, 1, 100, 1);
    assert_int_equal(kept, count_kept(&b, 1, 100, 1));
    n_same += kept && count_kept(&c, 2, 100, 1);
    n_kept += kept != 0;
  }
  assert_true(n_kept > 2000 && n_same < n_kept / 2);
}

/* ---- Estimates. ---- */

/* A program: so many blocks of these sizes. */
static const struct {
  uint64_t req, slop;
  int n;
} program[] = {{16, 8, 8000},   {100, 4, 3000}, {900, 60, 500}, {4000, 0, 100},
               {9000, 100, 40}, {40000, 0, 7},  {300, 20, 3000}};

static void truth(int64_t *blocks, int64_t *bytes) {
  *blocks = *bytes = 0;
  for (size_t k = 0; k < COUNT_OF(program); k++) {
    *blocks += program[k].n;
    *bytes += program[k].n * (int64_t)(program[k].req + program[k].slop);
  }
}

/* Its profile, sampled: each size has a place of its own. */
static void sample_program(dmd_profile_t *profile, uint64_t seed) {
  static const char *const places[] = {"a", "b", "c", "d", "e", "f", "g"};
  dmd_countdown_t countdown = {0};
  profile->run.is_known = true;
  profile->run.sample_interval = INTERVAL;
  for (size_t k = 0; k < COUNT_OF(program); k++) {
    uint64_t n = count_kept(&countdown, seed, program[k].req, program[k].n);
    if (n == 0)
      continue;
    dmd_group_t group = {.req = program[k].req,
                         .slop = program[k].slop,
                         .num = n,
                         .stack = build_stack(profile, places[k]),
                         .sampled = 1};
    dmd_groups_add(&profile->groups, &group);
  }
}

static double square(double x) {
  return x * x;
}

/* Over 400 seeds: the mean is right within five of its standard errors; the errors that are stated
 * are those that happen (the mean of the variances that are estimated, against the variance that is
 * seen, whose own deviation is 7%); and about 95 of 100 estimates are right within two of their
 * own. */
static void estimates_are_unbiased_and_their_errors_right(void **state) {
  (void)state;
  enum { SEEDS = 400 };
  int64_t blocks, bytes;
  double sum[2] = {0}, squares[2] = {0}, variances[2] = {0};
  int n_within[2] = {0};
  truth(&blocks, &bytes);
  const double right[] = {(double)blocks, (double)bytes};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    sample_program(&f.profile, seed * 1000);
    dmd_blocksum_t all = dmd_heapsum_of(&f.profile).all;
    const double got[] = {(double)all.blocks, (double)all.bytes};
    const double variance[] = {all.variance.blocks, all.variance.bytes};
    for (int i = 0; i < 2; i++) {
      sum[i] += got[i];
      squares[i] += square(got[i] - right[i]);
      variances[i] += variance[i];
      n_within[i] += square(got[i] - right[i]) < 4 * variance[i];
    }
    fixture_end(&f);
  }
  for (int i = 0; i < 2; i++) {
    double deviation = sqrt(squares[i] / SEEDS);
    assert_true(fabs(sum[i] / SEEDS - right[i]) < 5 * deviation / sqrt(SEEDS));
    assert_true(fabs(variances[i] / squares[i] - 1) < 0.35);
    assert_in_range(n_within[i], SEEDS * 88 / 100, SEEDS * 99 / 100);
  }
}

/* One group of ten sampled blocks. Each stands for w = 1 / (1 - e^-1) = 1.582 blocks, so that their
 * number is 15.82 (16 or 15, by chance), and its variance 10 w (w - 1) = 9.207. */
static void records_have_estimates(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 10, INTERVAL, 4, "make|main", DMD_NONE);
  dmd_group_t *g = dmd_groups_at(&f.profile.groups, 1);
  g->sampled = 1;
  f.profile.run.is_known = true;
  f.profile.run.sample_interval = INTERVAL;
  fixture_records(&f, 24, DMD_SORT_USABLE);
  const dmd_record_t *r = dmd_records_at(&f.records, 1);
  assert_in_range(r->num, 15, 16);
  assert_int_equal(r->usable, 64861); /* 15.8198 * 4100 */
  assert_int_equal(r->req, 64798);    /* 15.8198 * 4096 */
  assert_int_equal(r->slop, r->usable - r->req);
  assert_true(fabs(r->variance.blocks - 9.2067) < 1e-3);
  assert_true(fabs(r->variance.bytes - 9.2067 * 4100 * 4100) < 1e4);
  assert_true(f.records.heap.variance.bytes == r->variance.bytes);
  assert_prints(&f, "~64,861 ± 12,440 bytes (~64,798 requested / ~63 slop)\n");
  assert_prints(&f, " ± 3 blocks in heap block record 1 of 1\n");
  assert_prints(&f, "Sampled: one block for each 4,096 bytes on average was kept.\n");
  fixture_end(&f);
}

/* Blocks beside them that are not sampled count exactly. */
static void other_groups_are_what_they_say(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 10, 100, 4, "make", DMD_NONE);
  const dmd_group_t *g = dmd_groups_at(&f.profile.groups, 1);
  f.profile.run.sample_interval = INTERVAL;
  assert_int_equal(dmd_group_blocks(&f.profile, g), 10);
  assert_int_equal(dmd_group_usable(&f.profile, g), 1040);
  assert_int_equal(dmd_group_bytes(&f.profile, g, 4), 40);
  assert_true(dmd_group_variance(&f.profile, g).bytes == 0);
  assert_prints(&f, "  1,040 bytes (1,000 requested / 40 slop)\n");
  fixture_end(&f);
}

/* Blocks that are in both profiles cancel out of the sum, but not out of its error. */
static void errors_of_a_difference_add_up(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  sample_program(&f.profile, 1);
  sample_program(&f.other, 1);
  dmd_profile_t difference;
  dmd_profile_init(&difference, &f.host.env);
  dmd_variance_t one = dmd_heapsum_of(&f.profile).all.variance;
  dmd_difference(&difference, &f.other, &f.profile);
  dmd_blocksum_t all = dmd_heapsum_of(&difference).all;
  assert_int_equal(difference.run.sample_interval, INTERVAL);
  assert_true(all.bytes == 0 && all.blocks == 0);
  assert_true(fabs(all.variance.bytes / one.bytes - 2) < 1e-9);
  assert_true(fabs(all.variance.blocks / one.blocks - 2) < 1e-9);
  dmd_profile_destroy(&difference);
  fixture_end(&f);
}

static void which_profiles_go_together(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  static const struct {
    uint64_t interval, below, other_interval, other_below;
    bool alike;
  } cases[] = {{0, 0, 0, 0, true},     {4096, 0, 0, 0, true},   {0, 0, 4096, 0, true},
               {512, 0, 512, 0, true}, {512, 0, 513, 0, false}, {512, 0, 0, 10, false},
               {0, 10, 512, 0, false}, {0, 10, 0, 20, true}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    f.profile.run.sample_interval = cases[i].interval;
    f.profile.run.sample_below = cases[i].below;
    f.other.run.sample_interval = cases[i].other_interval;
    f.other.run.sample_below = cases[i].other_below;
    assert_int_equal(dmd_sampled_alike(&f.profile, &f.other), cases[i].alike);
  }
  fixture_end(&f);
}

/* A file could claim more than numbers can hold. */
static void limits(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 1, (int64_t)1 << 40, "make", DMD_NONE);
  assert_true(dmd_sampled_fits(&f.profile));
  f.profile.run.sample_interval = DMD_MAX_SAMPLE_INTERVAL;
  assert_true(dmd_sampled_fits(&f.profile));
  dmd_groups_at(&f.profile.groups, 1)->sampled = 1;
  assert_false(dmd_sampled_fits(&f.profile));
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_those_of_the_formula),
      cmocka_unit_test(a_block_is_kept_by_its_size),
      cmocka_unit_test(equal_seeds_keep_equal_blocks),
      cmocka_unit_test(estimates_are_unbiased_and_their_errors_right),
      cmocka_unit_test(records_have_estimates),
      cmocka_unit_test(other_groups_are_what_they_say),
      cmocka_unit_test(errors_of_a_difference_add_up),
      cmocka_unit_test(which_profiles_go_together),
      cmocka_unit_test(limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
