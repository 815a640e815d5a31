/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot_fixture.h"

#include <stdio.h>

static const dmd_place_t nowhere;
static const dmd_scope_end_t innermost;

static void equal_blocks_are_one_group(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_LIVE);
  snapshot_alloc(&f, 0x3000, 100, 2);
  snapshot_alloc(&f, 0x1000, 100, 1); /* stacks come in address order: this has the first */
  snapshot_alloc(&f, 0x2000, 100, 1);
  snapshot_alloc(&f, 0x4000, 48, 1);
  snapshot_alloc_in(&f, 2, 0x5000, 100, 1);
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 4);
  const dmd_group_t *g = snapshot_group(&f, 1);
  assert_true(g->req == 100 && g->slop == 4 && g->num == 2 && g->thread == 1);
  assert_string_equal(snapshot_stack_text(&f, g->stack), "f1");
  /* Groups of one stack are adjacent. */
  assert_true(snapshot_group(&f, 2)->req == 48 && snapshot_group(&f, 2)->slop == 0 &&
              snapshot_group(&f, 2)->stack == g->stack);
  assert_true(snapshot_group(&f, 3)->thread == 2 && snapshot_group(&f, 3)->stack == g->stack);
  g = snapshot_group(&f, 4);
  assert_true(g->num == 1);
  assert_string_equal(snapshot_stack_text(&f, g->stack), "f2");
  assert_int_equal(f.n_resolved, 2); /* once each, and the third not at all */
  snapshot_end(&f);
}

static void stacks_that_look_alike_are_one(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_LIVE);
  snapshot_alloc(&f, 0x1000, 16, 2000);
  snapshot_alloc(&f, 0x2000, 16, 5000);
  snapshot_alloc(&f, 0x3000, 16, DMD_NONE);
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  assert_int_equal(snapshot_group(&f, 1)->stack, DMD_NONE);
  assert_int_equal(snapshot_group(&f, 2)->num, 2);
  assert_int_equal(f.n_resolved, 2);
  snapshot_end(&f);
}

static void reports_tags_and_names(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_live_push_tag(&f.live, 1, "unused", nowhere);
  dmd_live_push_tag(&f.live, 1, "lua", nowhere);
  snapshot_alloc(&f, 0x1000, 16, 1);
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, nowhere);
  dmd_live_report(&f.live, 1, 0x1000, 30, DMD_REPORT_ON_ALLOC, DMD_NONE);
  dmd_live_abandon_reporter(&f.live, 1, innermost);
  for (int i = 0; i < 4; i++)
    dmd_live_report(&f.live, 1, 0x1000, 31, 0, DMD_NONE);
  dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 1, 32);
  snapshot_take(&f);
  const dmd_group_t *g = snapshot_group(&f, 1);
  assert_string_equal(dmd_intern_get_str(&f.profile.tags, g->tag), "lua");
  const dmd_report_set_t *set = dmd_reports_at(&f.profile.reports, g->reports);
  assert_int_equal(set->count, 5);
  assert_string_equal(snapshot_stack_text(&f, set->report[0].stack), "f30");
  assert_string_equal(dmd_intern_get_str(&f.profile.names, set->report[0].reporter), "explicit/a");
  assert_string_equal(snapshot_stack_text(&f, set->report[1].stack), "f31");
  assert_int_equal(set->report[1].reporter, DMD_NONE);
  assert_int_equal(dmd_intern_count(&f.profile.tags), 1);
  assert_int_equal(dmd_faults_count(&f.profile.faults), 1);
  assert_string_equal(snapshot_stack_text(&f, dmd_faults_at(&f.profile.faults, 1)->stack), "f32");
  assert_int_equal(f.n_resolved, 4); /* f1, f30, f31, f32 */
  snapshot_end(&f);
}

