/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The printed text of a whole profile, to the byte. The expected texts were worked out by hand from
 * the rules of Mozilla's dmd.py: percentages are 100 * m / n, cumulative ones follow the printed
 * order. */
#include "fixture.h"

#define LINE "#-----------------------------------------------------------------\n"

/* 1,200 bytes: 600, 2 x 200 and 200, so that there are thirds and sixths. */
static void build_loaves(fixture_t *f) {
  fixture_begin(f, DMD_MODE_LIVE);
  f->profile.options = "--mode=live";
  build_blocks(&f->profile, 1, 200, 0, "new_plate (plate.c:3)|main (main.c:5)", DMD_NONE);
  build_blocks(&f->profile, 2, 150, 50,
               "new_dough (dough.c:10)|knead (dough.c:20)|fry (pan.c:7)|main (main.c:6)", DMD_NONE);
  build_blocks(&f->profile, 1, 600, 0,
               "new_dough (dough.c:10)|knead (dough.c:20)|bake (oven.c:30)|main (main.c:7)",
               DMD_NONE);
}

static void live_all_frames(void **state) {
  (void)state;
  fixture_t f;
  build_loaves(&f);
  assert_text_equal(fixture_text(&f, 8, DMD_SORT_USABLE, NULL),
                    LINE "# title\n"
                         "\n"
                         "Invocation {\n"
                         "  $DMD = '--mode=live'\n"
                         "  Mode = 'live'\n"
                         "}\n"
                         "\n" LINE "\n"
                         "Live {\n"
                         "  1 block in heap block record 1 of 3\n"
                         "  600 bytes (600 requested / 0 slop)\n"
                         "  50.00% of the heap (50.00% cumulative)\n"
                         "  Allocated at {\n"
                         "    #01: new_dough (dough.c:10)\n"
                         "    #02: knead (dough.c:20)\n"
                         "    #03: bake (oven.c:30)\n"
                         "    #04: main (main.c:7)\n"
                         "  }\n"
                         "}\n"
                         "\n"
                         "Live {\n"
                         "  2 blocks in heap block record 2 of 3\n"
                         "  400 bytes (300 requested / 100 slop)\n"
                         "  Individual block sizes: 200 x 2\n"
                         "  33.33% of the heap (83.33% cumulative)\n"
                         "  Allocated at {\n"
                         "    #01: new_dough (dough.c:10)\n"
                         "    #02: knead (dough.c:20)\n"
                         "    #03: fry (pan.c:7)\n"
                         "    #04: main (main.c:6)\n"
                         "  }\n"
                         "}\n"
                         "\n"
                         "Live {\n"
                         "  1 block in heap block record 3 of 3\n"
                         "  200 bytes (200 requested / 0 slop)\n"
                         "  16.67% of the heap (100.00% cumulative)\n"
                         "  Allocated at {\n"
                         "    #01: new_plate (plate.c:3)\n"
                         "    #02: main (main.c:5)\n"
                         "  }\n"
                         "}\n"
                         "\n" LINE "\n"
                         "Summary {\n"
                         "  Total: 1,200 bytes in 4 blocks\n"
                         "}\n"
                         "\n");
  fixture_end(&f);
}

static void live_two_frames(void **state) {
  (void)state;
  fixture_t f;
  build_loaves(&f);
  assert_text_equal(fixture_text(&f, 2, DMD_SORT_USABLE, NULL),
                    LINE "# title\n"
                         "\n"
                         "Invocation {\n"
                         "  $DMD = '--mode=live'\n"
                         "  Mode = 'live'\n"
                         "}\n"
                         "\n" LINE "\n"
                         "Live {\n"
                         "  3 blocks in heap block record 1 of 2\n"
                         "  1,000 bytes (900 requested / 100 slop)\n"
                         "  Individual block sizes: 600; 200 x 2\n"
                         "  83.33% of the heap (83.33% cumulative)\n"
                         "  Allocated at {\n"
                         "    #01: new_dough (dough.c:10)\n"
                         "    #02: knead (dough.c:20)\n"
                         "  }\n"
                         "}\n"
                         "\n"
                         "Live {\n"
                         "  1 block in heap block record 2 of 2\n"
                         "  200 bytes (200 requested / 0 slop)\n"
                         "  16.67% of the heap (100.00% cumulative)\n"
                         "  Allocated at {\n"
                         "    #01: new_plate (plate.c:3)\n"
                         "    #02: main (main.c:5)\n"
                         "  }\n"
                         "}\n"
                         "\n" LINE "\n"
                         "Summary {\n"
                         "  Total: 1,200 bytes in 4 blocks\n"
                         "}\n"
                         "\n");
  fixture_end(&f);
}

