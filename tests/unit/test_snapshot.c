/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

#include "analysis/record.h"
#include "live/snapshot.h"
#include "profile/json.h"

static const dmd_place_t nowhere;
static const dmd_scope_end_t innermost;

typedef struct {
  host_t host;
  dmd_live_t live;
  dmd_profile_t profile;
  unsigned n_resolved;
  uint32_t n_texts; /* 0: each stack is a text of its own */
} fixture_t;

static void begin_as(fixture_t *f, const dmd_live_config_t *config) {
  host_init(&f->host);
  dmd_live_init(&f->live, &f->host.env, config);
  dmd_profile_init(&f->profile, &f->host.env);
  f->n_resolved = 0;
  f->n_texts = 0;
}

static void begin(fixture_t *f, dmd_mode_t mode) {
  begin_as(f, &(dmd_live_config_t){
                  .mode = mode, .allocator = DMD_ALLOCATOR_EXACT, .word_szB = 8, .seed = 5});
}

static void end(fixture_t *f) {
  dmd_profile_destroy(&f->profile);
  dmd_live_destroy(&f->live);
  host_done(&f->host);
}

/* The host's stacks: n is a stack of one frame "fn". From 2000 on they are all the same stack, as
 * two of the host's may be once they are symbolised; and so are those that differ by n_texts. */
static uint32_t resolve(void *ctx, dmd_profile_t *profile, uint32_t stack) {
  fixture_t *f = ctx;
  f->n_resolved++;
  char text[32] = "same";
  if (f->n_texts > 0)
    stack = (stack - 1) % f->n_texts + 1;
  if (stack < 2000)
    snprintf(text, sizeof text, "f%u", (unsigned)stack);
  uint32_t frame = dmd_intern_str(&profile->frames, text);
  return dmd_profile_stack(profile, &frame, 1);
}

static void take(fixture_t *f) {
  dmd_snapshot_take(&f->live, NULL, &f->profile, resolve, f);
}

static void alloc_in(fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req, uint32_t stack) {
  dmd_plan_t plan = dmd_live_plan(&f->live, req);
  dmd_live_add(&f->live, &(dmd_new_block_t){.addr = addr,
                                            .req = req,
                                            .usable = req + req % 16,
                                            .stack = plan.stack ? stack : DMD_NONE,
                                            .thread = thread,
                                            .flags = plan.flags});
}

static void alloc(fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack) {
  alloc_in(f, 1, addr, req, stack);
}

static const char *stack_text(const fixture_t *f, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&f->profile, stack, &n);
  return n == 0 ? "" : dmd_intern_get_str(&f->profile.frames, frames[0]);
}

static const dmd_group_t *group(const fixture_t *f, uint32_t id) {
  assert_true(id <= dmd_groups_count(&f->profile.groups));
  return dmd_groups_at(&f->profile.groups, id);
}

static void equal_blocks_are_one_group(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  alloc(&f, 0x3000, 100, 2);
  alloc(&f, 0x1000, 100, 1); /* stacks come in address order: this has the first */
  alloc(&f, 0x2000, 100, 1);
  alloc(&f, 0x4000, 48, 1);
  alloc_in(&f, 2, 0x5000, 100, 1);
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 4);
  const dmd_group_t *g = group(&f, 1);
  assert_true(g->req == 100 && g->slop == 4 && g->num == 2 && g->thread == 1);
  assert_string_equal(stack_text(&f, g->stack), "f1");
  /* Those of one stack are together. */
  assert_true(group(&f, 2)->req == 48 && group(&f, 2)->slop == 0 &&
              group(&f, 2)->stack == g->stack);
  assert_true(group(&f, 3)->thread == 2 && group(&f, 3)->stack == g->stack);
  g = group(&f, 4);
  assert_true(g->num == 1);
  assert_string_equal(stack_text(&f, g->stack), "f2");
  assert_int_equal(f.n_resolved, 2); /* once each, and the third not at all */
  end(&f);
}

static void stacks_that_look_alike_are_one(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  alloc(&f, 0x1000, 16, 2000);
  alloc(&f, 0x2000, 16, 5000);
  alloc(&f, 0x3000, 16, DMD_NONE);
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  assert_int_equal(group(&f, 1)->stack, DMD_NONE);
  assert_int_equal(group(&f, 2)->num, 2);
  assert_int_equal(f.n_resolved, 2);
  end(&f);
}

/* ---- Stacks that read the same, at random ---- */

enum { BASE = 0x10000, N_BLOCKS = 60, BLOCK_SZB = 64, N_TEXTS = 4, N_TWINS = 3 };

