/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/profile/fault.h"

typedef struct {
  host_t host;
  dmd_faults_t faults;
} fixture_t;

static void begin(fixture_t *f) {
  host_init(&f->host);
  dmd_faults_init(&f->faults, &f->host.env);
}

static void end(fixture_t *f) {
  dmd_faults_destroy(&f->faults);
  host_done(&f->host);
}

/* A claim of `claimed` where the measured size is 0. */
static void add_claim(fixture_t *f, uint32_t stack, uint32_t reporter, uint64_t claimed) {
  dmd_faults_add(&f->faults, &(dmd_fault_t){.num = 1,
                                            .kind = DMD_FAULT_CLAIM,
                                            .reason = DMD_REASON_NOT_MEASURED,
                                            .stack = stack,
                                            .reporter = reporter,
                                            .bytes = claimed,
                                            .claimed = claimed});
}

static const dmd_fault_t *fault_at(const fixture_t *f, uint32_t id) {
  return dmd_faults_at(&f->faults, id);
}

/* A hundred thousand reporters that are wrong at one line are one fault, in its place among the
 * others. */
static void many_names_are_one_fault(void **state) {
  (void)state;
  enum { MANY = 100000 };
  fixture_t f;
  begin(&f);
  add_claim(&f, 1, 5, 10);
  for (uint32_t i = 0; i < MANY; i++)
    add_claim(&f, 2, 100 + i, i == 77 ? 1000 : 10);
  add_claim(&f, 2, 100, 10); /* again: the same name */
  add_claim(&f, 3, 5, 10);
  dmd_faults_join_names(&f.faults);
  assert_int_equal(dmd_faults_count(&f.faults), 3);
  assert_true(fault_at(&f, 1)->stack == 1 && fault_at(&f, 1)->n_names == 0);
  assert_true(fault_at(&f, 3)->stack == 3 && fault_at(&f, 3)->reporter == 5);
  const dmd_fault_t *fault = fault_at(&f, 2);
  assert_int_equal(fault->num, MANY + 1);
  assert_int_equal(fault->bytes, UINT64_C(10) * MANY + 10 + 990);
  assert_int_equal(fault->claimed, 1000); /* from the fault with the largest error */
  assert_int_equal(fault->reporter, DMD_NONE);
  assert_int_equal(fault->n_names, MANY);
  for (uint32_t i = 0; i < DMD_FAULT_NAMES; i++)
    assert_int_equal(fault->names[i], 100 + i);
  end(&f);
}

/* Up to the number of faults that are listed, they stay apart. */
static void few_stay(void **state) {
  (void)state;
  for (uint32_t more = 0; more < 2; more++) {
    fixture_t f;
    begin(&f);
    for (uint32_t i = 0; i < DMD_FAULT_NAMES + more; i++)
      add_claim(&f, 1, 1 + i, 10);
    dmd_faults_join_names(&f.faults);
    assert_int_equal(dmd_faults_count(&f.faults), more == 0 ? DMD_FAULT_NAMES : 1);
    assert_int_equal(fault_at(&f, 1)->n_names, more == 0 ? 0 : DMD_FAULT_NAMES + 1);
    end(&f);
  }
}

/* Faults of different kinds, reasons or stacks stay apart, whatever the names. */
static void what_is_not_a_name_stays_apart(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  for (uint32_t i = 1; i <= 20; i++) {
    dmd_fault_t fault = {.num = 1, .kind = DMD_FAULT_REPORT_FREED, .stack = 1, .reporter = i};
    uint32_t *const parts[] = {&fault.kind,      &fault.stack, &fault.reason,
                               &fault.allocated, &fault.freed, &fault.reported};
    dmd_faults_add(&f.faults, &fault);
    for (size_t k = 0; k < COUNT_OF(parts); k++) {
      ++*parts[k];
      dmd_faults_add(&f.faults, &fault);
      --*parts[k];
    }
  }
  dmd_faults_join_names(&f.faults);
  assert_int_equal(dmd_faults_count(&f.faults), 7);
  for (uint32_t id = 1; id <= 7; id++)
    assert_true(fault_at(&f, id)->num == 20 && fault_at(&f, id)->n_names == 20);
  end(&f);
}

/* Fields that all faults have in common are kept, others are dropped; a fault about a scope that
 * was left open keeps that scope. */
static void common_names(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  for (uint32_t i = 1; i <= 20; i++) {
    dmd_faults_add(&f.faults, &(dmd_fault_t){.num = 1,
                                             .kind = DMD_FAULT_CLAIM,
                                             .reporter = i,
                                             .scope = 100 + i,
                                             .other_reporter = 7});
    dmd_faults_add(&f.faults, &(dmd_fault_t){.num = 1,
                                             .kind = DMD_FAULT_SCOPE_LEFT_OPEN,
                                             .scope = i % 10,
                                             .reporter = i});
    dmd_faults_add(
        &f.faults,
        &(dmd_fault_t){.num = 1, .kind = DMD_FAULT_REPORT_GLOBAL, .reporter = 6, .memory = i});
  }
  dmd_faults_join_names(&f.faults);
  assert_int_equal(dmd_faults_count(&f.faults), 3);
  const dmd_fault_t *fault = fault_at(&f, 1);
  assert_true(fault->reporter == DMD_NONE && fault->scope == DMD_NONE &&
              fault->other_reporter == 7 && fault->n_names == 20);
  fault = fault_at(&f, 2);
  assert_true(fault->scope == DMD_NONE && fault->reporter == DMD_NONE && fault->n_names == 9);
  fault = fault_at(&f, 3);
  assert_true(fault->reporter == 6 && fault->memory == DMD_NONE && fault->n_names == 0);
  end(&f);
}

/* Faults of merged files: lists are joined, and their length is known if all lists are complete. */
static void lists_are_joined(void **state) {
  (void)state;
  static const struct {
    uint32_t n, first, n_other, first_other, expected;
  } cases[] = {{9, 1, 9, 1, 9}, {20, 1, 9, 5, 20}, {9, 1, 20, 50, 20},
               {3, 1, 4, 2, 5}, {8, 1, 8, 5, 12},  {0, 1, 3, 1, 3}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_fault_t one = {.num = 1}, other = {.num = 1, .bytes = 1, .size = 1};
    for (uint32_t k = 0; k < cases[i].n; k++)
      dmd_fault_add_name(&one, cases[i].first + k);
    for (uint32_t k = 0; k < cases[i].n_other; k++)
      dmd_fault_add_name(&other, cases[i].first_other + k);
    dmd_fault_join(&one, &other);
    assert_int_equal(one.n_names, cases[i].expected);
    assert_int_equal(one.num, 2);
    uint32_t kept = 0;
    while (kept < DMD_FAULT_NAMES && one.names[kept] != DMD_NONE)
      kept++;
    assert_int_equal(kept, one.n_names < DMD_FAULT_NAMES ? one.n_names : DMD_FAULT_NAMES);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_faults_t faults;
  dmd_faults_init(&faults, &host->env);
  for (uint32_t i = 1; i <= 9; i++)
    dmd_faults_add(&faults, &(dmd_fault_t){.num = 1, .reporter = i});
  dmd_faults_join_names(&faults);
  dmd_faults_destroy(&faults);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_names_are_one_fault),
      cmocka_unit_test(few_stay),
      cmocka_unit_test(what_is_not_a_name_stays_apart),
      cmocka_unit_test(common_names),
      cmocka_unit_test(lists_are_joined),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
