/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls and areas that a page draws, against slow sums over all stacks and names; and copied texts,
 * against dmdv's. */
#include "page_fixture.h"

#include "analyse/records/allocfns.h"
#include "analyse/records/plain.h"
#include "show/page/view.h"
#include "show/text/text_rows.h"

#include <stdio.h>

enum { MAX_WAY = 8192 };
#define SEP "<>\n<>" /* is in no frame */

/* ---- Calls. ---- */

/* The frames of a call, from the root on, each behind a separator. */
static void way_of(const cJSON *flame, int call, char way[MAX_WAY]) {
  int parent = cJSON_GetArrayItem(member(flame, "parent"), call)->valueint;
  way[0] = '\0';
  if (parent < 0)
    return;
  assert_true(parent < call);
  way_of(flame, parent, way);
  int name = cJSON_GetArrayItem(member(flame, "name"), call)->valueint;
  strcat(way, SEP);
  strcat(way, cJSON_GetArrayItem(member(flame, "names"), name)->valuestring);
}

/* The frames of a record, likewise, without those that only allocate for their callers. */
static void way_of_record(const dmd_records_t *records, dmd_allocfns_t *fns, const dmd_record_t *r,
                          bool upwards, char way[MAX_WAY]) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, r->stack, &n);
  const dmd_frames_t *all = &records->profile->frames;
  strcpy(way, n == 0 ? SEP "(no stack recorded)" : "");
  size_t own = n > 0 ? dmd_first_own_frame(fns, frames, n) : 0;
  for (size_t i = own; i < n; i++) {
    uint32_t frame = frames[upwards ? i : n - 1 - (i - own)];
    dmd_strbuf_t brief;
    dmd_strbuf_init(&brief, all->pool.env);
    dmd_frame_brief(&brief, all, frame);
    strcat(way, SEP);
    strcat(way, dmd_frame_is_nameless(all, frame) ? brief.text : dmd_frames_text(all, frame));
    dmd_strbuf_destroy(&brief);
  }
}

static bool is_on_way(const char *call, const char *way) {
  size_t n = strlen(call);
  return strncmp(call, way, n) == 0 && (way[n] == '\0' || strncmp(way + n, SEP, strlen(SEP)) == 0);
}

static void check_call(const dmd_records_t *records, dmd_allocfns_t *fns, const cJSON *flame,
                       int call, bool upwards) {
  char way[MAX_WAY], other[MAX_WAY];
  dmd_tally_t tally = {.total = 0};
  way_of(flame, call, way);
  for (uint32_t id = 1; id <= records->records.last; id++) {
    const dmd_record_t *r = dmd_records_at(records, id);
    way_of_record(records, fns, r, upwards, other);
    if (is_on_way(way, other))
      dmd_tally_add(&tally, dmd_record_section(records, r), r->num, r->usable);
  }
  assert_true(cJSON_GetArrayItem(member(flame, "total"), call)->valuedouble == (double)tally.total);
  assert_true(cJSON_GetArrayItem(member(flame, "blocks"), call)->valuedouble == (double)tally.num);
  static const struct {
    const char *key;
    dmd_section_t section;
  } keys[] = {{"unreported", DMD_SECTION_UNREPORTED}, {"once", DMD_SECTION_ONCE},
              {"twice", DMD_SECTION_TWICE},           {"live", DMD_SECTION_ALL},
              {"cumulative", DMD_SECTION_ALL},        {"scan", DMD_SECTION_ALL}};
  for (size_t i = 0; i < COUNT_OF(keys); i++) {
    const cJSON *column = cJSON_GetObjectItem(member(flame, "bytes"), keys[i].key);
    if (column != NULL)
      assert_true(cJSON_GetArrayItem(column, call)->valuedouble ==
                  (double)tally.usable[keys[i].section]);
  }
}

static void calls_are_sums_of_stacks(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {29};
  int n_calls = 0;
  for (int round = 0; round < 40; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    p->frame_view.full_names = true;
    const cJSON *flames[2];
    flames[0] = page_ask(&f, "ask=flame&least=0");
    flames[1] = page_ask(&f, "ask=flame&least=0&direction=callers");
    dmd_records_t records;
    dmd_allocfns_t fns;
    dmd_records_init(&records, p, 1000, DMD_SORT_USABLE);
    dmd_allocfns_init(&fns, p);
    for (int upwards = 0; upwards < 2; upwards++) {
      int n = cJSON_GetArraySize(member(flames[upwards], "name"));
      for (int call = 0; call < n; call++, n_calls++)
        check_call(&records, &fns, flames[upwards], call, upwards);
      assert_int_equal(number_of(flames[upwards], "cut.calls"), 0);
    }
    dmd_allocfns_destroy(&fns);
    dmd_records_destroy(&records);
    page_end(&f);
  }
  assert_true(n_calls > 500);
}