typedef struct {
  fixture_t f;
  dice_t dice;
  bool with_twins;
  uint64_t memory[N_BLOCKS * BLOCK_SZB / sizeof(uint64_t)];
} twins_t;

static size_t read_twins(void *ctx, uint64_t addr, void *to, size_t n) {
  twins_t *t = ctx;
  memcpy(to, (const char *)t->memory + (addr - BASE), n);
  return n;
}

/* One of N_TEXTS stacks or, where there are twins, of as many more that read the same. */
static uint32_t any_stack(twins_t *t) {
  uint32_t stack = 1 + (uint32_t)dice_below(&t->dice, N_TEXTS);
  uint32_t twin = (uint32_t)dice_below(&t->dice, N_TWINS);
  return t->with_twins ? stack + twin * N_TEXTS : stack;
}

static uint64_t any_block(twins_t *t) {
  return BASE + dice_below(&t->dice, N_BLOCKS) * BLOCK_SZB;
}

static void any_report(twins_t *t) {
  static const char *const paths[] = {"explicit/a", "explicit/b"};
  static const uint32_t flags[] = {0, DMD_REPORT_SHARED, DMD_REPORT_SHARED, DMD_REPORT_ON_ALLOC};
  uint64_t addr = any_block(t), which = dice_below(&t->dice, 3);
  dmd_intern_t *names = &t->f.live.reporter_names;
  dmd_live_report(&t->f.live, 1, addr, any_stack(t), flags[addr / BLOCK_SZB % COUNT_OF(flags)],
                  which < COUNT_OF(paths) ? dmd_intern_str(names, paths[which]) : DMD_NONE);
}

/* No two are off by the same: which numbers are kept would depend on the order. */
static void any_fault(twins_t *t, uint32_t n) {
  dmd_fault_t fault = {.num = 1 + dice_below(&t->dice, 3),
                       .kind = DMD_FAULT_REPORT_FREED,
                       .stack = any_stack(t),
                       .allocated = any_stack(t),
                       .freed = any_stack(t),
                       .bytes = dice_below(&t->dice, 1000),
                       .size = n * UINT64_C(7919) % 1009};
  dmd_faults_add(&t->f.live.faults, &fault);
}

static void make_twins(twins_t *t) {
  begin(&t->f, DMD_MODE_DARK_MATTER);
  t->f.n_texts = N_TEXTS;
  for (uint64_t i = 0; i < N_BLOCKS; i++)
    alloc(&t->f, BASE + i * BLOCK_SZB, 16 * (1 + dice_below(&t->dice, 4)), any_stack(t));
  for (uint64_t i = dice_below(&t->dice, 120); i > 0; i--)
    any_report(t);
  for (uint32_t i = 0; i < 40; i++)
    any_fault(t, i);
  for (size_t i = 0; i < COUNT_OF(t->memory); i++)
    t->memory[i] = dice_below(&t->dice, 4) == 0 ? any_block(t) : 0;
}

static void write_twins(sink_t *sink, uint64_t seed, bool with_twins) {
  static twins_t t;
  dmd_memory_t memory = {.read = read_twins, .ctx = &t};
  t.dice = (dice_t){seed};
  t.with_twins = with_twins;
  make_twins(&t);
  dmd_snapshot_take(&t.f.live, &memory, &t.f.profile, resolve, &t.f);
  assert_true(dmd_advices_count(&t.f.profile.advices) > 0);
  sink_init(sink);
  dmd_json_write(&sink->out, &t.f.profile);
  end(&t.f);
}

/* Of which of the program's stacks a block, a report or a fault was makes no difference to the file
 * as long as they read the same. */
static void stacks_that_read_the_same_make_no_difference(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    sink_t with, without;
    write_twins(&with, seed, true);
    write_twins(&without, seed, false);
    assert_text_equal(sink_text(&with), sink_text(&without));
    sink_free(&without);
    sink_free(&with);
  }
}

