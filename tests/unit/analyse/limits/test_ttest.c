/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Student's distribution against printed tables, and square roots and scatter against their
 * definitions. */
#include "fixture.h"

#include "analyse/limits/ttest.h"

static bool is_near(double a, double b, double tolerance) {
  return a - b <= tolerance && b - a <= tolerance;
}

/* From the tables of statistics books (t for one-sided probabilities), to three decimals. */
static void bounds_are_those_of_the_tables(void **state) {
  (void)state;
  static const struct {
    uint32_t n;
    double p, t;
  } rows[] = {
      {2, 0.10, 1.886},   {2, 0.05, 2.920},    {2, 0.025, 4.303},   {2, 0.01, 6.965},
      {2, 0.005, 9.925},  {4, 0.05, 2.132},    {4, 0.01, 3.747},    {4, 0.0005, 8.610},
      {10, 0.05, 1.812},  {10, 0.005, 3.169},  {10, 0.0005, 4.587}, {30, 0.025, 2.042},
      {30, 0.005, 2.750}, {120, 0.025, 1.980}, {120, 0.005, 2.617}, {1000, 0.0005, 3.300},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_true(is_near(dmd_ttest_bound(rows[i].n, rows[i].p), rows[i].t, 0.0006));
    assert_true(is_near(dmd_ttest_above(rows[i].n, rows[i].t), rows[i].p, rows[i].p * 0.002));
  }
}

/* For an odd number of degrees, the tables have smaller bounds than the function returns: 12.706,
 * 3.182, 2.571. */
static void odd_degrees_are_on_the_safe_side(void **state) {
  (void)state;
  assert_true(dmd_ttest_bound(1, 0.025) > 12.706 && dmd_ttest_bound(1, 0.025) < 13);
  assert_true(is_near(dmd_ttest_bound(3, 0.025), dmd_ttest_bound(2, 0.025), 1e-9));
  assert_true(dmd_ttest_bound(5, 0.025) > 2.571 && dmd_ttest_bound(5, 0.025) < 3.182);
  assert_true(is_near(dmd_ttest_above(1, 0.01), 0.5, 1e-9));
}

/* For probabilities that are in no table: one function is the other's inverse. With many degrees
 * the result approaches the normal distribution's, 9.866e-10 at 6, to within 0.05, since 100,000
 * degrees are not quite enough. */
static void far_out(void **state) {
  (void)state;
  for (uint32_t n = 2; n < 3000; n *= 3)
    for (double p = 0.4; p > 1e-12; p /= 7)
      assert_true(is_near(dmd_ttest_above(n, dmd_ttest_bound(n, p)) / p, 1, 1e-6));
  assert_true(is_near(dmd_ttest_above(100000, 6) / 9.866e-10, 1, 0.05));
}

static void roots(void **state) {
  (void)state;
  assert_true(dmd_sqrt(0) == 0);
  for (double x = 1e-300; x < 1e300; x *= 7.3)
    assert_true(is_near(dmd_sqrt(x) * dmd_sqrt(x) / x, 1, 1e-15 * 4));
}

static void scatter(void **state) {
  (void)state;
  static const int64_t values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  dmd_scatter_t s = dmd_scatter_of(values, 8);
  assert_true(s.mean == 5 && is_near(s.deviation * s.deviation, 32.0 / 7, 1e-12));
  s = dmd_scatter_of(values, 1);
  assert_true(s.mean == 2 && s.deviation == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_are_those_of_the_tables),
      cmocka_unit_test(odd_degrees_are_on_the_safe_side),
      cmocka_unit_test(far_out),
      cmocka_unit_test(roots),
      cmocka_unit_test(scatter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