/* Calls that are cut are small, and the first of a list is its largest. */
static void small_calls_are_cut(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  build_blocks(p, 1, 600, 0, "new|a|main", DMD_NONE);
  build_blocks(p, 1, 399, 0, "new|b|main", DMD_NONE);
  build_blocks(p, 1, 1, 0, "new|c|d|main", DMD_NONE);
  const cJSON *flame = page_ask(&f, "ask=flame&least=2000");
  /* (all), main, a, new, b, new; without d, c, new. */
  assert_int_equal(cJSON_GetArraySize(member(flame, "name")), 6);
  assert_int_equal(cJSON_GetArraySize(member(flame, "names")), 5);
  assert_int_equal(number_of(flame, "cut.calls"), 3);
  flame = page_ask(&f, "ask=flame&least=0&most=5");
  assert_true(cJSON_GetArraySize(member(flame, "name")) <= 5);
  /* Below d there is nothing to cut. */
  flame = page_ask(&f, "ask=flame&least=0");
  const cJSON *names = member(flame, "names"), *name = member(flame, "name");
  int d = 0;
  while (strcmp(cJSON_GetArrayItem(names, cJSON_GetArrayItem(name, d)->valueint)->valuestring,
                "d") != 0)
    d++;
  flame = page_askf(&f, "ask=flame&under=%d", cJSON_GetArrayItem(member(flame, "id"), d)->valueint);
  assert_int_equal(cJSON_GetArraySize(member(flame, "name")), 3);
  assert_int_equal(cJSON_GetArrayItem(member(flame, "total"), 0)->valueint, 1);
  flame = page_ask(&f, "ask=flame&q=b&least=0");
  assert_int_equal(cJSON_GetArrayItem(member(flame, "total"), 0)->valueint, 399);
  assert_rejected(&f, "ask=flame&under=99", "under cannot be \"99\"");
  assert_rejected(&f, "ask=flame&direction=up", "direction cannot be \"up\"");
  page_end(&f);
}

/* The names of all calls, each after a separator. */
static void names_in(page_fixture_t *f, const char *query, char names[MAX_WAY]) {
  const cJSON *flame = page_ask(f, query), *name;
  names[0] = '\0';
  cJSON_ArrayForEach(name, member(flame, "name")) {
    strcat(names, " ");
    strcat(names, cJSON_GetArrayItem(member(flame, "names"), name->valueint)->valuestring);
  }
}

static void no_call_only_allocates(void **state) {
  (void)state;
  static page_fixture_t f;
  char names[MAX_WAY];
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  build_blocks(p, 1, 600, 0, "malloc|operator new(unsigned long)|a|main", DMD_NONE);
  build_blocks(p, 1, 300, 0, "malloc|?\?\?[/usr/bin/lua5.4 +0x1f]|main", DMD_NONE);
  names_in(&f, "ask=flame&least=0", names);
  assert_string_equal(names, " (all) main a lua5.4+0x1f");
  names_in(&f, "ask=flame&least=0&direction=callers", names);
  assert_string_equal(names, " (all) a main lua5.4+0x1f main");
  page_end(&f);
}

/* ---- Lifetimes. ---- */

static void add_lifetime(dmd_profile_t *p, const char *frames, const dmd_lifetime_t *figures) {
  dmd_lifetime_t lifetime = *figures;
  lifetime.stack = frames == NULL ? DMD_NONE : build_stack(p, frames);
  dmd_lifetimes_add(&p->lifetimes, &lifetime);
}

/* Two stacks in a, one in b, which has no temporary block, and one that was not recorded. */
static void add_lifetimes(dmd_profile_t *p) {
  p->lifetimes.is_known = true;
  add_lifetime(p, "malloc|a|main",
               &(dmd_lifetime_t){.n_allocs = 10,
                                 .alloc_szB = 500,
                                 .n_freed = 8,
                                 .n_temporary = 6,
                                 .sum = 804,
                                 .classes = {7, 0, 0, 0, 0, 1}});
  add_lifetime(p, "malloc|a|c|main",
               &(dmd_lifetime_t){
                   .n_allocs = 1, .alloc_szB = 30, .n_freed = 1, .n_temporary = 1, .classes = {1}});
  add_lifetime(p, "malloc|b|main", &(dmd_lifetime_t){.n_allocs = 2, .alloc_szB = 9000});
  add_lifetime(p, NULL, &(dmd_lifetime_t){.n_allocs = 1, .alloc_szB = 1});
}

