/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is printed, to the byte. The expected texts were worked out by hand from the rules of
 * Mozilla's dmd.py: percentages are 100 * m / n, cumulative ones follow the printed order. */
#include "build.h"

#define LINE "#-----------------------------------------------------------------\n"

static const dmd_text_options_t plain = {.title = "title", .max_records = 0};

typedef struct {
  host_t host;
  dmd_profile_t profile;
} fixture_t;

static void begin(fixture_t *f, dmd_mode_t mode) {
  host_init(&f->host);
  dmd_profile_init(&f->profile, &f->host.env);
  f->profile.mode = mode;
}

static void end(fixture_t *f) {
  dmd_profile_destroy(&f->profile);
  host_done(&f->host);
}

static void check(fixture_t *f, uint32_t max_frames, dmd_sort_by_t by,
                  const dmd_text_options_t *options, const char *expected) {
  sink_t sink;
  assert_text_equal(build_text(&sink, &f->profile, max_frames, by, options), expected);
  sink_free(&sink);
}

/* Whether the text has these lines somewhere, in one piece. */
static void check_has(fixture_t *f, const dmd_text_options_t *options, const char *lines) {
  sink_t sink;
  const char *text = build_text(&sink, &f->profile, 24, DMD_SORT_USABLE, options);
  if (strstr(text, lines) == NULL)
    fail_msg("no\n%s\nin\n%s", lines, text);
  sink_free(&sink);
}

static void check_lacks(fixture_t *f, const char *part) {
  sink_t sink;
  const char *text = build_text(&sink, &f->profile, 24, DMD_SORT_USABLE, &plain);
  if (strstr(text, part) != NULL)
    fail_msg("there should be no \"%s\" in\n%s", part, text);
  sink_free(&sink);
}

/* ---- whole texts ---- */