static void reports_tags_and_names(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  dmd_live_push_tag(&f.live, 1, "unused", nowhere);
  dmd_live_push_tag(&f.live, 1, "lua", nowhere);
  alloc(&f, 0x1000, 16, 1);
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, nowhere);
  dmd_live_report(&f.live, 1, 0x1000, 30, DMD_REPORT_ON_ALLOC, DMD_NONE);
  dmd_live_abandon_reporter(&f.live, 1, innermost);
  for (int i = 0; i < 4; i++)
    dmd_live_report(&f.live, 1, 0x1000, 31, 0, DMD_NONE);
  dmd_live_fault(&f.live, DMD_FAULT_INVALID_FREE, 1, 32);
  take(&f);
  const dmd_group_t *g = group(&f, 1);
  assert_string_equal(dmd_intern_get_str(&f.profile.tags, g->tag), "lua");
  const dmd_report_set_t *set = dmd_reports_at(&f.profile.reports, g->reports);
  assert_int_equal(set->count, 5);
  assert_string_equal(stack_text(&f, set->report[0].stack), "f30");
  assert_string_equal(dmd_intern_get_str(&f.profile.names, set->report[0].reporter), "explicit/a");
  assert_string_equal(stack_text(&f, set->report[1].stack), "f31");
  assert_int_equal(set->report[1].reporter, DMD_NONE);
  assert_int_equal(dmd_intern_count(&f.profile.tags), 1);
  assert_int_equal(dmd_faults_count(&f.profile.faults), 1);
  assert_string_equal(stack_text(&f, dmd_faults_at(&f.profile.faults, 1)->stack), "f32");
  assert_int_equal(f.n_resolved, 4); /* f1, f30, f31, f32 */
  end(&f);
}

/* All owners, each once; equal ones of two blocks are one set. */
static void shared_sets(void **state) {
  (void)state;
  enum { OWNERS = 150 };
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  for (uint64_t addr = 0x1000; addr <= 0x2000; addr += 0x1000) {
    alloc(&f, addr, 16, 1);
    for (uint32_t i = 0; i < OWNERS; i++) {
      char path[32];
      snprintf(path, sizeof path, "explicit/%u", (unsigned)i);
      dmd_live_begin_reporter(&f.live, 1, path, false, nowhere);
      for (uint32_t times = 0; times <= i % 3; times++)
        dmd_live_report(&f.live, 1, addr, 20 + i % 20, DMD_REPORT_SHARED, DMD_NONE);
      dmd_live_abandon_reporter(&f.live, 1, innermost);
    }
  }
  alloc(&f, 0x3000, 16, 1);
  dmd_live_report(&f.live, 1, 0x3000, 20, DMD_REPORT_SHARED, DMD_NONE);
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  const dmd_reports_t *reports = &f.profile.reports;
  uint32_t id = group(&f, 1)->reports;
  assert_int_equal(group(&f, 1)->num, 2);
  assert_true(dmd_reports_are_shared(reports, id));
  assert_int_equal(dmd_reports_n_kept(reports, id), OWNERS);
  dmd_report_t list[OWNERS];
  dmd_reports_list(reports, id, list);
  for (uint32_t i = 0; i < OWNERS; i++) {
    char text[32];
    snprintf(text, sizeof text, "f%u", (unsigned)i % 20 + 20);
    assert_string_equal(stack_text(&f, list[i].stack), text);
    snprintf(text, sizeof text, "explicit/%u", (unsigned)i);
    assert_string_equal(dmd_intern_get_str(&f.profile.names, list[i].reporter), text);
  }
  id = group(&f, 2)->reports;
  assert_true(dmd_reports_are_shared(reports, id));
  assert_int_equal(dmd_reports_n_kept(reports, id), 1);
  end(&f);
}

/* All that a fault says, with the profile's ids. The host's names and stacks are met in another
 * order than the profile's. */
static void faults_with_all_they_say(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
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
  take(&f);
  assert_int_equal(dmd_faults_count(&f.profile.faults), 2);
  const dmd_fault_t *to = dmd_faults_at(&f.profile.faults, 1);
  assert_string_equal(stack_text(&f, to->stack), "f9");
  assert_string_equal(stack_text(&f, to->allocated), "f8");
  assert_string_equal(stack_text(&f, to->freed), "f7");
  assert_string_equal(stack_text(&f, to->reported), "f6");
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
  end(&f);
}

/* Reported the same way but once on allocation: nothing that a profile knows of. */
static void on_allocation_makes_no_difference(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  alloc(&f, 0x1000, 16, 1);
  alloc(&f, 0x2000, 16, 1);
  dmd_live_report(&f.live, 1, 0x1000, 2, DMD_REPORT_ON_ALLOC, DMD_NONE);
  dmd_live_report(&f.live, 1, 0x2000, 2, 0, DMD_NONE);
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 1);
  assert_int_equal(group(&f, 1)->num, 2);
  end(&f);
}