static void calls_by_what_they_allocated(void **state) {
  (void)state;
  static page_fixture_t f;
  char names[MAX_WAY];
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 600, 0, "malloc|b|main", DMD_NONE);
  assert_rejected(&f, "ask=flame&weight=allocated",
                  "there are no lifetimes: they are of one file, "
                  "from a run with --lifetimes=yes");
  add_lifetimes(p);
  names_in(&f, "ask=flame&least=0&weight=allocated", names);
  assert_string_equal(names, " (all) main b a c a (no stack recorded)");
  const cJSON *flame = page_ask(&f, "ask=flame&least=0&weight=allocated");
  assert_int_equal(cJSON_GetArrayItem(member(flame, "total"), 0)->valueint, 9531);
  assert_int_equal(cJSON_GetArrayItem(member(flame, "blocks"), 0)->valueint, 14);
  assert_int_equal(cJSON_GetArrayItem(member(flame, "bytes.allocated"), 3)->valueint, 500);
  assert_int_equal(cJSON_GetArraySize(member(flame, "bytes")), 1);
  names_in(&f, "ask=flame&least=0&weight=temporary&direction=callers", names);
  assert_string_equal(names, " (all) a main c main");
  flame = page_ask(&f, "ask=flame&least=0&weight=temporary");
  assert_int_equal(cJSON_GetArrayItem(member(flame, "total"), 0)->valueint, 7);
  names_in(&f, "ask=flame&least=0", names);
  assert_string_equal(names, " (all) main b");
  assert_rejected(&f, "ask=flame&weight=heavy", "weight cannot be \"heavy\"");
  page_end(&f);
}

static void stacks_by_each_figure(void **state) {
  (void)state;
  static const struct {
    const char *query, *first;
  } cases[] = {{"ask=lifetimes", "b"},
               {"ask=lifetimes&sort=allocations", "a"},
               {"ask=lifetimes&sort=temporary", "a"},
               {"ask=lifetimes&sort=short", "a"},
               {"ask=lifetimes&sort=left&first=1", "b"},
               {"ask=lifetimes&sort=lifetime", "a"},
               {"ask=lifetimes&first=3&count=1", ""}};
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_LIVE);
  assert_rejected(&f, "ask=lifetimes", "the file has no lifetimes: run with --lifetimes=yes");
  add_lifetimes(p);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const cJSON *stack = cJSON_GetArrayItem(member(page_ask(&f, cases[i].query), "stacks"), 0);
    assert_string_equal(string_of(stack, "name"), cases[i].first);
  }
  const cJSON *answer = page_ask(&f, "ask=lifetimes&sort=short"), *all = member(answer, "all"),
              *a = cJSON_GetArrayItem(member(answer, "stacks"), 0);
  assert_int_equal(number_of(answer, "n"), 4);
  assert_int_equal(number_of(all, "bytes"), 9531);
  assert_int_equal(number_of(all, "left"), 14 - 9);
  assert_int_equal(number_of(a, "short"), 7);
  assert_int_equal(number_of(a, "lifetime"), 101); /* 804 / 8 is 100.5 */
  assert_int_equal(cJSON_GetArraySize(member(a, "frames")), 2);
  assert_rejected(&f, "ask=lifetimes&sort=x", "sort cannot be \"x\"");
  assert_rejected(&f, "ask=lifetimes&of=7", "of cannot be \"7\"");
  page_end(&f);
}

/* ---- Areas. ---- */

static double check_area(const cJSON *node) {
  const cJSON *child;
  double sum = 0, last = 1e300;
  cJSON_ArrayForEach(child, cJSON_GetObjectItem(node, "children")) {
    double bytes = check_area(child);
    assert_true(bytes <= last);
    last = bytes;
    sum += bytes;
  }
  assert_true(sum <= number_of(node, "bytes") * 1.0000001);
  return number_of(node, "bytes");
}

static const cJSON *child_of(const cJSON *node, const char *name) {
  const cJSON *child;
  cJSON_ArrayForEach(child, member(node, "children")) {
    if (strcmp(string_of(child, "name"), name) == 0)
      return child;
  }
  fail_msg("no %s", name);
  return NULL;
}

