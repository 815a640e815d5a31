/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/map.h"

enum { MAX = 600 };

typedef struct {
  uint64_t number;
  void *value;
} entry_t;

static entry_t *find(entry_t *list, size_t n, uint64_t number) {
  for (size_t i = 0; i < n; i++)
    if (list[i].number == number)
      return &list[i];
  return NULL;
}

/* Numbers close together, numbers far apart, and numbers with the same home slot. */
static uint64_t any_number(dice_t *dice) {
  switch (dice_below(dice, 4)) {
  case 0:
    return dice_below(dice, 100);
  case 1:
    return UINT64_MAX - dice_below(dice, 50);
  case 2:
    return dice_below(dice, 50) << 40;
  default:
    return dice_any_size(dice);
  }
}

static void random_against_a_list(void **state) {
  (void)state;
  static entry_t list[MAX];
  static char values[MAX];
  size_t n = 0;
  dice_t dice = {4711};
  host_t host;
  host_init(&host);
  dmd_map_t map;
  dmd_map_init(&map, &host.env, "test");
  for (int step = 0; step < 60000; step++) {
    uint64_t number = any_number(&dice);
    entry_t *known = find(list, n, number);
    assert_ptr_equal(dmd_map_find(&map, number), known == NULL ? NULL : known->value);
    /* It grows and shrinks in long waves, so that it passes its sizes again and again. */
    bool growing = step / 2000 % 2 == 0;
    if (known == NULL && growing && n < MAX) {
      list[n] = (entry_t){number, &values[dice_below(&dice, MAX)]};
      dmd_map_add(&map, number, list[n++].value);
    } else if (n > 0 && !growing) {
      size_t i = dice_below(&dice, n);
      dmd_map_remove(&map, list[i].number);
      list[i] = list[--n];
    }
    assert_int_equal(map.n, n);
    if (step % 100 == 0)
      for (size_t i = 0; i < n; i++)
        assert_ptr_equal(dmd_map_find(&map, list[i].number), list[i].value);
  }
  dmd_map_destroy(&map);
  assert_null(dmd_map_find(&map, 1));
  host_done(&host);
}

static void add_many(host_t *host, void *arg) {
  dmd_map_t map;
  dmd_map_init(&map, &host->env, "test");
  for (uint64_t i = 0; i < 1000; i++)
    dmd_map_add(&map, i * 7, arg);
  dmd_map_destroy(&map);
}

static void out_of_memory(void **state) {
  (void)state;
  int value;
  assert_true(host_fail_everywhere(add_many, &value) > 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