/* 1,200 bytes: 600, 2 x 200 and 200, so that there are thirds and sixths. */
static void build_loaves(fixture_t *f) {
  begin(f, DMD_MODE_LIVE);
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
  check(&f, 8, DMD_SORT_USABLE, &plain,
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
  end(&f);
}

static void live_two_frames(void **state) {
  (void)state;
  fixture_t f;
  build_loaves(&f);
  check(&f, 2, DMD_SORT_USABLE, &plain,
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
  end(&f);
}

/* By slop the second comes first, and the cumulative figures go along. */
static void live_by_slop(void **state) {
  (void)state;
  fixture_t f;
  build_loaves(&f);
  sink_t sink;
  const char *text = build_text(&sink, &f.profile, 8, DMD_SORT_SLOP, &plain);
  const char *second = strstr(text, "  33.33% of the heap (33.33% cumulative)\n");
  const char *third = strstr(text, "  16.67% of the heap (50.00% cumulative)\n");
  const char *first = strstr(text, "  50.00% of the heap (100.00% cumulative)\n");
  assert_true(second != NULL && second < third && third < first);
  sink_free(&sink);
  end(&f);
}

/* 7,000 bytes in 7 blocks: 1,500 in 3 reported twice, 3,000 in 3 not, 2,500 in 1 once. */
static void build_pages(fixture_t *f) {
  begin(f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f->profile;
  build_blocks(p, 1, 2500, 0, "new_page|load",
               build_reports(p, 1, "size_page|report_all", NULL, NULL, NULL));
  build_blocks(p, 1, 950, 2, "new_leaf|grow", DMD_NONE);
  build_blocks(p, 3, 490, 10, "new_shared|load",
               build_reports(p, 2, "size_page|report_all", NULL, "size_cache|report_all", NULL));
  build_blocks(p, 2, 1000, 24, "new_node|grow", DMD_NONE);
}

static void dark_matter(void **state) {
  (void)state;
  fixture_t f;
  build_pages(&f);
  check(&f, 8, DMD_SORT_USABLE, &plain,
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
             "\n");
  end(&f);
}

/* Nothing at all: nothing is divided by zero, and of nothing all is 100%. */
static void dark_matter_empty(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  check(&f, 8, DMD_SORT_USABLE, &plain,
        LINE "# title\n"
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
  end(&f);
}

/* A scan is read as what lives, in records as in the invocation. */
static void modes_have_names(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_CUMULATIVE);
  build_blocks(&f.profile, 1, 8, 0, "a", DMD_NONE);
  check_has(&f, &plain, "  Mode = 'cumulative'\n}\n\n" LINE "\nCumulative {\n  1 block in");
  f.profile.mode = DMD_MODE_SCAN;
  check_has(&f, &plain, "  Mode = 'live'\n}\n\n" LINE "\nLive {\n  1 block in");
  end(&f);
  begin(&f, DMD_MODE_CUMULATIVE);
  check_has(&f, &plain, LINE "\n# no cumulative heap blocks\n\n" LINE);
  end(&f);
}

/* ---- parts of records ---- */

static void stacks_that_were_not_recorded(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 8, 0, NULL, build_reports(&f.profile, 1, NULL, NULL, NULL, NULL));
  build_blocks(&f.profile, 1, 8, 0, "", DMD_NONE);
  check_has(&f, &plain,
            "  Allocated at {\n"
            "    #01: (no stack trace recorded due to --stacks=partial)\n"
            "  }\n"
            "  Reported at {\n"
            "    #01: (no stack trace recorded due to --stacks=partial)\n"
            "  }\n"
            "}\n");
  check_has(&f, &plain, "  Allocated at {\n  }\n}\n");
  end(&f);
}

static void frame_numbers_have_two_digits_at_least(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 8, 0, "a|b|c|d|e|f|g|h|i|j|k", DMD_NONE);
  check_has(&f, &plain, "    #09: i\n    #10: j\n    #11: k\n  }\n");
  end(&f);
}

static void sizes_of_a_difference(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 3, 1000, 24, "grown", DMD_NONE);
  build_blocks(&f.profile, -1, 500, 12, "grown", DMD_NONE);
  build_blocks(&f.profile, -2, 500, 12, "shrunk", DMD_NONE);
  build_blocks(&f.profile, 1, 40, 8, "slack", DMD_NONE);
  build_blocks(&f.profile, -1, 48, 0, "slack", DMD_NONE);
  /* Net: 3 x 1,024 - 512 - 2 x 512 = 1,536. */
  check_has(&f, &plain,
            "  2 blocks in heap block record 1 of 3\n"
            "  2,560 bytes (2,500 requested / 60 slop)\n"
            "  Individual block sizes: 1,024 x 3; -512\n"
            "  166.67% of the heap (166.67% cumulative)\n");
  check_has(&f, &plain,
            "  -2 blocks in heap block record 2 of 3\n"
            "  -1,024 bytes (-1,000 requested / -24 slop)\n"
            "  Individual block sizes: -512 x 2\n"
            "  -66.67% of the heap (100.00% cumulative)\n");
  check_has(&f, &plain,
            "  0 blocks in heap block record 3 of 3\n"
            "  0 bytes (-8 requested / 8 slop)\n"
            "  Individual block sizes: (no change)\n"
            "  0.00% of the heap (100.00% cumulative)\n");
  check_has(&f, &plain, "  Total: 1,536 bytes in 0 blocks\n");
  end(&f);
}

/* A heap that did not change on the whole: percentages of nothing are 0. */
static void a_difference_of_no_net_size(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 64, 0, "came", DMD_NONE);
  build_blocks(&f.profile, -1, 64, 0, "went", DMD_NONE);
  check_has(&f, &plain,
            "  64 bytes (64 requested / 0 slop)\n"
            "  0.00% of the heap (0.00% cumulative)\n");
  end(&f);
}

static void tags(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  dmd_profile_t *p = &f.profile;
  build_tagged(p, 2, 8, 0, "all", DMD_NONE, "sqlite");
  build_tagged(p, 1, 16, 0, "all", DMD_NONE, "sqlite");
  build_tagged(p, 3, 8, 0, "some", DMD_NONE, "lua");
  build_tagged(p, 1, 8, 0, "some", DMD_NONE, "sqlite");
  build_blocks(p, 1, 8, 0, "some", DMD_NONE);
  build_blocks(p, 1, 8, 0, "none", DMD_NONE);
  check_has(&f, &plain, "    #01: all\n  }\n  Tag: sqlite\n}\n");
  check_has(&f, &plain,
            "    #01: some\n  }\n  Tags: sqlite (1 of 5 blocks), lua (3 of 5 blocks)\n}\n");
  check_has(&f, &plain, "    #01: none\n  }\n}\n");
  end(&f);
}

