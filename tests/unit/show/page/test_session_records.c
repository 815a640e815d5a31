/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records that a page asks for, against the JSON and the text of dmdv print. */
#include "page_fixture.h"

#include "analyse/records/filter.h"
#include "analyse/transform/merge.h"
#include "files/bundle/bundlewriter.h"
#include "model/profile/profile.h"
#include "show/text/pieces.h"
#include "show/text/text_rows.h"

#include <math.h>
#include <stdio.h>

static const char *const sections[] = {"twice", "unreported", "once"};
static const char *const section_names[] = {"twice-reported", "unreported", "once-reported"};
static const char *const sorts[] = {"usable", "req", "slop", "num"};

/* ---- dmdv's output. ---- */

typedef struct {
  uint32_t max_frames;
  dmd_sort_by_t sort;
  const char *filter; /* NULL: none */
  dmd_by_t by;
  unsigned sections;
} how_t;

/* The JSON of dmdv print of this profile, or of dmdv diff, and its text. */
static cJSON *as_dmdv(page_fixture_t *f, dmd_profile_t *profile, const how_t *how, bool is_diff) {
  dmd_records_t records;
  dmd_filter_t filter;
  sink_t sink;
  dmd_records_init(&records, profile, how->max_frames, how->sort);
  if (is_diff)
    dmd_records_drop_unchanged(&records);
  dmd_filter_init(&filter, profile, how->filter != NULL ? how->filter : "");
  if (how->filter != NULL)
    dmd_records_filter(&records, dmd_filter_passes, &filter);
  dmd_filter_destroy(&filter);
  sink_init(&sink);
  if (how->by == DMD_BY_RECORD) {
    dmd_records_json(&sink.out, &records, (const dmd_profile_t *const[2]){profile, NULL}, 0, 0);
  } else {
    dmd_rows_t rows;
    dmd_rows_init(&rows, &records, how->by, how->sections);
    dmd_rows_json(&sink.out, &rows, 0);
    dmd_rows_destroy(&rows);
  }
  cJSON *tree = page_parse(f, sink_text(&sink));
  sink_free(&sink);
  dmd_records_destroy(&records);
  return tree;
}

static const cJSON *section_of(const cJSON *printed, const char *name) {
  const cJSON *section;
  cJSON_ArrayForEach(section, member(printed, "sections")) {
    if (strcmp(string_of(section, "name"), name) == 0)
      return section;
  }
  fail();
  return NULL;
}

static void check_row(const cJSON *row, const cJSON *record, const char *section) {
  assert_true(number_of(row, "bytes") == number_of(record, "bytes"));
  assert_true(number_of(row, "blocks") == number_of(record, "blocks"));
  assert_true(number_of(row, "req") == number_of(record, "requested"));
  assert_true(number_of(row, "slop") == number_of(record, "slop"));
  assert_string_equal(string_of(row, "section"), section);
  static const char *const names[] = {"tag", "reporter"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    const cJSON *a = cJSON_GetObjectItem(row, names[i]), *b = cJSON_GetObjectItem(record, names[i]);
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
      assert_string_equal(a->valuestring, b->valuestring);
  }
}

static void check_rows(const cJSON *answer, const cJSON *section) {
  const cJSON *rows = member(answer, "rows"), *records = member(section, "records");
  int n = cJSON_GetArraySize(records);
  assert_int_equal(cJSON_GetArraySize(rows), n);
  assert_int_equal(number_of(answer, "shown.total"), n);
  assert_true(number_of(answer, "shown.bytes") == number_of(section, "bytes"));
  assert_true(number_of(answer, "shown.blocks") == number_of(section, "blocks"));
  for (int i = 0; i < n; i++)
    check_row(cJSON_GetArrayItem(rows, i), cJSON_GetArrayItem(records, i),
              string_of(section, "name"));
}

/* ---- Lists. ---- */

