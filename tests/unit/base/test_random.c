/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <math.h>

#include "base/random.h"

enum { N = 100000 };

static void the_seed_decides(void **state) {
  (void)state;
  dmd_random_t a, b, c;
  int n_same = 0;
  dmd_random_init(&a, 1);
  dmd_random_init(&b, 1);
  dmd_random_init(&c, 2);
  for (int i = 0; i < 1000; i++) {
    uint64_t value = dmd_random_next(&a);
    assert_int_equal(value, dmd_random_next(&b));
    n_same += value == dmd_random_next(&c);
  }
  assert_int_equal(n_same, 0);
}

/* Each bit is set about half of the time: five deviations of 100,000 coin tosses are 791. */
static void each_bit_is_a_coin(void **state) {
  (void)state;
  int n_set[64] = {0};
  dmd_random_t random;
  dmd_random_init(&random, 3);
  for (int i = 0; i < N; i++) {
    uint64_t value = dmd_random_next(&random);
    for (int bit = 0; bit < 64; bit++)
      n_set[bit] += value >> bit & 1;
  }
  for (int bit = 0; bit < 64; bit++)
    assert_in_range(n_set[bit], N / 2 - 791, N / 2 + 791);
}

/* P(value > x) = e^-x, within five standard deviations, for small x and large ones. */
static void exponential_values(void **state) {
  (void)state;
  static const double at[] = {0.001, 0.1, 0.5, 1, 2, 4, 7};
  uint64_t n_above[COUNT_OF(at)] = {0};
  dmd_random_t random;
  dmd_random_init(&random, 5);
  double sum = 0;
  for (int i = 0; i < N; i++) {
    double value = dmd_random_exponential(&random);
    assert_true(value >= 0 && value < 36.8);
    sum += value;
    for (size_t k = 0; k < COUNT_OF(at); k++)
      n_above[k] += value > at[k];
  }
  for (size_t k = 0; k < COUNT_OF(at); k++) {
    double p = exp(-at[k]), deviation = sqrt(N * p * (1 - p));
    assert_true(fabs((double)n_above[k] - N * p) < 5 * deviation);
  }
  assert_true(fabs(sum / N - 1) < 5 / sqrt(N));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_seed_decides),
      cmocka_unit_test(each_bit_is_a_coin),
      cmocka_unit_test(exponential_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
