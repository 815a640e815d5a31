/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Smaller profiles: all sums other than those by stack stay.
 */
#include "fixture.h"

#include "analyse/transform/reduce.h"
#include "model/profile/profile.h"

#include <stdio.h>

enum { PROFILES = 300, MAX_KEYS = 400, MAX_WORDS = 4096 };

static const dmd_reduce_limits_t no_limits = {.max_groups = UINT64_MAX, .max_frames = UINT64_MAX};

/* Blocks by all that reducing keeps, in words. */
typedef struct {
  char words[MAX_WORDS];
  uint64_t num, req, slop;
} tally_t;

static void spell_key(char words[MAX_WORDS], const dmd_profile_t *p, const dmd_group_t *g) {
  size_t n = 0;
  n += (size_t)snprintf(words + n, MAX_WORDS - n, "tag %s, thread %d, sampled %d",
                        g->tag == DMD_NONE ? "-" : dmd_intern_get_str(&p->tags, g->tag), g->thread,
                        g->sampled);
  bool shared = g->reports != DMD_NONE && dmd_reports_are_shared(&p->reports, g->reports);
  if (g->reports != DMD_NONE && !shared)
    n += (size_t)snprintf(words + n, MAX_WORDS - n, ", %u reports",
                          dmd_reports_at(&p->reports, g->reports)->count);
  dmd_report_walk_t walk = dmd_reports_walk(&p->reports, g->reports);
  while (dmd_reports_next(&walk))
    if (!shared || walk.report->reporter != DMD_NONE)
      n += (size_t)snprintf(words + n, MAX_WORDS - n, ", by %s",
                            walk.report->reporter == DMD_NONE
                                ? "-"
                                : dmd_intern_get_str(&p->names, walk.report->reporter));
  assert_true(n < MAX_WORDS);
}

static int by_words(const void *a, const void *b) {
  return strcmp(((const tally_t *)a)->words, ((const tally_t *)b)->words);
}

static size_t tally(tally_t *keys, const dmd_profile_t *p) {
  size_t n = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&p->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&p->groups, id);
    char words[MAX_WORDS];
    size_t i = 0;
    spell_key(words, p, g);
    while (i < n && strcmp(keys[i].words, words) != 0)
      i++;
    assert_true(i < MAX_KEYS);
    if (i == n) {
      keys[n] = (tally_t){.num = 0};
      strcpy(keys[n++].words, words);
    }
    keys[i].num += g->num;
    keys[i].req += g->num * g->req;
    keys[i].slop += g->num * g->slop;
  }
  qsort(keys, n, sizeof *keys, by_words);
  return n;
}

static uint64_t bytes_of(const dmd_profile_t *p, bool smaller) {
  uint64_t bytes = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&p->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&p->groups, id);
    size_t n;
    const uint32_t *frames = dmd_profile_frames(p, g->stack, &n);
    bool is_smaller =
        n > 0 && strcmp(dmd_frames_text(&p->frames, frames[0]), DMD_SMALLER_RECORDS) == 0;
    if (is_smaller == smaller)
      bytes += (uint64_t)dmd_group_usable(p, g);
  }
  return bytes;
}

/* Adds up the blocks of the peak, or those that are not of it, in both lists. */
static void sum_peak(const dmd_profile_t *p, uint64_t sums[2][3]) {
  const dmd_groups_t *lists[] = {&p->groups, &p->gone};
  memset(sums, 0, 2 * sizeof *sums);
  for (int i = 0; i < 2; i++)
    for (uint32_t id = 1; id <= dmd_groups_count(lists[i]); id++) {
      const dmd_group_t *g = dmd_groups_at(lists[i], id);
      sums[g->after_peak][0] += g->num;
      sums[g->after_peak][1] += g->num * g->req;
      sums[g->after_peak][2] += i == 0 ? g->num : 0;
    }
}

static void both_moments_stay(void **state) {
  (void)state;
  dice_t dice = {11};
  unsigned n_peaks = 0;
  for (int i = 0; i < PROFILES; i++) {
    fixture_t f;
    uint64_t before[2][3], after[2][3];
    fixture_begin(&f, DMD_MODE_LIVE);
    fill_at_random(&f.profile, &dice);
    add_times_at_random(&f.profile, &dice);
    f.profile.mode = DMD_MODE_LIVE;
    dmd_reduce_limits_t limits = {.max_groups = dice_below(&dice, 30),
                                  .max_frames = dice_below(&dice, 30)};
    dmd_reduce(&f.other, &f.profile, &limits);
    assert_int_equal(f.other.has_peak, f.profile.has_peak);
    sum_peak(&f.profile, before);
    sum_peak(&f.other, after);
    assert_memory_equal(before, after, sizeof before);
    n_peaks += f.profile.has_peak;
    fixture_end(&f);
  }
  assert_true(n_peaks > PROFILES / 4);
}

static void sums_stay(void **state) {
  (void)state;
  static tally_t before[MAX_KEYS], after[MAX_KEYS];
  dice_t dice = {9};
  unsigned n_reduced = 0;
  for (int i = 0; i < PROFILES; i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    f.profile.mode = DMD_MODE_DARK_MATTER;
    dmd_reduce_limits_t limits = {.max_groups = dice_below(&dice, 30),
                                  .max_frames = dice_below(&dice, 30)};
    dmd_reduced_t reduced = dmd_reduce(&f.other, &f.profile, &limits);
    size_t n = tally(before, &f.profile);
    assert_int_equal(tally(after, &f.other), n);
    for (size_t k = 0; k < n; k++) {
      assert_string_equal(after[k].words, before[k].words);
      assert_true(after[k].num == before[k].num && after[k].req == before[k].req &&
                  after[k].slop == before[k].slop);
    }
    assert_true(bytes_of(&f.other, true) == reduced.bytes);
    n_reduced += reduced.groups > 0;
    /* Three groups may be left of each key, in two processes or more. */
    assert_true(dmd_reduce_is_needed(&f.profile, &limits) || reduced.groups == 0);
    fixture_end(&f);
  }
  assert_true(n_reduced > PROFILES / 2);
}