/* Sorted by slop, the second record comes first, and cumulative figures follow. */
static void live_by_slop(void **state) {
  (void)state;
  fixture_t f;
  build_loaves(&f);
  const char *text = fixture_text(&f, 8, DMD_SORT_SLOP, NULL);
  const char *second = strstr(text, "  33.33% of the heap (33.33% cumulative)\n");
  const char *third = strstr(text, "  16.67% of the heap (50.00% cumulative)\n");
  const char *first = strstr(text, "  50.00% of the heap (100.00% cumulative)\n");
  assert_true(second != NULL && second < third && third < first);
  fixture_end(&f);
}

/* 7,000 bytes in 7 blocks: 1,500 in 3 reported twice, 3,000 in 3 not, 2,500 in 1 once. */
static void build_pages(fixture_t *f) {
  fixture_begin(f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f->profile;
  build_blocks(p, 1, 2500, 0, "new_page|load",
               build_reports(p, 1, "size_page|report_all", NULL, NULL, NULL));
  build_blocks(p, 1, 950, 2, "new_leaf|grow", DMD_NONE);
  build_blocks(p, 3, 490, 10, "new_shared|load",
               build_reports(p, 2, "size_page|report_all", NULL, "size_cache|report_all", NULL));
  build_blocks(p, 2, 1000, 24, "new_node|grow", DMD_NONE);
}

static const char pages_text[] =
    LINE "# title\n"
         "\n"
         "Invocation {\n"
         "  $DMD is undefined\n"
         "  Mode = 'dark-matter'\n"
         "}\n"
         "\n" LINE "\n"
         "Twice-reported {\n"
         "  3 blocks in heap block record 1 of 1\n"
         "  1,500 bytes (1,470 requested / 30 slop)\n"
         "  Individual block sizes: 500 x 3\n"
         "  21.43% of the heap (21.43% cumulative)\n"
         "  100.00% of twice-reported (100.00% cumulative)\n"
         "  Allocated at {\n"
         "    #01: new_shared\n"
         "    #02: load\n"
         "  }\n"
         "  Reported at {\n"
         "    #01: size_page\n"
         "    #02: report_all\n"
         "  }\n"
         "  Reported again at {\n"
         "    #01: size_cache\n"
         "    #02: report_all\n"
         "  }\n"
         "}\n"
         "\n" LINE "\n"
         "Unreported {\n"
         "  2 blocks in heap block record 1 of 2\n"
         "  2,048 bytes (2,000 requested / 48 slop)\n"
         "  Individual block sizes: 1,024 x 2\n"
         "  29.26% of the heap (29.26% cumulative)\n"
         "  68.27% of unreported (68.27% cumulative)\n"
         "  Allocated at {\n"
         "    #01: new_node\n"
         "    #02: grow\n"
         "  }\n"
         "}\n"
         "\n"
         "Unreported {\n"
         "  1 block in heap block record 2 of 2\n"
         "  952 bytes (950 requested / 2 slop)\n"
         "  13.60% of the heap (42.86% cumulative)\n"
         "  31.73% of unreported (100.00% cumulative)\n"
         "  Allocated at {\n"
         "    #01: new_leaf\n"
         "    #02: grow\n"
         "  }\n"
         "}\n"
         "\n" LINE "\n"
         "Once-reported {\n"
         "  1 block in heap block record 1 of 1\n"
         "  2,500 bytes (2,500 requested / 0 slop)\n"
         "  35.71% of the heap (35.71% cumulative)\n"
         "  100.00% of once-reported (100.00% cumulative)\n"
         "  Allocated at {\n"
         "    #01: new_page\n"
         "    #02: load\n"
         "  }\n"
         "  Reported at {\n"
         "    #01: size_page\n"
         "    #02: report_all\n"
         "  }\n"
         "}\n"
         "\n" LINE "\n"
         "Summary {\n"
         "  Total:                 7,000 bytes (100.00%) in       7 blocks (100.00%)\n"
         "  Unreported:            3,000 bytes ( 42.86%) in       3 blocks ( 42.86%)\n"
         "  Once-reported:         2,500 bytes ( 35.71%) in       1 blocks ( 14.29%)\n"
         "  Twice-reported:        1,500 bytes ( 21.43%) in       3 blocks ( 42.86%)\n"
         "}\n"
         "\n";

static void dark_matter(void **state) {
  (void)state;
  fixture_t f;
  build_pages(&f);
  assert_text_equal(fixture_text(&f, 8, DMD_SORT_USABLE, NULL), pages_text);
  fixture_end(&f);
}

/* An empty profile: no division by zero, and shares of nothing are 100%. */
static void dark_matter_empty(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  assert_text_equal(fixture_text(&f, 8, DMD_SORT_USABLE, NULL), LINE
                    "# title\n"
                    "\n"
                    "Invocation {\n"
                    "  $DMD is undefined\n"
                    "  Mode = 'dark-matter'\n"
                    "}\n"
                    "\n" LINE "\n"
                    "# no twice-reported heap blocks\n"
                    "\n" LINE "\n"
                    "# no unreported heap blocks\n"
                    "\n" LINE "\n"
                    "# no once-reported heap blocks\n"
                    "\n" LINE "\n"
                    "Summary {\n"
                    "  Total:                     0 bytes (100.00%) in       0 blocks (100.00%)\n"
                    "  Unreported:                0 bytes (  0.00%) in       0 blocks (  0.00%)\n"
                    "  Once-reported:             0 bytes (  0.00%) in       0 blocks (  0.00%)\n"
                    "  Twice-reported:            0 bytes (  0.00%) in       0 blocks (  0.00%)\n"
                    "}\n"
                    "\n");
  fixture_end(&f);
}

/* A scan is printed like mode live, in records and in the invocation. */
static void modes_have_names(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_CUMULATIVE);
  build_blocks(&f.profile, 1, 8, 0, "a", DMD_NONE);
  assert_prints(&f, "  Mode = 'cumulative'\n}\n\n" LINE "\nCumulative {\n  1 block in");
  f.profile.mode = DMD_MODE_SCAN;
  assert_prints(&f, "  Mode = 'live'\n}\n\n" LINE "\nLive {\n  1 block in");
  fixture_end(&f);
  fixture_begin(&f, DMD_MODE_CUMULATIVE);
  assert_prints(&f, LINE "\n# no cumulative heap blocks\n\n" LINE);
  fixture_end(&f);
}

