/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The printed text of a record. The expected texts were worked out by hand from the rules of
 * Mozilla's dmd.py: percentages are 100 * m / n, cumulative ones follow the printed order. */
#include "fixture.h"

static void stacks_that_were_not_recorded(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 8, 0, NULL, build_reports(&f.profile, 1, NULL, NULL, NULL, NULL));
  build_blocks(&f.profile, 1, 8, 0, "", DMD_NONE);
  assert_prints(&f, "  Allocated at {\n"
                    "    #01: (no stack trace recorded due to --stacks=partial)\n"
                    "  }\n"
                    "  Reported at {\n"
                    "    #01: (no stack trace recorded due to --stacks=partial)\n"
                    "  }\n"
                    "}\n");
  assert_prints(&f, "  Allocated at {\n  }\n}\n");
  fixture_end(&f);
}

static void frame_numbers_have_two_digits_at_least(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 8, 0, "a|b|c|d|e|f|g|h|i|j|k", DMD_NONE);
  assert_prints(&f, "    #09: i\n    #10: j\n    #11: k\n  }\n");
  fixture_end(&f);
}

static void sizes_of_a_difference(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 3, 1000, 24, "grown", DMD_NONE);
  build_blocks(&f.profile, -1, 500, 12, "grown", DMD_NONE);
  build_blocks(&f.profile, -2, 500, 12, "shrunk", DMD_NONE);
  build_blocks(&f.profile, 1, 40, 8, "slack", DMD_NONE);
  build_blocks(&f.profile, -1, 48, 0, "slack", DMD_NONE);
  /* Net: 3 x 1,024 - 512 - 2 x 512 = 1,536. */
  assert_prints(&f, "  2 blocks in heap block record 1 of 3\n"
                    "  2,560 bytes (2,500 requested / 60 slop)\n"
                    "  Individual block sizes: 1,024 x 3; -512\n"
                    "  166.67% of the heap (166.67% cumulative)\n");
  assert_prints(&f, "  -2 blocks in heap block record 2 of 3\n"
                    "  -1,024 bytes (-1,000 requested / -24 slop)\n"
                    "  Individual block sizes: -512 x 2\n"
                    "  -66.67% of the heap (100.00% cumulative)\n");
  assert_prints(&f, "  0 blocks in heap block record 3 of 3\n"
                    "  0 bytes (-8 requested / 8 slop)\n"
                    "  Individual block sizes: (no change)\n"
                    "  0.00% of the heap (100.00% cumulative)\n");
  assert_prints(&f, "  Total: 1,536 bytes in 0 blocks\n");
  fixture_end(&f);
}

/* A heap that did not change on the whole: percentages of nothing are 0. */
static void a_difference_of_no_net_size(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 64, 0, "came", DMD_NONE);
  build_blocks(&f.profile, -1, 64, 0, "went", DMD_NONE);
  assert_prints(&f, "  64 bytes (64 requested / 0 slop)\n"
                    "  0.00% of the heap (0.00% cumulative)\n");
  fixture_end(&f);
}

static void tags(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  dmd_profile_t *p = &f.profile;
  build_tagged(p, 2, 8, 0, "all", DMD_NONE, "sqlite");
  build_tagged(p, 1, 16, 0, "all", DMD_NONE, "sqlite");
  build_tagged(p, 3, 8, 0, "some", DMD_NONE, "lua");
  build_tagged(p, 1, 8, 0, "some", DMD_NONE, "sqlite");
  build_blocks(p, 1, 8, 0, "some", DMD_NONE);
  build_blocks(p, 1, 8, 0, "none", DMD_NONE);
  assert_prints(&f, "    #01: all\n  }\n  Tag: sqlite\n}\n");
  assert_prints(&f, "    #01: some\n  }\n  Tags: sqlite (1 of 5 blocks), lua (3 of 5 blocks)\n}\n");
  assert_prints(&f, "    #01: none\n  }\n}\n");
  fixture_end(&f);
}

