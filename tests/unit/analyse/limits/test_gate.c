/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "analyse/limits/gate.h"
#include "analyse/records/record.h"

/* Two profiles with the stacks, reporters and tags of one small program. */
typedef struct {
  fixture_t base;
  dmd_profile_t *old, *new;
  dmd_subject_t before, now;
} gate_t;

/* 1,000 bytes: 300 dark, 200 twice, 500 once, of which 100 below explicit/x and 400 in explicit/xy;
 * the dark ones and 50 of explicit/x bear the tag "lib". */
static void fill(dmd_profile_t *p) {
  p->run.is_known = true;
  uint32_t x = build_reports(p, 1, "r", "explicit/x", NULL, NULL);
  uint32_t below = build_reports(p, 1, "r", "explicit/x/deep", NULL, NULL);
  uint32_t xy = build_reports(p, 1, "r", "explicit/xy", NULL, NULL);
  uint32_t both = build_reports(p, 2, "r", "explicit/x", "s", "explicit/x");
  uint32_t often = build_reports(p, 9, "r", "other", "s", "explicit/x/deep");
  build_tagged(p, 3, 90, 10, "new (a.c:1)|dark (b.c:2)", DMD_NONE, "lib");
  build_blocks(p, 1, 120, 0, "new (a.c:1)|both (b.c:3)", both);
  build_blocks(p, 2, 40, 0, "new (a.c:1)|often (b.c:4)", often);
  build_tagged(p, 1, 50, 0, "new (a.c:1)|x (b.c:5)", x, "lib");
  build_blocks(p, 1, 50, 0, "new (a.c:1)|below (b.c:6)", below);
  build_blocks(p, 4, 99, 1, "new (a.c:1)|xy (b.c:7)", xy);
}

static void begin_empty(gate_t *f) {
  fixture_begin(&f->base, DMD_MODE_DARK_MATTER);
  f->old = &f->base.other;
  f->new = &f->base.profile;
  f->before = (dmd_subject_t){.profile = f->old};
  f->now = (dmd_subject_t){.profile = f->new};
}

static void begin(gate_t *f) {
  begin_empty(f);
  fill(f->old);
  fill(f->new);
}

static void end(gate_t *f) {
  fixture_end(&f->base);
}

static dmd_limit_t limit_of(dmd_what_t what, const char *name, const char *size, bool growth) {
  dmd_limit_t limit = {.option = "o", .value = size, .what = what, .name = name, .growth = growth};
  assert_null(dmd_size_parse(size, &limit.size));
  return limit;
}

static void assert_figure(const gate_t *f, dmd_what_t what, const char *name, int64_t bytes,
                          int64_t num) {
  dmd_blocksum_t figure = dmd_gate_figure(&f->now, what, name);
  assert_int_equal(figure.bytes, bytes);
  assert_int_equal(figure.blocks, num);
}

static void figures(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  assert_figure(&f, DMD_TOTAL, NULL, 1000, 12);
  assert_figure(&f, DMD_UNREPORTED, NULL, 300, 3);
  assert_figure(&f, DMD_TWICE, NULL, 200, 3);
  assert_figure(&f, DMD_EXCESS, NULL, 120 + 8 * 80, 3);
  assert_figure(&f, DMD_MISREPORTS, NULL, 0, 0);
  /* 120 by it, twice; 80 by one below it, eight times after another; 50; 50 below it. */
  assert_figure(&f, DMD_NAMED, "explicit/x", 980, 5);
  assert_figure(&f, DMD_NAMED, "explicit/x/", 980, 5);
  assert_figure(&f, DMD_NAMED, "explicit/x/deep", 690, 3);
  assert_figure(&f, DMD_NAMED, "explicit/xy", 400, 4);
  assert_figure(&f, DMD_NAMED, "explicit", 1380, 9);
  assert_figure(&f, DMD_NAMED, "other", 80, 2);
  assert_figure(&f, DMD_NAMED, "lib", 350, 4);
  assert_figure(&f, DMD_NAMED, "explicit/", 1380, 9);
  assert_figure(&f, DMD_NAMED, "li", 0, 0);
  assert_figure(&f, DMD_NAMED, "/", 0, 0);
  assert_figure(&f, DMD_NAMED, "new", 0, 0);
  end(&f);
}

static void names_that_there_are(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  dmd_profile_keep(f.new, "not a reporter");
  static const char *const names[] = {"explicit", "explicit/x/", "explicit/x/deep", "lib", "other"};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    assert_true(dmd_gate_has_name(f.new, names[i]));
  static const char *const others[] = {"explici", "explicit/x/deep/er", "", "not a reporter"};
  for (size_t i = 0; i < COUNT_OF(others); i++)
    assert_false(dmd_gate_has_name(f.new, others[i]));
  end(&f);
}

