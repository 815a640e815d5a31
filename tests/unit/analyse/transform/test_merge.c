/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One profile of many: no blocks are lost, and the facts about the runs are joined. */
#include "fixture.h"

#include "analyse/transform/merge.h"

/* ---- Blocks, against a list of what they are. ---- */

enum { MAX_KINDS = 200, MAX_WORDS = 16384 };

typedef struct {
  char words[MAX_WORDS];
  uint64_t num;
} kind_t;

/* Adds each group's blocks to those that read alike. */
static size_t count_kinds(kind_t *kinds, size_t n, const dmd_profile_t *profile) {
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    dmd_group_t one = *dmd_groups_at(&profile->groups, id);
    uint64_t num = one.num;
    one.num = 1;
    sink_t sink;
    sink_init(&sink);
    spell_group(&sink.out, profile, &one);
    const char *words = sink_text(&sink);
    assert_true(strlen(words) < MAX_WORDS);
    size_t i = 0;
    while (i < n && strcmp(kinds[i].words, words) != 0)
      i++;
    assert_true(i < MAX_KINDS);
    if (i == n) {
      kinds[n].num = 0;
      strcpy(kinds[n++].words, words);
    }
    kinds[i].num += num;
    sink_free(&sink);
  }
  return n;
}

static uint64_t n_faults(const dmd_profile_t *profile) {
  uint64_t n = 0;
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    n += dmd_faults_at(&profile->faults, id)->num;
  return n;
}

static void random_against_a_list(void **state) {
  (void)state;
  static kind_t expected[MAX_KINDS], merged[MAX_KINDS];
  dice_t dice = {44};
  for (int round = 0; round < 30; round++) {
    host_t host;
    host_init(&host);
    dmd_merge_t merge;
    dmd_merge_init(&merge, &host.env);
    size_t n = 0;
    uint64_t faults = 0;
    bool fits = true;
    for (uint64_t i = 1 + dice_below(&dice, 3); i > 0; i--) {
      dmd_profile_t profile;
      dmd_profile_init(&profile, &host.env);
      fill_at_random(&profile, &dice);
      profile.mode = DMD_MODE_DARK_MATTER;
      n = count_kinds(expected, n, &profile);
      faults += n_faults(&profile);
      fits &= dmd_merge_add(&merge, &profile, NULL);
      dmd_profile_destroy(&profile);
    }
    size_t n_merged = count_kinds(merged, 0, &merge.profile);
    assert_int_equal(n_merged, n);
    for (size_t i = 0; i < n; i++) {
      /* The order is that of the first of their kind. */
      assert_string_equal(merged[i].words, expected[i].words);
      assert_true(merged[i].num == expected[i].num);
    }
    assert_true(!fits || n_faults(&merge.profile) == faults);
    dmd_merge_destroy(&merge);
    host_done(&host);
  }
}

/* ---- Runs. ---- */

static void fill_run(dmd_profile_t *p, const char *version, const char *label, uint64_t resident) {
  p->mode = DMD_MODE_LIVE;
  p->options = "--mode=live";
  p->run = (dmd_run_t){.is_known = true,
                       .version = version,
                       .valgrind_version = "3.19.0",
                       .command = "app",
                       .label = label,
                       .folder = "/home",
                       .host = "machine",
                       .time = label,
                       .trigger = "exit",
                       .pid = 7,
                       .dump_number = 2,
                       .word_szB = 8,
                       .sample_below = resident,
                       .n_allocs = 10,
                       .in_use_blocks = 3};
  p->memory.resident = resident;
  p->memory.heap_overhead = resident == 100 ? DMD_MEMORY_UNKNOWN : 5;
}

static void what_runs_say_is_joined(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  fill_run(&f.profile, "1.0", "a", 100);
  fill_run(&f.other, "1.1", "b", 300);
  f.other.run.partial_stacks = true;
  dmd_merge_t merge;
  dmd_merge_init(&merge, &f.host.env);
  dmd_profile_add_argument(&f.profile, "app");
  dmd_timeline_add_point(&f.profile.timeline, &(dmd_timepoint_t){.ms = 5, .szB = 61});
  assert_true(dmd_merge_add(&merge, &f.profile, NULL));
  assert_true(dmd_merge_add(&merge, &f.other, NULL));
  dmd_merge_finish(&merge);
  const dmd_run_t *run = &merge.profile.run;
  assert_true(run->is_known && run->partial_stacks);
  assert_string_equal(run->version, "mixed");
  assert_string_equal(run->valgrind_version, "3.19.0");
  assert_string_equal(run->command, "merged from 2 files");
  assert_string_equal(run->trigger, "merge");
  assert_null(run->label);
  assert_string_equal(run->folder, "/home");
  assert_string_equal(run->host, "machine");
  assert_null(run->time);
  assert_int_equal(dmd_profile_n_arguments(&merge.profile), 0);
  assert_string_equal(run->allocator, "unknown");
  assert_string_equal(merge.profile.options, "--mode=live");
  assert_int_equal(run->pid + run->dump_number, 0);
  assert_false(dmd_timeline_is_known(&merge.profile.timeline));
  assert_int_equal(run->n_allocs, 20);
  assert_int_equal(run->in_use_blocks, 6);
  assert_int_equal(run->sample_below, 300);
  assert_int_equal(merge.profile.memory.resident, 400);
  assert_true(merge.profile.memory.heap_overhead == DMD_MEMORY_UNKNOWN);
  assert_true(merge.profile.memory.resident_unique == DMD_MEMORY_UNKNOWN);
  dmd_merge_destroy(&merge);
  fixture_end(&f);
}

