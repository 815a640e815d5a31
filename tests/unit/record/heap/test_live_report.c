/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Faults of reports: of something that is not a block, and of blocks. */
#include "live_fixture.h"

static const dmd_live_config_t dark_matter = {.mode = DMD_MODE_DARK_MATTER};

/* ---- Reports of something that is not a block. ---- */

static void interior(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/a");
  assert_int_equal(report(&f, A + 1, 10), 0);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_INTERIOR,
                                   .stack = 10,
                                   .allocated = 1,
                                   .bytes = 104,
                                   .size = 104,
                                   .offset = 1},
                         .reporter = "explicit/a"};
  expect(&f, 1, 1, &expected);
  /* A block with another earlier reporter is another fault; the last byte of the slop is in the
   * block. */
  begin_reporter(&f, "explicit/b");
  assert_int_equal(report(&f, A, 20), 104);
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  assert_int_equal(report(&f, A + 103, 10), 0);
  expected.fault.offset = 103;
  expected.fault.reported = 20;
  expected.other_reporter = "explicit/b";
  expect(&f, 2, 2, &expected);
  /* After several reports, the fault names the first one. */
  assert_int_equal(report(&f, A, 21), 104);
  assert_int_equal(report(&f, A + 50, 10), 0);
  expected.fault.num = 2;
  expected.fault.bytes = 208;
  expect(&f, 2, 2, &expected);
  assert_int_equal(report(&f, A + 104, 10), 0);
  expected_t beyond = {.fault = {.kind = DMD_FAULT_REPORT_NO_BLOCK, .stack = 10},
                       .reporter = "explicit/a"};
  expect(&f, 3, 3, &beyond);
  live_end(&f);
}

/* The stack of a free is captured from the first report on; a block that was freed earlier has
 * none. */
static void freed(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 50, 54, 2);
  assert_false(dmd_live_wants_stack_of_free(&f.live));
  free_at(&f, A, DMD_NONE);
  assert_int_equal(report(&f, A, 10), 0);
  assert_true(dmd_live_wants_stack_of_free(&f.live));
  expected_t expected = {
      .fault = {
          .kind = DMD_FAULT_REPORT_FREED, .stack = 10, .allocated = 1, .bytes = 104, .size = 104}};
  expect(&f, 1, 1, &expected);
  free_at(&f, B, 30);
  assert_int_equal(report(&f, B, 10), 0);
  expected.fault.allocated = 2;
  expected.fault.freed = 30;
  expected.fault.bytes = expected.fault.size = 54;
  expect(&f, 2, 2, &expected);
  /* A block that is live again at the address is reported. */
  alloc_sized(&f, A, 8, 12, 3);
  assert_int_equal(report(&f, A, 10), 12);
  assert_int_equal(n_faults(&f), 2);
  /* The inside of a freed block is unknown, and so is the block once others have been freed. */
  assert_int_equal(report(&f, B + 8, 10), 0);
  for (uint64_t i = 0; i < 4; i++) {
    alloc_sized(&f, C + 64 * i, 8, 12, 4);
    free_at(&f, C + 64 * i, 31);
  }
  assert_int_equal(report(&f, B, 10), 0);
  expected_t forgotten = {.fault = {.kind = DMD_FAULT_REPORT_NO_BLOCK, .num = 2, .stack = 10}};
  expect(&f, 3, 3, &forgotten);
  live_end(&f);
}

/* A reporter needs these stacks, too, in modes that keep reports. */
static void stacks_of_frees(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    live_fixture_t f;
    live_begin_knowing(&f, (dmd_live_config_t){.mode = modes[i]});
    dmd_live_push_tag(&f.live, 1, "tag", nowhere);
    assert_false(dmd_live_wants_stack_of_free(&f.live));
    begin_reporter(&f, "explicit/a");
    report(&f, A, 10);
    assert_int_equal(dmd_live_wants_stack_of_free(&f.live), modes[i] == DMD_MODE_DARK_MATTER);
    live_end(&f);
  }
}

