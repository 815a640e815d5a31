/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The printed text of faults. The expected texts were worked out by hand from the rules of
 * Mozilla's dmd.py: percentages are 100 * m / n, cumulative ones follow the printed order. */
#include "fixture.h"

#define LINE "#-----------------------------------------------------------------\n"

static const char faults_text[] =
    LINE "\n"
         "Report of an interior pointer {\n"
         "  1 time\n"
         "  Reporter: explicit/a\n"
         "  At {\n"
         "    #01: size\n"
         "    #02: all\n"
         "  }\n"
         "}\n"
         "\n"
         "Invalid free {\n"
         "  1,000 times\n"
         "  At {\n"
         "    #01: clean\n"
         "  }\n"
         "}\n"
         "\n"
         "Invalid free {\n"
         "  2 times\n"
         "  At {\n"
         "    #01: drop\n"
         "  }\n"
         "}\n"
         "\n"
         "Invalid free {\n"
         "  2 times\n"
         "  At {\n"
         "    #01: (no stack trace recorded due to --stacks=partial)\n"
         "  }\n"
         "}\n"
         "\n" LINE "\n"
         "Summary {\n"
         "  Total: 0 bytes in 0 blocks\n"
         "  Invalid free: 1,004 times\n"
         "  Report of an interior pointer: 1 time\n"
         "}\n"
         "\n";

/* By kind, the most frequent first, ties as they came. */
static void faults(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  dmd_profile_t *p = &f.profile;
  build_fault(p, DMD_FAULT_REPORT_INTERIOR, 1, "size|all", "explicit/a");
  build_fault(p, DMD_FAULT_INVALID_FREE, 2, "drop", NULL);
  build_fault(p, DMD_FAULT_INVALID_FREE, 1000, "clean", NULL);
  build_fault(p, DMD_FAULT_INVALID_FREE, 2, NULL, NULL);
  assert_prints(&f, faults_text);
  const dmd_text_options_t two = {.title = "title", .max_records = 2};
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &two),
             "    #01: clean\n  }\n}\n\n# the first 2 of 4 kinds and places of faults");
  fixture_end(&f);
}

static void claims_in_detail(fixture_t *f) {
  dmd_profile_t *p = &f->profile;
  uint32_t a = build_name(p, "explicit/a"), b = build_name(p, "b\x1b");
  uint32_t here = build_stack(p, "here"), there = build_stack(p, "there");
  dmd_fault_t claim = {.num = 3,
                       .kind = DMD_FAULT_CLAIM,
                       .stack = here,
                       .reporter = a,
                       .reason = DMD_REASON_CHILD_LEFT_OUT,
                       .scope = b,
                       .bytes = 1234,
                       .claimed = 1000,
                       .measured = 2000};
  dmd_faults_add(&p->faults, &claim);
  assert_prints(f, "Claim that does not add up {\n"
                   "  3 times, 1,234 bytes; the worst time:\n"
                   "  Reporter: explicit/a\n"
                   "  1,000 bytes claimed, 2,000 bytes measured: 1,000 bytes too few\n"
                   "  Likely reason: the claim lacks what was measured by b\\x1b\n"
                   "  Claimed at {\n    #01: here\n  }\n}\n");
  claim = (dmd_fault_t){.num = 1,
                        .kind = DMD_FAULT_CLAIM,
                        .stack = here,
                        .reporter = a,
                        .reason = DMD_REASON_REPORTS_TWICE,
                        .reported = there,
                        .bytes = 1,
                        .claimed = UINT64_MAX,
                        .measured = 1};
  dmd_faults_add(&p->faults, &claim);
  assert_prints(
      f, "  18446744073709551615 bytes claimed, 1 byte measured: 18446744073709551614 bytes too "
         "many\n"
         "  Likely reason: the claim counts twice what was reported at the place below\n"
         "  Claimed at {\n    #01: here\n  }\n"
         "  Reported at {\n    #01: there\n  }\n}\n");
  claim.reason = DMD_REASON_NONE;
  claim.reported = DMD_NONE;
  dmd_faults_add(&p->faults, &claim);
  assert_prints(f, "bytes too many\n"
                   "  No likely reason: the claim is neither without slop nor in another unit or "
                   "integer, and\n"
                   "    no single reporter within it, place, block, other thread or structure "
                   "explains the difference\n"
                   "  Claimed at {\n");
  claim.claimed = 1;
  claim.measured = 10000;
  claim.stack = there;
  dmd_faults_add(&p->faults, &claim);
  assert_prints(f,
                "    no single reporter within it, place or block that was left out explains the "
                "difference\n  Claimed at {\n");
  claim.reason = DMD_REASON_NOT_A_BLOCK;
  claim.memory = b;
  dmd_faults_add(&p->faults, &claim);
  assert_prints(f, "the size of an object that is not a heap block: b\\x1b\n  Claimed at");
}