static void one_of_another_program_makes_all_unknown(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  fill_run(&f.profile, "1.0", "a", 100);
  dmd_merge_t merge;
  dmd_merge_init(&merge, &f.host.env);
  assert_true(dmd_merge_add(&merge, &f.profile, NULL));
  assert_true(merge.profile.run.is_known);
  assert_true(dmd_merge_add(&merge, &f.other, NULL));
  assert_false(merge.profile.run.is_known);
  dmd_merge_destroy(&merge);
  fixture_end(&f);
}

/* ---- Limits. ---- */

typedef void (*fill_fn)(dmd_profile_t *p);

static void fill_bytes(dmd_profile_t *p) {
  build_blocks(p, 1 << 10, INT64_C(1) << 50, 0, "new", DMD_NONE);
}

static void fill_count(dmd_profile_t *p) {
  build_blocks(p, INT64_C(1) << 52, 1, 0, "new", DMD_NONE);
}

static void fill_allocs(dmd_profile_t *p) {
  p->run.n_allocs = UINT64_C(1) << 52;
}

static void fill_faults(dmd_profile_t *p) {
  build_fault(p, DMD_FAULT_INVALID_FREE, UINT64_C(1) << 52, "free", NULL);
}

static void fill_hint(dmd_profile_t *p) {
  build_hint(p, "new", DMD_REFERRER_REPORTED, "a", "r", 8, UINT64_C(1) << 52);
}

static void fill_runs(dmd_profile_t *p) {
  dmd_reporter_runs_add(&p->reporter_runs, dmd_intern_str(&p->names, "a"), UINT64_C(1) << 51);
  dmd_reporter_runs_add(&p->reporter_runs, dmd_intern_str(&p->names, "b"), UINT64_C(1) << 51);
}

static void fill_resident(dmd_profile_t *p) {
  p->memory.resident = UINT64_C(1) << 52;
}

static void fill_process(dmd_profile_t *p) {
  dmd_footprint_t memory = {UINT64_C(1) << 52, 1, 1, 1};
  dmd_profile_add_process(p, "app", &memory);
}

/* Two are exactly what fits, and a third is too much. */
static void no_more_than_a_file_may_hold(void **state) {
  (void)state;
  static const fill_fn fills[] = {fill_bytes, fill_count, fill_allocs,  fill_faults,
                                  fill_hint,  fill_runs,  fill_process, fill_resident};
  for (size_t i = 0; i < COUNT_OF(fills); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    fills[i](&f.profile);
    dmd_merge_t merge;
    dmd_merge_init(&merge, &f.host.env);
    assert_true(dmd_merge_add(&merge, &f.profile, NULL));
    assert_true(dmd_merge_add(&merge, &f.profile, NULL));
    assert_false(dmd_merge_add(&merge, &f.profile, NULL));
    dmd_merge_destroy(&merge);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t p;
  dmd_profile_init(&p, &host->env);
  fill_run(&p, "1.0", "a", 100);
  build_blocks(&p, 2, 90, 10, "new|main", build_reports(&p, 1, "r", "explicit/a", NULL, NULL));
  fill_faults(&p);
  fill_hint(&p);
  dmd_merge_t merge;
  dmd_merge_init(&merge, &host->env);
  assert_true(dmd_merge_add(&merge, &p, NULL));
  assert_true(dmd_merge_add(&merge, &p, NULL));
  dmd_merge_finish(&merge);
  assert_int_equal(dmd_groups_at(&merge.profile.groups, 1)->num, 4);
  dmd_merge_destroy(&merge);
  dmd_profile_destroy(&p);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(what_runs_say_is_joined),
      cmocka_unit_test(one_of_another_program_makes_all_unknown),
      cmocka_unit_test(no_more_than_a_file_may_hold),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