static void at_the_limit_is_within_it(void **state) {
  (void)state;
  static const struct {
    dmd_what_t what;
    const char *name, *size;
    int64_t ceiling;
    bool broken;
  } cases[] = {
      {DMD_UNREPORTED, NULL, "300", 300, false},   {DMD_UNREPORTED, NULL, "299", 299, true},
      {DMD_UNREPORTED, NULL, "30%", 300, false},   {DMD_UNREPORTED, NULL, "29.9%", 299, true},
      {DMD_UNREPORTED, NULL, "29.99%", 299, true}, /* 299.9 */
      {DMD_TWICE, NULL, "20%", 200, false},        {DMD_TWICE, NULL, "0", 0, true},
      {DMD_NAMED, "lib", "350", 350, false},       {DMD_NAMED, "lib", "349", 349, true},
      {DMD_NAMED, "nobody", "0", 0, false},        {DMD_MISREPORTS, NULL, "0", 0, false},
  };
  gate_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_limit_t limit = limit_of(cases[i].what, cases[i].name, cases[i].size, false);
    dmd_finding_t finding;
    dmd_gate_evaluate(&finding, &limit, &f.now, NULL);
    assert_int_equal(finding.ceiling, cases[i].ceiling);
    assert_int_equal(finding.broken, cases[i].broken);
    assert_int_equal(finding.heap, 1000);
  }
  end(&f);
}

static void growth(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  build_tagged(f.new, 1, 30, 0, "new (a.c:1)|dark (b.c:2)", DMD_NONE, "lib");
  static const struct {
    dmd_what_t what;
    const char *name, *size;
    int64_t ceiling;
    bool broken;
  } cases[] = {
      {DMD_TOTAL, NULL, "3%", 1030, false},       {DMD_TOTAL, NULL, "30", 1030, false},
      {DMD_TOTAL, NULL, "29", 1029, true},        {DMD_TOTAL, NULL, "2.99%", 1029, true},
      {DMD_UNREPORTED, NULL, "10%", 330, false},  {DMD_UNREPORTED, NULL, "9%", 327, true},
      {DMD_NAMED, "lib", "+30", 380, false},      {DMD_NAMED, "lib", "+29", 379, true},
      {DMD_NAMED, "explicit", "0%", 1380, false}, {DMD_TOTAL, NULL, "+30", 1030, false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_limit_t limit = limit_of(cases[i].what, cases[i].name, cases[i].size, true);
    dmd_finding_t finding;
    dmd_gate_evaluate(&finding, &limit, &f.now, &f.before);
    assert_int_equal(finding.ceiling, cases[i].ceiling);
    assert_int_equal(finding.broken, cases[i].broken);
  }
  end(&f);
}

static void what_is_ignored_does_not_count(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  uint32_t *by = dmd_env_alloc(&f.base.host.env, "test", 64 * sizeof *by);
  memset(by, 0, 64 * sizeof *by);
  by[build_stack(f.new, "new (a.c:1)|dark (b.c:2)")] = 1;
  by[build_stack(f.new, "new (a.c:1)|both (b.c:3)")] = 2;
  by[build_stack(f.new, "new (a.c:1)|x (b.c:5)")] = 2;
  f.now.ignored_by = by;
  assert_figure(&f, DMD_UNREPORTED, NULL, 0, 0);
  assert_figure(&f, DMD_TWICE, NULL, 80, 2);
  assert_figure(&f, DMD_EXCESS, NULL, 640, 2);
  assert_figure(&f, DMD_TOTAL, NULL, 1000, 12);
  assert_figure(&f, DMD_NAMED, "lib", 350, 4);
  dmd_env_free(&f.base.host.env, by);
  end(&f);
}

/* Faults of the heap and of scopes are not misreports. */
static void misreports(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  static const dmd_fault_t faults[] = {
      {.num = 5, .kind = DMD_FAULT_INVALID_FREE},     {.num = 2, .kind = DMD_FAULT_REPORT_INTERIOR},
      {.num = 7, .kind = DMD_FAULT_INVALID_REALLOC},  {.num = 3, .kind = DMD_FAULT_REPORT_NO_BLOCK},
      {.num = 11, .kind = DMD_FAULT_SCOPE_UNDERFLOW}, {.num = 13, .kind = DMD_FAULT_ABSURD_SIZE},
  };
  for (size_t i = 0; i < COUNT_OF(faults); i++)
    dmd_faults_add(&f.new->faults, &faults[i]);
  assert_figure(&f, DMD_MISREPORTS, NULL, 5, 0);
  uint32_t n;
  uint32_t *ids = dmd_misreports(f.new, &n);
  assert_int_equal(n, 2);
  assert_int_equal(dmd_faults_at(&f.new->faults, ids[0])->kind, DMD_FAULT_REPORT_NO_BLOCK);
  assert_int_equal(dmd_faults_at(&f.new->faults, ids[1])->kind, DMD_FAULT_REPORT_INTERIOR);
  dmd_env_free(&f.base.host.env, ids);
  end(&f);
}

static void what_cannot_be_checked(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  int which;
  dmd_limit_t unreported = limit_of(DMD_UNREPORTED, NULL, "0", false);
  dmd_limit_t growth = limit_of(DMD_UNREPORTED, NULL, "0", true);
  dmd_limit_t total = limit_of(DMD_TOTAL, NULL, "0", true);
  dmd_limit_t misreported = limit_of(DMD_MISREPORTS, NULL, "0", false);
  assert_null(dmd_gate_why_not(&unreported, f.new, NULL, &which));
  assert_null(dmd_gate_why_not(&growth, f.new, f.old, &which));
  assert_null(dmd_gate_why_not(&misreported, f.new, f.old, &which));
  f.old->mode = DMD_MODE_LIVE;
  assert_null(dmd_gate_why_not(&unreported, f.new, f.old, &which));
  assert_null(dmd_gate_why_not(&total, f.new, f.old, &which));
  assert_non_null(dmd_gate_why_not(&growth, f.new, f.old, &which));
  assert_int_equal(which, 1);
  f.new->mode = DMD_MODE_CUMULATIVE;
  assert_non_null(dmd_gate_why_not(&unreported, f.new, NULL, &which));
  assert_int_equal(which, 0);
  f.new->run.is_known = false;
  assert_non_null(dmd_gate_why_not(&misreported, f.new, NULL, &which));
  dmd_limit_t named = limit_of(DMD_NAMED, "explicit/x", "0", false);
  dmd_limit_t nowhere = limit_of(DMD_NAMED, "explicit/none", "0", false);
  assert_null(dmd_gate_why_not(&named, f.new, NULL, &which));
  which = 1;
  assert_non_null(dmd_gate_why_not(&nowhere, f.new, NULL, &which));
  assert_int_equal(which, 0);
  build_reports(f.old, 1, "r", "explicit/none", NULL, NULL);
  assert_null(dmd_gate_why_not(&nowhere, f.new, f.old, &which));
  end(&f);
}

/* ---- causes ---- */

static const char *top_frame(const dmd_causes_t *causes, const dmd_record_t *r, size_t at) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(&causes->records, r->stack, &n);
  assert_true(at < n);
  return dmd_frames_text(&causes->view.frames, frames[at]);
}