static void areas_are_within_each_other(void **state) {
  (void)state;
  static const char *const by[] = {"reporter", "tag", "thread", "function", "library", "file"};
  static page_fixture_t f;
  dice_t dice = {31};
  for (int round = 0; round < 40; round++) {
    page_begin(&f);
    page_add_random(&f, &dice);
    for (size_t i = 0; i < COUNT_OF(by); i++) {
      const cJSON *map = page_askf(&f, "ask=treemap&by=%s", by[i]), *row;
      const cJSON *rows = member(page_askf(&f, "ask=records&by=%s&count=9999", by[i]), "rows");
      double sum = 0;
      check_area(map);
      cJSON_ArrayForEach(row, rows) {
        sum += number_of(row, "bytes");
      }
      if (sum < 1e15)
        assert_true(number_of(map, "bytes") == sum);
    }
    page_end(&f);
  }
}

static void areas_by_hand(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 30, 0, "f (/s/x.c:1)", build_reports(p, 1, "r", "explicit/a/b", NULL, NULL));
  build_blocks(p, 1, 50, 0, "g (/s/y.c:1)", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(p, 1, 20, 0, "g (/s/y.c:1)", DMD_NONE);
  const cJSON *map = page_ask(&f, "ask=treemap&by=reporter");
  assert_int_equal(number_of(child_of(map, "(unreported)"), "bytes"), 20);
  const cJSON *a = child_of(child_of(map, "explicit"), "a");
  assert_int_equal(number_of(a, "bytes"), 80);
  assert_string_equal(string_of(a, "share"), "80.00%");
  assert_int_equal(number_of(child_of(a, "b"), "once-reported"), 30);
  map = page_ask(&f, "ask=treemap&by=file&section=unreported");
  assert_int_equal(number_of(child_of(child_of(map, "/s"), "y.c"), "bytes"), 20);
  assert_int_equal(number_of(map, "left"), 0);
  assert_int_equal(number_of(map, "again"), 0);
  page_end(&f);
}

/* What a map is by if the query does not say it. */
static const char *chosen_by(page_fixture_t *f, const char *more) {
  return string_of(page_askf(f, "ask=treemap%s", more), "by");
}

static void by_what_tells_something(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 50, 0, "f (/s/x.c:1)", DMD_NONE);
  assert_string_equal(chosen_by(&f, ""), "function");
  page_end(&f);
  page_begin(&f);
  p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 901, 0, "f (/s/x.c:1)", DMD_NONE);
  build_blocks(p, 1, 99, 0, "g (/s/y.c:1)", DMD_NONE);
  assert_string_equal(chosen_by(&f, ""), "function");
  page_end(&f);
  page_begin(&f);
  p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 890, 0, "f (/s/x.c:1)", DMD_NONE);
  build_blocks(p, 1, 110, 0, "g (/s/y.c:1)", DMD_NONE);
  assert_string_equal(chosen_by(&f, ""), "file");
  page_end(&f);
  page_begin(&f);
  p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 990, 0, "f (/s/x.c:1)", DMD_NONE);
  build_tagged(p, 1, 8, 0, "f (/s/x.c:1)", DMD_NONE, "lua");
  assert_string_equal(chosen_by(&f, ""), "tag");
  build_blocks(p, 1, 1, 0, "f (/s/x.c:1)", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  dmd_session_forget_views(&f.page);
  assert_string_equal(chosen_by(&f, ""), "reporter");
  assert_string_equal(chosen_by(&f, "&section=unreported"), "tag");
  assert_string_equal(chosen_by(&f, "&by=library"), "library");
  page_end(&f);
}

/* 60 bytes of 100 are in the areas of two reporters, so the map has 160: shares are of these. */
static void shares_of_a_map_are_at_most_100(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 60, 0, "f (/s/x.c:1)", build_reports(p, 2, "r", "explicit/a", "s", "other"));
  build_blocks(p, 1, 40, 0, "g (/s/y.c:1)", build_reports(p, 1, "r", "explicit/b", NULL, NULL));
  const cJSON *map = page_ask(&f, "ask=treemap&by=reporter");
  assert_int_equal(number_of(map, "bytes"), 160);
  assert_int_equal(number_of(map, "again"), 60);
  assert_string_equal(string_of(map, "share"), "100.00%");
  const cJSON *parts = child_of(map, "explicit");
  assert_string_equal(string_of(parts, "share"), "62.50%");
  assert_string_equal(string_of(child_of(parts, "a"), "share"), "37.50%");
  assert_string_equal(string_of(child_of(map, "other"), "share"), "37.50%");
  map = page_ask(&f, "ask=treemap&by=file&section=once");
  assert_int_equal(number_of(map, "again"), 0);
  page_end(&f);
}

