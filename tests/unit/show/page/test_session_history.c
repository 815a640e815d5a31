/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A history in a bundle, and in a page: it comes out as it went in, builds are files that can be
 * compared, alarms and curves are those of dmdv, and damaged bundles do no harm.
 */
#include "page_fixture.h"

#include "analyse/history/history.h"
#include "files/bundle/bundlehistory.h"
#include "show/page/asks.h"
#include "show/page/pagedata.h"
#include "show/page/pagehistory.h"

#include <stdio.h>

#define RECORD(of, state, szB, n)                                                                  \
  { .stack = (of), .section = DMD_SECTION_##state, .bytes = (szB), .blocks = (n) }

enum { BUILDS = 12, DEV = 2, STEP = 8, KEPT_FROM = 2, MUTANTS = 3000 };

static double number(const char *text) {
  return strtod(text, NULL);
}

/* ---- A history: the heap went from 1,000 to 1,600 bytes with build 8 (b7). ---- */

static uint32_t text(dmd_history_t *h, const char *s) {
  return dmd_intern_str(&h->texts, s);
}

static void add_builds(dmd_history_t *h) {
  for (int i = 0; i < BUILDS + DEV; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    dmd_history_add_build(h, (dmd_history_build_t){.name = text(h, name),
                                                   .branch = text(h, i < BUILDS ? "main" : "dev"),
                                                   .time = 1700000000 + 3600 * i});
  }
}

static int64_t heap_of(int build) {
  return build < STEP ? 1000 : 1600;
}

/* Two runs of each build, 10 bytes apart. */
static void add_curve(dmd_history_t *h, dmd_metric_kind_t kind, const char *name,
                      const char *branch, int first, int n) {
  dmd_history_add_curve(h, (dmd_history_curve_t){.kind = kind,
                                                 .name = text(h, name),
                                                 .moment = text(h, "loaded"),
                                                 .environment = text(h, "cpu=x\n"),
                                                 .branch = text(h, branch)});
  for (int i = first; i < first + n; i++) {
    dmd_history_add_point(h, (uint32_t)i + 1);
    dmd_history_add_value(h, kind == DMD_METRIC_FAULTS ? i % 3 : heap_of(i + 1) - 5);
    dmd_history_add_value(h, kind == DMD_METRIC_FAULTS ? i % 3 : heap_of(i + 1) + 5);
  }
}

static void add_alarms(dmd_history_t *h) {
  const dmd_changepoint_t step = {.first = STEP - 1,
                                  .earliest = STEP - 2,
                                  .latest = STEP - 1,
                                  .found = STEP,
                                  .before = 1000.25,
                                  .after = 1600.5,
                                  .deviation = 3},
                          down = {.first = 2, .earliest = 2, .latest = 2, .found = 4, .before = 9};
  dmd_history_add_alarm(h, (dmd_history_alarm_t){.curve = 2,
                                                 .step = down,
                                                 .state = DMD_ALARM_IMPROVED,
                                                 .reason = text(h, ""),
                                                 .fixed_build = text(h, "")});
  dmd_history_add_alarm(h, (dmd_history_alarm_t){.curve = 1,
                                                 .next = text(h, "c0ffee"),
                                                 .n_commits = 3,
                                                 .step = step,
                                                 .reason = text(h, ""),
                                                 .fixed_build = text(h, "")});
  dmd_history_add_changed(
      h, (dmd_history_changed_t){.frames = text(h, "malloc (m.c:1)\nnew_one (n.c:7)\n"),
                                 .delta = 600});
  dmd_history_add_alarm(h, (dmd_history_alarm_t){.curve = 3,
                                                 .step = step,
                                                 .state = DMD_ALARM_ACKNOWLEDGED,
                                                 .reason = text(h, "a cache"),
                                                 .fixed_build = text(h, "b9")});
}

static void add_stack(dmd_history_t *h, int64_t number_of_stack, const char *name) {
  dmd_history_add_stack(h, number_of_stack);
  dmd_history_add_frame(h, dmd_intern_str(&h->frames, "malloc (m.c:1)"));
  dmd_history_add_frame(h, dmd_intern_str(&h->frames, name));
}

static uint32_t add_set(dmd_history_t *h, uint32_t base, const dmd_stack_record_t *records,
                        size_t n) {
  dmd_stackset_t set;
  dmd_strbuf_t bytes;
  dmd_stackset_init(&set, h->env, n);
  memcpy(set.records, records, n * sizeof *records);
  set.n = n;
  dmd_strbuf_init(&bytes, h->env);
  dmd_stackset_encode(&bytes, &set);
  uint32_t id = dmd_intern_bytes(&h->data, bytes.text, bytes.n);
  const char *kept = dmd_intern_get(&h->data, id, &n);
  dmd_strbuf_destroy(&bytes);
  dmd_stackset_destroy(&set);
  return dmd_history_add_set(h, base, kept, n);
}

/* Before the step 1,000 bytes in 7 blocks, of which 300 bytes were reported; afterwards 600 bytes
 * more. */
static void add_records(dmd_history_t *h) {
  const dmd_stack_record_t before[] = {RECORD(4, UNREPORTED, 700, 6), RECORD(9, ONCE, 300, 1)},
                           more[] = {RECORD(5, UNREPORTED, 600, 2)};
  add_stack(h, 4, "old_one (o.c:5)");
  add_stack(h, 5, "new_one (n.c:7)");
  add_stack(h, 9, "list (l.c:6)");
  uint32_t first = add_set(h, DMD_NONE, before, 2), second = add_set(h, first, more, 1);
  for (uint32_t i = KEPT_FROM; i <= BUILDS; i++)
    dmd_history_add_kept(h, (dmd_kept_t){.build = i,
                                         .moment = text(h, "loaded"),
                                         .environment = text(h, "cpu=x\n"),
                                         .set = i < STEP ? first : second});
}

static void make(dmd_history_t *h, const dmd_env_t *env) {
  dmd_history_init(h, env);
  h->name = text(h, "app.db");
  add_builds(h);
  add_curve(h, DMD_METRIC_HEAP, "heap", "main", 0, BUILDS);
  add_curve(h, DMD_METRIC_FAULTS, "faults", "main", 0, BUILDS);
  add_curve(h, DMD_METRIC_TAG, "tag cache", "main", 0, BUILDS);
  add_curve(h, DMD_METRIC_HEAP, "heap", "dev", BUILDS, DEV);
  add_alarms(h);
  add_records(h);
}

static void write_image(sink_t *sink, const dmd_history_t *h) {
  dmd_bundlewriter_t w;
  sink_init(sink);
  dmd_bundlewriter_init(&w, h->env, sink->out.write, sink->out.ctx);
  dmd_imagehistory_write(&w, h);
  assert_true(dmd_bundlewriter_end(&w));
}

/* ---- Images. ---- */

static char *copy_of(sink_t *sink) {
  char *bytes = malloc(sink->n);
  assert_non_null(bytes);
  memcpy(bytes, sink_text(sink), sink->n);
  return bytes;
}

static void what_goes_in_comes_out(void **state) {
  (void)state;
  host_t host;
  dmd_history_t h, again;
  dmd_bundle_t image;
  dmd_strbuf_t why;
  sink_t first, second;
  host_init(&host);
  make(&h, &host.env);
  write_image(&first, &h);
  char *bytes = copy_of(&first);
  dmd_strbuf_init(&why, &host.env);
  assert_true(dmd_bundle_map(&image, &host.env, bytes, first.n, &why));
  assert_true(dmd_imagehistory_is_there(&image));
  assert_true(dmd_imagehistory_read(&again, &image, &why));
  write_image(&second, &again);
  assert_int_equal(first.n, second.n);
  assert_memory_equal(sink_text(&first), sink_text(&second), first.n);
  for (uint32_t id = 1; id <= again.kept.last; id++)
    assert_int_equal(dmd_history_kept(&again, id)->before, id == 1 ? DMD_NONE : id - 1);
  dmd_history_destroy(&again);
  dmd_bundle_destroy(&image);
  dmd_strbuf_destroy(&why);
  dmd_history_destroy(&h);
  free(bytes);
  sink_free(&first);
  sink_free(&second);
  host_done(&host);
}

/* ---- Pages. ---- */

typedef struct {
  page_fixture_t f;
  dmd_session_data_t data;
  char *bytes;
} shown_t;

static bool show(shown_t *s, const char *bytes, size_t n) {
  dmd_strbuf_t why;
  page_begin(&s->f);
  s->bytes = malloc(n);
  assert_non_null(s->bytes);
  memcpy(s->bytes, bytes, n);
  dmd_session_data_init(&s->data, &s->f.host.env);
  dmd_strbuf_init(&why, &s->f.host.env);
  bool good = dmd_session_add_image(&s->f.page, &s->data, s->bytes, n, number, &why);
  assert_true(good || why.n > 0);
  dmd_strbuf_destroy(&why);
  return good;
}

/* The history outlives the page. */
static void show_end(shown_t *s) {
  dmd_session_destroy(&s->f.page);
  dmd_session_data_destroy(&s->data);
  dmd_session_init(&s->f.page, &s->f.host.env);
  page_end(&s->f);
  free(s->bytes);
}

static void show_made(shown_t *s) {
  host_t host;
  dmd_history_t h;
  sink_t sink;
  host_init(&host);
  make(&h, &host.env);
  write_image(&sink, &h);
  assert_true(show(s, sink_text(&sink), sink.n));
  sink_free(&sink);
  dmd_history_destroy(&h);
  host_done(&host);
}

static const cJSON *at(const cJSON *list, int i) {
  const cJSON *item = cJSON_GetArrayItem(list, i);
  assert_non_null(item);
  return item;
}

static void builds_are_files(void **state) {
  (void)state;
  shown_t s;
  show_made(&s);
  const cJSON *files = member(page_ask(&s.f, "ask=files"), "files");
  const int n = BUILDS - KEPT_FROM + 1;
  assert_int_equal(cJSON_GetArraySize(files), n + 1);
  assert_string_equal(string_of(at(files, 0), "name"), "b11");
  assert_string_equal(string_of(at(files, 0), "kind"), "build");
  assert_string_equal(string_of(at(files, 0), "moment"), "loaded");
  assert_int_equal(number_of(at(files, 0), "old"), 1);
  assert_string_equal(string_of(at(files, 0), "time"), "2023-11-15T09:13:20Z");
  assert_null(cJSON_GetObjectItem(at(files, n - 1), "old"));
  assert_string_equal(string_of(at(files, n), "kind"), "history");
  assert_string_equal(string_of(at(files, n), "name"), "app.db");
  /* More views than the page keeps. */
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < n; i++) {
      const cJSON *answer = page_askf(&s.f, "ask=overview&of=%d", i);
      assert_int_equal(number_of(answer, "heap.bytes"), heap_of(BUILDS - i));
      assert_int_equal(number_of(answer, "heap.blocks"), BUILDS - i < STEP ? 7 : 9);
      assert_int_equal(number_of(at(member(answer, "sections"), 1), "bytes"), 300);
    }
  assert_rejected(&s.f, "ask=overview&of=11", "there are no records of this build in the page");
  show_end(&s);
}