/* All sections and orders, with and without a filter. */
static void records_are_those_of_print(void **state) {
  (void)state;
  static const char *const filters[] = {NULL, "a", "!e", "#02"}, *const asked[] = {"", "a", "%21e",
                                                                                   "%2302"};
  static page_fixture_t f;
  dice_t dice = {3};
  for (int round = 0; round < 25; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
      how_t how = {.max_frames = 1 + (uint32_t)dice_below(&dice, 4), .filter = filters[i]};
      for (how.sort = DMD_SORT_USABLE; how.sort <= DMD_SORT_NUM_BLOCKS; how.sort++) {
        const cJSON *printed = as_dmdv(&f, p, &how, false);
        for (size_t k = 0; k < COUNT_OF(sections); k++) {
          bool has = p->mode == DMD_MODE_DARK_MATTER;
          const cJSON *section =
              section_of(printed, has ? section_names[k] : dmd_mode_name(p->mode));
          const cJSON *answer =
              page_askf(&f, "ask=records&section=%s&sort=%s&q=%s&max-frames=%u&count=100000",
                        sections[k], sorts[how.sort], asked[i], how.max_frames);
          if (has || p->mode == DMD_MODE_LIVE)
            check_rows(answer, section);
          assert_true(number_of(answer, "heap.bytes") == number_of(printed, "heap.bytes"));
        }
      }
    }
    page_end(&f);
  }
}

static void all_sections_in_one(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {5};
  for (int round = 0; round < 25; round++) {
    page_begin(&f);
    page_add_random(&f, &dice);
    for (size_t sort = 0; sort < COUNT_OF(sorts); sort++) {
      static const char *const keys[] = {"bytes", "req", "slop", "blocks"};
      const cJSON *whole = page_askf(&f, "ask=records&sort=%s&count=10000", sorts[sort]);
      const cJSON *back = page_askf(&f, "ask=records&sort=%s&desc=0&count=10000", sorts[sort]);
      const cJSON *rows = member(whole, "rows"), *rows_back = member(back, "rows");
      int n = cJSON_GetArraySize(rows);
      double bytes = 0, last = INFINITY;
      for (int i = 0; i < n; i++) {
        const cJSON *row = cJSON_GetArrayItem(rows, i);
        bytes += number_of(row, "bytes");
        assert_true(number_of(row, keys[sort]) <= last);
        last = number_of(row, keys[sort]);
        assert_same(row, cJSON_GetArrayItem(rows_back, n - 1 - i));
      }
      assert_int_equal(number_of(whole, "total"), n);
      if (number_of(whole, "bytes") < 1e15)
        assert_true(bytes == number_of(whole, "bytes"));
    }
    check_windows(&f, &dice, "ask=records", "rows");
    check_windows(&f, &dice, "ask=records&sort=name&q=a", "rows");
    check_windows(&f, &dice, "ask=records&by=function&sort=name", "rows");
    page_end(&f);
  }
}

static void sorted_by_name(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  build_blocks(p, 1, 5, 0, "malloc (m.c:1)|zoo (a.c:1)|main (m.c:2)", DMD_NONE);
  build_blocks(p, 1, 9, 0, NULL, DMD_NONE);
  build_blocks(p, 1, 7, 0, "malloc (m.c:1)|ape (a.c:1)|up (u.c:1)|main (m.c:2)", DMD_NONE);
  build_blocks(p, 1, 8, 0, "malloc (m.c:1)|ape (a.c:1)|main (m.c:2)", DMD_NONE);
  const cJSON *rows = member(page_ask(&f, "ask=records&sort=name"), "rows");
  static const struct {
    const char *name;
    int bytes, n_frames;
  } expected[] = {{"ape (a.c:1)", 8, 1},
                  {"ape (a.c:1)", 7, 2},
                  {"zoo (a.c:1)", 5, 1},
                  {"(no stack recorded)", 9, 0}};
  for (int i = 0; i < 4; i++) {
    const cJSON *row = cJSON_GetArrayItem(rows, i);
    assert_string_equal(string_of(row, "name"), expected[i].name);
    assert_int_equal(number_of(row, "bytes"), expected[i].bytes);
    assert_int_equal(cJSON_GetArraySize(member(row, "frames")), expected[i].n_frames);
  }
  assert_string_equal(string_of(cJSON_GetArrayItem(rows, 0), "share"), "27.59%"); /* 8 of 29 */
  page_end(&f);
}

static void sums_are_those_of_print(void **state) {
  (void)state;
  static const char *const words[] = {"",         "reporter", "tag", "thread",
                                      "function", "library",  "file"};
  static page_fixture_t f;
  dice_t dice = {7};
  for (int round = 0; round < 25; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    bool has = p->mode == DMD_MODE_DARK_MATTER;
    for (how_t how = {.max_frames = 8, .by = DMD_BY_REPORTER}; how.by <= DMD_BY_FILE; how.by++) {
      for (int section = -1; section < (has ? 3 : 0); section++) {
        how.sections = section < 0 ? 0 : 1u << section;
        how.filter = dice_below(&dice, 2) ? "a" : NULL;
        const cJSON *printed = member(as_dmdv(&f, p, &how, false), "rows");
        const cJSON *rows = member(page_askf(&f, "ask=records&by=%s&section=%s&q=%s&count=99999",
                                             words[how.by], section < 0 ? "all" : sections[section],
                                             how.filter != NULL ? how.filter : ""),
                                   "rows");
        int n = cJSON_GetArraySize(printed);
        assert_int_equal(cJSON_GetArraySize(rows), n);
        for (int i = 0; i < n; i++) {
          cJSON *row = cJSON_GetArrayItem(rows, i);
          cJSON_DeleteItemFromObject(row, "id");
          cJSON_DeleteItemFromObject(row, "share");
          assert_same(row, cJSON_GetArrayItem(printed, i));
        }
      }
    }
    page_end(&f);
  }
}

