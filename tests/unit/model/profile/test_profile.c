/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

/* These words are in existing files: a failure here means that the format changed. */
static void words_of_the_file_format(void **state) {
  (void)state;
  assert_string_equal(dmd_mode_name(DMD_MODE_DARK_MATTER), "dark-matter");
  assert_string_equal(dmd_mode_name(DMD_MODE_LIVE), "live");
  assert_string_equal(dmd_mode_name(DMD_MODE_CUMULATIVE), "cumulative");
  assert_string_equal(dmd_mode_name(DMD_MODE_SCAN), "scan");
  static const char *const names[] = {"invalid-free", "invalid-realloc", "report-interior",
                                      "report-no-block", "scope-underflow"};
  assert_true(DMD_N_FAULTS >= COUNT_OF(names));
  for (unsigned i = 0; i < COUNT_OF(names); i++)
    assert_string_equal(dmd_fault_name(i), names[i]);
}

/* Each entry of the tables has both names, and they are unique. */
static void every_fault_has_words(void **state) {
  (void)state;
  for (unsigned i = 0; i < DMD_N_FAULTS; i++) {
    assert_true(strlen(dmd_fault_name(i)) > 0);
    assert_true(strlen(dmd_fault_text(i)) > 0);
    for (unsigned j = 0; j < i; j++) {
      assert_string_not_equal(dmd_fault_name(i), dmd_fault_name(j));
      assert_string_not_equal(dmd_fault_text(i), dmd_fault_text(j));
    }
  }
}

static void stacks_and_frames(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  uint32_t deep = build_stack(&f.profile, "a|b|c");
  uint32_t shallow = build_stack(&f.profile, "a|b");
  uint32_t empty = build_stack(&f.profile, "");
  assert_int_equal(build_stack(&f.profile, "a|b|c"), deep);
  assert_true(deep != shallow && shallow != empty && empty != DMD_NONE);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&f.profile, deep, &n);
  assert_int_equal(n, 3);
  assert_string_equal(dmd_frames_text(&f.profile.frames, frames[0]), "a");
  assert_string_equal(dmd_frames_text(&f.profile.frames, frames[2]), "c");
  dmd_profile_frames(&f.profile, shallow, &n);
  assert_int_equal(n, 2);
  dmd_profile_frames(&f.profile, empty, &n);
  assert_int_equal(n, 0);
  assert_null(dmd_profile_frames(&f.profile, DMD_NONE, &n));
  assert_int_equal(n, 0);
  assert_int_equal(dmd_frames_count(&f.profile.frames), 3);
  fixture_end(&f);
}

static void kept_strings_outlive_their_origin(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  char label[] = "after start-up";
  const char *kept = dmd_profile_keep(&f.profile, label);
  assert_ptr_not_equal(kept, label);
  memset(label, 'x', sizeof label - 1);
  assert_string_equal(kept, "after start-up");
  assert_null(dmd_profile_keep(&f.profile, NULL));
  fixture_end(&f);
}

static void a_new_one_is_empty(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_profile_t profile;
  memset(&profile, 0xee, sizeof profile);
  dmd_profile_init(&profile, &host.env);
  assert_int_equal(profile.mode, DMD_MODE_DARK_MATTER);
  assert_null(profile.options);
  assert_false(profile.run.is_known);
  assert_int_equal(dmd_groups_count(&profile.groups), 0);
  assert_int_equal(dmd_faults_count(&profile.faults), 0);
  dmd_profile_destroy(&profile);
  assert_int_equal(host.n_calls, 0);
  host_done(&host);
}

static void sampled_only_where_a_run_says_so(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  f.profile.run.sample_below = 64;
  assert_false(dmd_profile_is_sampled(&f.profile));
  f.profile.run.is_known = true;
  assert_true(dmd_profile_is_sampled(&f.profile));
  f.profile.run.sample_below = 0;
  assert_false(dmd_profile_is_sampled(&f.profile));
  fixture_end(&f);
}

static void faults_are_kept_in_order(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  for (uint32_t i = 1; i <= 10; i++)
    dmd_faults_add(&f.profile.faults,
                   &(dmd_fault_t){.num = i * 100, .kind = i % 3, .stack = i, .reporter = i * 2});
  assert_int_equal(dmd_faults_count(&f.profile.faults), 10);
  for (uint32_t i = 1; i <= 10; i++) {
    const dmd_fault_t *fault = dmd_faults_at(&f.profile.faults, i);
    assert_int_equal(fault->num, i * 100);
    assert_int_equal(fault->kind, i % 3);
    assert_int_equal(fault->stack, i);
    assert_int_equal(fault->reporter, i * 2);
  }
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  uint32_t reports = build_reports(&profile, 1, "r|s", "explicit/x", NULL, NULL);
  build_tagged(&profile, 3, 10, 6, "a|b", reports, "tag");
  dmd_profile_keep(&profile, "label");
  dmd_faults_add(&profile.faults, &(dmd_fault_t){.num = 1});
  dmd_profile_destroy(&profile);
}

/* Five sequences (texts of frames and their functions are two) take four allocations each: a list
 * and a segment of entries, an index, a chunk. Reports, groups, faults and frames take a list, a
 * segment and an index; what finds the first frame of a text, a list and a segment. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 5 * 4 + 4 * 3 + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_of_the_file_format),
      cmocka_unit_test(every_fault_has_words),
      cmocka_unit_test(stacks_and_frames),
      cmocka_unit_test(kept_strings_outlive_their_origin),
      cmocka_unit_test(a_new_one_is_empty),
      cmocka_unit_test(sampled_only_where_a_run_says_so),
      cmocka_unit_test(faults_are_kept_in_order),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