static void freed_in_detail(fixture_t *f) {
  dmd_profile_t *p = &f->profile;
  uint32_t here = build_stack(p, "here"), there = build_stack(p, "there");
  dmd_fault_t freed = {.num = 1,
                       .kind = DMD_FAULT_REPORT_FREED,
                       .stack = here,
                       .allocated = there,
                       .freed = here,
                       .size = 104};
  dmd_faults_add(&p->faults, &freed);
  assert_prints(f, "Report of a freed block {\n  1 time\n  a block of 104 bytes\n"
                   "  At {\n    #01: here\n  }\n"
                   "  Block allocated at {\n    #01: there\n  }\n"
                   "  Block freed at {\n    #01: here\n  }\n}\n");
  freed.freed = DMD_NONE;
  dmd_faults_add(&p->faults, &freed);
  assert_prints(f,
                "  Block allocated at {\n    #01: there\n  }\n"
                "  Block freed at an unknown place: dmd records the stacks of frees only from the "
                "first\n    report or reporter on\n}\n");
}

static void others_in_detail(fixture_t *f) {
  dmd_profile_t *p = &f->profile;
  uint32_t a = build_name(p, "explicit/a"), b = build_name(p, "b\x1b");
  uint32_t here = build_stack(p, "here"), there = build_stack(p, "there");
  dmd_fault_t length = {.num = 1,
                        .kind = DMD_FAULT_REPORT_LENGTH,
                        .stack = here,
                        .reporter = a,
                        .allocated = there,
                        .size = 104,
                        .length = 1};
  dmd_faults_add(&p->faults, &length);
  assert_prints(f, "  a block of 104 bytes, reported with a length of 1 byte\n");
  dmd_fault_t left = {.num = 1, .kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = here, .scope = b};
  dmd_faults_add(&p->faults, &left);
  assert_prints(f, "Scope that was never ended {\n  1 time\n  Scope: b\\x1b\n"
                   "  Begun at {\n    #01: here\n  }\n}\n");
  left.reason = DMD_REASON_STILL_RUNNING;
  dmd_faults_add(&p->faults, &left);
  assert_prints(f, "  Scope: b\\x1b\n"
                   "  Likely reason: the function that began it is still running: the dump came "
                   "before the end\n"
                   "  Begun at {\n");
  dmd_fault_t stack = {.num = 1, .kind = DMD_FAULT_REPORT_STACK, .stack = here, .memory = a};
  dmd_faults_add(&p->faults, &stack);
  assert_prints(f, "  1 time\n  in explicit/a\n  At {\n");
  dmd_fault_t counted = {.num = 2,
                         .kind = DMD_FAULT_FREED_COUNTED,
                         .stack = here,
                         .reporter = a,
                         .allocated = there,
                         .freed = here,
                         .reported = there,
                         .bytes = 200,
                         .claimed = 1500,
                         .measured = 1000};
  dmd_faults_add(&p->faults, &counted);
  assert_prints(f, "Freed block that a sum still counts {\n  2 blocks, 200 bytes\n"
                   "  Reporter: explicit/a\n"
                   "  1,500 bytes published, 1,000 bytes measured: 500 bytes too many\n"
                   "  Sum published at {\n    #01: here\n  }\n"
                   "  Block allocated at {\n    #01: there\n  }\n"
                   "  Block freed at {\n    #01: here\n  }\n"
                   "  Block reported at {\n    #01: there\n  }\n}\n");
}

static void many_names(fixture_t *f) {
  dmd_profile_t *p = &f->profile;
  uint32_t a = build_name(p, "explicit/a"), b = build_name(p, "b\x1b");
  dmd_fault_t left = {
      .num = 9, .kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = build_stack(p, "there")};
  for (uint32_t i = 0; i < 9; i++)
    dmd_fault_add_name(&left, i % 2 == 0 ? a : b);
  dmd_faults_add(&p->faults, &left);
  assert_prints(f, "  9 times\n  9 scopes {\n    explicit/a\n    b\\x1b\n");
  assert_prints(f, "    b\\x1b\n    and 1 more\n  }\n  Begun at {\n    #01: there\n");
}

/* A claim with each kind of reason, and other faults with more than a place. */
static void faults_in_detail(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  claims_in_detail(&f);
  freed_in_detail(&f);
  others_in_detail(&f);
  many_names(&f);
  fixture_end(&f);
}

static void fault_stacks_are_cut_too(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_fault(&f.profile, DMD_FAULT_INVALID_FREE, 1, "a|b|c", NULL);
  assert_has(fixture_text(&f, 2, DMD_SORT_USABLE, NULL), "  At {\n    #01: a\n    #02: b\n  }\n");
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faults),
      cmocka_unit_test(faults_in_detail),
      cmocka_unit_test(fault_stacks_are_cut_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