/* All owners, each once; equal ones of two blocks are one set. */
static void shared_sets(void **state) {
  (void)state;
  enum { OWNERS = 150 };
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  for (uint64_t addr = 0x1000; addr <= 0x2000; addr += 0x1000) {
    snapshot_alloc(&f, addr, 16, 1);
    for (uint32_t i = 0; i < OWNERS; i++) {
      char path[32];
      snprintf(path, sizeof path, "explicit/%u", (unsigned)i);
      dmd_live_begin_reporter(&f.live, 1, path, false, nowhere);
      for (uint32_t times = 0; times <= i % 3; times++)
        dmd_live_report(&f.live, 1, addr, 20 + i % 20, DMD_REPORT_SHARED, DMD_NONE);
      dmd_live_abandon_reporter(&f.live, 1, innermost);
    }
  }
  snapshot_alloc(&f, 0x3000, 16, 1);
  dmd_live_report(&f.live, 1, 0x3000, 20, DMD_REPORT_SHARED, DMD_NONE);
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  const dmd_reports_t *reports = &f.profile.reports;
  uint32_t id = snapshot_group(&f, 1)->reports;
  assert_int_equal(snapshot_group(&f, 1)->num, 2);
  assert_true(dmd_reports_are_shared(reports, id));
  assert_int_equal(dmd_reports_n_kept(reports, id), OWNERS);
  dmd_report_t list[OWNERS];
  dmd_reports_list(reports, id, list);
  for (uint32_t i = 0; i < OWNERS; i++) {
    char text[32];
    snprintf(text, sizeof text, "f%u", (unsigned)i % 20 + 20);
    assert_string_equal(snapshot_stack_text(&f, list[i].stack), text);
    snprintf(text, sizeof text, "explicit/%u", (unsigned)i);
    assert_string_equal(dmd_intern_get_str(&f.profile.names, list[i].reporter), text);
  }
  id = snapshot_group(&f, 2)->reports;
  assert_true(dmd_reports_are_shared(reports, id));
  assert_int_equal(dmd_reports_n_kept(reports, id), 1);
  snapshot_end(&f);
}

/* All fields of a fault, with the profile's ids. The host's names and stacks are encountered in
 * another order than the profile's. */
static void faults_with_all_they_say(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  dmd_intern_t *names = &f.live.reporter_names;
  dmd_intern_str(names, "unused");
  uint32_t memory = dmd_intern_str(names, "memory"), scope = dmd_intern_str(names, "scope");
  uint32_t other = dmd_intern_str(names, "other"), reporter = dmd_intern_str(names, "reporter");
  dmd_fault_t fault = {.num = 3,
                       .kind = DMD_FAULT_CLAIM,
                       .stack = 9,
                       .reporter = reporter,
                       .reason = DMD_REASON_REPORTS_TWICE,
                       .allocated = 8,
                       .freed = 7,
                       .reported = 6,
                       .other_reporter = other,
                       .scope = scope,
                       .memory = memory,
                       .bytes = 1,
                       .claimed = 2,
                       .measured = 3,
                       .size = 4,
                       .offset = 5,
                       .length = 6};
  dmd_faults_add(&f.live.faults, &fault);
  dmd_faults_add(&f.live.faults, &(dmd_fault_t){.num = 1, .kind = DMD_FAULT_REPORT_FREED});
  snapshot_take(&f);
  assert_int_equal(dmd_faults_count(&f.profile.faults), 2);
  const dmd_fault_t *to = dmd_faults_at(&f.profile.faults, 1);
  assert_string_equal(snapshot_stack_text(&f, to->stack), "f9");
  assert_string_equal(snapshot_stack_text(&f, to->allocated), "f8");
  assert_string_equal(snapshot_stack_text(&f, to->freed), "f7");
  assert_string_equal(snapshot_stack_text(&f, to->reported), "f6");
  assert_string_equal(dmd_intern_get_str(&f.profile.names, to->reporter), "reporter");
  assert_string_equal(dmd_intern_get_str(&f.profile.names, to->other_reporter), "other");
  assert_string_equal(dmd_intern_get_str(&f.profile.names, to->scope), "scope");
  assert_string_equal(dmd_intern_get_str(&f.profile.names, to->memory), "memory");
  assert_true(to->num == 3 && to->kind == fault.kind && to->reason == fault.reason);
  assert_true(to->bytes == 1 && to->claimed == 2 && to->measured == 3);
  assert_true(to->size == 4 && to->offset == 5 && to->length == 6);
  to = dmd_faults_at(&f.profile.faults, 2);
  assert_true(to->stack == DMD_NONE && to->freed == DMD_NONE && to->reporter == DMD_NONE);
  assert_int_equal(dmd_intern_count(&f.profile.names), 4);
  snapshot_end(&f);
}