static void other_memory(void **state) {
  (void)state;
  static const struct {
    uint64_t addr;
    dmd_fault_kind_t kind;
    const char *memory;
  } cases[] = {{ON_STACK, DMD_FAULT_REPORT_STACK, "stack of thread 1"},
               {GLOBAL + 8, DMD_FAULT_REPORT_GLOBAL, "global variable g"},
               {MAPPED, DMD_FAULT_REPORT_MAPPED, "memory that was mapped"},
               {NOTHING, DMD_FAULT_REPORT_NO_ADDRESS, NULL},
               {UINT64_MAX, DMD_FAULT_REPORT_NO_BLOCK, NULL}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    live_fixture_t f;
    live_begin_knowing(&f, dark_matter);
    begin_reporter(&f, "explicit/a");
    assert_int_equal(report(&f, cases[i].addr, 10), 0);
    assert_int_equal(report(&f, 0, 10), 0); /* as free(NULL) */
    expected_t expected = {.fault = {.kind = cases[i].kind, .stack = 10},
                           .reporter = "explicit/a",
                           .memory = cases[i].memory};
    expect(&f, 1, 1, &expected);
    live_end(&f);
  }
}

/* The longest possible description is kept; a host that cannot describe memory is as good as one
 * without the function. */
static void descriptions_of_memory(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  char text[256];
  memset(text, 'm', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  f.memory = text;
  report(&f, MAPPED, 10);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_MAPPED, .stack = 10}, .memory = text};
  expect(&f, 1, 1, &expected);
  live_end(&f);
  live_begin(&f, DMD_MODE_DARK_MATTER);
  report(&f, MAPPED, 10);
  expected_t unknown = {.fault = {.kind = DMD_FAULT_REPORT_NO_BLOCK, .stack = 10}};
  expect(&f, 1, 1, &unknown);
  live_end(&f);
}

/* ---- Reports of blocks. ---- */

static void lengths(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  uint32_t reporter = id_of_name(&f, "explicit/a");
  dmd_live_check_length(&f.live, A, 100, 10, reporter);
  dmd_live_check_length(&f.live, A, 104, 10, reporter);
  dmd_live_check_length(&f.live, A + 1, 7, 10, reporter); /* no block: the report says so */
  expect_none(&f);
  dmd_live_check_length(&f.live, A, 102, 10, reporter);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_LENGTH,
                                   .stack = 10,
                                   .allocated = 1,
                                   .bytes = 2,
                                   .size = 104,
                                   .length = 102},
                         .reporter = "explicit/a"};
  expect(&f, 1, 1, &expected);
  dmd_live_check_length(&f.live, A, 1000, 10, reporter); /* farther off: this one is reported */
  expected.fault.num = 2;
  expected.fault.bytes = 2 + 896;
  expected.fault.length = 1000;
  expect(&f, 1, 1, &expected);
  dmd_live_check_length(&f.live, A, 0, 11, DMD_NONE);
  expected_t zero = {
      .fault = {
          .kind = DMD_FAULT_REPORT_LENGTH, .stack = 11, .allocated = 1, .bytes = 104, .size = 104}};
  expect(&f, 2, 2, &zero);
  live_end(&f);
}

static void unscoped(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER, .require_scope = true});
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  report_by(&f, A, 10, "explicit/b");
  expect_none(&f);
  assert_int_equal(report(&f, A, 11), 104); /* it is a report all the same */
  assert_int_equal(report(&f, A, 11), 104);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_UNSCOPED,
                                   .num = 2,
                                   .stack = 11,
                                   .allocated = 1,
                                   .bytes = 208,
                                   .size = 104}};
  expect(&f, 1, 1, &expected);
  live_end(&f);
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  report(&f, A, 12);
  expect_none(&f);
  live_end(&f);
}

static void shared_and_plain(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 50, 54, 2);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  report(&f, A, 10);
  report_shared(&f, B, 20);
  begin_reporter(&f, "explicit/b");
  expect_none(&f);
  assert_true(is_shared_at(&f, B));
  assert_int_equal(report_shared(&f, A, 30), 104);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_MIXED,
                                   .stack = 30,
                                   .allocated = 1,
                                   .reported = 10,
                                   .bytes = 104,
                                   .size = 104},
                         .reporter = "explicit/b",
                         .other_reporter = "explicit/a"};
  expect(&f, 1, 1, &expected);
  assert_int_equal(report(&f, B, 31), 54);
  expected.fault.stack = 31;
  expected.fault.allocated = 2;
  expected.fault.reported = 20;
  expected.fault.bytes = expected.fault.size = 54;
  expect(&f, 2, 2, &expected);
  live_end(&f);
}

