/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/freed.h"

static dmd_freed_block_t block(uint64_t addr, uint32_t freed) {
  return (dmd_freed_block_t){.addr = addr, .usable = 8 * addr, .allocated = 1, .freed = freed};
}

static void the_last_ones_are_found(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_freed_t freed;
  dmd_freed_init(&freed, &host.env, 3);
  assert_null(dmd_freed_find(&freed, 0));
  for (uint32_t i = 1; i <= 7; i++) {
    dmd_freed_block_t b = block(i * 16, i);
    dmd_freed_add(&freed, &b);
    for (uint32_t k = 1; k <= 8; k++) {
      const dmd_freed_block_t *found = dmd_freed_find(&freed, k * 16);
      bool expected = k <= i && k + 3 > i;
      assert_int_equal(found != NULL, expected);
      if (expected)
        assert_int_equal(found->freed, k);
    }
  }
  dmd_freed_destroy(&freed);
  host_done(&host);
}

/* An address that was freed several times: the last free counts. */
static void the_latest_is_found(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_freed_t freed;
  dmd_freed_init(&freed, &host.env, 4);
  for (uint32_t i = 1; i <= 6; i++) {
    dmd_freed_block_t b = block(64, i);
    dmd_freed_add(&freed, &b);
    assert_int_equal(dmd_freed_find(&freed, 64)->freed, i);
    assert_int_equal(dmd_freed_find(&freed, 64)->usable, 512);
  }
  dmd_freed_destroy(&freed);
  host_done(&host);
}

static void none_remembered(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_freed_t freed;
  dmd_freed_init(&freed, &host.env, 0);
  dmd_freed_block_t b = block(64, 1);
  dmd_freed_add(&freed, &b);
  assert_null(dmd_freed_find(&freed, 64));
  dmd_freed_destroy(&freed);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_ones_are_found),
      cmocka_unit_test(the_latest_is_found),
      cmocka_unit_test(none_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
