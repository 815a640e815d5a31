/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "analyse/limits/ignore.h"

#include <stdio.h>

/* ---- parsing ---- */

static dmd_ignore_t parsed(host_t *host, const char *text) {
  dmd_ignore_t file;
  uint64_t line;
  const char *why = dmd_ignore_parse(&file, &host->env, text, strlen(text), &line);
  if (why != NULL)
    fail_msg("line %u: %s", (unsigned)line, why);
  return file;
}

static void patterns_with_reasons(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_ignore_t file = parsed(&host, "\xef\xbb\xbf# a comment\n"
                                    "\n"
                                    "  \t \n"
                                    "   # another\n"
                                    "cJSON_*   # third party\r\n"
                                    "\tint f(int, char*) (a.c:*)\t#why # not \n"
                                    "lambda()#1::call # has a mark inside\n"
                                    "operator\\ \\#\\*  #  \xc3\xa9t\xc3\xa9");
  static const struct {
    const char *text, *reason;
    uint64_t line;
  } expected[] = {
      {"cJSON_*", "third party", 5},
      {"int f(int, char*) (a.c:*)", "why # not", 6},
      {"lambda()#1::call", "has a mark inside", 7},
      {"operator\\ \\#\\*", "\xc3\xa9t\xc3\xa9", 8},
  };
  assert_int_equal(file.n, COUNT_OF(expected));
  for (size_t i = 0; i < file.n; i++) {
    assert_string_equal(file.patterns[i].text, expected[i].text);
    assert_string_equal(file.patterns[i].reason, expected[i].reason);
    assert_int_equal(file.patterns[i].line, expected[i].line);
    assert_false(file.patterns[i].used);
  }
  dmd_ignore_destroy(&file);
  host_done(&host);
}

static void an_empty_file_has_none(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_ignore_t file = parsed(&host, "");
  assert_int_equal(file.n, 0);
  dmd_ignore_destroy(&file);
  host_done(&host);
}

static void what_is_wrong_is_said_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t n; /* 0: to the NUL */
    uint64_t line;
    const char *reason; /* a part of it */
  } cases[] = {
      {"a # b\nmalloc\n", 0, 2, "no reason"},
      {"malloc #", 0, 1, "no reason"},
      {"malloc #  \t", 0, 1, "no reason"},
      {"malloc# reason", 0, 1, "no reason"},    /* no blank before the mark */
      {"malloc\\ # reason", 0, 1, "no reason"}, /* the blank is protected */
      {"malloc \\# reason", 0, 1, "no reason"},
      {"\n\nmal\xff*  # x", 0, 3, "UTF-8"},
      {"ok # \xc0\x80", 0, 1, "UTF-8"},
      {"a # b\0c", 7, 1, "NUL"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    host_t host;
    host_init(&host);
    dmd_ignore_t file;
    uint64_t line = 0;
    size_t n = cases[i].n > 0 ? cases[i].n : strlen(cases[i].text);
    const char *why = dmd_ignore_parse(&file, &host.env, cases[i].text, n, &line);
    assert_non_null(why);
    assert_int_equal(line, cases[i].line);
    assert_non_null(strstr(why, cases[i].reason));
    assert_int_equal(file.n, 0);
    dmd_ignore_destroy(&file);
    host_done(&host);
  }
}

/* "x...x # r" of exactly n bytes. */
static char *long_line(size_t n) {
  char *text = malloc(n + 1);
  assert_non_null(text);
  memset(text, 'x', n);
  memcpy(text + n - 4, " # r", 5);
  return text;
}

static void lines_have_a_longest_length(void **state) {
  (void)state;
  for (size_t over = 0; over < 2; over++) {
    char *text = long_line(DMD_MAX_IGNORE_LINE + over);
    host_t host;
    host_init(&host);
    dmd_ignore_t file;
    uint64_t line = 0;
    const char *why = dmd_ignore_parse(&file, &host.env, text, DMD_MAX_IGNORE_LINE + over, &line);
    assert_int_equal(why == NULL, over == 0);
    if (over > 0)
      assert_int_equal(line, 1);
    dmd_ignore_destroy(&file);
    host_done(&host);
    free(text);
  }
}