static void rows_by_their_name(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  build_tagged(p, 1, 5, 0, "f", DMD_NONE, "lua");
  build_tagged(p, 9, 1, 0, "g", DMD_NONE, "sqlite");
  build_tagged(p, 2, 4, 0, "g", DMD_NONE, "html");
  const cJSON *answer = page_ask(&f, "ask=records&by=tag&name=l&sort=name&desc=1");
  assert_int_equal(number_of(answer, "shown.total"), 3);
  assert_string_equal(string_of(cJSON_GetArrayItem(member(answer, "rows"), 0), "name"), "sqlite");
  answer = page_ask(&f, "ask=records&by=tag&name=l&sort=num&desc=0");
  assert_string_equal(string_of(cJSON_GetArrayItem(member(answer, "rows"), 0), "name"), "lua");
  answer = page_ask(&f, "ask=records&by=tag&name=ua&q=f");
  assert_int_equal(number_of(answer, "shown.total"), 1);
  assert_int_equal(number_of(answer, "shown.bytes"), 5);
  assert_int_equal(number_of(answer, "bytes"), 22);
  page_end(&f);
}

/* For the chosen sections, whatever the filter is. */
static void which_columns_are_empty(void **state) {
  (void)state;
  static const struct {
    const char *query;
    bool reporters, tags;
  } cases[] = {{"ask=records", true, true},
               {"ask=records&q=g", true, true},
               {"ask=records&section=unreported", false, true},
               {"ask=records&section=once", true, false},
               {"ask=records&section=twice", false, false},
               {"ask=records&of=1", false, false}};
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_tagged(p, 1, 5, 0, "f", DMD_NONE, "lua");
  build_blocks(p, 1, 5, 0, "g", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(page_add(&f, DMD_MODE_LIVE), 1, 5, 0, "f", DMD_NONE);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const cJSON *answer = page_ask(&f, cases[i].query);
    assert_int_equal(cJSON_IsTrue(member(answer, "hasReporters")), cases[i].reporters);
    assert_int_equal(cJSON_IsTrue(member(answer, "hasTags")), cases[i].tags);
  }
  page_end(&f);
}

static void regular_expressions(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  build_blocks(p, 1, 5, 0, "grow|main", DMD_NONE);
  build_blocks(p, 1, 6, 0, "crow|main", DMD_NONE);
  assert_rejected(&f, "ask=records&q=%5E%5Bcg%5Drow&regex=1", "not supported here");
  dmd_session_set_patterns(&f.page, &page_patterns);
  assert_int_equal(number_of(page_ask(&f, "ask=records&q=%5E%5Bcg%5Drow&regex=1"), "shown.total"),
                   2);
  assert_int_equal(number_of(page_ask(&f, "ask=records&q=%5E%5Bcg%5Drow"), "shown.total"), 0);
  assert_int_equal(number_of(page_ask(&f, "ask=records&q=%21%5Eg&regex=1"), "shown.bytes"), 6);
  assert_rejected(&f, "ask=records&q=%28&regex=1", "not a regular expression");
  page_end(&f);
}

/* ---- One record. ---- */

static void check_stacks(page_fixture_t *f, const cJSON *record) {
  const cJSON *part;
  double bytes = 0, last = INFINITY;
  cJSON_ArrayForEach(part, member(record, "stacks.rows")) {
    bytes += number_of(part, "bytes");
    assert_true(number_of(part, "bytes") <= last);
    last = number_of(part, "bytes");
  }
  if (number_of(record, "bytes") < 1e15)
    assert_true(bytes == number_of(record, "bytes"));
  (void)f;
}