static void totals_of_the_run(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                    .allocator = DMD_ALLOCATOR_EXACT,
                                    .word_szB = 4,
                                    .partial_stacks = true,
                                    .sample_below = 10,
                                    .seed = 99});
  alloc(&f, 0x1000, 100, 1);
  alloc(&f, 0x2000, 50, 1);
  alloc(&f, 0x3000, 25, 1);
  dmd_live_report(&f.live, 1, 0x2000, 2, 0, DMD_NONE);
  assert_int_equal(dmd_live_remove(&f.live, 0x2000, DMD_NONE), DMD_REMOVE_MEMORY);
  assert_int_equal(dmd_live_remove(&f.live, 0x2000, DMD_NONE), DMD_REMOVE_FAILED);
  take(&f);
  const dmd_run_t *run = &f.profile.run;
  assert_int_equal(f.profile.mode, DMD_MODE_DARK_MATTER);
  assert_true(run->is_known);
  assert_string_equal(run->allocator, "exact");
  assert_string_equal(run->allocator_chosen, "option");
  f.live.config.allocator_is_auto = true;
  take(&f);
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
  end(&f);
}

/* 95 bytes in blocks of 5, sampled below 10: 9 blocks stand for 10 bytes each, and perhaps one for
 * the 5 that are left. */
static void samples_stand_for_others(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, &(dmd_live_config_t){.mode = DMD_MODE_LIVE,
                                    .allocator = DMD_ALLOCATOR_EXACT,
                                    .word_szB = 8,
                                    .sample_below = 10});
  for (uint64_t i = 0; i < 19; i++)
    alloc(&f, 0x1000 + 16 * i, 5, 1);
  alloc(&f, 0x9000, 10, 1);
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  const dmd_group_t *g = group(&f, 1);
  assert_true(g->req == 10 && g->slop == 0 && g->num - 9 <= 1 && g->sampled);
  g = group(&f, 2);
  assert_true(g->req == 10 && g->slop == 10 && g->num == 1 && !g->sampled);
  assert_int_equal(f.profile.run.in_use_blocks, 20);
  end(&f);
}

static void cumulative_takes_the_history(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_CUMULATIVE);
  dmd_live_push_tag(&f.live, 1, "lua", nowhere);
  for (int i = 0; i < 50; i++) {
    alloc(&f, 0x1000, 32, 2);
    assert_int_equal(dmd_live_remove(&f.live, 0x1000, DMD_NONE), DMD_REMOVE_MEMORY);
  }
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 1);
  const dmd_group_t *g = group(&f, 1);
  assert_true(g->req == 32 && g->num == 50);
  assert_string_equal(stack_text(&f, g->stack), "f2");
  assert_string_equal(dmd_intern_get_str(&f.profile.tags, g->tag), "lua");
  end(&f);
}

static void publish(fixture_t *f, const char *path, int64_t amount) {
  dmd_memreport_t value = {.path = path, .amount = amount, .times = 1, .stack = 1};
  assert_true(dmd_memreports_add(&f->live.memreports, &value));
}

/* What was published since the last clear, without its stack. */
static void published_since_the_last_clear(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_LIVE);
  publish(&f, "a", 1);
  dmd_live_clear_reports(&f.live);
  publish(&f, "b", 2);
  publish(&f, "b", 3);
  take(&f);
  assert_int_equal(dmd_memreports_count(&f.profile.memreports), 1);
  dmd_memreport_t value = dmd_memreports_get(&f.profile.memreports, 1);
  assert_string_equal(value.path, "b");
  assert_true(value.amount == 5 && value.times == 2 && value.stack == DMD_NONE);
  assert_int_equal(dmd_memreports_count(&f.live.memreports), 1);
  assert_int_equal(f.n_resolved, 0);
  end(&f);
}

/* All live blocks are allocated memory: those passed over too, and whatever the history says. Those
 * that were announced are not the allocator's. */
static void allocated_memory(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    fixture_t f;
    begin_as(&f, &(dmd_live_config_t){.mode = modes[i],
                                      .allocator = DMD_ALLOCATOR_EXACT,
                                      .word_szB = 8,
                                      .sample_below = i == 1 ? 1000 : 0});
    for (uint64_t n = 0; n < 10; n++)
      alloc(&f, 0x1000 + 64 * n, 17, 1); /* usable 18 */
    assert_int_equal(dmd_live_remove(&f.live, 0x1000, DMD_NONE), DMD_REMOVE_MEMORY);
    dmd_live_add(
        &f.live,
        &(dmd_new_block_t){
            .addr = 0x9000, .req = 500, .usable = 500, .thread = 1, .flags = DMD_BLOCK_ANNOUNCED});
    assert_int_equal(dmd_snapshot_take(&f.live, NULL, &f.profile, resolve, &f), 9 * 18);
    assert_int_equal(f.profile.memory.heap_allocated, 9 * 18 + 500);
    assert_int_equal(f.profile.memory.resident, DMD_MEMORY_UNKNOWN);
    end(&f);
  }
}