static void reporters(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  build_blocks(p, 1, 8, 0, "one", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(p, 1, 8, 0, "two", build_reports(p, 2, "r", "explicit/a", "s", NULL));
  build_blocks(p, 1, 8, 0, "three", build_reports(p, 3, "r", NULL, "s", "explicit/b"));
  build_blocks(p, 1, 8, 0, "mixed", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(p, 1, 8, 0, "mixed", build_reports(p, 1, "r", "explicit/b", NULL, NULL));
  build_blocks(p, 1, 8, 0, "half", build_reports(p, 1, "r", NULL, NULL, NULL));
  build_blocks(p, 1, 8, 0, "half", build_reports(p, 1, "r", "explicit/b", NULL, NULL));
  build_blocks(p, 1, 8, 0, "often", build_reports(p, DMD_REPORTS_COUNTED, "r", NULL, "s", NULL));
  check_has(&f, &plain,
            "    #01: one\n  }\n  Reporter: explicit/a\n  Reported at {\n    #01: r\n  }\n}\n");
  check_has(&f, &plain,
            "    #01: two\n  }\n  Reporter: explicit/a\n  Reported at {\n    #01: r\n  }\n"
            "  Reported again at {\n    #01: s\n  }\n}\n");
  check_has(&f, &plain,
            "    #01: three\n  }\n  Reported at {\n    #01: r\n  }\n"
            "  Reporter: explicit/b\n  Reported again at {\n    #01: s\n  }\n"
            "  Reported up to 3 times\n}\n");
  check_has(&f, &plain, "    #01: mixed\n  }\n  Reporter: (several)\n  Reported at {\n");
  check_has(&f, &plain, "    #01: half\n  }\n  Reporter: (several)\n  Reported at {\n");
  check_has(&f, &plain, "  Reported up to 99 or more times\n");
  end(&f);
}

/* Estimates wear a tilde, exact figures beside them do not. */
static void sampled_figures_are_marked(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_group_t g = {.req = 1024, .num = 3, .stack = build_stack(&f.profile, "small"), .sampled = 1};
  dmd_groups_add(&f.profile.groups, &g);
  build_blocks(&f.profile, 1, 5000, 0, "large",
               build_reports(&f.profile, 1, "r", NULL, NULL, NULL));
  check_has(&f, &plain,
            "  ~3 blocks in heap block record 1 of 1\n"
            "  ~3,072 bytes (~3,072 requested / ~0 slop)\n"
            "  Individual block sizes: 1,024 x ~3\n"
            "  38.06% of the heap (38.06% cumulative)\n");
  check_has(&f, &plain, "  1 block in heap block record 1 of 1\n  5,000 bytes (5,000 requested");
  check_has(&f, &plain,
            "  Total:                ~8,072 bytes (100.00%) in      ~4 blocks (100.00%)\n"
            "  Unreported:           ~3,072 bytes ( 38.06%) in      ~3 blocks ( 75.00%)\n"
            "  Once-reported:         5,000 bytes ( 61.94%) in       1 blocks ( 25.00%)\n"
            "  Twice-reported:            0 bytes (  0.00%) in       0 blocks (  0.00%)\n");
  f.profile.mode = DMD_MODE_LIVE;
  check_has(&f, &plain, "  Total: ~8,072 bytes in ~4 blocks\n");
  end(&f);
}

/* ---- only so many records ---- */

static void the_first_records_only(void **state) {
  (void)state;
  fixture_t f;
  build_pages(&f);
  const dmd_text_options_t one = {.title = "title", .max_records = 1};
  check_has(&f, &one,
            "    #01: new_node\n"
            "    #02: grow\n"
            "  }\n"
            "}\n"
            "\n"
            "# Unreported: the first 1 of 2 heap block records; the others hold 952 bytes "
            "(--max-records=all shows them)\n"
            "\n" LINE);
  sink_t sink;
  const char *text = build_text(&sink, &f.profile, 8, DMD_SORT_USABLE, &one);
  assert_null(strstr(text, "new_leaf"));
  assert_null(strstr(text, "Twice-reported: the first"));
  assert_non_null(strstr(text, "record 1 of 2\n"));
  sink_free(&sink);
  /* As many as there are, or more, are all. */
  sink_t all, two, three;
  const char *expected = build_text(&all, &f.profile, 8, DMD_SORT_USABLE, &plain);
  dmd_text_options_t options = {.title = "title", .max_records = 2};
  assert_text_equal(build_text(&two, &f.profile, 8, DMD_SORT_USABLE, &options), expected);
  options.max_records = 3;
  assert_text_equal(build_text(&three, &f.profile, 8, DMD_SORT_USABLE, &options), expected);
  sink_free(&all);
  sink_free(&two);
  sink_free(&three);
  end(&f);
}

/* ---- faults and totals ---- */

/* By kind, the most frequent first, ties as they came. */
static void faults(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  dmd_profile_t *p = &f.profile;
  uint32_t reporter = dmd_intern_str(&p->names, "explicit/a");
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 1,
                                            .kind = DMD_FAULT_REPORT_INTERIOR,
                                            .stack = build_stack(p, "size|all"),
                                            .reporter = reporter});
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 2,
                                            .kind = DMD_FAULT_INVALID_FREE,
                                            .stack = build_stack(p, "drop"),
                                            .reporter = DMD_NONE});
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 1000,
                                            .kind = DMD_FAULT_INVALID_FREE,
                                            .stack = build_stack(p, "clean"),
                                            .reporter = DMD_NONE});
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 2,
                                            .kind = DMD_FAULT_INVALID_FREE,
                                            .stack = DMD_NONE,
                                            .reporter = DMD_NONE});
  check_has(&f, &plain,
            LINE "\n"
                 "Report of an interior pointer {\n"
                 "  1 time\n"
                 "  Reporter: explicit/a\n"
                 "  At {\n"
                 "    #01: size\n"
                 "    #02: all\n"
                 "  }\n"
                 "}\n"
                 "\n"
                 "Invalid free {\n"
                 "  1,000 times\n"
                 "  At {\n"
                 "    #01: clean\n"
                 "  }\n"
                 "}\n"
                 "\n"
                 "Invalid free {\n"
                 "  2 times\n"
                 "  At {\n"
                 "    #01: drop\n"
                 "  }\n"
                 "}\n"
                 "\n"
                 "Invalid free {\n"
                 "  2 times\n"
                 "  At {\n"
                 "    #01: (no stack trace recorded due to --stacks=partial)\n"
                 "  }\n"
                 "}\n"
                 "\n" LINE "\n"
                 "Summary {\n"
                 "  Total: 0 bytes in 0 blocks\n"
                 "  Invalid free: 1,004 times\n"
                 "  Report of an interior pointer: 1 time\n"
                 "}\n"
                 "\n");
  const dmd_text_options_t two = {.title = "title", .max_records = 2};
  check_has(&f, &two, "    #01: clean\n  }\n}\n\n# the first 2 of 4 kinds and places of faults");
  end(&f);
}