static void causes_are_the_blocks_that_count(void **state) {
  (void)state;
  gate_t f;
  begin(&f);
  dmd_limit_t limit = limit_of(DMD_NAMED, "explicit/x", "0", false);
  dmd_finding_t finding;
  dmd_gate_evaluate(&finding, &limit, &f.now, NULL);
  dmd_causes_t causes;
  dmd_causes_init(&causes, &finding, &f.now, NULL, 8);
  static const char *const frames[] = {"often (b.c:4)", "both (b.c:3)", "x (b.c:5)",
                                       "below (b.c:6)"};
  static const int64_t usable[] = {640, 240, 50, 50};
  static const char *const reporters[] = {"other", "explicit/x", "explicit/x", "explicit/x/deep"};
  assert_int_equal(causes.n, COUNT_OF(frames));
  for (uint32_t i = 0; i < causes.n; i++) {
    const dmd_record_t *r = dmd_causes_at(&causes, i);
    assert_string_equal(top_frame(&causes, r, 1), frames[i]);
    assert_int_equal(r->usable, usable[i]);
    assert_int_equal(dmd_causes_before(&causes, r).bytes, 0);
    assert_string_equal(dmd_record_name_text(&causes.records, r, DMD_RECORD_REPORTER),
                        reporters[i]);
  }
  assert_null(dmd_record_name_text(&causes.records, dmd_causes_at(&causes, 0), DMD_RECORD_TAG));
  assert_string_equal(
      dmd_record_name_text(&causes.records, dmd_causes_at(&causes, 2), DMD_RECORD_TAG), "lib");
  dmd_causes_destroy(&causes);
  end(&f);
}

