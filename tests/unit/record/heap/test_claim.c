/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/claim.h"

enum { OUTER = 1, INNER = 2, OTHER = 3, SOMETHING = 9 };

static void begin(dmd_claims_t *claims, host_t *host) {
  host_init(host);
  dmd_claims_init(claims, &host->env);
}

static void end(dmd_claims_t *claims, host_t *host) {
  dmd_claims_destroy(claims);
  host_done(host);
}

/* Judges a claim; the reason is DMD_N_REASONS if the claim adds up. */
static dmd_fault_t judge(const dmd_claims_t *claims, uint32_t id, uint64_t claimed) {
  dmd_fault_t fault = {.num = 1, .reporter = OUTER};
  if (!dmd_claims_judge(claims, id, claimed, &fault))
    return (dmd_fault_t){.reason = DMD_N_REASONS};
  assert_int_equal(fault.kind, DMD_FAULT_CLAIM);
  assert_int_equal(fault.claimed, claimed);
  assert_int_equal(fault.measured, dmd_claims_at(claims, id)->measured);
  assert_int_equal(fault.reporter, OUTER);
  return fault;
}

/* Own blocks of 104 (100 requested) and 56 (50) at stacks 10 and 11, and 208 (200) in a reporter
 * within it at 20. */
static uint32_t open_outer(dmd_claims_t *claims, bool exclusive) {
  uint32_t outer = dmd_claims_open(claims, exclusive);
  dmd_claims_note_report(claims, outer, 104, 100, 10);
  dmd_claims_note_report(claims, outer, 56, 50, 11);
  uint32_t inner = dmd_claims_open(claims, false);
  dmd_claims_note_report(claims, inner, 208, 200, 20);
  dmd_claims_close(claims, inner, outer, INNER);
  return outer;
}

