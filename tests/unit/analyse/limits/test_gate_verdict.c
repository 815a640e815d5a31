/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One check of a profile, and its four outputs. */
#include "fixture.h"

#include "analyse/limits/gate.h"
#include "show/text/gate_output.h"

static dmd_limit_t limit_of(dmd_what_t what, const char *name, const char *size, bool growth) {
  dmd_limit_t limit = {
      .option = "max", .value = size, .what = what, .name = name, .growth = growth};
  assert_null(dmd_size_parse(size, &limit.size));
  return limit;
}

static void fill(dmd_profile_t *p, int64_t dark) {
  p->mode = DMD_MODE_DARK_MATTER;
  p->run.is_known = true;
  build_blocks(p, 1, dark, 0, "malloc (m.c:1)|dark (<a>.c:2)", DMD_NONE);
  build_blocks(p, 1, 10, 0, "new", build_reports(p, 2, "r", "a", "s", "b"));
  build_fault(p, DMD_FAULT_CLAIM, 3, "measure", "a");
  build_fault(p, DMD_FAULT_INVALID_FREE, 2, "free", NULL);
}

static void broken_ones_are_counted(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile, 100);
  fill(&f.other, 90);
  dmd_limit_t limits[] = {
      limit_of(DMD_UNREPORTED, NULL, "99", false), limit_of(DMD_TWICE, NULL, "10", false),
      limit_of(DMD_MISREPORTS, NULL, "2", false), limit_of(DMD_TOTAL, NULL, "10", true),
      limit_of(DMD_UNREPORTED, NULL, "9", true)};
  dmd_verdict_t v = {.now = {.profile = &f.profile}, .before = {.profile = &f.other}};
  const dmd_limit_t *wrong = NULL;
  int which = 0;
  assert_null(dmd_verdict_evaluate(&v, limits, COUNT_OF(limits), &wrong, &which));
  static const bool broken[] = {true, false, true, false, true};
  assert_int_equal(v.n, COUNT_OF(broken));
  for (size_t i = 0; i < v.n; i++) {
    assert_ptr_equal(v.findings[i].limit, &limits[i]);
    assert_int_equal(v.findings[i].broken, broken[i]);
  }
  assert_int_equal(dmd_verdict_n_broken(&v), 3);
  assert_int_equal(dmd_count_other_faults(&f.profile), 2);
  dmd_verdict_destroy(&v);
  fixture_end(&f);
}

/* The half of --max-growth that is about reports is left out of a profile without them; a limit
 * that is about them is not. */
static void limits_that_profiles_know_nothing_about(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  f.other.mode = DMD_MODE_LIVE;
  dmd_limit_t limits[] = {limit_of(DMD_TOTAL, NULL, "1", true),
                          limit_of(DMD_UNREPORTED, NULL, "1", true),
                          limit_of(DMD_UNREPORTED, NULL, "1", false)};
  dmd_verdict_t v = {.now = {.profile = &f.profile}, .before = {.profile = &f.other}};
  const dmd_limit_t *wrong = NULL;
  int which = 1;
  assert_null(dmd_verdict_evaluate(&v, limits, 2, &wrong, &which));
  assert_int_equal(v.n, 1);
  dmd_verdict_destroy(&v);
  assert_non_null(strstr(dmd_verdict_evaluate(&v, limits, 3, &wrong, &which), "dark-matter"));
  assert_ptr_equal(wrong, &limits[2]);
  assert_int_equal(which, 0);
  dmd_verdict_destroy(&v);
  fixture_end(&f);
}

/* ---- Outputs. ---- */

typedef struct {
  dmd_profile_t now, before;
  dmd_ignore_t ignore;
  dmd_limit_t limits[4];
  dmd_verdict_t v;
} check_t;