static void an_empty_heap(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, DMD_MODE_DARK_MATTER);
  take(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 0);
  assert_true(f.profile.run.is_known);
  assert_int_equal(f.n_resolved, 0);
  end(&f);
}

/* ---- a program at random, against a list of its blocks ---- */

enum { MAX = 400 };

typedef struct {
  uint64_t addr, req;
  uint32_t n_reports;
  bool on_alloc; /* one of them was */
} entry_t;

typedef struct {
  entry_t list[MAX];
  size_t n;
  uint64_t next;
} model_t;

static void random_event(fixture_t *f, model_t *m, dice_t *dice) {
  uint64_t roll = dice_below(dice, 100);
  if (m->n == 0 || (roll < 40 && m->n < MAX)) {
    m->next += 16 * (1 + dice_below(dice, 1000));
    m->list[m->n] = (entry_t){.addr = m->next, .req = 1 + dice_below(dice, 8) * 16};
    alloc(f, m->next, m->list[m->n].req, 1 + (uint32_t)dice_below(dice, 3));
    m->n++;
    return;
  }
  entry_t *e = &m->list[dice_below(dice, m->n)];
  if (roll < 60) {
    assert_int_equal(dmd_live_remove(&f->live, e->addr, DMD_NONE), DMD_REMOVE_MEMORY);
    *e = m->list[--m->n];
  } else if (roll < 98) {
    bool on_alloc = dice_below(dice, 6) == 0;
    dmd_live_report(&f->live, 1, e->addr, 4 + (uint32_t)dice_below(dice, 3),
                    on_alloc ? DMD_REPORT_ON_ALLOC : 0, DMD_NONE);
    e->on_alloc |= on_alloc;
    e->n_reports++;
  } else if (roll < 99) {
    dmd_live_unreport(&f->live, 1, e->addr, DMD_NONE);
    e->n_reports = 0;
    e->on_alloc = false;
  }
}

static void compare(const dmd_records_t *records, const model_t *m) {
  int64_t usable[DMD_N_SECTIONS] = {0}, num[DMD_N_SECTIONS] = {0};
  for (size_t i = 0; i < m->n; i++) {
    const entry_t *e = &m->list[i];
    dmd_section_t section = e->n_reports == 0   ? DMD_SECTION_UNREPORTED
                            : e->n_reports == 1 ? DMD_SECTION_ONCE
                                                : DMD_SECTION_TWICE;
    usable[section] += (int64_t)(e->req + e->req % 16);
    num[section]++;
  }
  for (int section = 0; section < DMD_N_SECTIONS; section++) {
    assert_int_equal(records->section[section].usable, usable[section]);
    assert_int_equal(records->section[section].num, num[section]);
  }
  assert_int_equal(records->num, m->n);
}

static void random_programs(void **state) {
  (void)state;
  dice_t dice = {151};
  for (int round = 0; round < 20; round++) {
    static model_t m;
    m.n = 0;
    m.next = 0x10000;
    fixture_t f;
    begin(&f, DMD_MODE_DARK_MATTER);
    for (int dump = 0; dump < 4; dump++) {
      for (int i = 0; i < 500; i++)
        random_event(&f, &m, &dice);
      dmd_records_t records;
      take(&f);
      dmd_records_init(&records, &f.profile, 8, DMD_SORT_USABLE);
      compare(&records, &m);
      dmd_records_destroy(&records);
      /* Every dump is a profile of its own; the live heap goes on as if there had been none. */
      dmd_profile_destroy(&f.profile);
      dmd_profile_init(&f.profile, &f.host.env);
    }
    /* After a clear, what remains was reported on allocation. */
    dmd_live_clear_reports(&f.live);
    uint64_t n_left = 0, n_expected = 0;
    for (size_t i = 0; i < m.n; i++) {
      n_expected += m.list[i].on_alloc;
      n_left += dmd_live_find(&f.live, m.list[i].addr)->reports != DMD_NONE;
    }
    assert_int_equal(n_left, n_expected);
    end(&f);
  }
}

/* resolve needs a fixture of its own; only the counter of it is used. */
static void use(host_t *host, void *arg) {
  (void)arg;
  fixture_t counter = {0};
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
  dmd_snapshot_take(&live, NULL, &profile, resolve, &counter);
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
      cmocka_unit_test(stacks_that_read_the_same_make_no_difference),
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
      cmocka_unit_test(random_programs),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