static void the_first_records_only(void **state) {
  (void)state;
  fixture_t f;
  build_pages(&f);
  const dmd_text_options_t one = {.title = "title", .max_records = 1};
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &one),
             "    #01: new_node\n"
             "    #02: grow\n"
             "  }\n"
             "}\n"
             "\n"
             "# Unreported: the first 1 of 2 heap block records; the others hold 952 bytes "
             "(--max-records=all shows them)\n"
             "\n" LINE);
  const char *text = fixture_text(&f, 8, DMD_SORT_USABLE, &one);
  assert_null(strstr(text, "new_leaf"));
  assert_null(strstr(text, "Twice-reported: the first"));
  assert_non_null(strstr(text, "record 1 of 2\n"));
  /* A limit of at least the number of records shows all. */
  for (uint32_t n = 2; n <= 3; n++) {
    const dmd_text_options_t options = {.title = "title", .max_records = n};
    assert_text_equal(fixture_text(&f, 8, DMD_SORT_USABLE, &options), pages_text);
  }
  fixture_end(&f);
}

static void totals_of_a_known_run(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  f.profile.run = (dmd_run_t){.is_known = true,
                              .n_allocs = 1234,
                              .n_frees = 1200,
                              .alloc_szB = 5678901,
                              .in_use_szB = 4096,
                              .in_use_blocks = 34};
  assert_prints(&f, "}\n\ntotal heap usage: 1,234 allocs, 1,200 frees, 5,678,901 bytes allocated; "
                    "in use: 4,096 bytes in 34 blocks\n");
  assert_prints_no(&f, "allocator:"); /* not known */
  f.profile.run.allocator = "exact";
  assert_prints(&f, "in 34 blocks\nallocator: exact\n");
  f.profile.run.allocator_chosen = "option";
  assert_prints(&f, "in 34 blocks\nallocator: exact (--allocator=exact)\n");
  f.profile.run.allocator = "jema\x1blloc";
  f.profile.run.allocator_chosen = "auto";
  assert_prints(&f, "in 34 blocks\nallocator: jema\\x1blloc (--allocator=auto)\n");
  assert_prints_no(&f, "operator new");
  f.profile.run.replaced_new = "/l/\x1bx.so";
  assert_prints(&f, "\nThe operator new of /l/\\x1bx.so did not run: Valgrind's ran in its place.\n"
                    "With --soname-synonyms=somalloc=nouserintercepts it runs");
  assert_prints_no(&f, "was freed before this dump");
  f.profile.run.freed_reported = 2000;
  assert_prints(&f, "Every block that was reported (2,000) was freed before this dump.\n");
  /* If a report is left, reporting evidently works. */
  build_blocks(&f.profile, 1, 8, 0, "a", build_reports(&f.profile, 1, "r", NULL, NULL, NULL));
  assert_prints_no(&f, "was freed before this dump");
  f.profile.run.is_known = false;
  assert_prints_no(&f, "total heap usage");
  assert_prints_no(&f, "allocator:");
  fixture_end(&f);
}

