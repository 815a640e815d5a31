/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot_fixture.h"

static const dmd_place_t nowhere;
static const dmd_scope_end_t innermost;

enum { A = 0x1000, B = 0x2000, C = 0x3000 };

/* A program whose memory cannot be read. */
static size_t read_nothing(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx, (void)addr, (void)to, (void)n;
  return 0;
}

/* The reporter runs, and reports the block at addr, or nothing if addr is 0. */
static void run(snapshot_fixture_t *f, const char *path, uint64_t addr) {
  dmd_live_begin_reporter(&f->live, 1, path, false, nowhere);
  uint64_t szB = dmd_live_report(&f->live, 1, addr, 30, 0, DMD_NONE);
  assert_true(dmd_live_end_reporter(&f->live, 1, szB, 31, innermost));
}

/* The hint about the blocks from this stack, of 104 bytes each, or NULL. */
static const dmd_hint_t *hint_about(const snapshot_fixture_t *f, const char *alloc) {
  const dmd_hints_t *hints = &f->profile.hints;
  for (uint32_t id = 1; id <= dmd_hints_count(hints); id++) {
    const dmd_hint_t *hint = dmd_hints_at(hints, id);
    if (strcmp(snapshot_stack_text(f, hint->alloc), alloc) == 0)
      return hint;
  }
  return NULL;
}

static void take(snapshot_fixture_t *f) {
  dmd_memory_t memory = {.read = read_nothing};
  dmd_snapshot_take(&f->live, &memory, &f->profile, snapshot_resolve, f);
}

