/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot_fixture.h"

static const dmd_place_t nowhere;
static const dmd_scope_end_t innermost;

enum { A = 0x1000, B = 0x2000, C = 0x3000 };

static void publish(snapshot_fixture_t *f, const char *path, int64_t amount) {
  dmd_memreport_t value = {.path = path, .amount = amount, .times = 1, .stack = 900};
  assert_true(dmd_live_publish(&f->live, 1, &value));
}

/* A block of 100 + 4 bytes that the reporter counts when it is allocated, or measures. */
static void alloc_for(snapshot_fixture_t *f, const char *path, uint64_t addr, uint32_t flags) {
  snapshot_alloc(f, addr, 100, (uint32_t)(addr >> 12));
  dmd_live_begin_reporter(&f->live, 1, path, false, nowhere);
  uint64_t szB = dmd_live_report(&f->live, 1, addr, 30, flags, DMD_NONE);
  assert_true(dmd_live_end_reporter(&f->live, 1, szB, 31, innermost));
}

static void release(snapshot_fixture_t *f, uint64_t addr, uint32_t stack) {
  assert_int_equal(dmd_live_remove(&f->live, addr, stack), DMD_REMOVE_MEMORY);
}

static uint32_t n_faults(const snapshot_fixture_t *f) {
  return dmd_faults_count(&f->profile.faults);
}

static const char *path_of(const snapshot_fixture_t *f, const dmd_fault_t *fault) {
  return dmd_intern_get_str(&f->profile.names, fault->reporter);
}

/* A thread counts a block of 100, 200 or 300 bytes, of which 104, 208 or 312 are usable; or takes
 * it back. */
static void count(snapshot_fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req) {
  snapshot_alloc_in(f, thread, addr, req, 1);
  uint32_t b = dmd_intern_str(&f->live.reporter_names, "b");
  dmd_live_report(&f->live, thread, addr, 30, DMD_REPORT_ON_ALLOC, b);
}

static void take_back(snapshot_fixture_t *f, uint32_t thread, uint64_t addr) {
  dmd_live_unreport(&f->live, thread, addr, 40);
}

/* Thread 1 publishes while threads 2 and 3 are between a report and their addition, or the other
 * way round. */