/* ---- what strangers put in ---- */

static void nothing_reaches_the_terminal(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  p->options = "\x1b]0;options\x07";
  build_tagged(p, 1, 8, 0, "\x1b[31mframe\n}\xff",
               build_reports(p, 1, "r\r", "repo\x7frter", NULL, NULL), "ta\xc2\x9bg");
  build_fault(p, DMD_FAULT_INVALID_FREE, 1, "\x01", "fault\x1b");
  const dmd_text_options_t options = {.title = "ti\ntle"};
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options), "# ti\\x0atle\n");
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options), "  $DMD = '\\x1b]0;options\\x07'\n");
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options),
             "    #01: \\x1b[31mframe\\x0a}\\xff\n");
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options), "  Tag: ta\\xc2\\x9bg\n");
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options), "  Reporter: repo\\x7frter\n");
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options), "  Reporter: fault\\x1b\n");
  assert_has(fixture_text(&f, 24, DMD_SORT_USABLE, &options), "    #01: \\x01\n");
  for (const char *c = fixture_text(&f, 8, DMD_SORT_USABLE, &options); *c != '\0'; c++)
    assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  build_tagged(&profile, 2, 10, 6, "a|b", DMD_NONE, "tag");
  build_blocks(&profile, 3, 30, 6, "a", build_reports(&profile, 1, "r", "x", NULL, NULL));
  dmd_faults_add(&profile.faults, &(dmd_fault_t){.num = 1, .stack = 1});
  dmd_faults_add(&profile.faults, &(dmd_fault_t){.num = 2, .stack = 2});
  dmd_records_t records;
  dmd_records_init(&records, &profile, 2, DMD_SORT_USABLE);
  /* The text is discarded: a sink's memory would outlive the failure. */
  sink_t sink;
  sink_init(&sink);
  sink.fail_at = 1;
  dmd_text_print(&sink.out, &records, &(dmd_text_options_t){.title = "title"});
  assert_false(dmd_out_flush(&sink.out));
  dmd_records_destroy(&records);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(live_all_frames),
      cmocka_unit_test(live_two_frames),
      cmocka_unit_test(live_by_slop),
      cmocka_unit_test(dark_matter),
      cmocka_unit_test(dark_matter_empty),
      cmocka_unit_test(modes_have_names),
      cmocka_unit_test(the_first_records_only),
      cmocka_unit_test(totals_of_a_known_run),
      cmocka_unit_test(nothing_reaches_the_terminal),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
