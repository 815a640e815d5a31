/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Metrics for other programs, in a few lines by hand. The tests of dmdv run these programs. */
#include "fixture.h"

#include "show/export/exportmetrics.h"

static void fill(dmd_profile_t *p) {
  p->mode = DMD_MODE_DARK_MATTER;
  uint32_t once = build_reports(p, 1, "r", "a\"b\\c", NULL, NULL);
  build_blocks(p, 2, 90, 10, "new|f (x.c:1)", DMD_NONE);
  build_blocks(p, 1, 7, 0, "new|g (x.c:1)", once);
}

static const char *exported(fixture_t *f, sink_t *sink, dmd_metrics_format_t format) {
  dmd_exportfigures_t e;
  sink_init(sink);
  dmd_exportfigures_begin(&e, &f->host.env, format, 1, &sink->out);
  assert_null(dmd_exportfigures_add(&e, &f->profile));
  dmd_exportfigures_end(&e);
  return sink_text(sink);
}

static void both_formats_by_hand(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  fill(&f.profile);
  sink_t sink;
  const char *text = exported(&f, &sink, DMD_METRICS_OPENMETRICS);
  assert_has(text,
             "# TYPE dmd_heap_bytes gauge\n# UNIT dmd_heap_bytes bytes\n# HELP dmd_heap_bytes ");
  assert_has(text, "\ndmd_heap_bytes{program=\"(unknown process)\",moment=\"exit\"} 207\n");
  assert_has(text, "\ndmd_reporter_bytes{reporter=\"a\\\"b\\\\c\",program=");
  assert_string_equal(text + strlen(text) - strlen("\n# EOF\n"), "\n# EOF\n");
  sink_free(&sink);
  text = exported(&f, &sink, DMD_METRICS_BENCHMARK);
  assert_has(
      text, "{\"name\": \"unreported\", \"unit\": \"bytes\", \"value\": 200, \"extra\": \"exit\"}");
  assert_has(text, "{\"name\": \"reporter a\\\"b\\\\c\", \"unit\": \"bytes\", \"value\": 7, "
                   "\"extra\": \"exit\"}");
  sink_free(&sink);
  fixture_end(&f);
}

static void times_and_line_ends(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_openmetrics_t m;
  sink_t sink;
  const dmd_metric_label_t labels[] = {{"branch", "x\ny"}};
  const int64_t seconds = 1700000000;
  sink_init(&sink);
  dmd_openmetrics_init(&m, &host.env);
  dmd_openmetrics_add(&m, DMD_METRIC_TAG, "t", labels, 1, -5, &seconds);
  dmd_openmetrics_add(&m, DMD_METRIC_FAULTS, "", NULL, 0, 3, NULL);
  dmd_openmetrics_write(&m, &sink.out);
  const char *text = sink_text(&sink);
  assert_has(text, "\ndmd_tag_bytes{tag=\"t\",branch=\"x\\ny\"} -5 1700000000\n");
  assert_has(text, "\ndmd_faults 3\n");
  assert_true(strstr(text, "dmd_faults ") < strstr(text, "dmd_tag_bytes "));
  assert_null(strstr(text, "# UNIT dmd_faults"));
  sink_free(&sink);
  dmd_openmetrics_destroy(&m);
  host_done(&host);
}

static bool drop(void *ctx, const char *bytes, size_t n) {
  (void)ctx, (void)bytes, (void)n;
  return true;
}

static void use(host_t *host, void *arg) {
  const dmd_metrics_format_t *format = arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill(&p);
  dmd_out_t out;
  dmd_exportfigures_t e;
  dmd_out_init(&out, drop, NULL);
  dmd_exportfigures_begin(&e, &host->env, *format, 2, &out);
  assert_null(dmd_exportfigures_add(&e, &p));
  assert_non_null(dmd_exportfigures_add(&e, &p));
  dmd_exportfigures_end(&e);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  dmd_metrics_format_t formats[] = {DMD_METRICS_OPENMETRICS, DMD_METRICS_BENCHMARK};
  for (size_t i = 0; i < COUNT_OF(formats); i++)
    assert_true(host_fail_everywhere(use, &formats[i]) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_formats_by_hand),
      cmocka_unit_test(times_and_line_ends),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