/* Random text of the special characters never yields more patterns than there are lines. */
static void random_bytes_do_no_harm(void **state) {
  (void)state;
  static const char letters[] = "a #\\*?\n\r\t\xc3\xa9\xef";
  dice_t dice = {31};
  for (int i = 0; i < 20000; i++) {
    char text[64];
    size_t n = dice_below(&dice, sizeof text);
    for (size_t k = 0; k < n; k++)
      text[k] = letters[dice_below(&dice, sizeof letters)]; /* the NUL, too */
    host_t host;
    host_init(&host);
    dmd_ignore_t file;
    uint64_t line = 0;
    const char *why = dmd_ignore_parse(&file, &host.env, text, n, &line);
    if (why != NULL)
      assert_true(file.n == 0 && line >= 1 && line <= n + 1);
    for (size_t k = 0; k < file.n; k++) {
      assert_true(strlen(file.patterns[k].text) > 0);
      assert_true(strlen(file.patterns[k].reason) > 0);
    }
    dmd_ignore_destroy(&file);
    host_done(&host);
  }
}

/* ---- against a profile ---- */

typedef struct {
  fixture_t base;
  dmd_ignore_t file;
  uint32_t *ignored_by;
} ignoring_t;

/* Three stacks that a gate reports, and one that is fine. */
static void begin(ignoring_t *f, const char *patterns, dmd_mode_t mode) {
  fixture_begin(&f->base, mode);
  dmd_profile_t *p = &f->base.profile;
  uint32_t once = build_reports(p, 1, "r", NULL, NULL, NULL);
  uint32_t twice = build_reports(p, 2, "r", NULL, "s", NULL);
  build_blocks(p, 2, 90, 10, "malloc (m.c:1)|dark (a.c:2)|main (a.c:9)", DMD_NONE);
  build_blocks(p, 1, 7, 0, "malloc (m.c:1)|both (b.c:3)|main (a.c:9)", twice);
  build_blocks(p, 1, 1000, 0, "malloc (m.c:1)|fine (c.c:4)|main (a.c:9)", once);
  build_blocks(p, 3, 5, 0, "malloc (m.c:1)|lib[/l/lib.so +0x12]", DMD_NONE);
  build_blocks(p, 1, 64, 0, NULL, DMD_NONE);
  f->file = parsed(&f->base.host, patterns);
  f->ignored_by = dmd_ignore_apply(&f->file, p, true);
}

static void end(ignoring_t *f) {
  dmd_env_free(&f->base.host.env, f->ignored_by);
  dmd_ignore_destroy(&f->file);
  fixture_end(&f->base);
}

static uint32_t ignored_by(const ignoring_t *f, uint32_t group) {
  return f->ignored_by[dmd_groups_at(&f->base.profile.groups, group)->stack];
}

static void frames_or_functions_as_a_whole(void **state) {
  (void)state;
  ignoring_t f;
  begin(&f,
        "ark              # only a part\n"
        "dark (a.c:2)     # a frame as a whole\n"
        "both             # a function as a whole\n"
        "lib[*            # a frame\n"
        "fine             # matches, but there is nothing to ignore\n"
        "(a.c:2)          # the place alone is neither\n",
        DMD_MODE_DARK_MATTER);
  assert_int_equal(ignored_by(&f, 1), 2);
  assert_int_equal(ignored_by(&f, 2), 3);
  assert_int_equal(ignored_by(&f, 3), 0);
  assert_int_equal(ignored_by(&f, 4), 4);
  assert_int_equal(ignored_by(&f, 5), 0); /* no stack */
  static const bool used[] = {false, true, true, true, false, false};
  static const int64_t usable[] = {0, 200, 7, 15, 0, 0};
  static const int64_t num[] = {0, 2, 1, 3, 0, 0};
  for (size_t i = 0; i < f.file.n; i++) {
    assert_int_equal(f.file.patterns[i].used, used[i]);
    assert_int_equal(f.file.patterns[i].sum.bytes, usable[i]);
    assert_int_equal(f.file.patterns[i].sum.blocks, num[i]);
  }
  end(&f);
}

