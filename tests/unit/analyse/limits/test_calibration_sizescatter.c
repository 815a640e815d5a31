/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The scatter of the blocks of one size over equal runs, against sums by hand and against the known
 * counts of each run. */
#include "fixture.h"

#include "analyse/limits/calibration.h"
#include "analyse/limits/ttest.h"

enum { N_SIZES = 5, MAX_RUNS = 6 };

static bool is_near(double a, double b) {
  double distance = a > b ? a - b : b - a;
  return distance <= 1e-9 * (1 + b);
}

/* Three runs with so many blocks of 500 and of 600 bytes. */
static double of_three(const int64_t counts[3][2], dmd_what_t what) {
  host_t host;
  host_init(&host);
  dmd_profile_t profiles[3];
  dmd_subject_t runs[3] = {{0}};
  for (int i = 0; i < 3; i++) {
    dmd_profile_init(&profiles[i], &host.env);
    for (int k = 0; k < 2; k++)
      if (counts[i][k] > 0)
        build_blocks(&profiles[i], (uint64_t)counts[i][k], k == 0 ? 500 : 590, k == 0 ? 0 : 10,
                     "new", DMD_NONE);
    runs[i].profile = &profiles[i];
  }
  double most = dmd_size_scatter(runs, 3, what, NULL);
  for (int i = 0; i < 3; i++)
    dmd_profile_destroy(&profiles[i]);
  host_done(&host);
  return most;
}

static void by_hand(void **state) {
  (void)state;
  /* 10, 20 and 30 deviate by 10; times 600 bytes. */
  assert_true(
      is_near(of_three((const int64_t[3][2]){{10, 30}, {20, 20}, {30, 10}}, DMD_TOTAL), 6000));
  assert_true(is_near(of_three((const int64_t[3][2]){{10, 9}, {20, 9}, {30, 9}}, DMD_TOTAL), 5000));
  /* A size that one run lacks does not count. */
  assert_true(
      is_near(of_three((const int64_t[3][2]){{10, 30}, {20, 0}, {30, 10}}, DMD_TOTAL), 5000));
  assert_true(of_three((const int64_t[3][2]){{0, 1}, {2, 0}, {3, 4}}, DMD_TOTAL) == 0);
  assert_true(of_three((const int64_t[3][2]){{7, 3}, {7, 3}, {7, 3}}, DMD_TOTAL) == 0);
  assert_true(of_three((const int64_t[3][2]){{1, 2}, {2, 3}, {3, 4}}, DMD_MISREPORTS) == 0);
}

/* A run: for each size, how many blocks "a" reported, and how many are unreported. */
typedef struct {
  int64_t by_a[N_SIZES], unreported[N_SIZES];
} run_t;

static void fill(dmd_profile_t *p, const run_t *run) {
  p->mode = DMD_MODE_DARK_MATTER;
  for (int k = 0; k < N_SIZES; k++) {
    if (run->by_a[k] > 0)
      build_blocks(p, (uint64_t)run->by_a[k], 100 * (uint64_t)(k + 1), 0, "new",
                   build_reports(p, 1, "r", "a", NULL, NULL));
    /* Blocks from two stacks: these do not count as another size. */
    for (int64_t i = 0; i < run->unreported[k]; i++)
      build_blocks(p, 1, 100 * (uint64_t)(k + 1), 0, i % 2 ? "new" : "other", DMD_NONE);
  }
}

/* The largest deviation over sizes, of counts that all runs have. */
static double expected(const run_t *runs, size_t n, bool a, bool unreported) {
  double most = 0;
  for (int k = 0; k < N_SIZES; k++) {
    int64_t values[MAX_RUNS];
    bool all = true;
    for (size_t i = 0; i < n; i++) {
      values[i] = (a ? runs[i].by_a[k] : 0) + (unreported ? runs[i].unreported[k] : 0);
      all &= values[i] > 0;
      values[i] *= 100 * (k + 1);
    }
    double deviation = dmd_scatter_of(values, n).deviation;
    if (all && deviation > most)
      most = deviation;
  }
  return most;
}

static void random_against_counts(void **state) {
  (void)state;
  dice_t dice = {23};
  for (int round = 0; round < 200; round++) {
    host_t host;
    host_init(&host);
    size_t n = 2 + (size_t)dice_below(&dice, MAX_RUNS - 1);
    run_t runs[MAX_RUNS];
    dmd_profile_t profiles[MAX_RUNS];
    dmd_subject_t subjects[MAX_RUNS] = {{0}};
    for (size_t i = 0; i < n; i++) {
      for (int k = 0; k < N_SIZES; k++) {
        runs[i].by_a[k] = (int64_t)dice_below(&dice, 6);
        runs[i].unreported[k] = (int64_t)dice_below(&dice, 6);
      }
      dmd_profile_init(&profiles[i], &host.env);
      fill(&profiles[i], &runs[i]);
      subjects[i].profile = &profiles[i];
    }
    assert_true(
        is_near(dmd_size_scatter(subjects, n, DMD_TOTAL, NULL), expected(runs, n, true, true)));
    assert_true(is_near(dmd_size_scatter(subjects, n, DMD_UNREPORTED, NULL),
                        expected(runs, n, false, true)));
    assert_true(
        is_near(dmd_size_scatter(subjects, n, DMD_NAMED, "a"), expected(runs, n, true, false)));
    for (size_t i = 0; i < n; i++)
      dmd_profile_destroy(&profiles[i]);
    host_done(&host);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill(&p, &(run_t){{1, 2, 3}, {4, 5}});
  dmd_subject_t runs[] = {{.profile = &p}, {.profile = &p}};
  assert_true(dmd_size_scatter(runs, 2, DMD_TOTAL, NULL) == 0);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(random_against_counts),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