static void without_limits_all_is_as_it_was(void **state) {
  (void)state;
  dice_t dice = {10};
  for (int i = 0; i < PROFILES; i++) {
    fixture_t f;
    sink_t a, b;
    fixture_begin(&f, DMD_MODE_LIVE);
    fill_at_random(&f.profile, &dice);
    if (f.profile.mode == DMD_MODE_SCAN) { /* which has more than is compared here */
      fixture_end(&f);
      continue;
    }
    assert_false(dmd_reduce_is_needed(&f.profile, &no_limits));
    assert_int_equal(dmd_reduce(&f.other, &f.profile, &no_limits).groups, 0);
    sink_init(&a);
    sink_init(&b);
    spell_groups(&a.out, &f.profile);
    spell_groups(&b.out, &f.other);
    assert_text_equal(sink_text(&b), sink_text(&a));
    assert_int_equal(dmd_faults_count(&f.other.faults), dmd_faults_count(&f.profile.faults));
    assert_int_equal(dmd_memreports_count(&f.other.memreports),
                     dmd_memreports_count(&f.profile.memreports));
    sink_free(&a);
    sink_free(&b);
    fixture_end(&f);
  }
}

/* The largest stack fits, the next one has too many frames, and a smaller one fits into the
 * rest. */
static void largest_first(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  build_blocks(&f.profile, 1, 100, 0, "tiny|main", DMD_NONE);
  build_blocks(&f.profile, 1, 4000, 0, "large|main", DMD_NONE);
  build_blocks(&f.profile, 1, 3000, 0, "deep|a|b|c|main", DMD_NONE);
  build_blocks(&f.profile, 2, 10, 3, "tiny|other", DMD_NONE);
  dmd_reduce_limits_t limits = {.max_groups = 3, .max_frames = 4};
  assert_true(dmd_reduce_is_needed(&f.profile, &limits));
  dmd_reduced_t reduced = dmd_reduce(&f.other, &f.profile, &limits);
  assert_int_equal(reduced.stacks, 2);
  assert_int_equal(reduced.groups, 2);
  assert_int_equal(reduced.bytes, 3026);
  /* 3 blocks of 3,020 requested and 6 further bytes: 2 of 1,007 and 1 of 1,006, each with 2. */
  assert_int_equal(dmd_groups_count(&f.other.groups), 4);
  static const struct {
    uint64_t num, req, slop;
    const char *stack;
  } expected[] = {{1, 100, 0, "tiny|main"},
                  {1, 4000, 0, "large|main"},
                  {2, 1007, 2, DMD_SMALLER_RECORDS},
                  {1, 1006, 2, DMD_SMALLER_RECORDS}};
  for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
    const dmd_group_t *g = dmd_groups_at(&f.other.groups, i + 1);
    assert_int_equal(g->num, expected[i].num);
    assert_int_equal(g->req, expected[i].req);
    assert_int_equal(g->slop, expected[i].slop);
    assert_string_equal(stack_text(&f.other, g->stack), expected[i].stack);
  }
  f.profile.mode = DMD_MODE_SCAN;
  assert_false(dmd_reduce_is_needed(&f.profile, &limits));
  fixture_end(&f);
}

static void processes_stay_apart(void **state) {
  (void)state;
  static const dmd_footprint_t memory = {.resident = 1};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  dmd_profile_add_process(&f.profile, "p (pid 1)", &memory);
  dmd_profile_add_process(&f.profile, "q (pid 2)", &memory);
  build_blocks(&f.profile, 1, 8, 0, "a|p (pid 1)", DMD_NONE);
  build_blocks(&f.profile, 1, 16, 0, "b|q (pid 2)", DMD_NONE);
  build_blocks(&f.profile, 1, 24, 0, "c|q (pid 2)", DMD_NONE);
  dmd_reduce(&f.other, &f.profile, &(dmd_reduce_limits_t){0});
  assert_int_equal(dmd_intern_count(&f.other.processes), 2);
  assert_int_equal(dmd_groups_count(&f.other.groups), 2);
  assert_string_equal(stack_text(&f.other, dmd_groups_at(&f.other.groups, 1)->stack),
                      DMD_SMALLER_RECORDS "|p (pid 1)");
  assert_string_equal(stack_text(&f.other, dmd_groups_at(&f.other.groups, 2)->stack),
                      DMD_SMALLER_RECORDS "|q (pid 2)");
  assert_int_equal(dmd_groups_at(&f.other.groups, 2)->num, 2);
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t from, to;
  dmd_profile_init(&from, &host->env);
  dmd_profile_init(&to, &host->env);
  build_blocks(&from, 1, 8, 0, "a|b", build_reports(&from, 1, "c", "explicit/x", NULL, NULL));
  build_blocks(&from, 1, 16, 0, "b", DMD_NONE);
  dmd_reduce(&to, &from, &(dmd_reduce_limits_t){.max_groups = 1, .max_frames = 9});
  dmd_profile_destroy(&to);
  dmd_profile_destroy(&from);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_stay),
      cmocka_unit_test(both_moments_stay),
      cmocka_unit_test(without_limits_all_is_as_it_was),
      cmocka_unit_test(largest_first),
      cmocka_unit_test(processes_stay_apart),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
