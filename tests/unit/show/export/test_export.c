/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Profiles in other programs' formats: cases that fit into a few lines by hand. fuzz_export checks
 * that documents are valid JSON; the tests of dmdv check their content. */
#include "fixture.h"

#include "show/export/export.h"

static void fill(dmd_profile_t *p) {
  p->mode = DMD_MODE_DARK_MATTER;
  uint32_t once = build_reports(p, 1, "r", "explicit/a", NULL, NULL);
  build_blocks(p, 2, 90, 10, "new|a;b (x.c:1)|main", DMD_NONE);
  build_blocks(p, 1, 7, 0, "new|a;b (x.c:1)|main", once);
  build_blocks(p, 3, 1, 0, NULL, DMD_NONE);
  build_blocks(p, 1, 16, 0, "|lib[/l/lib.so +0xab12]", once);
}

static const char *exported(fixture_t *f, sink_t *sink, dmd_export_fn export,
                            dmd_section_t section) {
  dmd_export_options_t options = {.section = section, .exporter = "a test"};
  sink_init(sink);
  assert_null(export(&f->profile, &sink->out, &options));
  return sink_text(sink);
}

static void collapsed_by_hand(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile);
  sink_t sink;
  assert_string_equal(exported(&f, &sink, dmd_export_collapsed, DMD_SECTION_ALL),
                      "unreported;main;a\\x3bb (x.c:1);new 200\n"
                      "once-reported;main;a\\x3bb (x.c:1);new 7\n"
                      "unreported;(no stack) 3\n"
                      "once-reported;lib[/l/lib.so +0xab12];??? 16\n");
  sink_free(&sink);
  assert_string_equal(exported(&f, &sink, dmd_export_collapsed, DMD_SECTION_UNREPORTED),
                      "main;a\\x3bb (x.c:1);new 200\n"
                      "(no stack) 3\n");
  sink_free(&sink);
  fixture_end(&f);
}

static void frames_as_each_format_has_them(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile);
  sink_t sink;
  const char *dhat = exported(&f, &sink, dmd_export_dhat, DMD_SECTION_ALL);
  assert_has(dhat, "\"0xAB12: lib (in /l/lib.so)\"");
  assert_has(dhat, "\"0x0: a;b (x.c:1)\"");
  sink_free(&sink);
  const char *speedscope = exported(&f, &sink, dmd_export_speedscope, DMD_SECTION_ALL);
  assert_has(speedscope, "\"exporter\": \"a test\"");
  assert_has(speedscope, "{\"name\": \"lib [lib.so]\", \"file\": \"/l/lib.so\"}");
  assert_has(speedscope, "{\"name\": \"a;b\", \"file\": \"x.c\", \"line\": 1}");
  sink_free(&sink);
  const char *about = exported(&f, &sink, dmd_export_about_memory, DMD_SECTION_ALL);
  assert_has(about, "\"path\": \"explicit/a\", \"kind\": 1, \"units\": 0, \"amount\": 23");
  assert_has(about, "\"path\": \"heap-allocated\", \"kind\": 2, \"units\": 0, \"amount\": 226");
  assert_has(about, "A lower bound");
  sink_free(&sink);
  fixture_end(&f);
}

/* More bytes than about:memory's amounts may add up to. */
static void what_does_not_fit_is_said(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, (INT64_C(1) << 60) + 1, 0, "new", DMD_NONE);
  sink_t sink;
  sink_init(&sink);
  dmd_export_options_t options = {.section = DMD_SECTION_ALL};
  assert_has(dmd_export_about_memory(&f.profile, &sink.out, &options), "2^60");
  assert_string_equal(sink_text(&sink), "");
  sink_free(&sink);
  fixture_end(&f);
}

static bool drop(void *ctx, const char *bytes, size_t n) {
  (void)ctx, (void)bytes, (void)n;
  return true;
}

static void use(host_t *host, void *arg) {
  const dmd_export_fn *export = arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill(&p);
  dmd_out_t out;
  dmd_out_init(&out, drop, NULL);
  dmd_export_options_t options = {.section = DMD_SECTION_ALL, .exporter = "a test"};
  assert_null((*export)(&p, &out, &options));
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  dmd_export_fn exports[] = {dmd_export_collapsed, dmd_export_speedscope, dmd_export_dhat,
                             dmd_export_about_memory};
  for (size_t i = 0; i < COUNT_OF(exports); i++)
    assert_true(host_fail_everywhere(use, &exports[i]) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(collapsed_by_hand),
      cmocka_unit_test(frames_as_each_format_has_them),
      cmocka_unit_test(what_does_not_fit_is_said),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