/* Deeper than JSON may nest. */
static void deep_names(void **state) {
  (void)state;
  static page_fixture_t f;
  char name[2 * 300] = "a";
  for (int i = 0; i < 250; i++)
    strcat(name, "/a");
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 30, 0, "f", build_reports(p, 1, "r", name, NULL, NULL));
  const cJSON *node = page_ask(&f, "ask=treemap&by=reporter");
  int level = 0;
  for (; cJSON_GetObjectItem(node, "children") != NULL; level++)
    node = cJSON_GetArrayItem(member(node, "children"), 0);
  assert_int_equal(level, 20);
  assert_int_equal(strlen(string_of(node, "name")), 2 * (251 - 19) - 1);
  page_end(&f);
}

/* ---- Texts. ---- */

static void check_text(page_fixture_t *f, const char *query, const char *expected) {
  assert_string_equal(string_of(page_ask(f, query), "text"), expected);
}

static void texts_are_those_of_print(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {37};
  for (int round = 0; round < 40; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    dmd_records_t records;
    sink_t sink;
    sink_init(&sink);
    dmd_records_init(&records, p, 3, DMD_SORT_REQ);
    dmd_text_print(&sink.out, &records,
                   &(dmd_text_options_t){.title = "file", .with_run = true, .max_records = 2});
    check_text(&f, "ask=text&max-frames=3&sort=req&max-records=2", sink_text(&sink));
    sink_free(&sink);
    sink_init(&sink);
    dmd_rows_t rows;
    dmd_rows_init(&rows, &records, DMD_BY_FUNCTION, 0);
    dmd_rows_print(&sink.out, &rows, 10);
    check_text(&f, "ask=text&max-frames=3&by=function", sink_text(&sink));
    dmd_rows_destroy(&rows);
    sink_free(&sink);
    dmd_records_destroy(&records);
    page_end(&f);
  }
}

static void texts_to_be_pasted(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(p, 1, 30, 0, "f```g", DMD_NONE);
  build_blocks(p, 1, 20, 0, "h", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_fault(p, DMD_FAULT_INVALID_FREE, 1, "drop", NULL);
  const char *text = string_of(page_ask(&f, "ask=text&view=record&id=1&format=markdown"), "text");
  assert_has(text, "````text\nUnreported {\n");
  assert_has(text, "}\n\n````\n");
  text = string_of(page_ask(&f, "ask=text&view=records&q=h&format=markdown"), "text");
  assert_has(text, "```text\n#---");
  assert_has(text, "Once-reported {");
  assert_lacks(text, "Unreported {");
  text = string_of(page_ask(&f, "ask=text&view=faults"), "text");
  assert_has(text, "Invalid free {\n  1 time\n");
  assert_lacks(text, "Unreported {");
  assert_has(string_of(page_ask(&f, "ask=text&view=tree"), "text"), "explicit");
  assert_has(string_of(page_ask(&f, "ask=text&view=tree&old=0"), "text"), "no difference\n");
  text = string_of(page_ask(&f, "ask=text&view=overview"), "text");
  assert_has(text, "Unreported {");
  assert_lacks(text, "Once-reported {");
  assert_rejected(&f, "ask=text&view=record", "no such record");
  assert_rejected(&f, "ask=text&view=x", "view cannot be \"x\"");
  assert_rejected(&f, "ask=text&max-records=0", "max-records cannot be \"0\"");
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
      "ask=flame&q=a&least=0", "ask=flame&direction=callers",  "ask=treemap&by=file",
      "ask=treemap",           "ask=text&q=a&format=markdown", "ask=text&view=tree"};
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
      cmocka_unit_test(calls_are_sums_of_stacks),
      cmocka_unit_test(small_calls_are_cut),
      cmocka_unit_test(no_call_only_allocates),
      cmocka_unit_test(calls_by_what_they_allocated),
      cmocka_unit_test(stacks_by_each_figure),
      cmocka_unit_test(areas_are_within_each_other),
      cmocka_unit_test(areas_by_hand),
      cmocka_unit_test(by_what_tells_something),
      cmocka_unit_test(shares_of_a_map_are_at_most_100),
      cmocka_unit_test(deep_names),
      cmocka_unit_test(texts_are_those_of_print),
      cmocka_unit_test(texts_to_be_pasted),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
