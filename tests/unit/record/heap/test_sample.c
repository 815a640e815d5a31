/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <math.h>

#include "record/heap/sample.h"

/* ---- sampling below N ---- */

/* Sampled blocks stand for those that were not sampled: at any moment one block was sampled for
 * each N of the small blocks' bytes, and perhaps one for the incomplete N. Large blocks do not
 * count. */
static void kept_blocks_stand_for_all(void **state) {
  (void)state;
  static const uint64_t limits[] = {1, 2, 100, 1024, 4093};
  dice_t dice = {141};
  for (size_t k = 0; k < COUNT_OF(limits); k++) {
    uint64_t limit = limits[k], sum = 0, kept = 0, n_exact = 0;
    dmd_sampler_t sampler;
    dmd_sampler_init(&sampler, false, limit, 1);
    for (int i = 0; i < 50000; i++) {
      uint64_t usable = dice_below(&dice, 2 * limit + 1);
      dmd_sample_t how = dmd_sampler_block(&sampler, usable);
      if (usable >= limit) {
        assert_int_equal(how, DMD_SAMPLE_EXACT);
        n_exact++;
        continue;
      }
      assert_in_range(how, DMD_SAMPLE_PASSED, DMD_SAMPLE_STANDS_TWICE);
      sum += usable;
      kept += how == DMD_SAMPLE_STANDS_TWICE ? 2 : how == DMD_SAMPLE_STANDS;
      assert_in_range(kept, sum / limit, sum / limit + 1);
    }
    assert_true(n_exact > 10000);
    assert_true(limit == 1 ? kept == 0 : kept > 4000);
  }
}

/* Two places that allocate 24 bytes in turn get half of the samples each, even if N is a multiple
 * of 48, where a fixed byte of each window would always hit the same place. The seed decides
 * which. */
static void a_regular_pattern_is_sampled_evenly(void **state) {
  (void)state;
  static const uint64_t limits[] = {48, 96, 4093, 4096, 4800};
  for (size_t k = 0; k < COUNT_OF(limits); k++) {
    enum { WINDOWS = 2000 };
    uint64_t n[2] = {0, 0}, n_same = 0, n_blocks = limits[k] * WINDOWS / 24;
    dmd_sampler_t sampler, other;
    dmd_sampler_init(&sampler, false, limits[k], 1);
    dmd_sampler_init(&other, false, limits[k], 2);
    for (uint64_t i = 0; i < n_blocks; i++) {
      bool kept = dmd_sampler_block(&sampler, 24) == DMD_SAMPLE_STANDS;
      bool kept_by_other = dmd_sampler_block(&other, 24) == DMD_SAMPLE_STANDS;
      n[i % 2] += kept;
      n_same += kept && kept_by_other;
    }
    assert_in_range(n[0] + n[1], WINDOWS - 1, WINDOWS + 1);
    /* Six standard deviations of a fair coin thrown 2,000 times are 134. */
    assert_in_range(n[0], WINDOWS / 2 - 134, WINDOWS / 2 + 134);
    assert_true(n_same < WINDOWS);
  }
}

/* Blocks nearly as large as a window, and small ones between them, each get their share. */
static void sizes_near_the_limit_have_their_share(void **state) {
  (void)state;
  static const uint64_t large[] = {1000, 3000, 4092}, small[] = {24, 1000};
  for (size_t k = 0; k < COUNT_OF(large); k++) {
    for (size_t m = 0; m < COUNT_OF(small); m++) {
      enum { N = 4093, ROUNDS = 40000 };
      double n_small = 0, n_large = 0;
      dmd_sampler_t sampler;
      dmd_sampler_init(&sampler, false, N, 5);
      for (int i = 0; i < ROUNDS; i++) {
        n_small += dmd_sampler_block(&sampler, small[m]);
        n_large += dmd_sampler_block(&sampler, large[k]);
      }
      double windows = (double)(small[m] + large[k]) * ROUNDS / N;
      double share = (double)small[m] / (double)(small[m] + large[k]);
      /* The drawn bytes are independent: at most a binomial spread; six deviations. */
      double spread = 6 * sqrt(windows * share * (1 - share)) + 2;
      assert_true(fabs(n_small - windows * share) < spread);
      assert_true(fabs(n_small + n_large - windows) <= 2);
    }
  }
}

static void without_a_limit_all_are_exact(void **state) {
  (void)state;
  dmd_sampler_t sampler;
  dmd_sampler_init(&sampler, false, 0, 1);
  for (uint64_t usable = 0; usable < 5000; usable++)
    assert_int_equal(dmd_sampler_block(&sampler, usable), DMD_SAMPLE_EXACT);
}

static void blocks_of_nothing_are_never_kept(void **state) {
  (void)state;
  dmd_sampler_t sampler;
  dmd_sampler_init(&sampler, false, 8, 1);
  for (int i = 0; i < 1000; i++)
    assert_int_equal(dmd_sampler_block(&sampler, 0), DMD_SAMPLE_PASSED);
}

/* ---- partial stacks ---- */