static void a_record_is_that_of_print(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {11};
  for (int round = 0; round < 40; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    how_t how = {.max_frames = 2};
    const cJSON *printed = as_dmdv(&f, p, &how, false), *section, *record;
    cJSON_ArrayForEach(section, member(printed, "sections")) {
      const cJSON *rows =
          member(page_askf(&f, "ask=records&max-frames=2&count=99999&section=%.*s",
                           (int)strcspn(string_of(section, "name"), "-"),
                           p->mode == DMD_MODE_DARK_MATTER ? string_of(section, "name") : "all"),
                 "rows");
      int i = 0;
      cJSON_ArrayForEach(record, member(section, "records")) {
        const cJSON *one = page_askf(&f, "ask=record&max-frames=2&count=99999&id=%d",
                                     (int)number_of(cJSON_GetArrayItem(rows, i), "id"));
        const cJSON *field;
        cJSON_ArrayForEach(field, record) {
          assert_same(field, member(one, field->string));
        }
        assert_int_equal(number_of(one, "rank"), ++i);
        check_stacks(&f, one);
      }
    }
    page_end(&f);
  }
}

static void whose_it_is(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 2, 50, 0, "new|dark|deep|main", DMD_NONE);
  build_blocks(p, 1, 30, 0, "new|dark|deep|other|main", DMD_NONE);
  build_hint(p, "new|dark|deep|main", DMD_REFERRER_REPORTED, "explicit/fonts", "size", 0x18, 100);
  const cJSON *one = page_ask(&f, "ask=record&id=1&max-frames=3");
  assert_string_equal(cJSON_GetArrayItem(member(one, "whose"), 0)->valuestring,
                      "76% held at +0x18 of blocks reported by explicit/fonts");
  assert_int_equal(number_of(one, "stacks.total"), 2);
  const cJSON *stack = cJSON_GetArrayItem(member(one, "stacks.rows"), 0);
  assert_int_equal(number_of(stack, "bytes"), 100);
  assert_int_equal(cJSON_GetArraySize(member(stack, "frames")), 4);
  assert_has(string_of(one, "text"), "Unreported {\n  3 blocks in heap block record 1 of 1\n");
  assert_string_equal(string_of(one, "share"), "100.00%");
  page_end(&f);
}

/* A bundle with the lines of a.c from 8 on. */
static void write_lines(sink_t *sink, const dmd_env_t *env) {
  dmd_bundlewriter_t w;
  sink_init(sink);
  dmd_bundlewriter_init(&w, env, sink->out.write, sink->out.ctx);
  dmd_bundlewriter_begin(&w, DMD_BUNDLE_SOURCES, 0);
  dmd_bundlewriter_string(&w, "a.c");
  dmd_bundlewriter_number(&w, 5);
  for (uint64_t line = 8; line < 13; line++) {
    char text[32];
    int n = snprintf(text, sizeof text, "/* line %d */", (int)line);
    dmd_bundlewriter_number(&w, line);
    dmd_bundlewriter_bytes(&w, text, (size_t)n);
  }
  dmd_bundlewriter_string(&w, NULL);
  dmd_bundlewriter_end_section(&w);
  assert_true(dmd_bundlewriter_end(&w));
}

static void source_lines(void **state) {
  (void)state;
  static page_fixture_t f;
  static uint64_t bytes[512];
  sink_t sink;
  dmd_bundle_t image;
  dmd_strbuf_t why;
  page_begin(&f);
  write_lines(&sink, &f.host.env);
  assert_true(sink.n <= sizeof bytes);
  memcpy(bytes, sink_text(&sink), sink.n);
  dmd_strbuf_init(&why, &f.host.env);
  assert_true(dmd_bundle_map(&image, &f.host.env, bytes, sink.n, &why));
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  build_blocks(p, 1, 5, 0, "malloc (a.c:8)|far (b.c:2)|dark (a.c:10)|top (a.c:3)", DMD_NONE);
  assert_null(cJSON_GetObjectItem(page_ask(&f, "ask=record&id=1"), "source"));
  dmd_session_file(&f.page, 0)->image = &image;
  const cJSON *source = member(page_ask(&f, "ask=record&id=1"), "source");
  /* The source of malloc is left out; b.c has no lines here, and line 3 is missing. */
  assert_int_equal(cJSON_GetArraySize(source), 1);
  const cJSON *dark = cJSON_GetArrayItem(source, 0);
  assert_string_equal(string_of(dark, "frame"), "dark (a.c:10)");
  assert_int_equal(number_of(dark, "line"), 10);
  assert_int_equal(cJSON_GetArraySize(member(dark, "lines")), 5);
  const cJSON *first = cJSON_GetArrayItem(member(dark, "lines"), 0);
  assert_int_equal(number_of(first, "line"), 8);
  assert_string_equal(string_of(first, "text"), "/* line 8 */");
  dmd_strbuf_destroy(&why);
  dmd_bundle_destroy(&image);
  sink_free(&sink);
  page_end(&f);
}

