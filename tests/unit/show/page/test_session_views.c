/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Queries of a page other than records: the overview, faults, trees and series, against dmdv's
 * output, and by hand. */
#include "page_fixture.h"

#include "show/text/pieces.h"
#include "show/text/text_rows.h"

#include <stdio.h>

static cJSON *printed(page_fixture_t *f, dmd_profile_t *profile) {
  dmd_records_t records;
  sink_t sink;
  sink_init(&sink);
  dmd_records_init(&records, profile, 8, DMD_SORT_USABLE);
  dmd_records_json(&sink.out, &records, (const dmd_profile_t *const[2]){profile, NULL}, 0, 0);
  cJSON *tree = page_parse(f, sink_text(&sink));
  sink_free(&sink);
  dmd_records_destroy(&records);
  return tree;
}

/* The text that dmdv prints. */
static char *text_of(dmd_profile_t *profile) {
  dmd_records_t records;
  sink_t sink;
  sink_init(&sink);
  dmd_records_init(&records, profile, 8, DMD_SORT_USABLE);
  dmd_text_print(&sink.out, &records, &(dmd_text_options_t){.title = "t"});
  size_t n = strlen(sink_text(&sink));
  char *text = malloc(n + 1);
  memcpy(text, sink_text(&sink), n + 1);
  sink_free(&sink);
  dmd_records_destroy(&records);
  return text;
}

static void faults_are_those_of_print(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {17};
  int n_faults = 0;
  for (int round = 0; round < 60; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    const cJSON *faults = member(printed(&f, p), "faults"), *fault, *field;
    const cJSON *answer = page_ask(&f, "ask=faults&count=100000");
    char *text = text_of(p);
    const char *rest = text;
    int i = 0, n_misreports = 0;
    assert_int_equal(cJSON_GetArraySize(member(answer, "faults")), cJSON_GetArraySize(faults));
    cJSON_ArrayForEach(fault, faults) {
      const cJSON *told = cJSON_GetArrayItem(member(answer, "faults"), i++);
      cJSON_ArrayForEach(field, fault) {
        assert_same(field, member(told, field->string));
      }
      rest = strstr(rest, string_of(told, "text"));
      assert_non_null(rest);
      n_misreports += cJSON_IsTrue(member(told, "isMisreport"));
      n_faults++;
    }
    assert_int_equal(number_of(answer, "misreports"), n_misreports);
    assert_int_equal(number_of(answer, "total"), i);
    check_windows(&f, &dice, "ask=faults", "faults");
    free(text);
    page_end(&f);
  }
  assert_true(n_faults > 50);
}

/* Sections are those of print, the worst the first records of their section. */
/* Compares the answer's heap, with the errors that are beside it in the answer. */
static void assert_same_heap(const cJSON *answer, const cJSON *expected) {
  static const char *const errors[] = {"bytesError", "blocksError"};
  cJSON *heap = cJSON_Duplicate(member(answer, "heap"), true);
  for (size_t i = 0; i < COUNT_OF(errors); i++)
    if (cJSON_HasObjectItem(answer, errors[i]))
      cJSON_AddNumberToObject(heap, errors[i], number_of(answer, errors[i]));
  assert_same(heap, expected);
  cJSON_Delete(heap);
}

