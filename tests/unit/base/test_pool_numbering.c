/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pool.h"
#include "host.h"

static void numbers_count_from_1_in_the_order_of_asking(void **state) {
  (void)state;
  host_t host;
  dmd_numbering_t n;
  host_init(&host);
  dmd_numbering_init(&n, &host.env, "test");
  assert_int_equal(dmd_numbering_count(&n), 0);
  assert_int_equal(dmd_numbering_of(&n, 5000), 1);
  assert_int_equal(dmd_numbering_of(&n, 7), 2);
  assert_int_equal(dmd_numbering_of(&n, 5000), 1);
  assert_int_equal(dmd_numbering_of(&n, DMD_NONE), DMD_NONE);
  assert_int_equal(dmd_numbering_of(&n, 6), 3);
  assert_int_equal(dmd_numbering_count(&n), 3);
  assert_int_equal(dmd_numbering_id(&n, 1), 5000);
  assert_int_equal(dmd_numbering_id(&n, 2), 7);
  assert_int_equal(dmd_numbering_id(&n, 3), 6);
  dmd_numbering_destroy(&n);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dmd_numbering_t n;
  (void)arg;
  dmd_numbering_init(&n, &host->env, "test");
  dmd_numbering_of(&n, 3000);
  dmd_numbering_destroy(&n);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_count_from_1_in_the_order_of_asking),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
