/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "profile/fault.h"

/* Kind, place and reporter make a fault; again the same only counts. */
static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 2000 };
  static dmd_fault_t list[MAX + 1];
  uint32_t n = 0;
  dice_t dice = {121};
  host_t host;
  host_init(&host);
  dmd_faults_t faults;
  dmd_faults_init(&faults, &host.env);
  assert_int_equal(dmd_faults_count(&faults), 0);
  for (int step = 0; step < 5000; step++) {
    dmd_fault_kind_t kind = (dmd_fault_kind_t)dice_below(&dice, DMD_N_FAULTS);
    uint32_t stack = (uint32_t)dice_below(&dice, 20), reporter = (uint32_t)dice_below(&dice, 8);
    uint64_t times = 1 + dice_below(&dice, 3);
    uint32_t id = 1;
    while (id <= n &&
           (list[id].kind != kind || list[id].stack != stack || list[id].reporter != reporter))
      id++;
    assert_int_equal(dmd_faults_add(&faults, &(dmd_fault_t){times, kind, stack, reporter}), id > n);
    if (id > n)
      list[++n] = (dmd_fault_t){0, kind, stack, reporter};
    list[id].num += times;
    assert_int_equal(dmd_faults_count(&faults), n);
  }
  assert_true(n > 500 && n < 1500);
  for (uint32_t id = 1; id <= n; id++) {
    const dmd_fault_t *f = dmd_faults_at(&faults, id);
    assert_int_equal(f->num, list[id].num);
    assert_int_equal(f->kind, list[id].kind);
    assert_int_equal(f->stack, list[id].stack);
    assert_int_equal(f->reporter, list[id].reporter);
  }
  dmd_faults_destroy(&faults);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_faults_t faults;
  dmd_faults_init(&faults, &host->env);
  for (uint32_t i = 0; i < 100; i++)
    dmd_faults_add(&faults, &(dmd_fault_t){1, DMD_FAULT_INVALID_FREE, i, DMD_NONE});
  dmd_faults_destroy(&faults);
}

/* A list and a segment; 64, 128 and 256 slots. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 2 + 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