/* A reporter counts a shared block once. Outside of reporters, each place may count it for another
 * one. */
static void shared_again(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  report_shared(&f, A, 10);
  report_shared(&f, A, 10);
  begin_reporter(&f, "explicit/a");
  report_shared(&f, A, 20);
  begin_reporter(&f, "explicit/b");
  report_shared(&f, A, 20);
  expect_none(&f);
  for (int i = 0; i < 3; i++)
    assert_int_equal(report_shared(&f, A, 21), 104);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_SHARED_AGAIN,
                                   .num = 3,
                                   .stack = 21,
                                   .allocated = 1,
                                   .reported = 20,
                                   .bytes = 312,
                                   .size = 104},
                         .reporter = "explicit/b",
                         .other_reporter = "explicit/b"};
  expect(&f, 1, 1, &expected);
  dmd_live_clear_reports(&f.live);
  report_shared(&f, A, 21);
  expect(&f, 1, 1, &expected);
  live_end(&f);
}

/* ---- Reports that are taken back. ---- */

static void unreport_of_no_block(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 50, 54, 2);
  assert_int_equal(report(&f, A, 10), 104);
  free_at(&f, B, 30);
  assert_int_equal(dmd_live_unreport(&f.live, 1, 0, 11), 0);
  expect_none(&f);
  assert_int_equal(dmd_live_unreport(&f.live, 1, A + 8, 11), 0);
  expected_t interior = {.fault = {.kind = DMD_FAULT_UNREPORT_NO_BLOCK,
                                   .stack = 11,
                                   .allocated = 1,
                                   .reported = 10,
                                   .bytes = 104,
                                   .size = 104,
                                   .offset = 8}};
  expect(&f, 1, 1, &interior);
  begin_reporter(&f, "explicit/a");
  assert_int_equal(dmd_live_unreport(&f.live, 1, B, 12), 0);
  expected_t freed = {.fault = {.kind = DMD_FAULT_UNREPORT_NO_BLOCK,
                                .stack = 12,
                                .allocated = 2,
                                .freed = 30,
                                .bytes = 54,
                                .size = 54},
                      .reporter = "explicit/a"};
  expect(&f, 2, 2, &freed);
  assert_int_equal(dmd_live_unreport(&f.live, 1, MAPPED, 13), 0);
  expected_t elsewhere = {.fault = {.kind = DMD_FAULT_UNREPORT_NO_BLOCK, .stack = 13},
                          .reporter = "explicit/a",
                          .memory = f.memory};
  expect(&f, 3, 3, &elsewhere);
  assert_int_equal(dmd_live_unreport(&f.live, 1, NOTHING, 13), 0);
  elsewhere.memory = "no memory at all";
  expect(&f, 4, 4, &elsewhere);
  assert_int_equal(dmd_live_unreport(&f.live, 1, C, 13), 0);
  elsewhere.memory = "heap memory without a live block";
  expect(&f, 5, 5, &elsewhere);
  /* There was nothing to take back, and the faulty report is not part of a claim. */
  assert_int_equal(count_at(&f, A), 1);
  end_reporter(&f, 0, 14);
  assert_int_equal(dmd_faults_count(&f.live.faults), 5);
  f.live.config.mode = DMD_MODE_CUMULATIVE;
  assert_int_equal(dmd_live_unreport(&f.live, 1, A + 8, 15), 0);
  assert_int_equal(dmd_faults_count(&f.live.faults), 5);
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interior),
      cmocka_unit_test(freed),
      cmocka_unit_test(stacks_of_frees),
      cmocka_unit_test(other_memory),
      cmocka_unit_test(descriptions_of_memory),
      cmocka_unit_test(lengths),
      cmocka_unit_test(unscoped),
      cmocka_unit_test(shared_and_plain),
      cmocka_unit_test(shared_again),
      cmocka_unit_test(unreport_of_no_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