static void builds_are_compared(void **state) {
  (void)state;
  shown_t s;
  show_made(&s);
  const cJSON *answer = page_ask(&s.f, "ask=records&of=4&old=5");
  assert_int_equal(number_of(answer, "total"), 1);
  const cJSON *row = at(member(answer, "rows"), 0);
  assert_int_equal(number_of(row, "bytes"), 600);
  assert_int_equal(number_of(row, "blocks"), 2);
  assert_string_equal(string_of(row, "name"), "new_one (n.c:7)");
  answer = page_ask(&s.f, "ask=overview&of=4&old=5");
  const cJSON *place = at(member(answer, "changed.places"), 0);
  assert_string_equal(string_of(place, "what"), "New, unreported");
  assert_int_equal(number_of(place, "now.bytes"), 600);
  assert_int_equal(number_of(page_ask(&s.f, "ask=records&of=3&old=4"), "total"), 0);
  show_end(&s);
}

static void alarms_are_told(void **state) {
  (void)state;
  shown_t s;
  show_made(&s);
  const cJSON *answer = page_ask(&s.f, "ask=history");
  assert_string_equal(string_of(answer, "verdict"), "refused: 1 new alarm in 4 series");
  assert_int_equal(number_of(answer, "builds"), BUILDS + DEV);
  assert_int_equal(number_of(answer, "kept"), BUILDS - KEPT_FROM + 1);
  assert_int_equal(number_of(answer, "total"), 2);
  assert_string_equal(string_of(answer, "line.branch"), "dev"); /* the newest build's */
  assert_int_equal(number_of(answer, "measured"), BUILDS + DEV);
  const cJSON *events = member(answer, "events"), *event = at(events, 0);
  assert_string_equal(string_of(at(events, 1), "headline"),
                      "Less since build b2 (after b1), loaded, main");
  assert_string_equal(string_of(event, "headline"), "More since build b7 (after b6), loaded, main");
  assert_string_equal(string_of(event, "bracket"), "The first build may be any from b6 to b7.");
  assert_string_equal(string_of(event, "next"),
                      "3 commits may have done it; the one to try next is c0ffee.");
  assert_null(cJSON_GetObjectItem(at(events, 1), "next"));
  assert_int_equal(number_of(event, "of"), 4);
  assert_int_equal(number_of(event, "old"), 5);
  const cJSON *alarms = member(event, "alarms"), *alarm = at(alarms, 0);
  assert_int_equal(cJSON_GetArraySize(alarms), 2);
  assert_string_equal(string_of(alarm, "series"), "heap");
  assert_string_equal(string_of(alarm, "state"), "new");
  assert_string_equal(string_of(alarm, "text"), "heap: +600 bytes (60.00% of 1,000)");
  assert_int_equal(number_of(at(member(alarm, "records"), 0), "delta"), 600);
  assert_string_equal(at(member(at(member(alarm, "records"), 0), "frames"), 1)->valuestring,
                      "new_one (n.c:7)");
  assert_string_equal(
      string_of(at(alarms, 1), "text"),
      "tag cache: +600 bytes (60.00% of 1,000), acknowledged: a cache, fixed with build b9");
  answer = page_ask(&s.f, "ask=history&count=1");
  assert_same(at(member(answer, "events"), 0), event);
  show_end(&s);
}

