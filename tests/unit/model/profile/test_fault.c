/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/profile/fault.h"

/* Kind, place and reporter identify a fault; an equal one only increases its count. */
static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 4000 };
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
    assert_int_equal(
        dmd_faults_add(
            &faults,
            &(dmd_fault_t){.num = times, .kind = kind, .stack = stack, .reporter = reporter}),
        id > n);
    if (id > n)
      list[++n] = (dmd_fault_t){.kind = kind, .stack = stack, .reporter = reporter};
    list[id].num += times;
    assert_int_equal(dmd_faults_count(&faults), n);
  }
  assert_true(n > 500 && n < DMD_N_FAULTS * 20 * 8);
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
    dmd_faults_add(&faults, &(dmd_fault_t){.num = 1, .kind = DMD_FAULT_INVALID_FREE, .stack = i});
  dmd_faults_destroy(&faults);
}

/* A list and a segment; 64, 128 and 256 slots. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 2 + 3);
}

/* Bytes of equal faults are summed; the other numbers are those of the largest error. */
static void numbers_of_the_worst(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_faults_t faults;
  dmd_faults_init(&faults, &host.env);
  dmd_fault_t fault = {.num = 1, .kind = DMD_FAULT_CLAIM, .reporter = 1};
  static const uint64_t amounts[][2] = {{100, 90}, {10, 50}, {200, 199}};
  for (int i = 0; i < 3; i++) {
    fault.claimed = amounts[i][0];
    fault.measured = amounts[i][1];
    fault.bytes = (uint64_t[]){10, 40, 1}[i];
    assert_int_equal(dmd_faults_add(&faults, &fault), i == 0);
  }
  const dmd_fault_t *sum = dmd_faults_at(&faults, 1);
  assert_int_equal(sum->num, 3);
  assert_int_equal(sum->bytes, 51);
  assert_int_equal(sum->claimed, 10);
  assert_int_equal(sum->measured, 50);
  fault.bytes = UINT64_MAX - 3;
  dmd_faults_add(&faults, &fault);
  assert_int_equal(dmd_faults_at(&faults, 1)->bytes, UINT64_MAX);
  /* The key of a fault. */
  uint32_t *const parts[] = {&fault.kind,      &fault.stack, &fault.reporter, &fault.reason,
                             &fault.allocated, &fault.freed, &fault.reported, &fault.other_reporter,
                             &fault.scope,     &fault.memory};
  for (uint32_t i = 0; i < COUNT_OF(parts); i++) {
    ++*parts[i];
    dmd_faults_add(&faults, &fault);
    assert_int_equal(dmd_faults_count(&faults), i + 2);
  }
  dmd_faults_destroy(&faults);
  host_done(&host);
}

static void order(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_faults_t faults;
  dmd_faults_init(&faults, &host.env);
  static const dmd_fault_t list[] = {
      {.num = 9, .kind = DMD_FAULT_INVALID_REALLOC},
      {.num = 1, .kind = DMD_FAULT_INVALID_FREE, .stack = 1},
      {.num = 5, .kind = DMD_FAULT_REPORT_STACK},
      {.num = 2, .kind = DMD_FAULT_INVALID_FREE, .stack = 2},
      {.num = 1, .kind = DMD_FAULT_CLAIM, .bytes = 10},
      {.num = 6, .kind = DMD_FAULT_REPORT_GLOBAL},
      {.num = 1, .kind = DMD_FAULT_REPORT_INTERIOR, .bytes = 20},
  };
  static const uint32_t expected[] = {7, 5, 6, 3, 4, 2, 1};
  for (size_t i = 0; i < COUNT_OF(list); i++)
    dmd_faults_add(&faults, &list[i]);
  uint32_t *ids = dmd_faults_sorted(&faults, &host.env);
  assert_memory_equal(ids, expected, sizeof expected);
  dmd_env_free(&host.env, ids);
  dmd_faults_destroy(&faults);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(numbers_of_the_worst),
      cmocka_unit_test(order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