/* Reported equally, but one of them on allocation: a difference that profiles do not record. */
static void on_allocation_makes_no_difference(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_alloc(&f, 0x1000, 16, 1);
  snapshot_alloc(&f, 0x2000, 16, 1);
  dmd_live_report(&f.live, 1, 0x1000, 2, DMD_REPORT_ON_ALLOC, DMD_NONE);
  dmd_live_report(&f.live, 1, 0x2000, 2, 0, DMD_NONE);
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 1);
  assert_int_equal(snapshot_group(&f, 1)->num, 2);
  snapshot_end(&f);
}

static void totals_of_the_run(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                             .allocator = DMD_ALLOCATOR_EXACT,
                                             .word_szB = 4,
                                             .partial_stacks = true,
                                             .sample_below = 10,
                                             .seed = 99});
  snapshot_alloc(&f, 0x1000, 100, 1);
  snapshot_alloc(&f, 0x2000, 50, 1);
  snapshot_alloc(&f, 0x3000, 25, 1);
  dmd_live_report(&f.live, 1, 0x2000, 2, 0, DMD_NONE);
  assert_int_equal(dmd_live_remove(&f.live, 0x2000, DMD_NONE), DMD_REMOVE_MEMORY);
  assert_int_equal(dmd_live_remove(&f.live, 0x2000, DMD_NONE), DMD_REMOVE_FAILED);
  snapshot_take(&f);
  const dmd_run_t *run = &f.profile.run;
  assert_int_equal(f.profile.mode, DMD_MODE_DARK_MATTER);
  assert_true(run->is_known);
  assert_string_equal(run->allocator, "exact");
  assert_string_equal(run->allocator_chosen, "option");
  f.live.config.allocator_is_auto = true;
  snapshot_take(&f);
  assert_string_equal(run->allocator_chosen, "auto");
  assert_int_equal(run->word_szB, 4);
  assert_true(run->partial_stacks);
  assert_int_equal(run->sample_below, 10);
  assert_int_equal(run->seed, 99);
  assert_int_equal(run->n_allocs, 3);
  assert_int_equal(run->n_frees, 2);
  assert_int_equal(run->alloc_szB, 175);
  assert_int_equal(run->in_use_szB, 125);
  assert_int_equal(run->in_use_blocks, 2);
  assert_int_equal(run->freed_reported, 1);
  snapshot_end(&f);
}

/* 95 bytes in blocks of 5, sampled below 10: 9 blocks stand for 10 bytes each, and perhaps one for
 * the 5 that are left. */
static void samples_stand_for_others(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_LIVE,
                                             .allocator = DMD_ALLOCATOR_EXACT,
                                             .word_szB = 8,
                                             .sample_below = 10});
  for (uint64_t i = 0; i < 19; i++)
    snapshot_alloc(&f, 0x1000 + 16 * i, 5, 1);
  snapshot_alloc(&f, 0x9000, 10, 1);
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  const dmd_group_t *g = snapshot_group(&f, 1);
  assert_true(g->req == 10 && g->slop == 0 && g->num - 9 <= 1 && g->sampled);
  g = snapshot_group(&f, 2);
  assert_true(g->req == 10 && g->slop == 10 && g->num == 1 && !g->sampled);
  assert_int_equal(f.profile.run.in_use_blocks, 20);
  snapshot_end(&f);
}

static void cumulative_takes_the_history(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_CUMULATIVE);
  dmd_live_push_tag(&f.live, 1, "lua", nowhere);
  for (int i = 0; i < 50; i++) {
    snapshot_alloc(&f, 0x1000, 32, 2);
    assert_int_equal(dmd_live_remove(&f.live, 0x1000, DMD_NONE), DMD_REMOVE_MEMORY);
  }
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 1);
  const dmd_group_t *g = snapshot_group(&f, 1);
  assert_true(g->req == 32 && g->num == 50);
  assert_string_equal(snapshot_stack_text(&f, g->stack), "f2");
  assert_string_equal(dmd_intern_get_str(&f.profile.tags, g->tag), "lua");
  snapshot_end(&f);
}