static void begin(check_t *c, const dmd_env_t *env) {
  static const char patterns[] = "nowhere, 100% <x>  # a reason\n";
  dmd_profile_init(&c->now, env);
  dmd_profile_init(&c->before, env);
  fill(&c->now, 1234);
  fill(&c->before, 90);
  uint64_t line;
  assert_null(dmd_ignore_parse(&c->ignore, env, patterns, sizeof patterns - 1, &line));
  c->limits[0] = limit_of(DMD_UNREPORTED, NULL, "99", false);
  c->limits[1] = limit_of(DMD_TWICE, NULL, "9", false);
  c->limits[2] = limit_of(DMD_MISREPORTS, NULL, "2", false);
  c->limits[3] = limit_of(DMD_TOTAL, NULL, "10", true);
  c->v = (dmd_verdict_t){.file = "now.json",
                         .baseline = "old.json",
                         .now = {.profile = &c->now},
                         .before = {.profile = &c->before},
                         .ignore = &c->ignore,
                         .ignore_name = "ignore,x",
                         .max_frames = 8};
  const dmd_limit_t *wrong;
  int which;
  assert_null(dmd_verdict_evaluate(&c->v, c->limits, COUNT_OF(c->limits), &wrong, &which));
}

static void end(check_t *c) {
  dmd_verdict_destroy(&c->v);
  dmd_ignore_destroy(&c->ignore);
  dmd_profile_destroy(&c->before);
  dmd_profile_destroy(&c->now);
}

static void check_output(dmd_gate_print_fn print, const char *const *parts) {
  host_t host;
  host_init(&host);
  check_t c;
  begin(&c, &host.env);
  sink_t sink;
  sink_init(&sink);
  print(&sink.out, &c.v);
  const char *text = sink_text(&sink);
  for (; *parts != NULL; parts++)
    assert_has(text, *parts);
  sink_free(&sink);
  end(&c);
  host_done(&host);
}

/* What every output contains, and what each has to escape. */
static void outputs_say_the_same(void **state) {
  (void)state;
  static const char *const text[] = {
      "refused --max=99\n  unreported: 1,234 bytes in 1 block (99.20% of the heap); 99 allowed, "
      "1,135 too many\n",
      "     #02: dark (<a>.c:2)\n",
      "grew by 1,144 bytes (1144.00%) to 1,244; growth by 10 allowed, 1,134 too much",
      "ignored, as ignore,x says: 0 bytes in 0 blocks\n",
      "not counted as misreports: 2 other faults",
      "refused: now.json breaks 4 of 4 limits: --max=99, --max=9, --max=2, --max=10 (total)\n",
      NULL};
  static const char *const json[] = {"\"verdict\": \"refused\"", "\"excess\": 1135",
                                     "\"allocatedAt\": [\"malloc (m.c:1)\", \"dark (<a>.c:2)\"]",
                                     "\"pattern\": \"nowhere, 100% <x>\"", NULL};
  static const char *const junit[] = {"tests=\"4\" failures=\"4\"", "#02: dark (&lt;a&gt;.c:2)\n",
                                      NULL};
  static const char *const github[] = {
      "::error title=dmdv check --max=99::unreported: 1,234 bytes",
      "%0A  1. 1,234 bytes in 1 block",
      "::warning file=ignore%2Cx,line=1::the pattern ignores nothing: nowhere, 100%25 <x>\n", NULL};
  check_output(dmd_print_gate_text, text);
  check_output(dmd_print_gate_json, json);
  check_output(dmd_print_gate_junit, junit);
  check_output(dmd_print_gate_github, github);
}

static bool drop(void *ctx, const char *bytes, size_t n) {
  (void)ctx, (void)bytes, (void)n;
  return true;
}

static void use(host_t *host, void *arg) {
  const dmd_gate_print_fn *print = arg;
  check_t c;
  begin(&c, &host->env);
  dmd_out_t out;
  dmd_out_init(&out, drop, NULL);
  (*print)(&out, &c.v);
  end(&c);
}

static void out_of_memory(void **state) {
  (void)state;
  dmd_gate_print_fn prints[] = {dmd_print_gate_text, dmd_print_gate_json, dmd_print_gate_junit,
                                dmd_print_gate_github};
  for (size_t i = 0; i < COUNT_OF(prints); i++)
    assert_true(host_fail_everywhere(use, &prints[i]) > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_ones_are_counted),
      cmocka_unit_test(limits_that_profiles_know_nothing_about),
      cmocka_unit_test(outputs_say_the_same),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