static void curves_are_shown(void **state) {
  (void)state;
  shown_t s;
  show_made(&s);
  const cJSON *answer = page_ask(&s.f, "ask=curves&branch=main");
  const char *const order[] = {"heap", "faults", "tag cache"}; /* the new alarm first */
  assert_int_equal(number_of(answer, "total"), 3);
  for (int i = 0; i < 3; i++)
    assert_string_equal(string_of(at(member(answer, "rows"), i), "series"), order[i]);
  const cJSON *heap = at(member(answer, "rows"), 0);
  assert_int_equal(number_of(heap, "last"), 1600);
  assert_int_equal(number_of(heap, "least"), 1000);
  assert_int_equal(cJSON_GetArraySize(member(heap, "columns")), BUILDS);
  assert_int_equal(number_of(at(member(heap, "steps"), 0), "first"), STEP - 1);
  assert_int_equal(number_of(page_ask(&s.f, "ask=curves"), "total"), 1);
  answer = page_ask(&s.f, "ask=curves&branch=main&q=tag&brief=1");
  assert_int_equal(number_of(answer, "total"), 1);
  assert_null(cJSON_GetObjectItem(at(member(answer, "rows"), 0), "columns"));

  answer = page_ask(&s.f, "ask=curve&branch=main");
  assert_string_equal(string_of(answer, "series"), "heap");
  assert_string_equal(string_of(answer, "lines"), "cpu=x\n");
  assert_int_equal(number_of(answer, "least"), 995);
  assert_int_equal(number_of(answer, "most"), 1605);
  const cJSON *points = member(answer, "points"), *point = at(points, STEP - 1);
  assert_int_equal(cJSON_GetArraySize(points), BUILDS);
  assert_string_equal(string_of(point, "build"), "b7");
  assert_int_equal(number_of(point, "value"), 1600);
  assert_int_equal(number_of(point, "runs"), 2);
  assert_int_equal(at(member(point, "values"), 0)->valuedouble, 1595);
  assert_int_equal(number_of(point, "of"), 4);
  assert_null(cJSON_GetObjectItem(at(points, 0), "of"));
  const cJSON *step = at(member(answer, "steps"), 0);
  assert_int_equal(number_of(step, "at.first"), STEP - 1);
  assert_int_equal(number_of(step, "after"), 1600);
  answer = page_ask(&s.f, "ask=curve&branch=main&series=faults");
  assert_string_equal(string_of(answer, "unit"), "faults");
  show_end(&s);
}