static void each_reason(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = open_outer(&claims, false);
  assert_int_equal(dmd_claims_at(&claims, id)->measured, 368);
  static const struct {
    uint64_t claimed;
    dmd_reason_t reason;
    uint32_t scope, reported;
  } cases[] = {
      {368, DMD_N_REASONS, DMD_NONE, DMD_NONE},
      {0, DMD_REASON_CLAIMED_NOTHING, DMD_NONE, DMD_NONE},
      {350, DMD_REASON_REQUESTED, DMD_NONE, DMD_NONE},
      {368 - 208, DMD_REASON_CHILD_LEFT_OUT, INNER, DMD_NONE},
      {368 - 56, DMD_REASON_REPORTS_LEFT_OUT, DMD_NONE, 11},
      {368 - 104 - 56, DMD_REASON_REPORTS_LEFT_OUT, DMD_NONE, 10}, /* both of its own */
      {368 - 1, DMD_REASON_NONE, DMD_NONE, DMD_NONE},
      {2 * 368, DMD_REASON_TWICE, DMD_NONE, DMD_NONE},
      {368 + 208, DMD_REASON_CHILD_TWICE, INNER, DMD_NONE},
      {368 + 104, DMD_REASON_REPORTS_TWICE, DMD_NONE, 10},
      {368 + 40, DMD_REASON_STRUCT_SIZE, DMD_NONE, DMD_NONE},
      {368 + 41, DMD_REASON_NONE, DMD_NONE, DMD_NONE},
      {368 + 5000, DMD_REASON_NONE, DMD_NONE, DMD_NONE},
      {INT64_MAX, DMD_REASON_NONE, DMD_NONE, DMD_NONE},
      {(uint64_t)INT64_MAX + 1, DMD_REASON_NEGATIVE, DMD_NONE, DMD_NONE},
      {UINT64_MAX, DMD_REASON_NEGATIVE, DMD_NONE, DMD_NONE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dmd_fault_t fault = judge(&claims, id, cases[i].claimed);
    assert_int_equal(fault.reason, cases[i].reason);
    assert_int_equal(fault.scope, cases[i].scope);
    assert_int_equal(fault.reported, cases[i].reported);
    if (fault.reason != DMD_N_REASONS)
      assert_int_equal(fault.bytes,
                       cases[i].claimed < 368 ? 368 - cases[i].claimed : cases[i].claimed - 368);
  }
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

/* Blocks that a reporter within it measured do not count. If the claim includes them, that is
 * recognised as the reason. */
static void exclusive(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = open_outer(&claims, true);
  assert_int_equal(judge(&claims, id, 160).reason, DMD_N_REASONS);
  dmd_fault_t fault = judge(&claims, id, 368);
  assert_int_equal(fault.reason, DMD_REASON_CHILD_TWICE);
  assert_int_equal(fault.scope, INNER);
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

/* Two causes that fit equally well are no explanation. */
static void ambiguous(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = open_outer(&claims, false);
  uint32_t other = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, other, 208, 208, 30);
  dmd_claims_close(&claims, other, id, OTHER);
  assert_int_equal(judge(&claims, id, 368).reason, DMD_REASON_NONE);
  /* One reporter that ran twice is one cause. */
  other = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, other, 1000, 1000, 30);
  dmd_claims_close(&claims, other, id, OTHER);
  other = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, other, 1000, 1000, 30);
  dmd_claims_close(&claims, other, id, OTHER);
  assert_int_equal(judge(&claims, id, 2576 - 1000).scope, OTHER);
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

/* Measured sizes, and claims that differ from them because of a unit or a type. */
static void units_and_types(void **state) {
  (void)state;
  static const struct {
    uint64_t measured, claimed;
    dmd_reason_t reason;
  } cases[] = {
      {100000, 97, DMD_REASON_IN_KIB}, /* 97.66: cut off, */
      {100000, 98, DMD_REASON_IN_KIB}, /* or rounded up */
      {100000, 96, DMD_REASON_NONE},
      {3000, 3, DMD_REASON_NONE}, /* 3 could be anything */
      {1200, 9600, DMD_REASON_IN_BITS},
      {1200, 150, DMD_REASON_IN_WORDS},
      {1204, 150, DMD_REASON_NONE},
      {UINT64_C(1) << 61, 8, DMD_REASON_NONE},
      {100000, 100000 - 65536, DMD_REASON_WRAPPED_16},
      {300000, 300000 - 65536, DMD_REASON_NONE}, /* the result would be less than 2^16 */
      {100000, UINT64_MAX - (131072 - 100000) + 1, DMD_REASON_WRAPPED_16}, /* sign-extended */
      {100000, UINT64_MAX - 31000, DMD_REASON_NEGATIVE},                /* does not fit 16 bits */
      {40000, UINT64_MAX - (65536 - 40000) + 1, DMD_REASON_WRAPPED_16}, /* sign-extended */
      {UINT64_C(5000000000), UINT64_C(5000000000) - (UINT64_C(1) << 32), DMD_REASON_WRAPPED_32},
      {UINT64_C(3000000000), UINT64_C(3000000000) - (UINT64_C(1) << 32), DMD_REASON_WRAPPED_32},
      {5000, 5000 + (UINT64_C(3) << 32), DMD_REASON_WRAPPED_32}, /* a negative difference */
      {5000, 5000 + 65536, DMD_REASON_NONE}, /* more likely a buffer of that size */
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    host_t host;
    dmd_claims_t claims;
    begin(&claims, &host);
    uint32_t id = dmd_claims_open(&claims, false);
    for (int n = 0; n < 16; n++) /* from places that cannot be a reason */
      dmd_claims_note_report(&claims, id, 0, 0, 50);
    dmd_claims_note_report(&claims, id, cases[i].measured, 1, 10);
    if (judge(&claims, id, cases[i].claimed).reason != cases[i].reason)
      fail_msg("case %zu", i);
    dmd_claims_discard(&claims, id, DMD_NONE);
    end(&claims, &host);
  }
}

/* Bytes that other threads reported since it began, and the answers to size queries; also within an
 * inner reporter, whether that one counts or not. */
static void other_threads_and_questions(void **state) {
  (void)state;
  for (int exclusive = 0; exclusive < 2; exclusive++) {
    host_t host;
    dmd_claims_t claims;
    begin(&claims, &host);
    claims.reported = 5000; /* before */
    uint32_t id = dmd_claims_open(&claims, exclusive);
    dmd_claims_note_report(&claims, id, 104, 100, 10);
    uint32_t inner = dmd_claims_open(&claims, false);
    dmd_claims_note_report(&claims, inner, 56, 50, 20);
    dmd_claims_at(&claims, inner)->asked = 32;
    claims.reported += 104 + 56 + 24; /* 24 of another thread */
    dmd_claims_close(&claims, inner, id, INNER);
    uint64_t measured = dmd_claims_at(&claims, id)->measured;
    assert_int_equal(measured, exclusive ? 104 : 160);
    assert_int_equal(judge(&claims, id, measured + 24).reason, DMD_REASON_OTHER_THREADS);
    assert_int_equal(judge(&claims, id, measured + 32).reason, DMD_REASON_USABLE_SIZE);
    assert_int_equal(judge(&claims, id, measured + 28).reason, DMD_REASON_STRUCT_SIZE);
    assert_int_equal(judge(&claims, id, measured - 24).reason, DMD_REASON_NONE);
    dmd_claims_discard(&claims, id, DMD_NONE);
    end(&claims, &host);
  }
}

static void nothing_was_reported(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = dmd_claims_open(&claims, false);
  assert_int_equal(judge(&claims, id, 0).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, id, 100).reason, DMD_REASON_NOT_MEASURED);
  dmd_claims_at(&claims, id)->no_block = SOMETHING;
  dmd_fault_t fault = judge(&claims, id, 100);
  assert_int_equal(fault.reason, DMD_REASON_NOT_A_BLOCK);
  assert_int_equal(fault.memory, SOMETHING);
  dmd_claims_note_report(&claims, id, 104, 100, 10);
  assert_int_equal(judge(&claims, id, 104 + 16).reason, DMD_REASON_NOT_A_BLOCK);
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

/* The bytes of a tag that a thread queried may be claimed, but need not be. */
static void optional(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t outer = dmd_claims_open(&claims, false), id = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, id, 104, 100, 10);
  dmd_claims_at(&claims, id)->optional = 5000;
  assert_int_equal(judge(&claims, id, 104).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, id, 5104).reason, DMD_N_REASONS);
  assert_int_not_equal(judge(&claims, id, 5000).reason, DMD_N_REASONS);
  dmd_claims_close(&claims, id, outer, INNER);
  assert_int_equal(judge(&claims, outer, 5104).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, outer, 104).reason, DMD_N_REASONS);
  /* The same holds for the outer reporter of one that never ended. */
  uint32_t left = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, left, 56, 50, 10);
  dmd_claims_discard(&claims, left, outer);
  assert_int_equal(judge(&claims, outer, 104).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, outer, 5160).reason, DMD_N_REASONS);
  dmd_claims_discard(&claims, outer, DMD_NONE);
  end(&claims, &host);
}

