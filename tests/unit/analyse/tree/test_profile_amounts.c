/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profile as amounts of memory by path. Their trees are tested in test_tree. */
#include "fixture.h"

#include "analyse/tree/profile_amounts.h"
#include "show/text/text_tree.h"

static void names_of_processes(void **state) {
  (void)state;
  static const struct {
    const char *command;
    uint64_t pid;
    bool is_known;
    const char *name;
  } cases[] = {
      {"/usr/bin/app --flag a/b", 12, true, "app (pid 12)"},
      {"app", 0, true, "app"},
      {"./a/", 3, true, " (pid 3)"},
      {"", 3, true, "(unknown process) (pid 3)"},
      {NULL, 18446744073709551615u, true, "(unknown process) (pid 18446744073709551615)"},
      {"app", 3, false, "(unknown process)"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    f.profile.run = (dmd_run_t){
        .is_known = cases[i].is_known, .command = cases[i].command, .pid = cases[i].pid};
    char *name = dmd_process_name(&f.profile);
    assert_string_equal(name, cases[i].name);
    dmd_env_free(&f.host.env, name);
    fixture_end(&f);
  }
}

static void publish(dmd_profile_t *p, const char *process, const char *path,
                    dmd_memreport_kind_t kind, dmd_memreport_units_t units, int64_t amount) {
  dmd_memreport_t report = {
      .process = process, .path = path, .amount = amount, .times = 1, .kind = kind, .units = units};
  assert_true(dmd_memreports_add(&p->memreports, &report));
}

/* What a program published belongs to the end. */
static void published_at_the_peak(void **state) {
  (void)state;
  for (int peak = 0; peak < 2; peak++) {
    fixture_t f;
    dmd_amounts_t m;
    dmd_coverage_t coverage;
    fixture_begin(&f, DMD_MODE_LIVE);
    build_blocks(&f.profile, 1, 100, 0, "new", DMD_NONE);
    publish(&f.profile, NULL, "cache/entries", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_COUNT, 8);
    f.profile.shows_peak = peak;
    dmd_amounts_init(&m, &f.host.env, false);
    assert_null(dmd_amounts_of_profile(&m, &f.profile, "p", &coverage));
    dmd_amounts_complete(&m);
    assert_int_equal(dmd_amounts_find(&m, "p", "cache/entries") == DMD_NONE, peak);
    assert_int_equal(dmd_amounts_find(&m, "p", "heap-allocated") == DMD_NONE, false);
    dmd_amounts_destroy(&m);
    fixture_end(&f);
  }
}

static void fill(dmd_profile_t *p) {
  p->mode = DMD_MODE_DARK_MATTER;
  uint32_t a = build_reports(p, 1, "r", "explicit/a", NULL, NULL);
  build_blocks(p, 1, 100, 0, "new", a);
  build_blocks(p, 1, 30, 0, "new", build_reports(p, 2, "r", "explicit/a", "s", NULL));
  build_blocks(p, 1, 5, 0, "new", build_reports(p, 1, "r", "resident", NULL, NULL));
  build_tagged(p, 2, 11, 0, "new", DMD_NONE, "t");
  build_tagged(p, 1, 44, 0, "new", DMD_NONE, "published");
  p->memory.resident = 5000;
  publish(p, NULL, "explicit/a", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, 99);
  publish(p, NULL, "explicit/elsewhere", DMD_MEMREPORT_HEAP, DMD_MEMREPORT_BYTES, 44);
  publish(p, NULL, "explicit/disk", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 8);
  publish(p, NULL, "cache/entries", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_COUNT, 3);
  publish(p, NULL, "cache/bytes", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 9);
  publish(p, NULL, "heap-allocated", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 7);
  publish(p, "child", "heap-allocated", DMD_MEMREPORT_OTHER, DMD_MEMREPORT_BYTES, 6);
}

/* What each rule of the header makes of them. */
static void each_rule_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *process, *path;
    int64_t amount;
  } expected[] = {
      {"P", "explicit/a", 130}, /* as measured, not as published */
      {"P", "explicit/(unnamed reporter)", 30},
      {"P", "resident (reporter)", 5}, /* a name that is derived */
      {"P", "explicit/tags/t", 22},
      {"P", "explicit/elsewhere", 44},   /* the tag's blocks, counted once */
      {"P", "explicit (other)/disk", 8}, /* not of memory */
      {"P", "cache/entries", 3},
      {"P", "cache (bytes)/bytes", 9}, /* in units of its own */
      {"P", "heap-allocated (published)", 7},
      {"child", "heap-allocated", 6},
      {"P", "heap-allocated", 201},
      {"P", "resident", 5000},
  };
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &f.host.env, false);
  dmd_coverage_t coverage;
  assert_null(dmd_amounts_of_profile(&m, &f.profile, "P", &coverage));
  assert_int_equal(coverage.heap_szB, 201);
  assert_int_equal(coverage.twice_szB, 30);
  assert_int_equal(coverage.twice_blocks, 1);
  assert_int_equal(coverage.excess_szB, 30);
  for (size_t i = 0; i < COUNT_OF(expected); i++) {
    uint32_t id = dmd_amounts_find(&m, expected[i].process, expected[i].path);
    if (id == DMD_NONE)
      fail_msg("no amount for %s", expected[i].path);
    assert_int_equal(dmd_amounts_at(&m, id)->amount, expected[i].amount);
  }
  assert_int_equal(m.pool.last, COUNT_OF(expected));
  dmd_amounts_destroy(&m);
  fixture_end(&f);
}