static void what_is_not_there(void **state) {
  (void)state;
  shown_t s;
  show_made(&s);
  assert_rejected(&s.f, "ask=curves&branch=none", "the history has no such branch");
  assert_rejected(&s.f, "ask=curves&moment=none", "the history has no such moment");
  assert_rejected(&s.f, "ask=curve&branch=dev&series=faults",
                  "there is no such series on this branch, at this moment, in this environment");
  /* A known text, but not a branch. */
  assert_int_equal(number_of(page_ask(&s.f, "ask=curves&branch=heap"), "total"), 0);
  show_end(&s);
  page_fixture_t f;
  page_begin(&f);
  assert_rejected(&f, "ask=history", "there is no history");
  assert_rejected(&f, "ask=curves", "there is no history");
  assert_rejected(&f, "ask=curve", "there is no history");
  page_end(&f);
}

/* ---- Strangers. ---- */

static const char *const queries[] = {
    "ask=files", "ask=history",           "ask=curves",        "ask=curves&branch=main",
    "ask=curve", "ask=curve&branch=main", "ask=overview&of=0", "ask=overview&of=4&old=5"};

static void damaged_images_do_no_harm(void **state) {
  (void)state;
  host_t host;
  dmd_history_t h;
  sink_t sink;
  dice_t dice = {7};
  int n_shown = 0;
  host_init(&host);
  make(&h, &host.env);
  write_image(&sink, &h);
  for (int i = 0; i < MUTANTS; i++) {
    shown_t s;
    char *bytes = copy_of(&sink);
    for (uint64_t n = 1 + dice_below(&dice, 3); n > 0; n--)
      bytes[16 + dice_below(&dice, sink.n - 32)] ^= (char)(1u << dice_below(&dice, 8));
    bool good = show(&s, bytes, sink.n);
    n_shown += good;
    for (size_t q = 0; q < COUNT_OF(queries); q++)
      page_ask(&s.f, queries[q]);
    show_end(&s);
    free(bytes);
  }
  assert_true(n_shown > MUTANTS / 20 && n_shown < MUTANTS);
  sink_free(&sink);
  dmd_history_destroy(&h);
  host_done(&host);
}

