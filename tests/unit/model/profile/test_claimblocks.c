/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "model/profile/claimblocks.h"

/* Blocks that reporter "a" reported, and its claim, which is off by so much. */
static void begin(fixture_t *f) {
  fixture_begin(f, DMD_MODE_DARK_MATTER);
}

static void reported(fixture_t *f, int64_t num, int64_t req, int64_t slop, const char *alloc) {
  build_blocks(&f->profile, num, req, slop, alloc,
               build_reports(&f->profile, 1, "measure", "a", NULL, NULL));
}

static void add_fault(fixture_t *f, dmd_fault_kind_t kind, dmd_reason_t reason,
                      const char *reporter, int64_t off) {
  dmd_fault_t fault = {.num = 1,
                       .kind = kind,
                       .reason = reason,
                       .reporter = reporter == NULL ? DMD_NONE : build_name(&f->profile, reporter),
                       .measured = 100000,
                       .claimed = (uint64_t)(100000 + off),
                       .bytes = (uint64_t)(off < 0 ? -off : off)};
  dmd_faults_add(&f->profile.faults, &fault);
}

/* The kind of the only fault, and where its block was allocated; "": it has no block. */
static void expect(fixture_t *f, dmd_reason_t reason, const char *alloc) {
  dmd_claimblocks_explain(&f->profile);
  assert_int_equal(dmd_faults_count(&f->profile.faults), 1);
  const dmd_fault_t *fault = dmd_faults_at(&f->profile.faults, 1);
  assert_int_equal(fault->reason, reason);
  assert_int_equal(fault->allocated, alloc[0] == '\0' ? DMD_NONE : build_stack(&f->profile, alloc));
  fixture_end(f);
}

static void one_of_its_blocks(void **state) {
  (void)state;
  fixture_t f;
  for (int too_little = 0; too_little < 2; too_little++) {
    begin(&f);
    reported(&f, 1, 5000, 8, "new|one");
    reported(&f, 2, 3000, 0, "new|two");
    build_blocks(&f.profile, 1, 5008, 0, "new|another's", DMD_NONE);
    add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", too_little ? -5008 : 5008);
    expect(&f, too_little ? DMD_REASON_BLOCK_LEFT_OUT : DMD_REASON_BLOCK_TWICE, "new|one");
  }
  /* One of two that were allocated at one place. */
  begin(&f);
  reported(&f, 1, 5000, 8, "new|one");
  reported(&f, 2, 3000, 0, "new|two");
  add_fault(&f, DMD_FAULT_MEMORY_REPORT, DMD_REASON_NONE, "a", 3000);
  expect(&f, DMD_REASON_BLOCK_TWICE, "new|two");
  /* Better than the size of a structure. */
  begin(&f);
  reported(&f, 1, 1000, 8, "new|one");
  add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_STRUCT_SIZE, "a", 1008);
  expect(&f, DMD_REASON_BLOCK_TWICE, "new|one");
}

static void not_one_of_its_blocks(void **state) {
  (void)state;
  static const struct {
    dmd_fault_kind_t kind;
    dmd_reason_t reason;
    const char *reporter;
    int64_t off;
  } cases[] = {{DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", 5000}, /* the size without its slop */
               {DMD_FAULT_CLAIM, DMD_REASON_NONE, "b", 5008},
               {DMD_FAULT_CLAIM, DMD_REASON_NONE, NULL, 5008},
               {DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", 4000}, /* two places match */
               {DMD_FAULT_CLAIM, DMD_REASON_TWICE, "a", 5008},
               {DMD_FAULT_FREED_COUNTED, DMD_REASON_NONE, "a", 5008}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    reported(&f, 1, 5000, 8, "new|one");
    reported(&f, 1, 4000, 0, "new|two");
    reported(&f, 1, 4000, 0, "new|three");
    add_fault(&f, cases[i].kind, cases[i].reason, cases[i].reporter, cases[i].off);
    expect(&f, cases[i].reason, "");
  }
}

/* Of n blocks of any sizes one fits 6,400 bytes often, if n is more than 6400 / 64. */
static void chance(void **state) {
  (void)state;
  for (int64_t n = 100; n <= 101; n++) {
    fixture_t f;
    begin(&f);
    reported(&f, 1, 6400, 0, "new|one");
    for (int64_t i = 1; i < n; i++)
      reported(&f, 1, 7000 + 16 * i, 0, "new|many");
    add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", 6400);
    expect(&f, n == 100 ? DMD_REASON_BLOCK_TWICE : DMD_REASON_NONE, n == 100 ? "new|one" : "");
  }
}

/* Ten blocks of 94 bytes and slop, all held, and a claim that has them. */
static void blocks_that_it_holds(void **state) {
  (void)state;
  static const struct {
    int64_t off;
    uint64_t held;
    dmd_reason_t reason;
  } cases[] = {{940, 10, DMD_REASON_HELD_BLOCKS},
               {1040, 10, DMD_REASON_HELD_BLOCKS},
               {-940, 10, DMD_REASON_NONE},
               {941, 10, DMD_REASON_NONE},
               {940, 9, DMD_REASON_NONE}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    reported(&f, 10, 24, 0, "new|articles");
    build_blocks(&f.profile, 10, 94, 10, "new|texts", DMD_NONE);
    for (uint64_t k = 0; k < cases[i].held; k++)
      build_hint(&f.profile, "new|texts", DMD_REFERRER_REPORTED, "a", "measure", 8 * (k % 2), 104);
    build_hint(&f.profile, "new|texts", DMD_REFERRER_UNREPORTED, NULL, "new|texts", 0, 104);
    add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", cases[i].off);
    expect(&f, cases[i].reason, cases[i].reason == DMD_REASON_NONE ? "" : "new|texts");
  }
}

/* Faults that differed only in their reason become one. */
static void equal_ones_are_one(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  reported(&f, 1, 1000, 0, "new|one");
  add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_STRUCT_SIZE, "a", 1000);
  add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", 1000);
  expect(&f, DMD_REASON_BLOCK_TWICE, "new|one");
}

static void samples_prove_nothing(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.profile.run.is_known = true;
  f.profile.run.sample_below = 4096;
  reported(&f, 1, 5000, 0, "new|one");
  add_fault(&f, DMD_FAULT_CLAIM, DMD_REASON_NONE, "a", 5000);
  expect(&f, DMD_REASON_NONE, "");
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  build_blocks(&profile, 1, 1000, 0, "new", build_reports(&profile, 1, "m", "a", NULL, NULL));
  build_blocks(&profile, 1, 2000, 0, "text", DMD_NONE);
  build_hint(&profile, "text", DMD_REFERRER_REPORTED, "a", "m", 0, 2000);
  dmd_faults_add(&profile.faults, &(dmd_fault_t){.num = 1,
                                                 .kind = DMD_FAULT_CLAIM,
                                                 .claimed = 1000,
                                                 .reporter = build_name(&profile, "a")});
  dmd_claimblocks_explain(&profile);
  assert_int_equal(dmd_faults_at(&profile.faults, 1)->reason, DMD_REASON_BLOCK_TWICE);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_of_its_blocks),
      cmocka_unit_test(not_one_of_its_blocks),
      cmocka_unit_test(chance),
      cmocka_unit_test(blocks_that_it_holds),
      cmocka_unit_test(equal_ones_are_one),
      cmocka_unit_test(samples_prove_nothing),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