/* A claim with each kind of reason, and the other faults that say more than where. */
static void faults_in_detail(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  uint32_t a = dmd_intern_str(&p->names, "explicit/a"), b = dmd_intern_str(&p->names, "b\x1b");
  uint32_t here = build_stack(p, "here"), there = build_stack(p, "there");
  static const dmd_text_options_t all = {.title = "title"};
  dmd_fault_t claim = {.num = 3,
                       .kind = DMD_FAULT_CLAIM,
                       .stack = here,
                       .reporter = a,
                       .reason = DMD_REASON_CHILD_LEFT_OUT,
                       .scope = b,
                       .bytes = 1234,
                       .claimed = 1000,
                       .measured = 2000};
  dmd_faults_add(&p->faults, &claim);
  check_has(&f, &all,
            "Claim that does not add up {\n"
            "  3 times, 1,234 bytes; at most:\n"
            "  Reporter: explicit/a\n"
            "  1,000 bytes claimed, 2,000 bytes measured: 1,000 bytes too few\n"
            "  Likely reason: the claim lacks what was measured by b\\x1b\n"
            "  Claimed at {\n    #01: here\n  }\n}\n");
  claim = (dmd_fault_t){.num = 1,
                        .kind = DMD_FAULT_CLAIM,
                        .stack = here,
                        .reporter = a,
                        .reason = DMD_REASON_REPORTS_TWICE,
                        .reported = there,
                        .bytes = 1,
                        .claimed = UINT64_MAX,
                        .measured = 1};
  dmd_faults_add(&p->faults, &claim);
  check_has(&f, &all,
            "  18446744073709551615 bytes claimed, 1 byte measured: 18446744073709551614 bytes too "
            "many\n"
            "  Likely reason: the claim holds once too often what was reported at the place below\n"
            "  Claimed at {\n    #01: here\n  }\n"
            "  Reported at {\n    #01: there\n  }\n}\n");
  claim.reason = DMD_REASON_NOT_A_BLOCK;
  claim.memory = b;
  dmd_faults_add(&p->faults, &claim);
  check_has(&f, &all, "the size of an object that is no heap block: b\\x1b\n  Claimed at");
  dmd_fault_t freed = {.num = 1,
                       .kind = DMD_FAULT_REPORT_FREED,
                       .stack = here,
                       .allocated = there,
                       .freed = here,
                       .size = 104};
  dmd_faults_add(&p->faults, &freed);
  check_has(&f, &all,
            "Report of a freed block {\n  1 time\n  a block of 104 bytes\n"
            "  At {\n    #01: here\n  }\n"
            "  Block allocated at {\n    #01: there\n  }\n"
            "  Block freed at {\n    #01: here\n  }\n}\n");
  dmd_fault_t length = {.num = 1,
                        .kind = DMD_FAULT_REPORT_LENGTH,
                        .stack = here,
                        .reporter = a,
                        .allocated = there,
                        .size = 104,
                        .length = 1};
  dmd_faults_add(&p->faults, &length);
  check_has(&f, &all, "  a block of 104 bytes, reported with a length of 1 byte\n");
  dmd_fault_t left = {.num = 1, .kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = here, .scope = b};
  dmd_faults_add(&p->faults, &left);
  check_has(&f, &all,
            "Scope that was never ended {\n  1 time\n  Scope: b\\x1b\n"
            "  Begun at {\n    #01: here\n  }\n}\n");
  dmd_fault_t stack = {.num = 1, .kind = DMD_FAULT_REPORT_STACK, .stack = here, .memory = a};
  dmd_faults_add(&p->faults, &stack);
  check_has(&f, &all, "  1 time\n  in explicit/a\n  At {\n");
  end(&f);
}

