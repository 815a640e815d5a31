/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <inttypes.h>
#include <stdio.h>

#include "files/profile/readerstate.h"

static uint32_t number_of(dmd_ids_t *ids, const char *id) {
  return dmd_ids_number(ids, dmd_span_of(id));
}

static void random_id(char *id, dice_t *dice) {
  static const char *const forms[] = {"%" PRIu64, "0%" PRIu64, "t%" PRIu64, "-%" PRIu64};
  static const uint64_t limits[] = {20, 3000, 100000, 20000000000};
  bool plain = dice_below(dice, 3) > 0;
  sprintf(id, forms[plain ? 0 : dice_below(dice, COUNT_OF(forms))],
          dice_below(dice, limits[dice_below(dice, COUNT_OF(limits))]));
  if (dice_below(dice, 100) == 0)
    id[0] = '\0';
}

/* Ids of all kinds get numbers in the order of first sight. */
static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 4000 };
  static char list[MAX + 1][24];
  uint32_t n = 0;
  dice_t dice = {61};
  host_t host;
  dmd_ids_t ids;
  host_init(&host);
  dmd_ids_init(&ids, &host.env, "test");
  for (int step = 0; step < MAX; step++) {
    char id[24];
    random_id(id, &dice);
    uint32_t number = 1;
    while (number <= n && strcmp(list[number], id) != 0)
      number++;
    bool is_new = number > n;
    if (is_new)
      strcpy(list[++n], id);
    assert_int_equal(number_of(&ids, id), number);
    assert_int_equal(dmd_ids_count(&ids), n);
    if (is_new)
      assert_int_equal(*dmd_ids_meaning(&ids, number), DMD_NONE);
    else
      assert_int_equal(*dmd_ids_meaning(&ids, number), 7 * number);
    *dmd_ids_meaning(&ids, number) = 7 * number;
  }
  assert_in_range(n, MAX / 4, MAX - MAX / 4);
  for (uint32_t number = 1; number <= n; number++) {
    assert_string_equal(dmd_ids_text(&ids, number), list[number]);
    assert_int_equal(number_of(&ids, list[number]), number);
  }
  dmd_ids_destroy(&ids);
  host_done(&host);
}

/* Ids of a large value take as little memory as others. */
static void room_for_large_values(void **state) {
  (void)state;
  host_t host;
  dmd_ids_t ids;
  host_init(&host);
  dmd_ids_init(&ids, &host.env, "test");
  assert_int_equal(number_of(&ids, "999999999"), 1);
  assert_int_equal(number_of(&ids, "100000"), 2);
  assert_int_equal(number_of(&ids, "99999999999999999999"), 3);
  assert_in_range(ids.n_decimal, 0, 10000);
  /* Ids that are in order are found by their value, however many there are. */
  for (uint32_t i = 1; i <= 200000; i++) {
    char id[24];
    sprintf(id, "%" PRIu32, i);
    uint32_t number = number_of(&ids, id);
    assert_int_equal(number, i < 100000 ? i + 3 : i == 100000 ? 2 : i + 2);
    assert_int_equal(ids.decimal[i], number);
  }
  assert_in_range(ids.n_decimal, 200000, 800000);
  dmd_ids_destroy(&ids);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(room_for_large_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