static void notes_of_a_profile(void **state) {
  (void)state;
  static const struct {
    dmd_mode_t mode;
    uint64_t sample_below;
    dmd_coverage_t coverage;
    bool verbose;
    const char *notes;
  } cases[] = {
      {DMD_MODE_DARK_MATTER, 0, {10, 0, 0, 0}, false, ""},
      {DMD_MODE_CUMULATIVE,
       0,
       {0},
       false,
       "note: mode cumulative: amounts are of all blocks ever allocated.\n"},
      {DMD_MODE_LIVE,
       4093,
       {0},
       false,
       "note: mode live: no reports were kept.\n"
       "note: blocks below 4093 bytes were sampled: amounts are estimates.\n"},
      {DMD_MODE_DARK_MATTER,
       0,
       {0, 9, 1, 1536 * 1024},
       false,
       "note: 1.50 MB too much is counted below: 1 block was reported more than once. That makes\n"
       "      heap-unclassified too small by as much. dmdv print shows these blocks.\n"},
      {DMD_MODE_DARK_MATTER,
       0,
       {0, 9, 5678, 1234},
       true,
       "note: 1,234 B too much is counted below: 5,678 blocks were reported more than once. That "
       "makes\n"
       "      heap-unclassified too small by as much. dmdv print shows these blocks.\n"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, cases[i].mode);
    f.profile.run = (dmd_run_t){.is_known = true, .sample_below = cases[i].sample_below};
    sink_t sink;
    sink_init(&sink);
    dmd_tree_print_notes(&sink.out, &f.profile, &cases[i].coverage, cases[i].verbose);
    assert_string_equal(sink_text(&sink), cases[i].notes);
    sink_free(&sink);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill(&p);
  dmd_amounts_t m;
  dmd_amounts_init(&m, &host->env, false);
  dmd_coverage_t coverage;
  char *name = dmd_process_name(&p);
  assert_null(dmd_amounts_of_profile(&m, &p, name, &coverage));
  dmd_env_free(&host->env, name);
  dmd_amounts_destroy(&m);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_processes), cmocka_unit_test(published_at_the_peak),
      cmocka_unit_test(each_rule_by_hand),  cmocka_unit_test(notes_of_a_profile),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