/* Owners that share a block are several reports, but the block is not reported twice. */
static void shared_blocks_are_nothing_to_ignore(void **state) {
  (void)state;
  static const char *const owners[] = {"a", "b", "c"};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 2, 90, 10, "common (a.c:2)|main (a.c:9)",
               build_shared(&f.profile, owners, COUNT_OF(owners)));
  dmd_ignore_t file = parsed(&f.host, "common # shared\n");
  uint32_t *ignored_by = dmd_ignore_apply(&file, &f.profile, true);
  assert_int_equal(ignored_by[dmd_groups_at(&f.profile.groups, 1)->stack], 0);
  assert_false(file.patterns[0].used);
  assert_int_equal(file.patterns[0].sum.bytes, 0);
  dmd_env_free(&f.host.env, ignored_by);
  dmd_ignore_destroy(&file);
  fixture_end(&f);
}

/* All blocks belong to the first pattern, but a later pattern that matches them is in use, too. */
static void the_first_pattern_takes_them(void **state) {
  (void)state;
  ignoring_t f;
  begin(&f, "main # all of ours\ndark # one of them\n", DMD_MODE_DARK_MATTER);
  assert_int_equal(ignored_by(&f, 1), 1);
  assert_int_equal(ignored_by(&f, 2), 1);
  assert_int_equal(ignored_by(&f, 4), 0);
  assert_int_equal(f.file.patterns[0].sum.bytes, 207);
  assert_int_equal(f.file.patterns[1].sum.bytes, 0);
  assert_true(f.file.patterns[1].used);
  end(&f);
}

static void other_modes_have_nothing_to_ignore(void **state) {
  (void)state;
  ignoring_t f;
  begin(&f, "* # everything\n", DMD_MODE_LIVE);
  assert_int_equal(ignored_by(&f, 1), 0);
  assert_false(f.file.patterns[0].used);
  end(&f);
}

static void without_counting_nothing_is_used(void **state) {
  (void)state;
  ignoring_t f;
  begin(&f, "nowhere # x\n", DMD_MODE_DARK_MATTER);
  dmd_ignore_destroy(&f.file);
  f.file = parsed(&f.base.host, "dark # x\n");
  uint32_t *again = dmd_ignore_apply(&f.file, &f.base.profile, false);
  assert_int_equal(again[dmd_groups_at(&f.base.profile.groups, 1)->stack], 1);
  assert_false(f.file.patterns[0].used);
  assert_int_equal(f.file.patterns[0].sum.blocks, 0);
  dmd_env_free(&f.base.host.env, again);
  end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_ignore_t file = parsed(host, "dark # x\nfine # y\n");
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  build_blocks(&p, 2, 90, 10, "malloc|dark|main", DMD_NONE);
  dmd_env_free(&host->env, dmd_ignore_apply(&file, &p, true));
  assert_true(file.patterns[0].used);
  dmd_profile_destroy(&p);
  dmd_ignore_destroy(&file);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_with_reasons),
      cmocka_unit_test(an_empty_file_has_none),
      cmocka_unit_test(what_is_wrong_is_said_with_its_line),
      cmocka_unit_test(lines_have_a_longest_length),
      cmocka_unit_test(random_bytes_do_no_harm),
      cmocka_unit_test(frames_or_functions_as_a_whole),
      cmocka_unit_test(shared_blocks_are_nothing_to_ignore),
      cmocka_unit_test(the_first_pattern_takes_them),
      cmocka_unit_test(other_modes_have_nothing_to_ignore),
      cmocka_unit_test(without_counting_nothing_is_used),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