/* Impossible builds: negative bytes, more than exist, sections of two modes. */
static void impossible_records_are_refused(void **state) {
  (void)state;
  static const dmd_stack_record_t wrong[][2] = {
      {RECORD(4, UNREPORTED, -1, 1), RECORD(5, ONCE, 1, 1)},
      {RECORD(4, UNREPORTED, 1, 0), RECORD(5, ONCE, 1, 1)},
      {RECORD(4, UNREPORTED, 1, -1), RECORD(5, ONCE, 1, 1)},
      {RECORD(4, UNREPORTED, 1, 1), RECORD(5, ALL, 1, 1)},
      {RECORD(4, UNREPORTED, INT64_MAX, 1), RECORD(5, ONCE, 1, 1)},
      {RECORD(4, UNREPORTED, INT64_C(3) << 59, 1), RECORD(5, ONCE, INT64_C(3) << 59, 1)},
  };
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    host_t host;
    dmd_history_t h;
    dmd_profile_t profile;
    host_init(&host);
    make(&h, &host.env);
    uint32_t set = add_set(&h, DMD_NONE, wrong[i], 2);
    uint32_t kept = dmd_history_add_kept(&h, (dmd_kept_t){.build = 1, .set = set});
    dmd_profile_init(&profile, &host.env);
    assert_string_equal(dmd_history_fill(&profile, &h, kept),
                        "the history's records of this build are damaged");
    dmd_profile_destroy(&profile);
    dmd_history_destroy(&h);
    host_done(&host);
  }
}

static void use(host_t *host, void *arg) {
  sink_t *sink = arg;
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  dmd_session_data_init(&data, &host->env);
  dmd_session_init(&page, &host->env);
  dmd_strbuf_init(&why, &host->env);
  char *bytes = dmd_env_alloc(&host->env, "test", sink->n);
  memcpy(bytes, sink_text(sink), sink->n);
  assert_true(dmd_session_add_image(&page, &data, bytes, sink->n, number, &why));
  for (size_t q = 0; q < COUNT_OF(queries); q++)
    page_answers(&page, queries[q]);
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
  dmd_env_free(&host->env, bytes);
}

static void out_of_memory(void **state) {
  (void)state;
  host_t host;
  dmd_history_t h;
  sink_t sink;
  host_init(&host);
  make(&h, &host.env);
  write_image(&sink, &h);
  dmd_history_destroy(&h);
  host_done(&host);
  assert_true(host_fail_everywhere(use, &sink) > 50);
  sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_goes_in_comes_out),
      cmocka_unit_test(builds_are_files),
      cmocka_unit_test(builds_are_compared),
      cmocka_unit_test(alarms_are_told),
      cmocka_unit_test(curves_are_shown),
      cmocka_unit_test(what_is_not_there),
      cmocka_unit_test(damaged_images_do_no_harm),
      cmocka_unit_test(impossible_records_are_refused),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