static void the_overview_is_that_of_print(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {19};
  for (int round = 0; round < 60; round++) {
    page_begin(&f);
    dmd_profile_t *p = page_add_random(&f, &dice);
    const cJSON *whole = printed(&f, p), *section, *told;
    const cJSON *answer = page_ask(&f, "ask=overview");
    int n_sections = 0;
    cJSON_ArrayForEach(section, member(whole, "sections")) {
      cJSON_ArrayForEach(told, member(answer, "sections")) {
        if (strcmp(string_of(told, "name"), string_of(section, "name")) != 0)
          continue;
        n_sections++;
        assert_same(member(told, "bytes"), member(section, "bytes"));
        assert_same(member(told, "blocks"), member(section, "blocks"));
        assert_int_equal(number_of(told, "records"),
                         cJSON_GetArraySize(member(section, "records")));
      }
    }
    assert_int_equal(n_sections, cJSON_GetArraySize(member(whole, "sections")));
    assert_same_heap(answer, member(whole, "heap"));
    const cJSON *rows = member(page_ask(&f, "ask=records&section=unreported&count=5"), "rows");
    assert_int_equal(cJSON_GetArraySize(member(answer, "worst")), cJSON_GetArraySize(rows));
    for (int i = 0; i < cJSON_GetArraySize(rows); i++) {
      cJSON *worst = cJSON_GetArrayItem(member(answer, "worst"), i);
      assert_same(member(worst, "whose"),
                  member(page_askf(&f, "ask=record&id=%d", (int)number_of(worst, "id")), "whose"));
      cJSON_DeleteItemFromObject(worst, "whose");
      assert_same(worst, cJSON_GetArrayItem(rows, i));
    }
    assert_true(cJSON_GetArraySize(member(answer, "faults.faults")) <= 3);
    page_end(&f);
  }
}

static void what_changed(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_profile_t *old = page_add(&f, DMD_MODE_DARK_MATTER),
                *new = page_add(&f, DMD_MODE_DARK_MATTER);
  build_blocks(old, 1, 100, 0, "new (n.c:1)|cache (c.c:3)", DMD_NONE);
  build_blocks(new, 3, 100, 0, "new (n.c:1)|cache (c.c:4)", DMD_NONE);
  build_blocks(new, 1, 60, 0, "new (n.c:1)|log (l.c:4)",
               build_reports(new, 1, "r", "explicit/a", NULL, NULL));
  dmd_reporter_runs_add(&new->reporter_runs, build_name(new, "explicit/a"), 2);
  const cJSON *answer = page_ask(&f, "ask=overview&of=1&old=0");
  assert_string_equal(string_of(answer, "changed.sentence"),
                      "The heap went from 100 to 360 bytes (+260.00%), unreported from 100 to 300 "
                      "bytes (+200.00%), twice-reported from 0 to 0 bytes.");
  assert_int_equal(number_of(answer, "changed.total"), 2);
  const cJSON *grown = cJSON_GetArrayItem(member(answer, "changed.places"), 0);
  assert_string_equal(string_of(grown, "what"), "Grown, unreported");
  assert_int_equal(number_of(grown, "before.bytes"), 100);
  assert_int_equal(number_of(grown, "now.blocks"), 3);
  assert_int_equal(cJSON_GetArraySize(member(grown, "frames")), 2);
  answer = page_ask(&f, "ask=overview&of=1");
  assert_null(cJSON_GetObjectItem(answer, "changed"));
  assert_string_equal(cJSON_GetArrayItem(member(answer, "all"), 0)->valuestring,
                      "The only reporter ran since the last clear, 2 times: it did not measure "
                      "these blocks");
  assert_int_equal(number_of(cJSON_GetArrayItem(member(answer, "reporters.rows"), 0), "bytes"),
                   300);
  page_end(&f);
}

/* ---- Trees. ---- */

/* Checks that every sum is that of its parts; returns the number of leaves. */
static int check_sums(const cJSON *node) {
  const cJSON *children = cJSON_GetObjectItem(node, "children"), *child;
  int n = children == NULL;
  double sum = 0;
  bool is_exact = true; /* as a sum of doubles, whatever cancels out */
  cJSON_ArrayForEach(child, children) {
    double amount = number_of(child, "amount");
    sum += amount;
    is_exact &= amount < 1e14 && amount > -1e14;
    n += check_sums(child);
  }
  if (children != NULL && is_exact)
    assert_true(sum == number_of(node, "amount"));
  return n;
}