/* Four owners share blocks of 100 bytes; the limit is about two of them. */
static void causes_of_a_reporter_are_its_shares(void **state) {
  (void)state;
  static const char *const owners[] = {"explicit/x", "b", "explicit/x/deep", "d"};
  gate_t f;
  begin_empty(&f);
  build_blocks(f.new, 3, 90, 10, "new (a.c:1)|common (b.c:2)",
               build_shared(f.new, owners, COUNT_OF(owners)));
  build_blocks(f.new, 1, 50, 0, "new (a.c:1)|own (b.c:3)",
               build_reports(f.new, 1, "r", "explicit/x", NULL, NULL));
  dmd_limit_t limit = limit_of(DMD_NAMED, "explicit/x", "0", false);
  dmd_finding_t finding;
  dmd_gate_evaluate(&finding, &limit, &f.now, NULL);
  assert_int_equal(finding.now.bytes, 3 * 50 + 50);
  dmd_causes_t causes;
  dmd_causes_init(&causes, &finding, &f.now, NULL, 8);
  assert_int_equal(causes.n, 2);
  assert_string_equal(top_frame(&causes, dmd_causes_at(&causes, 0), 1), "common (b.c:2)");
  assert_int_equal(dmd_causes_at(&causes, 0)->usable, 3 * 50);
  assert_int_equal(dmd_causes_at(&causes, 1)->usable, 50);
  dmd_causes_destroy(&causes);
  end(&f);
}

/* Lines move between versions of a source: blocks whose line moved have not grown. */
static void growth_is_found_across_moved_lines(void **state) {
  (void)state;
  gate_t f;
  begin_empty(&f);
  build_blocks(f.old, 2, 100, 0, "new (a.c:1)|moved (b.c:10)|main (b.c:50)", DMD_NONE);
  build_blocks(f.old, 1, 100, 0, "new (a.c:1)|grown (b.c:20)|main (b.c:51)", DMD_NONE);
  build_blocks(f.old, 1, 60, 0, "new (a.c:1)|gone (b.c:30)|main (b.c:52)", DMD_NONE);
  build_blocks(f.new, 2, 100, 0, "new (a.c:1)|moved (b.c:12)|main (b.c:60)", DMD_NONE);
  build_blocks(f.new, 5, 100, 0, "new (a.c:1)|grown (b.c:22)|main (b.c:61)", DMD_NONE);
  build_blocks(f.new, 1, 70, 0, "new (a.c:1)|fresh (b.c:32)|main (b.c:62)", DMD_NONE);
  dmd_limit_t limit = limit_of(DMD_TOTAL, NULL, "0", true);
  dmd_finding_t finding;
  dmd_gate_evaluate(&finding, &limit, &f.now, &f.before);
  assert_int_equal(finding.now.bytes - finding.before.bytes, 410);
  dmd_causes_t causes;
  dmd_causes_init(&causes, &finding, &f.now, &f.before, 8);
  assert_int_equal(causes.n, 2);
  const dmd_record_t *r = dmd_causes_at(&causes, 0);
  assert_int_equal(r->usable, 400);
  assert_int_equal(dmd_causes_before(&causes, r).bytes, 100);
  assert_int_equal(dmd_causes_before(&causes, r).blocks, 1);
  assert_string_equal(top_frame(&causes, r, 1), "grown (b.c:22)");
  assert_string_equal(top_frame(&causes, r, 2), "main (b.c)"); /* of three lines */
  assert_string_equal(top_frame(&causes, dmd_causes_at(&causes, 1), 1), "fresh (b.c:32)");
  assert_int_equal(causes.n_shrunk, 1);
  assert_int_equal(causes.shrunk, 60);
  dmd_causes_destroy(&causes);
  end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  fill(&profile);
  dmd_subject_t subject = {.profile = &profile};
  dmd_limit_t limit = {.what = DMD_NAMED, .name = "explicit", .growth = true};
  dmd_finding_t finding;
  dmd_gate_evaluate(&finding, &limit, &subject, &subject);
  dmd_causes_t causes;
  dmd_causes_init(&causes, &finding, &subject, &subject, 8);
  dmd_causes_destroy(&causes);
  uint32_t n;
  dmd_env_free(&host->env, dmd_misreports(&profile, &n));
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures),
      cmocka_unit_test(names_that_there_are),
      cmocka_unit_test(at_the_limit_is_within_it),
      cmocka_unit_test(growth),
      cmocka_unit_test(what_is_ignored_does_not_count),
      cmocka_unit_test(misreports),
      cmocka_unit_test(what_cannot_be_checked),
      cmocka_unit_test(causes_are_the_blocks_that_count),
      cmocka_unit_test(causes_of_a_reporter_are_its_shares),
      cmocka_unit_test(growth_is_found_across_moved_lines),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