static void while_others_count(void **state) {
  (void)state;
  enum { OF_1 = 104, OF_2 = 104, OF_3 = 208, NEXT_OF_3 = 312 };
  static const struct {
    int64_t published;
    bool is_right;
  } cases[] = {{OF_1 + OF_2 + OF_3, true},
               {OF_1 + OF_2, true},
               {OF_1 + OF_3, true},
               {OF_1, true},
               {OF_1 + OF_2 + OF_3 + NEXT_OF_3, true},
               {OF_1 + OF_2 + NEXT_OF_3, true},
               {OF_1 + OF_2 + OF_3 + 1, false},
               {OF_2 + OF_3 + 1, false},
               {NEXT_OF_3 + 1, false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    snapshot_fixture_t f;
    snapshot_begin(&f, DMD_MODE_DARK_MATTER);
    count(&f, 1, A, 100);
    count(&f, 2, B, 100);
    count(&f, 3, C, 200);
    publish(&f, "b", cases[i].published);
    count(&f, 3, A + 0x10000, 300);
    count(&f, 3, B + 0x10000, 3000);
    snapshot_take(&f);
    if (n_faults(&f) != !cases[i].is_right)
      fail_msg("case %zu", i);
    snapshot_end(&f);
  }
}

/* The sum must contain everything that the publishing thread and ended threads counted. */
static void nothing_else_is_on_its_way(void **state) {
  (void)state;
  for (int ends = 0; ends < 2; ends++) {
    snapshot_fixture_t f;
    snapshot_begin(&f, DMD_MODE_DARK_MATTER);
    count(&f, 2, A, 100);
    count(&f, 2, B, 100);
    if (ends) {
      dmd_live_end_thread(&f.live, 2);
    } else {
      count(&f, 1, C, 200);
    }
    publish(&f, "b", ends ? 104 : 208);
    snapshot_take(&f);
    assert_int_equal(n_faults(&f), 1);
    snapshot_end(&f);
  }
}

/* A block that was taken back may not have been subtracted yet. */
static void while_others_take_back(void **state) {
  (void)state;
  for (int64_t published = 104; published <= 312; published += 104) {
    snapshot_fixture_t f;
    snapshot_begin(&f, DMD_MODE_DARK_MATTER);
    count(&f, 1, A, 100);
    count(&f, 2, B, 100);
    take_back(&f, 2, B);
    publish(&f, "b", published);
    snapshot_take(&f);
    assert_int_equal(n_faults(&f), published == 312);
    snapshot_end(&f);
  }
}

/* A reporter that measures may publish a block that was freed since; one that counts may not. */
static void sums_are_of_live_blocks(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_for(&f, "a", A, 0);
  alloc_for(&f, "b", B, DMD_REPORT_ON_ALLOC);
  alloc_for(&f, "b", C, DMD_REPORT_ON_ALLOC);
  release(&f, A, 40);
  publish(&f, "a", 104);
  publish(&f, "b", 208);
  release(&f, C, 50); /* it was there when the sum was published */
  snapshot_take(&f);
  assert_int_equal(n_faults(&f), 0);
  snapshot_end(&f);
}

static void a_free_that_does_not_subtract(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  alloc_for(&f, "b", A, DMD_REPORT_ON_ALLOC);
  alloc_for(&f, "b", B, DMD_REPORT_ON_ALLOC);
  alloc_for(&f, "b", C, DMD_REPORT_ON_ALLOC);
  release(&f, A, 40);
  release(&f, B, 50);
  publish(&f, "b", 312);
  snapshot_take(&f);
  assert_int_equal(n_faults(&f), 2); /* by place, the newest first */
  for (uint32_t id = 1; id <= 2; id++) {
    const dmd_fault_t *fault = dmd_faults_at(&f.profile.faults, id);
    assert_true(fault->kind == DMD_FAULT_FREED_COUNTED && fault->num == 1 && fault->bytes == 104 &&
                fault->claimed == 312 && fault->measured == 104);
    assert_string_equal(path_of(&f, fault), "b");
    assert_string_equal(snapshot_stack_text(&f, fault->freed), id == 1 ? "f50" : "f40");
    assert_string_equal(snapshot_stack_text(&f, fault->allocated), id == 1 ? "f2" : "f1");
    assert_string_equal(snapshot_stack_text(&f, fault->reported), "f30");
    assert_string_equal(snapshot_stack_text(&f, fault->stack), "f900");
  }
  snapshot_end(&f);
}

/* One of two places does not subtract; the other one does, without taking its report back. */
static void one_place_of_several(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  for (uint32_t i = 0; i < 2; i++) {
    alloc_for(&f, "b", A, DMD_REPORT_ON_ALLOC);
    release(&f, A, 40);
  }
  alloc_for(&f, "b", A, DMD_REPORT_ON_ALLOC);
  release(&f, A, 50);
  publish(&f, "b", 208);
  snapshot_take(&f);
  assert_int_equal(n_faults(&f), 1);
  const dmd_fault_t *fault = dmd_faults_at(&f.profile.faults, 1);
  assert_true(fault->kind == DMD_FAULT_FREED_COUNTED && fault->num == 2 && fault->measured == 0);
  assert_string_equal(snapshot_stack_text(&f, fault->freed), "f40");
  snapshot_end(&f);
}

/* Sums with other errors are compared with the live blocks. */
static void another_amount(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  for (uint32_t i = 0; i < 40; i++) {
    alloc_for(&f, "b", A, DMD_REPORT_ON_ALLOC);
    dmd_live_unreport(&f.live, 1, A, 32);
    release(&f, A, 40);
  }
  alloc_for(&f, "b", A, DMD_REPORT_ON_ALLOC);
  publish(&f, "b", 4136);
  publish(&f, "nobody", 1);
  snapshot_take(&f);
  assert_int_equal(n_faults(&f), 1);
  const dmd_fault_t *fault = dmd_faults_at(&f.profile.faults, 1);
  assert_true(fault->kind == DMD_FAULT_MEMORY_REPORT && fault->num == 1 && fault->claimed == 4136 &&
              fault->measured == 104 && fault->bytes == 4032);
  snapshot_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(while_others_count),
      cmocka_unit_test(nothing_else_is_on_its_way),
      cmocka_unit_test(while_others_take_back),
      cmocka_unit_test(sums_are_of_live_blocks),
      cmocka_unit_test(a_free_that_does_not_subtract),
      cmocka_unit_test(one_place_of_several),
      cmocka_unit_test(another_amount),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