/* A shared block counts as reported once; its owners' parts are printed, the largest first. */
static void shared_blocks(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  dmd_report_t a = {.stack = build_stack(p, "in_a"),
                    .flags = DMD_REPORT_SHARED,
                    .reporter = dmd_intern_str(&p->names, "explicit/a")};
  dmd_report_t b = {.stack = build_stack(p, "in_b|all"), .flags = DMD_REPORT_SHARED};
  uint32_t set = DMD_NONE;
  set = dmd_reports_add(&p->reports, set, a);
  set = dmd_reports_add(&p->reports, set, b);
  set = dmd_reports_add(&p->reports, set, b);
  dmd_group_t g = {.req = 100, .num = 2, .stack = build_stack(p, "new"), .reports = set};
  dmd_groups_add(&p->groups, &g);
  check_has(&f, &plain, "# no twice-reported heap blocks\n\n");
  check_has(&f, &plain,
            "  Reporter: explicit/a\n"
            "  Reported at {\n    #01: in_a\n  }\n"
            "  Shared, and counted in parts {\n"
            "    132 bytes: in_b\n"
            "    68 bytes: explicit/a\n"
            "  }\n}\n");
  /* Another block of the record, with one owner more: 25 bytes for each. */
  b.reporter = dmd_intern_str(&p->names, "explicit/b");
  g.reports = dmd_reports_add(&p->reports, dmd_reports_add(&p->reports, DMD_NONE, a), b);
  g.req = 50;
  g.num = 1;
  dmd_groups_add(&p->groups, &g);
  check_has(&f, &plain,
            "  Shared, and counted in parts {\n"
            "    132 bytes: in_b\n"
            "    93 bytes: explicit/a\n"
            "    25 bytes: explicit/b\n"
            "  }\n}\n");
  end(&f);
}

static void fault_stacks_are_cut_too(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  dmd_faults_add(&f.profile.faults, &(dmd_fault_t){.num = 1,
                                                   .kind = DMD_FAULT_INVALID_FREE,
                                                   .stack = build_stack(&f.profile, "a|b|c"),
                                                   .reporter = DMD_NONE});
  sink_t sink;
  const char *text = build_text(&sink, &f.profile, 2, DMD_SORT_USABLE, &plain);
  assert_non_null(strstr(text, "  At {\n    #01: a\n    #02: b\n  }\n"));
  sink_free(&sink);
  end(&f);
}