static void trees_add_up(void **state) {
  (void)state;
  static page_fixture_t f;
  dice_t dice = {23};
  int n_leaves = 0;
  for (int round = 0; round < 60; round++) {
    page_begin(&f);
    page_add_random(&f, &dice);
    page_add_random(&f, &dice);
    static const char *const queries[] = {"ask=tree", "ask=tree&verbose=1", "ask=tree&of=1&old=0"};
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
      const cJSON *answer = page_ask(&f, queries[i]), *process, *tree;
      cJSON_ArrayForEach(process, cJSON_GetObjectItem(answer, "processes")) {
        cJSON_ArrayForEach(tree, member(process, "trees")) {
          n_leaves += check_sums(tree);
        }
      }
    }
    page_end(&f);
  }
  assert_true(n_leaves > 500);
}

static void a_tree_by_hand(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  for (int i = 0; i < 2; i++) {
    dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
    p->run.is_known = true;
    p->run.pid = 7;
    dmd_profile_add_argument(p, "/bin/app");
    build_blocks(p, 1, 100 + 20 * i, 0, "new", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
    build_blocks(p, 1, 60, 0, "new", DMD_NONE);
  }
  const cJSON *process = cJSON_GetArrayItem(member(page_ask(&f, "ask=tree&of=1"), "processes"), 0);
  assert_string_equal(string_of(process, "name"), "app (pid 7)");
  const cJSON *tree = cJSON_GetArrayItem(member(process, "trees"), 0);
  assert_string_equal(string_of(tree, "path"), "explicit");
  assert_int_equal(number_of(tree, "amount"), 180);
  const cJSON *leaf = cJSON_GetArrayItem(member(tree, "children"), 0);
  assert_string_equal(string_of(leaf, "path"), "explicit/a");
  assert_string_equal(string_of(leaf, "share"), "66.67%");
  assert_string_equal(string_of(leaf, "kind"), "heap");
  process = cJSON_GetArrayItem(member(page_ask(&f, "ask=tree&of=1&old=0"), "processes"), 0);
  tree = cJSON_GetArrayItem(member(process, "trees"), 0);
  assert_int_equal(number_of(tree, "amount"), 20);
  assert_int_equal(cJSON_GetArraySize(member(tree, "children")), 1);
  page_end(&f);
}

static void series_by_process_and_number(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  static const struct {
    const char *program;
    uint64_t n;
  } dumps[] = {{"/b", 2}, {"/a", 1}, {"/b", 1}};
  for (size_t i = 0; i < COUNT_OF(dumps); i++) {
    dmd_profile_t *p = page_add(&f, DMD_MODE_DARK_MATTER);
    p->run.is_known = true;
    p->run.dump_number = dumps[i].n;
    p->memory.resident = 10 * i;
    dmd_profile_add_argument(p, dumps[i].program);
    build_blocks(p, 2, 10 + (int64_t)i, 0, "new", DMD_NONE);
  }
  const cJSON *processes = member(page_ask(&f, "ask=series"), "processes");
  assert_int_equal(cJSON_GetArraySize(processes), 2);
  assert_string_equal(string_of(cJSON_GetArrayItem(processes, 0), "name"), "a");
  const cJSON *of_b = member(cJSON_GetArrayItem(processes, 1), "dumps");
  assert_int_equal(cJSON_GetArraySize(of_b), 2);
  const cJSON *first = cJSON_GetArrayItem(of_b, 0);
  assert_int_equal(number_of(first, "of"), 2);
  assert_int_equal(number_of(first, "n"), 1);
  assert_int_equal(number_of(first, "heap.bytes"), 24);
  assert_int_equal(number_of(first, "sections.unreported.blocks"), 2);
  assert_int_equal(number_of(first, "resident"), 20);
  assert_int_equal(number_of(cJSON_GetArrayItem(of_b, 1), "of"), 0);
  page_end(&f);
}

/* ---- Two moments. ---- */

/* 1,100 bytes at the peak, of which 100 are left, with 30 newer ones. */
static void build_peak(dmd_profile_t *profile) {
  const dmd_run_t run = {.is_known = true,
                         .trigger = "exit",
                         .in_use_szB = 130,
                         .in_use_blocks = 5,
                         .peak = {.is_known = true, .szB = 1100, .n_blocks = 3, .ms = 800}};
  dmd_profile_set_run(profile, &run);
  build_blocks(profile, 2, 50, 0, "new|stays|main", DMD_NONE);
  build_blocks(profile, 3, 10, 0, "new|late|main", DMD_NONE);
  dmd_groups_at(&profile->groups, 2)->after_peak = true;
  dmd_group_t gone = *dmd_groups_at(&profile->groups, 1);
  gone.num = 1;
  gone.req = 1000;
  dmd_groups_add(&profile->gone, &gone);
  profile->has_peak = true;
}

static void add_peak(dmd_session_t *page) {
  dmd_session_file_t *file = dmd_session_begin_file(page, "peak");
  build_peak(&file->profile);
  dmd_session_end_file(page, file, true);
}

static void assert_moment(page_fixture_t *f, const char *query, const char *moment, int bytes) {
  const cJSON *answer = page_askf(f, "ask=overview&%s", query);
  assert_string_equal(string_of(answer, "moment"), moment);
  assert_int_equal(number_of(answer, "heap.bytes"), bytes);
  assert_int_equal(number_of(page_askf(f, "ask=records&%s", query), "shown.bytes"), bytes);
  const cJSON *totals = member(page_askf(f, "ask=flame&%s", query), "total");
  assert_int_equal(cJSON_GetArrayItem(totals, 0)->valuedouble, bytes);
}

static void since_when_a_process_was_recorded(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_session_file_t *file = dmd_session_begin_file(&f.page, "attached");
  build_peak(&file->profile);
  file->profile.run.trigger = "detach";
  file->profile.run.attach =
      (dmd_attach_t){.time = "2026-11-22T09:40:00Z", .older_blocks = 2, .older_szB = 30};
  dmd_session_end_file(&f.page, file, true);
  assert_string_equal(
      string_of(page_ask(&f, "ask=overview"), "peak"),
      "At the peak: 1,100 bytes in 3 blocks, after 0.8 s; 130 bytes at the detach\n"
      "recorded: from the attach at 2026-11-22T09:40:00Z on\n"
      "from before the attach: 30 bytes in 2 blocks were freed or reallocated since");
  page_end(&f);
}

static void the_peak_is_what_print_would_show(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  add_peak(&f.page);
  for (int i = 0; i < 2; i++) { /* whatever was shown before */
    assert_moment(&f, "", "peak", 1100);
    assert_moment(&f, "peak=0", "end", 130);
    assert_moment(&f, "peak=1", "peak", 1100);
  }
  assert_string_equal(string_of(page_ask(&f, "ask=overview"), "peak"),
                      "At the peak: 1,100 bytes in 3 blocks, after 0.8 s; 130 bytes at exit");
  assert_string_equal(string_of(page_ask(&f, "ask=overview&peak=0"), "peak"),
                      "peak: 1,100 bytes in 3 blocks, after 0.8 s");
  assert_non_null(strstr(string_of(page_ask(&f, "ask=text"), "text"), "Peak {"));
  assert_null(strstr(string_of(page_ask(&f, "ask=text&peak=0"), "text"), "Peak {"));
  const cJSON *file = cJSON_GetArrayItem(member(page_ask(&f, "ask=files"), "files"), 0);
  assert_int_equal(number_of(file, "bytes"), 130);
  assert_int_equal(number_of(file, "peak.bytes"), 1100);
  assert_true(cJSON_IsTrue(member(file, "opensPeak")));
  page_end(&f);
}

/* Since the previous dump the heap had 300 bytes at most. */
static void add_recent(dmd_session_t *page) {
  dmd_session_file_t *file = dmd_session_begin_file(page, "recent");
  dmd_profile_t *profile = &file->profile;
  build_peak(profile);
  profile->run.recent_peak =
      (dmd_moment_t){.is_known = true, .szB = 300, .n_blocks = 2, .ms = 1200};
  dmd_group_t group = *dmd_groups_at(&profile->groups, 1);
  group.num = 2;
  group.req = 150;
  group.never_measured = true;
  dmd_groups_add(&profile->recent, &group);
  profile->has_recent = true;
  dmd_session_end_file(page, file, true);
}

static void the_recent_peak_is_a_third_moment(void **state) {
  (void)state;
  static page_fixture_t f;
  static const char *const moments[] = {"peak=2", "peak=0", "peak=1"};
  page_begin(&f);
  add_recent(&f.page);
  for (int i = 0; i < 9; i++) { /* from each to each */
    assert_moment(&f, moments[i % 3], i % 3 == 1 ? "end" : "peak", (int[]){300, 130, 1100}[i % 3]);
    assert_moment(&f, moments[i / 3], i / 3 == 1 ? "end" : "peak", (int[]){300, 130, 1100}[i / 3]);
  }
  assert_string_equal(string_of(page_ask(&f, "ask=overview&peak=2"), "peak"),
                      "At the peak since the previous dump: 300 bytes in 2 blocks, after 1.2 s; "
                      "130 bytes at exit\nnever measured: 300 bytes in 2 blocks of the peak "
                      "(100.00%), of stacks that no reporter covered at any dump");
  assert_string_equal(string_of(page_ask(&f, "ask=overview&peak=1"), "peak"),
                      "At the peak: 1,100 bytes in 3 blocks, after 0.8 s; 130 bytes at exit");
  const cJSON *file = cJSON_GetArrayItem(member(page_ask(&f, "ask=files"), "files"), 0);
  assert_int_equal(number_of(file, "bytes"), 130);
  assert_int_equal(number_of(file, "peak.bytes"), 1100);
  assert_int_equal(number_of(file, "recentPeak.bytes"), 300);
  add_peak(&f.page); /* without a recent peak that is its peak */
  assert_moment(&f, "of=1&peak=2", "peak", 1100);
  assert_moment(&f, "of=1&old=0&peak=2", "peak", 1100 - 300);
  assert_moment(&f, "of=1&old=0&peak=1", "peak", 0);
  assert_rejected(&f, "ask=records&peak=3", "");
  page_end(&f);
}

static double series_bytes(page_fixture_t *f, const char *query) {
  const cJSON *process = cJSON_GetArrayItem(member(page_ask(f, query), "processes"), 0);
  return number_of(cJSON_GetArrayItem(member(process, "dumps"), 0), "heap.bytes");
}

static void a_difference_shows_one_moment(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  add_peak(&f.page);
  assert_int_equal(series_bytes(&f, "ask=series"), 1100);
  build_blocks(page_add(&f, DMD_MODE_DARK_MATTER), 1, 7, 0, "new", DMD_NONE);
  assert_int_equal(series_bytes(&f, "ask=series"), 130);
  assert_int_equal(series_bytes(&f, "ask=series&peak=1"), 1100);
  assert_moment(&f, "of=1", "end", 7);
  assert_moment(&f, "of=0&old=1", "end", 130 - 7);
  assert_rejected(&f, "ask=overview&of=0&old=1&peak=1",
                  "this file does not have the records of its peak");
  assert_rejected(&f, "ask=records&of=1&peak=1", "this file does not have the records of its peak");
  assert_rejected(&f, "ask=tree&of=1&peak=1", "this file does not have the records of its peak");
  assert_rejected(&f, "ask=records&by=type",
                  "types are known of the heap at the end, not at its peak");
  add_peak(&f.page);
  assert_moment(&f, "of=0&old=2", "peak", 0);
  assert_moment(&f, "of=0&old=2&peak=0", "end", 0);
  page_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_session_t page;
  dmd_session_init(&page, &host->env);
  for (int i = 0; i < 2; i++) {
    dmd_session_file_t *file = dmd_session_begin_file(&page, "f");
    build_blocks(&file->profile, 2 + i, 50, 0, "new|dark|main", DMD_NONE);
    build_blocks(&file->profile, 1, 5, 0, "new",
                 build_reports(&file->profile, 1, "r", "explicit/a", NULL, NULL));
    build_fault(&file->profile, DMD_FAULT_INVALID_FREE, 1, "drop", NULL);
    build_peak(&file->profile);
    dmd_session_end_file(&page, file, true);
  }
  static const char *const queries[] = {
      "ask=overview&of=1&old=0", "ask=faults", "ask=tree", "ask=tree&of=1&old=0", "ask=series",
      "ask=overview&peak=1",     "ask=files"};
  for (size_t i = 0; i < COUNT_OF(queries); i++)
    page_answers(&page, queries[i]);
  dmd_session_destroy(&page);
}

/* ---- The timeline. ---- */

static void the_timeline_is_that_of_dmdv(void **state) {
  (void)state;
  static page_fixture_t f;
  page_begin(&f);
  dmd_session_file_t *file = dmd_session_begin_file(&f.page, "times");
  dmd_profile_t *p = &file->profile;
  dmd_timepoint_t at = {.ms = 100, .szB = 50, .least_szB = 50, .alloc_szB = 60};
  dmd_timepoint_t end = {.ms = 900, .szB = 40, .least_szB = 40, .alloc_szB = 100};
  p->run.most_resident_szB = 8192;
  build_blocks(p, 1, 40, 0, "f|main", DMD_NONE);
  dmd_timeline_add_point(&p->timeline, &at);
  dmd_timeline_add_point(&p->timeline, &end);
  dmd_timeline_add_stack(&p->timeline, dmd_groups_at(&p->groups, 1)->stack);
  dmd_timeline_add_breakdown(&p->timeline, &at)->stacks[0] = 10;
  dmd_timeline_add_breakdown(&p->timeline, &end)->stacks[0] = 40;
  dmd_session_end_file(&f.page, file, true);
  file = dmd_session_begin_file(&f.page, "none");
  dmd_session_end_file(&f.page, file, true);
  const cJSON *answer = page_ask(&f, "ask=timeline&from=100ms&to=end");
  assert_int_equal((int64_t)number_of(answer, "change.bytes"), -10);
  assert_int_equal(number_of(answer, "residentPeak"), 8192);
  const cJSON *row = cJSON_GetArrayItem(member(member(answer, "grown"), "stacks"), 0);
  assert_int_equal(number_of(row, "bytes"), 30);
  assert_string_equal(string_of(row, "name"), "f");
  assert_int_equal(cJSON_GetArraySize(member(answer, "breakdowns")), 2);
  assert_int_equal((int64_t)number_of(page_ask(&f, "ask=timeline&from=end&to=0.1"), "change.bytes"),
                   -10);
  assert_int_equal(cJSON_GetArraySize(page_ask(&f, "ask=timeline&of=1")), 0);
  static const char *const wrong[] = {"ask=timeline&of=2", "ask=timeline&from=noon",
                                      "ask=timeline&to=#7"};
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    assert_non_null(member(page_ask(&f, wrong[i]), "error"));
  page_end(&f);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faults_are_those_of_print),
      cmocka_unit_test(the_overview_is_that_of_print),
      cmocka_unit_test(what_changed),
      cmocka_unit_test(trees_add_up),
      cmocka_unit_test(a_tree_by_hand),
      cmocka_unit_test(series_by_process_and_number),
      cmocka_unit_test(since_when_a_process_was_recorded),
      cmocka_unit_test(the_peak_is_what_print_would_show),
      cmocka_unit_test(the_recent_peak_is_a_third_moment),
      cmocka_unit_test(a_difference_shows_one_moment),
      cmocka_unit_test(the_timeline_is_that_of_dmdv),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