/* Two blocks from stack 1 and one from stack 2; "a" reported one of the former, "b" the other. */
static void begin(snapshot_fixture_t *f) {
  snapshot_begin(f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(f, A, 100, 1);
  snapshot_alloc(f, B, 100, 1);
  snapshot_alloc(f, C, 100, 2);
  run(f, "a", A);
  run(f, "b", C);
  dmd_live_clear_reports(&f->live);
}

static void each_kind(void **state) {
  (void)state;
  static const struct {
    bool runs;
    uint64_t reports;
    dmd_referrer_kind_t kind;
    uint64_t blocks;
  } cases[] = {{false, 0, DMD_REFERRER_NOT_RUN, 2},
               {true, 0, DMD_REFERRER_NOTHING_NOW, 2},
               {true, A, DMD_REFERRER_LAST_TIME, 1}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    snapshot_fixture_t f;
    begin(&f);
    if (cases[i].runs)
      run(&f, "a", cases[i].reports);
    run(&f, "b", C);
    take(&f);
    const dmd_hint_t *hint = hint_about(&f, "f1");
    assert_non_null(hint);
    assert_int_equal(hint->referrer_kind, cases[i].kind);
    assert_string_equal(dmd_intern_get_str(&f.profile.names, hint->reporter), "a");
    assert_string_equal(snapshot_stack_text(&f, hint->stack), "f30");
    assert_int_equal(hint->blocks, cases[i].blocks);
    assert_int_equal(hint->bytes, 104 * cases[i].blocks);
    assert_int_equal(hint->before, 104);
    assert_null(hint_about(&f, "f2"));
    snapshot_end(&f);
  }
}

/* A clear that clears nothing does not start a new period. */
static void clears_of_nothing(void **state) {
  (void)state;
  snapshot_fixture_t f;
  begin(&f);
  dmd_live_clear_reports(&f.live);
  dmd_live_clear_reports(&f.live);
  take(&f);
  assert_int_equal(hint_about(&f, "f1")->referrer_kind, DMD_REFERRER_NOT_RUN);
  assert_int_equal(hint_about(&f, "f1")->before, 104);
  snapshot_end(&f);
}

/* Reports of the period before the previous one are forgotten. */
static void only_the_last_time(void **state) {
  (void)state;
  snapshot_fixture_t f;
  begin(&f);
  run(&f, "b", C);
  dmd_live_clear_reports(&f.live);
  take(&f);
  assert_null(hint_about(&f, "f1"));
  assert_non_null(hint_about(&f, "f2"));
  snapshot_end(&f);
}

/* Reports that outlive a clear do not belong to the previous period. For reports outside reporters
 * it is unknown whether they were made again. Without --hint there are no hints. */
static void none_of_these(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(&f, A, 100, 1);
  snapshot_alloc(&f, B, 100, 2);
  snapshot_alloc(&f, C, 100, DMD_NONE);
  uint32_t name = dmd_intern_str(&f.live.reporter_names, "a");
  dmd_live_report(&f.live, 1, A, 30, DMD_REPORT_ON_ALLOC, name);
  dmd_live_report(&f.live, 1, B, 30, 0, DMD_NONE);
  dmd_live_report(&f.live, 1, C, 30, 0, name);
  dmd_live_clear_reports(&f.live);
  dmd_live_unreport(&f.live, 1, A, 40);
  take(&f);
  assert_int_equal(dmd_hints_count(&f.profile.hints), 0);
  snapshot_end(&f);
  begin(&f);
  snapshot_take(&f);
  assert_int_equal(dmd_hints_count(&f.profile.hints), 0);
  snapshot_end(&f);
}

/* A realloc ends reports, whether it moves the block or not. Reports made on allocation are
 * remembered beyond a clear. */
static void before_a_realloc(void **state) {
  (void)state;
  for (uint32_t flags = 0; flags <= DMD_REPORT_ON_ALLOC; flags += DMD_REPORT_ON_ALLOC)
    for (int clears = 0; clears < 2; clears++) {
      snapshot_fixture_t f;
      snapshot_begin(&f, DMD_MODE_DARK_MATTER);
      uint32_t name = dmd_intern_str(&f.live.reporter_names, "a");
      snapshot_alloc(&f, A, 100, 1);
      snapshot_alloc(&f, B, 100, 2);
      snapshot_alloc(&f, C, 100, 8); /* the same place, and a block that nobody reported */
      dmd_live_report(&f.live, 1, A, 30, flags, name);
      dmd_live_report(&f.live, 1, B, 30, flags, name);
      dmd_live_resize(&f.live, &(dmd_new_block_t){.addr = A, .req = 90, .usable = 104, .stack = 7});
      assert_int_equal(dmd_live_remove(&f.live, B, 8), DMD_REMOVE_MEMORY);
      if (clears == 1)
        dmd_live_clear_reports(&f.live);
      take(&f);
      bool known = clears == 0 || flags == DMD_REPORT_ON_ALLOC;
      assert_int_equal(dmd_hints_count(&f.profile.hints), known ? 2 : 0);
      for (int i = 0; i < 2 && known; i++) {
        const dmd_hint_t *hint = hint_about(&f, i == 0 ? "f7" : "f8");
        assert_int_equal(hint->referrer_kind, DMD_REFERRER_BEFORE_REALLOC);
        assert_true(hint->blocks == 1 && hint->bytes == 104 && hint->before == 0);
      }
      snapshot_end(&f);
    }
}

/* Runs of each reporter since the last clear, for every reporter that ever ran to its end: neither
 * an exception that leaves a reporter nor a clear is an end. */
static void runs_are_listed(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(&f, A, 100, 1);
  run(&f, "a", A);
  run(&f, "b", 0);
  dmd_live_begin_reporter(&f.live, 1, "c", false, nowhere);
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  dmd_live_clear_reports(&f.live);
  run(&f, "b", A);
  run(&f, "b", 0);
  snapshot_take(&f);
  const dmd_reporter_runs_t *runs = &f.profile.reporter_runs;
  assert_int_equal(dmd_reporter_runs_count(runs), 2);
  static const uint64_t expected[] = {0, 2};
  for (uint32_t id = 1; id <= 2; id++) {
    const dmd_reporter_run_t *one = dmd_reporter_runs_at(runs, id);
    assert_string_equal(dmd_intern_get_str(&f.profile.names, one->reporter), id == 1 ? "a" : "b");
    assert_int_equal(one->n, expected[id - 1]);
  }
  snapshot_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_lastreports_t last;
  dmd_lastreports_init(&last, &host->env);
  dmd_lastreports_note_run(&last, 5, 100);
  dmd_lastreports_clear_block(&last, 1, 1);
  dmd_lastreports_clear_runs(&last);
  assert_int_equal(dmd_lastreports_runs(&last, 5).before, 100);
  dmd_lastreports_destroy(&last);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind),          cmocka_unit_test(clears_of_nothing),
      cmocka_unit_test(only_the_last_time), cmocka_unit_test(none_of_these),
      cmocka_unit_test(before_a_realloc),   cmocka_unit_test(runs_are_listed),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