static void totals_of_a_known_run(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  f.profile.run = (dmd_run_t){.is_known = true,
                              .n_allocs = 1234,
                              .n_frees = 1200,
                              .alloc_szB = 5678901,
                              .in_use_szB = 4096,
                              .in_use_blocks = 34};
  check_has(&f, &plain,
            "}\n\ntotal heap usage: 1,234 allocs, 1,200 frees, 5,678,901 bytes allocated; "
            "in use: 4,096 bytes in 34 blocks\n");
  check_lacks(&f, "allocator:"); /* not known */
  f.profile.run.allocator = "exact";
  check_has(&f, &plain, "in 34 blocks\nallocator: exact\n");
  f.profile.run.allocator_chosen = "option";
  check_has(&f, &plain, "in 34 blocks\nallocator: exact (--allocator=exact)\n");
  f.profile.run.allocator = "jema\x1blloc";
  f.profile.run.allocator_chosen = "auto";
  check_has(&f, &plain, "in 34 blocks\nallocator: jema\\x1blloc (--allocator=auto)\n");
  check_lacks(&f, "was freed before this dump");
  f.profile.run.freed_reported = 2000;
  check_has(&f, &plain, "Every block that was reported (2,000) was freed before this dump.\n");
  /* Where a report is left, the user sees that reporting works. */
  build_blocks(&f.profile, 1, 8, 0, "a", build_reports(&f.profile, 1, "r", NULL, NULL, NULL));
  check_lacks(&f, "was freed before this dump");
  f.profile.run.is_known = false;
  check_lacks(&f, "total heap usage");
  check_lacks(&f, "allocator:");
  end(&f);
}

/* ---- what strangers put in ---- */

static void nothing_reaches_the_terminal(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  p->options = "\x1b]0;options\x07";
  build_tagged(p, 1, 8, 0, "\x1b[31mframe\n}\xff",
               build_reports(p, 1, "r\r", "repo\x7frter", NULL, NULL), "ta\xc2\x9bg");
  dmd_faults_add(&p->faults, &(dmd_fault_t){.num = 1,
                                            .kind = DMD_FAULT_INVALID_FREE,
                                            .stack = build_stack(p, "\x01"),
                                            .reporter = dmd_intern_str(&p->names, "fault\x1b")});
  const dmd_text_options_t options = {.title = "ti\ntle"};
  check_has(&f, &options, "# ti\\x0atle\n");
  check_has(&f, &options, "  $DMD = '\\x1b]0;options\\x07'\n");
  check_has(&f, &options, "    #01: \\x1b[31mframe\\x0a}\\xff\n");
  check_has(&f, &options, "  Tag: ta\\xc2\\x9bg\n");
  check_has(&f, &options, "  Reporter: repo\\x7frter\n");
  check_has(&f, &options, "  Reporter: fault\\x1b\n");
  check_has(&f, &options, "    #01: \\x01\n");
  sink_t sink;
  for (const char *c = build_text(&sink, p, 8, DMD_SORT_USABLE, &options); *c != '\0'; c++)
    assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
  sink_free(&sink);
  end(&f);
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
  /* The text goes nowhere: a sink's memory would outlive the failure. */
  sink_t sink;
  sink_init(&sink);
  sink.fail_at = 1;
  dmd_text_print(&sink.out, &records, &plain);
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
      cmocka_unit_test(stacks_that_were_not_recorded),
      cmocka_unit_test(frame_numbers_have_two_digits_at_least),
      cmocka_unit_test(sizes_of_a_difference),
      cmocka_unit_test(a_difference_of_no_net_size),
      cmocka_unit_test(tags),
      cmocka_unit_test(reporters),
      cmocka_unit_test(sampled_figures_are_marked),
      cmocka_unit_test(the_first_records_only),
      cmocka_unit_test(faults),
      cmocka_unit_test(faults_in_detail),
      cmocka_unit_test(shared_blocks),
      cmocka_unit_test(fault_stacks_are_cut_too),
      cmocka_unit_test(totals_of_a_known_run),
      cmocka_unit_test(nothing_reaches_the_terminal),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
