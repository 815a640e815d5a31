/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

/* ---- The list. ---- */

static void random_against_an_array(void **state) {
  (void)state;
  enum { NAMES = 500 };
  uint64_t expected[NAMES + 1] = {0};
  bool known[NAMES + 1] = {false};
  uint32_t n_known = 0;
  dice_t dice = {31};
  host_t host;
  host_init(&host);
  dmd_reporter_runs_t runs;
  dmd_reporter_runs_init(&runs, &host.env);
  for (int step = 0; step < 1000; step++) {
    uint32_t name = 1 + (uint32_t)dice_below(&dice, NAMES);
    uint64_t n = dice_below(&dice, 3);
    n_known += !known[name];
    known[name] = true;
    expected[name] += n;
    dmd_reporter_runs_add(&runs, name, n);
  }
  assert_true(n_known > NAMES / 2 && n_known < NAMES);
  assert_int_equal(dmd_reporter_runs_count(&runs), n_known);
  for (uint32_t id = 1; id <= n_known; id++) {
    const dmd_reporter_run_t *run = dmd_reporter_runs_at(&runs, id);
    assert_true(known[run->reporter]);
    known[run->reporter] = false; /* each stands once */
    assert_int_equal(run->n, expected[run->reporter]);
  }
  dmd_reporter_runs_destroy(&runs);
  host_done(&host);
}

/* ---- Output. ---- */

static void add(fixture_t *f, const char *reporter, uint64_t n) {
  dmd_reporter_runs_add(&f->profile.reporter_runs, dmd_intern_str(&f->profile.names, reporter), n);
}

static const char none[] = "since the last clear";

static void one_reporter(void **state) {
  (void)state;
  static const struct {
    uint64_t n;
    const char *line;
  } cases[] = {
      {0,
       "\n# 1 of 1 reporter has not run since the last clear: explicit/a\\x1b\n\nUnreported {\n"},
      {1,
       "\n# The only reporter ran since the last clear, once: it did not measure these blocks\n\n"},
      {2, "\n# The only reporter ran since the last clear, 2 times: it did not measure these "
          "blocks\n\n"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    build_blocks(&f.profile, 1, 8, 0, "a", DMD_NONE);
    assert_prints_no(&f, none);
    add(&f, "explicit/a\x1b", cases[i].n);
    assert_prints(&f, cases[i].line);
    fixture_end(&f);
  }
}

static void several_reporters(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  uint32_t once = build_reports(&f.profile, 1, "r", NULL, NULL, NULL);
  build_blocks(&f.profile, 1, 8, 0, "a", once);
  add(&f, "a", 1);
  add(&f, "b", 1);
  assert_prints_no(&f, none); /* nothing is unreported */
  build_blocks(&f.profile, 1, 8, 0, "b", DMD_NONE);
  assert_prints(&f,
                "\n# All 2 reporters ran since the last clear, once each: none of them measured "
                "these blocks\n\nUnreported {\n");
  add(&f, "a", 1);
  add(&f, "b", 1233);
  assert_prints(&f, "the last clear, 2 to 1,234 times each: none");
  add(&f, "a", 1232);
  assert_prints(&f, "the last clear, 1,234 times each: none");
  add(&f, "c", 0);
  assert_prints(&f, "\n# 1 of 3 reporters has not run since the last clear: c\n\nUnreported {\n");
  add(&f, "d", 0);
  add(&f, "e", 0);
  assert_prints(&f, "\n# 3 of 5 reporters have not run since the last clear: c, d, e\n");
  add(&f, "f", 0);
  assert_prints(&f, ": c, d, e and 1 other\n");
  add(&f, "g", 0);
  assert_prints(&f, "# 5 of 7 reporters have not run since the last clear: c, d, e and 2 others\n");
  fixture_end(&f);
}

/* ---- Out of memory. ---- */

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_reporter_runs_t runs;
  dmd_reporter_runs_init(&runs, &host->env);
  for (uint32_t name = 1; name <= 100; name++)
    dmd_reporter_runs_add(&runs, name, 1);
  dmd_reporter_runs_destroy(&runs);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_an_array),
      cmocka_unit_test(one_reporter),
      cmocka_unit_test(several_reporters),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
