/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/sort.h"

enum { N = 40 };

/* The first place of from..to - 1 whose number is not below `least`, one by one. */
static uint32_t naive_search(const uint32_t *numbers, uint32_t from, uint32_t to, uint32_t least) {
  while (from < to && numbers[from] < least)
    from++;
  return from;
}

static void assert_found(const uint32_t *numbers, uint32_t from, uint32_t to, uint32_t least) {
  uint32_t place;
  DMD_SEARCH(place, from, to, numbers[place] < least);
  assert_int_equal(place, naive_search(numbers, from, to, least));
}

/* Every range of every list of up to 40 numbers that ascend by 0 to 2. */
static void random_against_one_by_one(void **state) {
  (void)state;
  dice_t dice = {12};
  for (int round = 0; round < 50; round++) {
    uint32_t numbers[N] = {1};
    for (uint32_t i = 1; i < N; i++)
      numbers[i] = numbers[i - 1] + (uint32_t)dice_below(&dice, 3);
    for (uint32_t from = 0; from <= N; from++)
      for (uint32_t to = from; to <= N; to++)
        assert_found(numbers, from, to, (uint32_t)dice_below(&dice, 60));
  }
}

static void nothing_is_looked_at_where_there_is_nothing(void **state) {
  (void)state;
  uint32_t place;
  DMD_SEARCH(place, 7, 7, (fail(), true));
  assert_int_equal(place, 7);
}

/* 2^32 - 1 places take 32 looks. */
static void looks_are_few_and_sums_do_not_overflow(void **state) {
  (void)state;
  uint32_t place, n_looks = 0;
  DMD_SEARCH(place, 0, UINT32_MAX, (n_looks++, place < UINT32_MAX - 3));
  assert_int_equal(place, UINT32_MAX - 3);
  assert_in_range(n_looks, 1, 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_one_by_one),
      cmocka_unit_test(nothing_is_looked_at_where_there_is_nothing),
      cmocka_unit_test(looks_are_few_and_sums_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