static void reporters(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  build_blocks(p, 1, 8, 0, "one", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(p, 1, 8, 0, "two", build_reports(p, 2, "r", "explicit/a", "s", NULL));
  build_blocks(p, 1, 8, 0, "three", build_reports(p, 3, "r", NULL, "s", "explicit/b"));
  build_blocks(p, 1, 8, 0, "mixed", build_reports(p, 1, "r", "explicit/a", NULL, NULL));
  build_blocks(p, 1, 8, 0, "mixed", build_reports(p, 1, "r", "explicit/b", NULL, NULL));
  build_blocks(p, 1, 8, 0, "half", build_reports(p, 1, "r", NULL, NULL, NULL));
  build_blocks(p, 1, 8, 0, "half", build_reports(p, 1, "r", "explicit/b", NULL, NULL));
  build_blocks(p, 1, 8, 0, "often", build_reports(p, DMD_REPORTS_COUNTED, "r", NULL, "s", NULL));
  assert_prints(&f,
                "    #01: one\n  }\n  Reporter: explicit/a\n  Reported at {\n    #01: r\n  }\n}\n");
  assert_prints(&f, "    #01: two\n  }\n  Reporter: explicit/a\n  Reported at {\n    #01: r\n  }\n"
                    "  Reported again at {\n    #01: s\n  }\n}\n");
  assert_prints(&f, "    #01: three\n  }\n  Reported at {\n    #01: r\n  }\n"
                    "  Reporter: explicit/b\n  Reported again at {\n    #01: s\n  }\n"
                    "  Reported 3 times: 16 bytes too many\n}\n");
  assert_prints(&f, "    #01: mixed\n  }\n  Reporter: (several)\n  Reported at {\n");
  assert_prints(&f, "    #01: half\n  }\n  Reporter: (several)\n  Reported at {\n");
  assert_prints(&f, "  Reported 1,000,000 or more times: 7,999,992 bytes too many\n");
  fixture_end(&f);
}

/* Estimates have a tilde, exact figures beside them do not. */
static void sampled_figures_are_marked(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_group_t g = {.req = 1024, .num = 3, .stack = build_stack(&f.profile, "small"), .sampled = 1};
  dmd_groups_add(&f.profile.groups, &g);
  build_blocks(&f.profile, 1, 5000, 0, "large",
               build_reports(&f.profile, 1, "r", NULL, NULL, NULL));
  assert_prints(&f, "  ~3 blocks in heap block record 1 of 1\n"
                    "  ~3,072 bytes (~3,072 requested / ~0 slop)\n"
                    "  Individual block sizes: 1,024 x ~3\n"
                    "  38.06% of the heap (38.06% cumulative)\n");
  assert_prints(&f, "  1 block in heap block record 1 of 1\n  5,000 bytes (5,000 requested");
  assert_prints(&f, "  Total:                ~8,072 bytes (100.00%) in      ~4 blocks (100.00%)\n"
                    "  Unreported:           ~3,072 bytes ( 38.06%) in      ~3 blocks ( 75.00%)\n"
                    "  Once-reported:         5,000 bytes ( 61.94%) in       1 blocks ( 25.00%)\n"
                    "  Twice-reported:            0 bytes (  0.00%) in       0 blocks (  0.00%)\n");
  f.profile.mode = DMD_MODE_LIVE;
  assert_prints(&f, "  Total: ~8,072 bytes in ~4 blocks\n");
  fixture_end(&f);
}

/* A shared block counts as reported once; its owners' parts are printed, the largest first. */
static void shared_blocks(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_profile_t *p = &f.profile;
  static const char *const two[] = {"explicit/a", NULL, NULL};
  build_blocks(p, 2, 101, 0, "new", build_shared(p, two, COUNT_OF(two)));
  assert_prints(&f, "# no twice-reported heap blocks\n\n");
  assert_prints(&f, "  Reporter: explicit/a\n"
                    "  Reported at {\n    #01: explicit/a\n    #02: all\n  }\n"
                    "  Shared, and counted in parts {\n"
                    "    102 bytes: explicit/a\n"
                    "    100 bytes: none\n"
                    "  }\n}\n");
  /* More blocks of the record, with one owner more: 9 times 25 bytes for each. */
  static const char *const owners[] = {"explicit/a", "explicit/b"};
  build_blocks(p, 9, 50, 0, "new", build_shared(p, owners, COUNT_OF(owners)));
  assert_prints(&f, "  Shared, and counted in parts {\n"
                    "    327 bytes: explicit/a\n"
                    "    225 bytes: explicit/b\n"
                    "    100 bytes: none\n"
                    "  }\n}\n");
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacks_that_were_not_recorded),
      cmocka_unit_test(frame_numbers_have_two_digits_at_least),
      cmocka_unit_test(sizes_of_a_difference),
      cmocka_unit_test(a_difference_of_no_net_size),
      cmocka_unit_test(tags),
      cmocka_unit_test(reporters),
      cmocka_unit_test(sampled_figures_are_marked),
      cmocka_unit_test(shared_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
