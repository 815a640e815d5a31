/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The metrics of a profile whose blocks are known. */
#include "fixture.h"

#include "analyse/records/metrics.h"

#include <stdio.h>

enum { MAX = 64, TEXT = 256 };

typedef struct {
  char lines[MAX][TEXT]; /* "kind name=value", in the order in which they came */
  int n;
} found_t;

static void note(void *visitor, dmd_metric_kind_t kind, const char *name, int64_t value) {
  found_t *f = visitor;
  assert_true(f->n < MAX);
  snprintf(f->lines[f->n++], TEXT, "%s %s=%lld", dmd_metric_kind_name(kind), name,
           (long long)value);
}

static bool has(const found_t *f, const char *line) {
  for (int i = 0; i < f->n; i++)
    if (strcmp(f->lines[i], line) == 0)
      return true;
  return false;
}

static void fill(dmd_profile_t *p) {
  p->mode = DMD_MODE_DARK_MATTER;
  p->run.is_known = true;
  p->memory.resident = 12345;
  p->run.most_resident_szB = 23456;
  p->run.peak = (dmd_moment_t){.is_known = true, .szB = 4567};
  build_tagged(p, 1, 100, 0, "new", DMD_NONE, "a tag");
  build_blocks(p, 2, 30, 0, "new", build_reports(p, 1, "r", "explicit/a/b", NULL, NULL));
  build_blocks(p, 1, 7, 0, "new", build_reports(p, 1, "r", "explicit/a/c", NULL, NULL));
  build_blocks(p, 1, 5, 0, "new", build_reports(p, 2, "r", "explicit/a/b", "s", "other"));
  build_blocks(p, 1, 11, 0, "new", build_reports(p, 2, "r", "explicit/a/c", "s", "explicit/a/c"));
  build_fault(p, DMD_FAULT_CLAIM, 3, "claim", "explicit/a/b");
  build_fault(p, DMD_FAULT_INVALID_FREE, 1, "free", NULL);
}

/* The block of 11 bytes was reported twice by one reporter, for which it counts twice. */
static void each_is_there_once(void **state) {
  (void)state;
  static const char *const expected[] = {"heap =183",
                                         "unreported =100",
                                         "once =67",
                                         "twice =16",
                                         "excess =16",
                                         "resident =12345",
                                         "peak =4567",
                                         "peak-resident =23456",
                                         "faults =4",
                                         "reporter explicit=94",
                                         "reporter explicit/a=94",
                                         "reporter explicit/a/b=65",
                                         "reporter explicit/a/c=29",
                                         "reporter other=5",
                                         "tag a tag=100"};
  fixture_t f;
  found_t found = {.n = 0};
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile);
  dmd_metrics_visit(&f.profile, note, &found);
  int n_libraries = 0;
  for (int i = 0; i < found.n; i++)
    n_libraries += strncmp(found.lines[i], "library ", 8) == 0;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    if (!has(&found, expected[i]))
      fail_msg("there is no %s", expected[i]);
  assert_int_equal(found.n - n_libraries, sizeof expected / sizeof *expected);
  fixture_end(&f);
}

/* A metric that a profile does not have is absent, rather than 0. */
static void what_is_not_known_is_left_out(void **state) {
  (void)state;
  fixture_t f;
  found_t found = {.n = 0};
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 9, 0, "new", DMD_NONE);
  dmd_metrics_visit(&f.profile, note, &found);
  assert_true(has(&found, "heap =9"));
  for (int i = 0; i < found.n; i++)
    assert_true(strncmp(found.lines[i], "heap ", 5) == 0 ||
                strncmp(found.lines[i], "library ", 8) == 0);
  fixture_end(&f);
}

static void kinds_have_names(void **state) {
  (void)state;
  for (dmd_metric_kind_t kind = 0; kind < DMD_N_FIGURES; kind++)
    assert_int_equal(dmd_metric_kind_of(dmd_metric_kind_name(kind)), kind);
  assert_int_equal(dmd_metric_kind_of("no such"), DMD_N_FIGURES);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  found_t found = {.n = 0};
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill(&p);
  dmd_metrics_visit(&p, note, &found);
  assert_true(has(&found, "heap =183"));
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_there_once),
      cmocka_unit_test(what_is_not_known_is_left_out),
      cmocka_unit_test(kinds_have_names),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