static void publish(snapshot_fixture_t *f, const char *path, int64_t amount) {
  dmd_memreport_t value = {.path = path, .amount = amount, .times = 1, .stack = 1};
  assert_true(dmd_memreports_add(&f->live.memreports, &value));
}

/* Values published since the last clear, without their stacks. */
static void published_since_the_last_clear(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_LIVE);
  publish(&f, "a", 1);
  dmd_live_clear_reports(&f.live);
  publish(&f, "b", 2);
  publish(&f, "b", 3);
  snapshot_take(&f);
  assert_int_equal(dmd_memreports_count(&f.profile.memreports), 1);
  dmd_memreport_t value = dmd_memreports_get(&f.profile.memreports, 1);
  assert_string_equal(value.path, "b");
  assert_true(value.amount == 5 && value.times == 2 && value.stack == DMD_NONE);
  assert_int_equal(dmd_memreports_count(&f.live.memreports), 1);
  assert_int_equal(f.n_resolved, 0);
  snapshot_end(&f);
}

/* All live blocks count as allocated memory, including those that were not sampled, whatever the
 * history. Announced blocks are not the allocator's. */
static void allocated_memory(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    snapshot_fixture_t f;
    snapshot_begin_as(&f, &(dmd_live_config_t){.mode = modes[i],
                                               .allocator = DMD_ALLOCATOR_EXACT,
                                               .word_szB = 8,
                                               .sample_below = i == 1 ? 1000 : 0});
    for (uint64_t n = 0; n < 10; n++)
      snapshot_alloc(&f, 0x1000 + 64 * n, 17, 1); /* usable 18 */
    assert_int_equal(dmd_live_remove(&f.live, 0x1000, DMD_NONE), DMD_REMOVE_MEMORY);
    dmd_live_add(
        &f.live,
        &(dmd_new_block_t){
            .addr = 0x9000, .req = 500, .usable = 500, .thread = 1, .flags = DMD_BLOCK_ANNOUNCED});
    assert_int_equal(dmd_snapshot_take(&f.live, NULL, &f.profile, snapshot_resolve, &f), 9 * 18);
    assert_int_equal(f.profile.memory.heap_allocated, 9 * 18 + 500);
    assert_int_equal(f.profile.memory.resident, DMD_MEMORY_UNKNOWN);
    snapshot_end(&f);
  }
}

static void an_empty_heap(void **state) {
  (void)state;
  snapshot_fixture_t f;
  snapshot_begin(&f, DMD_MODE_DARK_MATTER);
  snapshot_take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 0);
  assert_true(f.profile.run.is_known);
  assert_int_equal(f.n_resolved, 0);
  snapshot_end(&f);
}

/* resolve needs a fixture of its own; only the counter of it is used. */
static void use(host_t *host, void *arg) {
  (void)arg;
  snapshot_fixture_t counter = {0};
  dmd_live_config_t config = {
      .mode = DMD_MODE_DARK_MATTER, .allocator = DMD_ALLOCATOR_EXACT, .word_szB = 8};
  dmd_live_t live;
  dmd_live_init(&live, &host->env, &config);
  for (uint32_t id = 1; id <= 3; id++) {
    dmd_live_add(&live, &(dmd_new_block_t){
                            .addr = id * 64, .req = 16, .usable = 16, .stack = id, .thread = 1});
    dmd_live_report(&live, 1, 64, id, 0, DMD_NONE);
    dmd_live_report(&live, 1, 65, id, 0, DMD_NONE);
  }
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  dmd_snapshot_take(&live, NULL, &profile, snapshot_resolve, &counter);
  assert_int_equal(counter.n_resolved, 3);
  dmd_profile_destroy(&profile);
  dmd_live_destroy(&live);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_blocks_are_one_group),
      cmocka_unit_test(stacks_that_look_alike_are_one),
      cmocka_unit_test(reports_tags_and_names),
      cmocka_unit_test(shared_sets),
      cmocka_unit_test(faults_with_all_they_say),
      cmocka_unit_test(on_allocation_makes_no_difference),
      cmocka_unit_test(totals_of_the_run),
      cmocka_unit_test(samples_stand_for_others),
      cmocka_unit_test(cumulative_takes_the_history),
      cmocka_unit_test(published_since_the_last_clear),
      cmocka_unit_test(allocated_memory),
      cmocka_unit_test(an_empty_heap),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