static const double probability = 0.003;

/* The deviation, in standard deviations, of n_hits hits in n_trials with this probability each from
 * the expected number. */
static double deviation(uint64_t n_hits, uint64_t n_trials, double p) {
  return ((double)n_hits - (double)n_trials * p) / sqrt((double)n_trials * p * (1 - p));
}

static uint64_t count_stacks(uint64_t seed, uint64_t usable, uint64_t n_blocks) {
  dmd_sampler_t sampler;
  dmd_sampler_init(&sampler, true, 0, seed);
  uint64_t n = 0;
  for (uint64_t i = 0; i < n_blocks; i++)
    n += dmd_sampler_stack(&sampler, usable);
  return n;
}

/* A block of n bytes has a stack with probability 1 - 0.997^n. Six standard deviations happen by
 * chance once in 5 * 10^8; a probability of 0.0031 a byte would be at more than 8 in the first. */
static void stacks_by_usable_bytes(void **state) {
  (void)state;
  static const struct {
    uint64_t usable, n_blocks;
  } cases[] = {{1, 2500000},  {8, 1000000},  {24, 500000},
               {100, 300000}, {500, 300000}, {2000, 300000}};
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    for (uint64_t seed = 0; seed < 3; seed++) {
      double p = 1 - pow(1 - probability, (double)cases[i].usable);
      uint64_t n = count_stacks(seed, cases[i].usable, cases[i].n_blocks);
      double off = deviation(n, cases[i].n_blocks, p);
      if (fabs(off) > 6)
        fail_msg("%llu stacks of %llu blocks of %llu bytes: off by %.1f sigma",
                 (unsigned long long)n, (unsigned long long)cases[i].n_blocks,
                 (unsigned long long)cases[i].usable, off);
    }
}

/* With mixed sizes the probability of each must still be its own: the countdown for one block must
 * not favour the next. */
static void stacks_of_mixed_sizes(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 30, 200, 900};
  uint64_t n_blocks[COUNT_OF(sizes)] = {0}, n_stacks[COUNT_OF(sizes)] = {0};
  /* Whether a block gets a stack after one that got one, too. */
  uint64_t n_after = 0, n_stacks_after = 0;
  bool before = false;
  dice_t dice = {142};
  dmd_sampler_t sampler;
  dmd_sampler_init(&sampler, true, 0, 42);
  for (int i = 0; i < 2000000; i++) {
    size_t k = (size_t)dice_below(&dice, COUNT_OF(sizes));
    bool stack = dmd_sampler_stack(&sampler, sizes[k]);
    n_blocks[k]++;
    n_stacks[k] += stack;
    if (before && k == 2) {
      n_after++;
      n_stacks_after += stack;
    }
    before = stack;
  }
  for (size_t k = 0; k < COUNT_OF(sizes); k++) {
    double p = 1 - pow(1 - probability, (double)sizes[k]);
    assert_true(fabs(deviation(n_stacks[k], n_blocks[k], p)) < 6);
  }
  double p = 1 - pow(1 - probability, (double)sizes[2]);
  assert_true(fabs(deviation(n_stacks_after, n_after, p)) < 6);
}

static void certain_cases(void **state) {
  (void)state;
  assert_int_equal(count_stacks(1, 0, 100000), 0);
  assert_int_equal(count_stacks(1, 1000000, 1000), 1000); /* e^-3000 is never */
  assert_int_equal(count_stacks(1, UINT64_MAX, 1000), 1000);
  dmd_sampler_t sampler;
  dmd_sampler_init(&sampler, false, 0, 1);
  for (uint64_t usable = 0; usable < 1000; usable++)
    assert_true(dmd_sampler_stack(&sampler, usable));
}

static void the_seed_decides(void **state) {
  (void)state;
  enum { N = 20000 };
  static bool first[N];
  uint64_t n_different = 0;
  for (uint64_t seed = 5; seed <= 6; seed++) {
    for (int again = 0; again < 2; again++) {
      dmd_sampler_t sampler;
      dmd_sampler_init(&sampler, true, 0, seed);
      for (size_t i = 0; i < N; i++) {
        bool stack = dmd_sampler_stack(&sampler, 100);
        if (seed == 5 && again == 0)
          first[i] = stack;
        else if (seed == 5)
          assert_int_equal(stack, first[i]);
        else
          n_different += stack != first[i];
      }
    }
  }
  /* 26% have a stack, so that 38% of independent pairs differ. */
  assert_true(fabs(deviation(n_different / 2, N, 0.385)) < 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_blocks_stand_for_all),
      cmocka_unit_test(a_regular_pattern_is_sampled_evenly),
      cmocka_unit_test(sizes_near_the_limit_have_their_share),
      cmocka_unit_test(without_a_limit_all_are_exact),
      cmocka_unit_test(blocks_of_nothing_are_never_kept),
      cmocka_unit_test(stacks_by_usable_bytes),
      cmocka_unit_test(stacks_of_mixed_sizes),
      cmocka_unit_test(certain_cases),
      cmocka_unit_test(the_seed_decides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