/* ---- Differences, views, errors. ---- */

static void differences_are_those_of_diff(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {13};
  int n_compared = 0;
  for (int round = 0; round < 60; round++) {
    page_begin(&f);
    dmd_profile_t *old = page_add_random(&f, &dice), *new = page_add_random(&f, &dice);
    if (old->mode != new->mode || !dmd_sampled_alike(old, new)) {
      assert_rejected(&f, "ask=records&of=1&old=0",
                      old->mode != new->mode ? "different modes" : "sampled differently");
      page_end(&f);
      continue;
    }
    /* The same query again, after so many others that its view is no longer cached. */
    const cJSON *before = page_ask(&f, "ask=records&of=1&old=0&count=99999");
    for (int i = 1; i < 2 * DMD_SESSION_VIEWS; i++)
      page_askf(&f, "ask=records&of=%d&max-frames=%d", i % 2, i);
    assert_same(page_ask(&f, "ask=records&of=1&old=0&count=99999"), before);
    dmd_profile_t difference;
    dmd_profile_init(&difference, &f.host.env);
    difference.mode = new->mode;
    dmd_difference_beside(&difference, old, new);
    how_t how = {.max_frames = 8};
    const cJSON *printed = as_dmdv(&f, &difference, &how, true), *section;
    cJSON_ArrayForEach(section, member(printed, "sections")) {
      const char *name = string_of(section, "name");
      check_rows(page_askf(&f, "ask=records&of=1&old=0&count=99999&section=%.*s",
                           (int)strcspn(name, "-"),
                           new->mode == DMD_MODE_DARK_MATTER ? name : "all"),
                 section);
    }
    dmd_profile_destroy(&difference);
    n_compared++;
    page_end(&f);
  }
  assert_true(n_compared > 5);
}

static void bad_queries(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  assert_rejected(&f, "ask=records", "there is no file");
  page_add(&f, DMD_MODE_LIVE);
  assert_rejected(&f, "ask=record&id=1", "there is no record");
  build_blocks(&dmd_session_file(&f.page, 0)->profile, 1, 5, 0, "f", DMD_NONE);
  dmd_session_destroy(&f.page);
  dmd_session_init(&f.page, &f.host.env);
  build_blocks(page_add(&f, DMD_MODE_LIVE), 1, 5, 0, "f", DMD_NONE);
  static const char *const queries[] = {
      "ask=records&section=x",
      "ask=records&sort=x",
      "ask=records&by=x",
      "ask=records&desc=2",
      "ask=records&first=-1",
      "ask=records&count=x",
      "ask=records&regex=yes",
      "ask=records&of=1",
      "ask=records&old=1",
      "ask=record&id=0",
      "ask=record&id=2",
      "ask=records&max-frames=0",
      "ask=record&id=99999999999999999999",
  };
  for (size_t i = 0; i < COUNT_OF(queries); i++)
    assert_rejected(&f, queries[i], " cannot be \"");
  assert_rejected(&f, "ask=records&by=tag&sort=slop", "no requested bytes and no slop");
  page_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_session_t page;
  dmd_session_init(&page, &host->env);
  dmd_session_file_t *file = dmd_session_begin_file(&page, "f");
  build_small(&file->profile);
  dmd_session_end_file(&page, file, true);
  static const char *const queries[] = {
      "ask=records&sort=name&q=a", "ask=records&by=file&name=a&sort=name", "ask=record&id=1",
      "ask=records&of=0&old=0",    "ask=records&sort=num&desc=0",
  };
  for (size_t i = 0; i < COUNT_OF(queries); i++)
    page_answers(&page, queries[i]);
  dmd_session_destroy(&page);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_those_of_print),
      cmocka_unit_test(all_sections_in_one),
      cmocka_unit_test(sorted_by_name),
      cmocka_unit_test(sums_are_those_of_print),
      cmocka_unit_test(rows_by_their_name),
      cmocka_unit_test(which_columns_are_empty),
      cmocka_unit_test(regular_expressions),
      cmocka_unit_test(a_record_is_that_of_print),
      cmocka_unit_test(whose_it_is),
      cmocka_unit_test(source_lines),
      cmocka_unit_test(differences_are_those_of_diff),
      cmocka_unit_test(bad_queries),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
