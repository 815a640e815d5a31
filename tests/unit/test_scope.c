/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "live/scope.h"

static void nested_scopes(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  assert_int_equal(dmd_scopes_top(&scopes, 1), DMD_NONE);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 10), 1);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 20), 2);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 10), 3);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 10);
  assert_true(dmd_scopes_pop(&scopes, 1));
  assert_int_equal(dmd_scopes_top(&scopes, 1), 20);
  assert_int_equal(dmd_scopes_depth(&scopes, 1), 2);
  assert_true(dmd_scopes_pop(&scopes, 1));
  assert_true(dmd_scopes_pop(&scopes, 1));
  assert_int_equal(dmd_scopes_top(&scopes, 1), DMD_NONE);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* One pop too many says so, and does no harm to what comes after. */
static void popped_too_often(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  assert_false(dmd_scopes_pop(&scopes, 5));
  dmd_scopes_push(&scopes, 5, 1);
  assert_true(dmd_scopes_pop(&scopes, 5));
  for (int i = 0; i < 3; i++)
    assert_false(dmd_scopes_pop(&scopes, 5));
  assert_int_equal(dmd_scopes_push(&scopes, 5, 2), 1);
  assert_int_equal(dmd_scopes_top(&scopes, 5), 2);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

static void threads_do_not_see_each_other(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  dmd_scopes_push(&scopes, 1, 10);
  dmd_scopes_push(&scopes, 100, 20);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 10);
  assert_int_equal(dmd_scopes_top(&scopes, 100), 20);
  assert_int_equal(dmd_scopes_top(&scopes, 50), DMD_NONE);
  assert_int_equal(dmd_scopes_top(&scopes, 100000), DMD_NONE);
  assert_false(dmd_scopes_pop(&scopes, 50));
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* Many threads, random pushes, pops and ends, against arrays. */
static void random_against_arrays(void **state) {
  (void)state;
  enum { THREADS = 70, DEPTH = 100 };
  static uint32_t names[THREADS][DEPTH];
  uint32_t depth[THREADS] = {0};
  uint64_t n_open = 0;
  dice_t dice = {111};
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  for (int step = 0; step < 50000; step++) {
    uint32_t t = (uint32_t)dice_below(&dice, THREADS);
    uint64_t roll = dice_below(&dice, 200);
    if (roll == 0) {
      dmd_scopes_end_thread(&scopes, t);
      n_open -= depth[t];
      depth[t] = 0;
    } else if (roll < 110 && depth[t] < DEPTH) {
      uint32_t name = 1 + (uint32_t)dice_below(&dice, 1000);
      names[t][depth[t]++] = name;
      n_open++;
      assert_int_equal(dmd_scopes_push(&scopes, t, name), depth[t]);
    } else {
      assert_int_equal(dmd_scopes_pop(&scopes, t), depth[t] > 0);
      if (depth[t] > 0) {
        depth[t]--;
        n_open--;
      }
    }
    assert_int_equal(scopes.n_open, n_open);
    assert_int_equal(dmd_scopes_depth(&scopes, t), depth[t]);
    assert_int_equal(dmd_scopes_top(&scopes, t), depth[t] > 0 ? names[t][depth[t] - 1] : DMD_NONE);
  }
  for (uint32_t t = 0; t < THREADS; t++)
    assert_int_equal(dmd_scopes_depth(&scopes, t), depth[t]);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host->env);
  for (uint32_t i = 0; i < 40; i++)
    dmd_scopes_push(&scopes, i % 2 ? 3 : 20, i + 1);
  dmd_scopes_push(&scopes, 33, 1);
  assert_int_equal(dmd_scopes_top(&scopes, 3), 40);
  dmd_scopes_destroy(&scopes);
}

/* Stacks of 8, 16 and 32 for two threads, one of 8 for the third; rooms for 32 and 64 threads. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 2 * 3 + 1 + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nested_scopes),
      cmocka_unit_test(popped_too_often),
      cmocka_unit_test(threads_do_not_see_each_other),
      cmocka_unit_test(random_against_arrays),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
