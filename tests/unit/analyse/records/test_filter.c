/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records picked by the text of their stacks, against the C library's strstr. */
#include "fixture.h"

#include "analyse/records/filter.h"

#include <stdio.h>

static bool passes(const fixture_t *f, const char *text) {
  const dmd_section_records_t *s = &f->records.section[DMD_SECTION_ALL];
  assert_int_equal(s->n, 1);
  dmd_filter_t filter;
  dmd_filter_init(&filter, &f->profile, text);
  bool passes = dmd_filter_passes(&filter, &f->records, dmd_records_at(&f->records, s->ids[0]));
  dmd_filter_destroy(&filter);
  return passes;
}

/* Each printed line of the stack, searched by itself. */
static bool naive_contains(const char *const *frames, size_t n, const char *text) {
  for (size_t i = 0; i < n; i++) {
    char line[64];
    snprintf(line, sizeof line, "    #%02zu: %s", i + 1, frames[i]);
    if (strstr(line, text) != NULL)
      return true;
  }
  return false;
}

static void random_against_strstr(void **state) {
  (void)state;
  enum { MAX_FRAMES = 12 };
  static const char *const pieces[] = {"a", "b", "!", "\\", " ", "#", "0", "1", ": ", "    #01"};
  dice_t dice = {23};
  int n_passed = 0;
  for (int i = 0; i < 20000; i++) {
    const char *frames[MAX_FRAMES];
    char stack[128] = "", filter[32] = "";
    size_t n = 1 + (size_t)dice_below(&dice, MAX_FRAMES);
    for (size_t k = 0; k < n; k++) {
      frames[k] = pieces[dice_below(&dice, COUNT_OF(pieces))];
      sprintf(stack + strlen(stack), "%s%s", k > 0 ? "|" : "", frames[k]);
    }
    for (uint64_t k = dice_below(&dice, 4); k > 0; k--)
      strcat(filter, pieces[dice_below(&dice, COUNT_OF(pieces))]);
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    build_blocks(&f.profile, 1, 8, 0, stack, DMD_NONE);
    fixture_records(&f, MAX_FRAMES, DMD_SORT_USABLE);
    bool negative = filter[0] == '!', quoted = filter[0] == '\\';
    bool expected = naive_contains(frames, n, filter + (negative || quoted)) != negative;
    assert_int_equal(passes(&f, filter), expected);
    n_passed += expected;
    fixture_end(&f);
  }
  assert_true(n_passed > 2000 && n_passed < 18000);
}

static void no_stack_contains_nothing(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 8, 0, NULL, DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  assert_false(passes(&f, ""));
  assert_true(passes(&f, "!"));
  fixture_end(&f);
}

/* A text can be copied from a narrow cell into the filter. */
static void frames_in_brief(void **state) {
  (void)state;
  static const char *const found[] = {"lua5.4+0x1f", "?\?\?[/usr/bin/lua5.4 +0x1f]",
                                      "#02: lua5.4+"};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 8, 0, "grow|?\?\?[/usr/bin/lua5.4 +0x1f]", DMD_NONE);
  fixture_records(&f, 8, DMD_SORT_USABLE);
  for (size_t i = 0; i < COUNT_OF(found); i++)
    assert_true(passes(&f, found[i]));
  assert_false(passes(&f, "bin/lua5.4+0x1f"));
  fixture_end(&f);
}

/* Whether the text ends as the pattern requires; counts the calls. */
static bool ends_with(void *ctx, const char *pattern, const char *text) {
  ++*(int *)ctx;
  size_t n = strlen(text), m = strlen(pattern);
  return n >= m && strcmp(text + n - m, pattern) == 0;
}

/* Each frame is looked at once, and by its text alone. */
static void patterns_of_the_host(void **state) {
  (void)state;
  static const struct {
    const char *pattern;
    uint32_t n;
  } cases[] = {{"cd", 2}, {"!cd", 1}, {"a", 1}, {": ab", 0}, {"#01", 0}, {"\\", 3}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    build_blocks(&f.profile, 1, 8, 0, "ab|cd", DMD_NONE);
    build_blocks(&f.profile, 1, 8, 0, "ab|cd", build_reports(&f.profile, 1, "r", NULL, NULL, NULL));
    build_blocks(&f.profile, 1, 8, 0, "ba|ab", DMD_NONE);
    fixture_records(&f, 8, DMD_SORT_USABLE);
    int n_asked = 0;
    dmd_filter_t filter;
    dmd_filter_init_matching(&filter, &f.profile, cases[i].pattern, ends_with, &n_asked);
    dmd_records_filter(&f.records, dmd_filter_passes, &filter);
    assert_int_equal(f.records.section[DMD_SECTION_UNREPORTED].n +
                         f.records.section[DMD_SECTION_ONCE].n,
                     cases[i].n);
    assert_true(n_asked <= 3);
    dmd_filter_destroy(&filter);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  build_blocks(&p, 1, 8, 0, "a function with a name that takes room|main", DMD_NONE);
  dmd_records_t records;
  dmd_records_init(&records, &p, 8, DMD_SORT_USABLE);
  dmd_filter_t filter;
  dmd_filter_init(&filter, &p, "main");
  dmd_records_filter(&records, dmd_filter_passes, &filter);
  dmd_filter_destroy(&filter);
  dmd_records_destroy(&records);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_strstr), cmocka_unit_test(no_stack_contains_nothing),
      cmocka_unit_test(frames_in_brief),       cmocka_unit_test(patterns_of_the_host),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
