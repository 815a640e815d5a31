/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Faults of claims. */
#include "live_fixture.h"

static const dmd_live_config_t dark_matter = {.mode = DMD_MODE_DARK_MATTER};

static void claims(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 50, 54, 2);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  begin_reporter(&f, "explicit/a/b");
  report(&f, B, 20);
  end_reporter(&f, 54, 21);
  end_reporter(&f, 104 + 54, 11);
  expect_none(&f);
  assert_false(dmd_live_end_reporter(&f.live, 1, 0, 11, innermost));
  expect_none(&f); /* the shell adds one */
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  begin_reporter(&f, "explicit/a/b");
  report(&f, B, 20);
  end_reporter(&f, 54, 21);
  end_reporter(&f, 104, 11);
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .stack = 11,
                                   .reason = DMD_REASON_CHILD_LEFT_OUT,
                                   .bytes = 54,
                                   .claimed = 104,
                                   .measured = 158},
                         .reporter = "explicit/a",
                         .scope = "explicit/a/b"};
  expect(&f, 1, 1, &expected);
  /* Reports made under a reporter's name belong to the open scope. */
  begin_reporter(&f, "explicit/a");
  report_by(&f, A, 10, "explicit/b");
  end_reporter(&f, 104, 12);
  assert_int_equal(n_faults(&f), 1);
  live_end(&f);
}

static void exclusive_claims(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 50, 54, 2);
  for (int i = 0; i < 2; i++) {
    dmd_live_begin_reporter(&f.live, 1, "explicit/a", i == 0, nowhere);
    report(&f, A, 10);
    begin_reporter(&f, "explicit/a/b");
    report(&f, B, 20);
    end_reporter(&f, 54, 21);
    end_reporter(&f, 104, 11);
    assert_int_equal(n_faults(&f), i);
  }
  live_end(&f);
}

/* A report of something that is not a block, in a reporter or within it, may explain an excess. */
static void claims_of_what_is_no_block(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  report(&f, GLOBAL, 11);
  end_reporter(&f, 104 + 18, 12);
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .stack = 12,
                                   .reason = DMD_REASON_NOT_A_BLOCK,
                                   .bytes = 18,
                                   .claimed = 122,
                                   .measured = 104},
                         .reporter = "explicit/a",
                         .memory = "global variable g"};
  expect(&f, 2, 2, &expected);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  begin_reporter(&f, "explicit/b");
  report(&f, GLOBAL, 11);
  end_reporter(&f, 0, 13);
  end_reporter(&f, 104 + 18, 12);
  expected.fault.num = 2;
  expected.fault.bytes = 36;
  expect(&f, 2, 3, &expected); /* the third: the same report in explicit/b */
  live_end(&f);
}

/* DMD_TAG_BYTES returned these bytes: they may be claimed, but need not be. */
static void claims_of_tags(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  dmd_live_push_tag(&f.live, 1, "lua", nowhere);
  alloc_sized(&f, A, 100, 104, 1);
  dmd_live_pop_tag(&f.live, 1, innermost);
  alloc_sized(&f, B, 50, 54, 2);
  assert_int_equal(dmd_live_tag_bytes(&f.live, 1, "lua"), 104); /* outside of any */
  for (int i = 0; i < 2; i++) {
    begin_reporter(&f, "explicit/a");
    report(&f, B, 10);
    assert_int_equal(dmd_live_tag_bytes(&f.live, 1, "lua"), 104);
    assert_int_equal(dmd_live_tag_bytes(&f.live, 1, "none"), 0);
    end_reporter(&f, i == 0 ? 54 : 54 + 104, 11);
  }
  expect_none(&f);
  begin_reporter(&f, "explicit/a");
  report(&f, B, 10);
  end_reporter(&f, 54 + 104, 11); /* no query this time */
  assert_int_equal(n_faults(&f), 1);
  live_end(&f);
}

/* Two threads run one reporter at a time: one may have added to the other's sum. */
static void concurrent_claims(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 50, 54, 2);
  begin_reporter(&f, "explicit/a");
  dmd_live_begin_reporter(&f.live, 2, "explicit/a", false, nowhere);
  dmd_live_begin_reporter(&f.live, 3, "explicit/b", false, nowhere);
  report(&f, A, 10);
  dmd_live_report(&f.live, 2, B, 10, 0, DMD_NONE);
  dmd_live_report(&f.live, 3, A, 10, 0, DMD_NONE);
  end_reporter(&f, 158, 11);
  assert_true(dmd_live_end_reporter(&f.live, 2, 53, 11, innermost));
  assert_true(dmd_live_end_reporter(&f.live, 3, 158, 11, innermost));
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .num = 2,
                                   .stack = 11,
                                   .reason = DMD_REASON_CONCURRENT,
                                   .bytes = 54 + 1,
                                   .claimed = 158,
                                   .measured = 104},
                         .reporter = "explicit/a"};
  expect(&f, 1, 2, &expected);
  expected.fault.num = 1;
  expected.fault.reason = DMD_REASON_NONE;
  expected.fault.bytes = 54;
  expected.reporter = "explicit/b";
  expect(&f, 2, 2, &expected);
  /* If they run one after the other, they cannot have. */
  begin_reporter(&f, "explicit/a");
  end_reporter(&f, 54, 12);
  assert_int_equal(fault_at(&f, 3)->reason, DMD_REASON_NOT_MEASURED);
  live_end(&f);
}

/* An abandoned reporter claims nothing, and its blocks may be part of the outer one's claim. */
static void abandoned(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  assert_false(dmd_live_abandon_reporter(&f.live, 1, innermost));
  static const uint64_t claimed[] = {104, 0, 1};
  for (int i = 0; i < 3; i++) {
    begin_reporter(&f, "explicit/a");
    begin_reporter(&f, "explicit/a/b");
    report(&f, A, 10);
    assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
    end_reporter(&f, claimed[i], 11);
    assert_false(dmd_live_abandon_reporter(&f.live, 1, innermost));
    assert_int_equal(n_faults(&f), i / 2);
  }
  live_end(&f);
}

static void other_modes_know_no_claims(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    live_fixture_t f;
    live_begin_knowing(&f, (dmd_live_config_t){.mode = modes[i], .require_scope = true});
    alloc_sized(&f, A, 100, 104, 1);
    assert_int_equal(report(&f, A, 10), 104);
    dmd_live_check_length(&f.live, A, 1, 10, DMD_NONE);
    begin_reporter(&f, "explicit/a");
    report(&f, GLOBAL, 10);
    end_reporter(&f, 12345, 11);
    expect_none(&f);
    live_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims),
      cmocka_unit_test(exclusive_claims),
      cmocka_unit_test(claims_of_what_is_no_block),
      cmocka_unit_test(claims_of_tags),
      cmocka_unit_test(concurrent_claims),
      cmocka_unit_test(abandoned),
      cmocka_unit_test(other_modes_know_no_claims),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