static void concurrent(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = open_outer(&claims, false);
  dmd_claims_at(&claims, id)->concurrent = true;
  assert_int_equal(judge(&claims, id, 368).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, id, 2 * 368).reason, DMD_REASON_CONCURRENT);
  assert_int_equal(judge(&claims, id, 1).reason, DMD_REASON_CONCURRENT);
  assert_int_equal(judge(&claims, id, 160).reason, DMD_REASON_CHILD_LEFT_OUT);
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

/* Parts beyond those that are kept still count. */
static void many_parts(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = dmd_claims_open(&claims, false);
  for (uint32_t i = 1; i <= 10000; i++) {
    uint32_t inner = dmd_claims_open(&claims, false);
    dmd_claims_note_report(&claims, inner, i, i, i);
    dmd_claims_close(&claims, inner, id, i);
  }
  uint64_t all = UINT64_C(10000) * 10001 / 2;
  assert_int_equal(judge(&claims, id, all).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, id, all - 4000).scope, 4000);
  assert_int_equal(judge(&claims, id, all - 9999).reason, DMD_REASON_NONE);
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

static void fill(host_t *host, void *arg) {
  (void)arg;
  dmd_claims_t claims;
  dmd_claims_init(&claims, &host->env);
  for (uint32_t i = 0; i < 1000; i++)
    open_outer(&claims, false);
  dmd_claims_destroy(&claims);
}

/* Claims: a list and a segment. Parts, four of each claim: a list and four segments. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(fill, NULL), 2 + 5);
}

static void all_children_left_out(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t id = open_outer(&claims, false), other = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, other, 1000, 1000, 30);
  dmd_claims_close(&claims, other, id, OTHER);
  assert_int_equal(judge(&claims, id, 104 + 56).reason, DMD_REASON_CHILDREN_LEFT_OUT);
  assert_int_equal(judge(&claims, id, 104 + 56 + 208).reason, DMD_REASON_CHILD_LEFT_OUT);
  dmd_claims_discard(&claims, id, DMD_NONE);
  end(&claims, &host);
}

/* The claim of an inner reporter is 8 too small, and so the outer ones' may be. */
static void off_within(void **state) {
  (void)state;
  host_t host;
  dmd_claims_t claims;
  begin(&claims, &host);
  uint32_t outermost = dmd_claims_open(&claims, false), id = open_outer(&claims, false);
  uint32_t inner = dmd_claims_open(&claims, false);
  dmd_claims_note_report(&claims, inner, 1000, 992, 30);
  dmd_claims_at(&claims, inner)->off = (uint64_t)-8;
  dmd_claims_close(&claims, inner, id, OTHER);
  assert_int_equal(judge(&claims, id, 1368).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, id, 1368 - 8).reason, DMD_N_REASONS);
  assert_int_equal(judge(&claims, id, 1368 - 9).reason, DMD_REASON_NONE);
  dmd_claims_close(&claims, id, outermost, OUTER);
  assert_int_equal(judge(&claims, outermost, 1368 - 8).reason, DMD_N_REASONS);
  dmd_claims_discard(&claims, outermost, DMD_NONE);
  end(&claims, &host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_children_left_out),
      cmocka_unit_test(off_within),
      cmocka_unit_test(each_reason),
      cmocka_unit_test(exclusive),
      cmocka_unit_test(ambiguous),
      cmocka_unit_test(units_and_types),
      cmocka_unit_test(other_threads_and_questions),
      cmocka_unit_test(nothing_was_reported),
      cmocka_unit_test(optional),
      cmocka_unit_test(concurrent),
      cmocka_unit_test(many_parts),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
