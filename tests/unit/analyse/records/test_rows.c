/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks added up by something else than their stacks, against slow lists of names. */
#include "fixture.h"

#include "analyse/records/rows.h"
#include "model/profile/profile.h"

#include <stdio.h>

/* ---- By hand. ---- */

typedef struct {
  const char *name;
  int64_t total, num, unreported, twice;
} expected_t;

static void check(fixture_t *f, dmd_by_t by, unsigned sections, const expected_t *expected,
                  uint32_t n) {
  dmd_rows_t rows;
  dmd_rows_init(&rows, &f->records, by, sections);
  assert_int_equal(rows.n, n);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_tally_t *row = dmd_rows_at(&rows, i);
    assert_string_equal(dmd_rows_name(&rows, i), expected[i].name);
    assert_int_equal(row->total, expected[i].total);
    assert_int_equal(row->num, expected[i].num);
    assert_int_equal(row->usable[DMD_SECTION_UNREPORTED], expected[i].unreported);
    assert_int_equal(row->usable[DMD_SECTION_TWICE], expected[i].twice);
  }
  dmd_rows_destroy(&rows);
}

static void begin(fixture_t *f) {
  fixture_begin(f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f->profile;
  build_tagged(p, 2, 90, 10, "malloc (m.c:1)|dark (a.c:2)|main (a.c:9)", DMD_NONE, "t");
  build_blocks(p, 1, 30, 0, "calloc (m.c:1)|both[/l/lib.so +0x12]",
               build_reports(p, 2, "r", "explicit/a", "r", "explicit/b"));
  build_blocks(p, 1, 7, 0, "malloc (m.c:1)|both[/l/lib.so +0x99]",
               build_reports(p, 2, "r", "explicit/a", "s", "explicit/a"));
  build_blocks(p, 1, 500, 0, "malloc (m.c:1)", build_reports(p, 1, "r", NULL, NULL, NULL));
  build_blocks(p, 3, 1, 0, NULL, DMD_NONE);
  fixture_records(f, 8, DMD_SORT_USABLE);
}

static void a_few_by_hand(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  /* A block that one reporter reported twice counts once. */
  static const expected_t reporters[] = {{"(no reporter named)", 500, 1, 0, 0},
                                         {"(unreported)", 203, 5, 203, 0},
                                         {"explicit/a", 37, 2, 0, 37},
                                         {"explicit/b", 30, 1, 0, 30}};
  check(&f, DMD_BY_REPORTER, 0, reporters, COUNT_OF(reporters));
  static const expected_t tags[] = {{"(no tag)", 540, 6, 3, 37}, {"t", 200, 2, 200, 0}};
  check(&f, DMD_BY_TAG, 0, tags, COUNT_OF(tags));
  static const expected_t threads[] = {{"thread 0", 740, 8, 203, 37}};
  check(&f, DMD_BY_THREAD, 0, threads, COUNT_OF(threads));
  /* Where all frames allocate, the innermost one is used. */
  static const expected_t files[] = {{"m.c", 500, 1, 0, 0},
                                     {"a.c", 200, 2, 200, 0},
                                     {"(file not recorded)", 37, 2, 0, 37},
                                     {"(no stack recorded)", 3, 3, 3, 0}};
  check(&f, DMD_BY_FILE, 0, files, COUNT_OF(files));
  static const expected_t functions[] = {{"malloc", 500, 1, 0, 0},
                                         {"dark", 200, 2, 200, 0},
                                         {"both", 37, 2, 0, 37},
                                         {"(no stack recorded)", 3, 3, 3, 0}};
  check(&f, DMD_BY_FUNCTION, 0, functions, COUNT_OF(functions));
  static const expected_t libraries[] = {{"(library not recorded)", 700, 3, 200, 0},
                                         {"lib.so", 37, 2, 0, 37},
                                         {"(no stack recorded)", 3, 3, 3, 0}};
  check(&f, DMD_BY_LIBRARY, 0, libraries, COUNT_OF(libraries));
  static const expected_t twice[] = {{"both", 37, 2, 0, 37}};
  check(&f, DMD_BY_FUNCTION, 1u << DMD_SECTION_TWICE, twice, COUNT_OF(twice));
  fixture_end(&f);
}

/* The program and lib are stripped, other has symbols. For code without symbols the object is still
 * known. Memory that the C library allocates counts as its caller's. */
static void stripped_programs_and_libraries(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  dmd_profile_t *p = &f.profile;
  build_blocks(p, 1, 100, 0,
               "malloc (vg_replace_malloc.c:0)@/v/vgpreload_dmd-amd64-linux.so|"
               "?\?\?[/usr/bin/app +0x1]|loop[/l/other.so.1 +0x5]|?\?\?[/usr/bin/app +0x2]",
               DMD_NONE);
  build_blocks(p, 1, 20, 0,
               "malloc (vg_replace_malloc.c:0)@/v/vgpreload_dmd-amd64-linux.so|"
               "strdup[/l/libc.so.6 +0x7]|?\?\?[/l/lib.so +0x3]|?\?\?[/usr/bin/app +0x2]",
               DMD_NONE);
  build_blocks(p, 1, 3, 0,
               "malloc (vg_replace_malloc.c:0)@/v/vgpreload_dmd-amd64-linux.so|"
               "loop[/l/other.so.1 +0x5]|?\?\?[/usr/bin/app +0x2]",
               DMD_NONE);
  build_blocks(p, 1, 2, 0,
               "malloc (vg_replace_malloc.c:0)@/v/vgpreload_dmd-amd64-linux.so|"
               "init[/l/ld-linux-x86-64.so.2 +0x5]",
               DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  static const expected_t libraries[] = {{"app", 100, 1, 0, 0},
                                         {"lib.so", 20, 1, 0, 0},
                                         {"other.so.1", 3, 1, 0, 0},
                                         {"ld-linux-x86-64.so.2", 2, 1, 0, 0}};
  check(&f, DMD_BY_LIBRARY, 0, libraries, COUNT_OF(libraries));
  static const expected_t files[] = {{"(file not recorded)", 125, 4, 0, 0}};
  check(&f, DMD_BY_FILE, 0, files, COUNT_OF(files));
  static const expected_t functions[] = {{"?\?\? (in app)", 100, 1, 0, 0},
                                         {"?\?\? (in lib.so)", 20, 1, 0, 0},
                                         {"loop", 3, 1, 0, 0},
                                         {"init", 2, 1, 0, 0}};
  check(&f, DMD_BY_FUNCTION, 0, functions, COUNT_OF(functions));
  fixture_end(&f);
}

/* A function of a header is in two objects, and so are the blocks; two objects of one name are
 * called by their paths. */
static void libraries_that_have_something_in_common(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 100, 0, "fill (vec.h:3)@/a/plugin.so", DMD_NONE);
  build_blocks(&f.profile, 1, 20, 0, "fill (vec.h:3)@/b/plugin.so", DMD_NONE);
  build_blocks(&f.profile, 1, 3, 0, "fill (vec.h:3)@/b/other.so", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_int_equal(f.records.section[DMD_SECTION_ALL].n, 1); /* they read alike */
  static const expected_t libraries[] = {
      {"/a/plugin.so", 100, 1, 0, 0}, {"/b/plugin.so", 20, 1, 0, 0}, {"other.so", 3, 1, 0, 0}};
  check(&f, DMD_BY_LIBRARY, 0, libraries, COUNT_OF(libraries));
  static const expected_t functions[] = {{"fill", 123, 3, 0, 0}};
  check(&f, DMD_BY_FUNCTION, 0, functions, COUNT_OF(functions));
  fixture_end(&f);
}

/* x shares each block from two places, but is one owner of it. */
static void shared_blocks_in_parts(void **state) {
  (void)state;
  static const char *const owners[] = {"x", "y", "x"}, *const places[] = {"a", "b", "c"};
  /* x reported the block twice, and is still one of its two owners. */
  static const expected_t expected[] = {{"x", 2 * 5, 2, 0, 0}, {"y", 2 * 5, 2, 0, 0}};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  uint32_t set = DMD_NONE;
  for (int i = 0; i < 3; i++)
    set = dmd_reports_add(&f.profile.reports, set,
                          (dmd_report_t){.stack = build_stack(&f.profile, places[i]),
                                         .reporter = build_name(&f.profile, owners[i]),
                                         .flags = DMD_REPORT_SHARED});
  build_blocks(&f.profile, 2, 10, 0, "new", set);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  check(&f, DMD_BY_REPORTER, 0, expected, COUNT_OF(expected));
  fixture_end(&f);
}

/* ---- Against lists. ---- */

enum { MAX_NAMES = 100 };

typedef struct {
  const char *name;
  int64_t total, num;
} sum_t;

typedef struct {
  sum_t sums[MAX_NAMES];
  size_t n;
} list_t;

static void add(list_t *list, const char *name, const dmd_profile_t *profile,
                const dmd_group_t *g) {
  size_t i = 0;
  while (i < list->n && strcmp(list->sums[i].name, name) != 0)
    i++;
  assert_true(i < MAX_NAMES);
  if (i == list->n)
    list->sums[list->n++] = (sum_t){.name = name};
  list->sums[i].num += dmd_group_blocks(profile, g);
  list->sums[i].total += dmd_group_usable(profile, g);
}

static void check_list(const fixture_t *f, dmd_by_t by, const list_t *list) {
  dmd_rows_t rows;
  dmd_rows_init(&rows, &f->records, by, 0);
  assert_int_equal(rows.n, list->n);
  for (uint32_t i = 0; i < rows.n; i++) {
    const dmd_tally_t *row = dmd_rows_at(&rows, i);
    size_t k = 0;
    while (k < list->n && strcmp(list->sums[k].name, dmd_rows_name(&rows, i)) != 0)
      k++;
    assert_true(k < list->n);
    assert_int_equal(row->total, list->sums[k].total);
    assert_int_equal(row->num, list->sums[k].num);
    int64_t all = 0;
    for (int section = 0; section < DMD_N_SECTIONS; section++)
      all += row->usable[section];
    assert_int_equal(row->total, all);
    if (i > 0)
      assert_true(dmd_rows_at(&rows, i - 1)->total >= row->total);
  }
  dmd_rows_destroy(&rows);
}

static void random_against_lists(void **state) {
  (void)state;
  static list_t tags, threads;
  static char thread_names[DMD_MAX_THREAD + 1][16];
  dice_t dice = {12};
  for (int round = 0; round < 100; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    tags.n = threads.n = 0;
    for (uint32_t id = 1; id <= dmd_groups_count(&f.profile.groups); id++) {
      const dmd_group_t *g = dmd_groups_at(&f.profile.groups, id);
      snprintf(thread_names[g->thread], sizeof thread_names[0], "thread %d", g->thread);
      add(&threads, thread_names[g->thread], &f.profile, g);
      const char *tag =
          g->tag == DMD_NONE ? "(no tag)" : dmd_intern_get_str(&f.profile.tags, g->tag);
      add(&tags, tag, &f.profile, g);
    }
    fixture_records(&f, 3, DMD_SORT_USABLE);
    check_list(&f, DMD_BY_TAG, &tags);
    check_list(&f, DMD_BY_THREAD, &threads);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  build_blocks(&p, 2, 90, 10, "malloc|dark|main", DMD_NONE);
  build_blocks(&p, 1, 30, 0, "new", build_reports(&p, 2, "r", "explicit/a", "r", "explicit/b"));
  dmd_records_t records;
  dmd_records_init(&records, &p, 8, DMD_SORT_USABLE);
  for (dmd_by_t by = DMD_BY_REPORTER; by <= DMD_BY_FILE; by++) {
    dmd_rows_t rows;
    dmd_rows_init(&rows, &records, by, 0);
    assert_true(rows.n > 0);
    dmd_rows_destroy(&rows);
  }
  dmd_records_destroy(&records);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_few_by_hand),
      cmocka_unit_test(stripped_programs_and_libraries),
      cmocka_unit_test(libraries_that_have_something_in_common),
      cmocka_unit_test(shared_blocks_in_parts),
      cmocka_unit_test(random_against_lists),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
