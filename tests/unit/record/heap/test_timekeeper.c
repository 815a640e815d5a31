/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slab_memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "record/heap/shard.h"
#include "record/heap/timekeeper.h"

/* ---- the naive model: everything that happened ---- */

enum { MAX_EVENTS = 20000 };

typedef struct {
  host_t host;
  uint64_t now, dice;
  uint64_t resident_szB;
  unsigned n_resident_reads;
  dmd_timekeeper_t keeper;
  dmd_timepoint_t *events;
  uint32_t n_events;
  dmd_profile_t told;
} model_t;

static uint64_t roll(model_t *m, uint64_t sides) {
  m->dice = m->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (m->dice >> 33) % sides;
}

static uint64_t tell_time(void *ctx) {
  return ((model_t *)ctx)->now;
}

static uint64_t tell_resident(void *ctx) {
  model_t *m = ctx;
  m->n_resident_reads++;
  return m->resident_szB;
}

static void begin(model_t *m, uint64_t seed) {
  memset(m, 0, sizeof *m);
  m->resident_szB = DMD_MEMORY_UNKNOWN;
  m->dice = seed;
  host_init(&m->host);
  m->events = calloc(MAX_EVENTS, sizeof *m->events);
  dmd_timekeeper_init(&m->keeper, &m->host.env, (dmd_clock_t){tell_time, m},
                      (dmd_clock_t){NULL, NULL}, (dmd_resident_t){tell_resident, m}, true);
}

static void end(model_t *m) {
  dmd_timekeeper_destroy(&m->keeper);
  free(m->events);
  host_done(&m->host);
}

static dmd_timepoint_t point(uint64_t szB, uint64_t alloc_szB) {
  return (dmd_timepoint_t){.szB = szB,
                           .n_blocks = szB / 10,
                           .alloc_szB = alloc_szB,
                           .resident_szB = DMD_MEMORY_UNKNOWN,
                           .least_szB = szB};
}

static void happen(model_t *m) {
  dmd_timepoint_t *event = &m->events[m->n_events++];
  *event = point(roll(m, 100000), m->n_events);
  dmd_timekeeper_add(&m->keeper, *event);
  event->ms = m->now;
}

static bool is_in_one_slot(const model_t *m, const dmd_timepoint_t *a, const dmd_timepoint_t *b) {
  return a->ms / m->keeper.spacing_ms == b->ms / m->keeper.spacing_ms;
}

/* The largest event of each slot, the later of two that are equal, with the least one. */
static uint32_t largest_of_slots(const model_t *m, dmd_timepoint_t *to) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n_events; i++)
    if (n == 0 || !is_in_one_slot(m, &to[n - 1], &m->events[i])) {
      to[n++] = m->events[i];
    } else {
      uint64_t least = to[n - 1].least_szB;
      if (m->events[i].szB >= to[n - 1].szB)
        to[n - 1] = m->events[i];
      to[n - 1].least_szB = least < m->events[i].szB ? least : m->events[i].szB;
    }
  return n;
}

static void compare(model_t *m) {
  dmd_timepoint_t *expected = calloc(MAX_EVENTS, sizeof *expected);
  assert_int_equal(m->keeper.n_points, largest_of_slots(m, expected));
  assert_true(m->keeper.n_points < DMD_MAX_TIMEPOINTS);
  assert_memory_equal(m->keeper.points, expected, m->keeper.n_points * sizeof *expected);
  free(expected);
}

/* ---- points ---- */

static void random_against_all_events(void **state) {
  (void)state;
  static model_t m;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    begin(&m, seed);
    uint64_t most_ms = 1 + roll(&m, 30);
    uint32_t n = (uint32_t)roll(&m, MAX_EVENTS);
    for (uint32_t i = 0; i < n; i++) {
      m.now += roll(&m, 500) == 0 ? roll(&m, 3600000) : roll(&m, most_ms + 1);
      happen(&m);
      if (i % 997 == 0)
        compare(&m);
    }
    end(&m);
  }
}

static void half_of_the_points_stay_in_steady_progress(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  for (uint32_t i = 0; i < MAX_EVENTS; i++, m.now++)
    happen(&m);
  assert_true(m.keeper.n_points >= DMD_MAX_TIMEPOINTS / 2);
  assert_int_equal(m.keeper.spacing_ms, 64);
  end(&m);
}

static void one_point_is_due_in_each_slot(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  assert_true(dmd_timekeeper_is_due(&m.keeper, m.now));
  happen(&m);
  assert_false(dmd_timekeeper_is_due(&m.keeper, m.now));
  m.now++;
  assert_true(dmd_timekeeper_is_due(&m.keeper, m.now));
  m.keeper.spacing_ms = 8;
  happen(&m);
  m.now = 7;
  assert_false(dmd_timekeeper_is_due(&m.keeper, m.now));
  m.now = 8;
  assert_true(dmd_timekeeper_is_due(&m.keeper, m.now));
  m.keeper.is_on = false;
  assert_false(dmd_timekeeper_is_due(&m.keeper, m.now));
  end(&m);
}

static void a_clock_that_goes_back_stands_still(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  m.now = 50;
  dmd_timekeeper_add(&m.keeper, point(10, 10));
  m.now = 20;
  dmd_timekeeper_add(&m.keeper, point(30, 20));
  assert_int_equal(m.keeper.n_points, 1);
  assert_int_equal(m.keeper.points[0].szB, 30);
  assert_int_equal(m.keeper.points[0].ms, 50);
  end(&m);
}

/* As of a machine that slept, or whose clock was set. */
static void a_clock_that_jumps_ahead(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  for (uint64_t jump = 1; jump < UINT64_C(1) << 52; jump *= 2)
    for (int i = 0; i < 20; i++) {
      m.now += i == 0 ? jump : 1;
      happen(&m);
      assert_false(dmd_timekeeper_is_due(&m.keeper, m.now));
    }
  compare(&m);
  assert_int_equal(m.keeper.points[m.keeper.n_points - 1].ms / m.keeper.spacing_ms,
                   m.now / m.keeper.spacing_ms);
  m.now += m.keeper.spacing_ms;
  assert_true(dmd_timekeeper_is_due(&m.keeper, m.now));
  end(&m);
}

static void resident_memory_is_read_once_a_slot(void **state) {
  (void)state;
  static const struct {
    uint64_t ms, szB, resident_szB, seen_szB, most_szB;
    unsigned n_reads;
  } steps[] = {
      {1, 10, 500, 500, 500, 1}, {1, 20, 900, 500, 500, 1}, /* the same slot, and a larger heap */
      {2, 10, 700, 700, 700, 2}, {3, 10, DMD_MEMORY_UNKNOWN, DMD_MEMORY_UNKNOWN, 700, 3},
      {4, 10, 600, 600, 700, 4},
  };
  static model_t m;
  begin(&m, 1);
  for (size_t i = 0; i < COUNT_OF(steps); i++) {
    m.now = steps[i].ms;
    m.resident_szB = steps[i].resident_szB;
    dmd_timekeeper_add(&m.keeper, point(steps[i].szB, i));
    assert_int_equal(m.keeper.points[m.keeper.n_points - 1].resident_szB, steps[i].seen_szB);
    assert_int_equal(m.keeper.most_resident_szB, steps[i].most_szB);
    assert_int_equal(m.n_resident_reads, steps[i].n_reads);
  }
  m.resident_szB = 800;
  dmd_timekeeper_mark(&m.keeper, point(1, 9), "x", 0);
  assert_int_equal(m.keeper.marks[0].mark.at.resident_szB, 800);
  assert_int_equal(m.keeper.most_resident_szB, 800);
  dmd_timekeeper_restart(&m.keeper);
  assert_int_equal(m.keeper.most_resident_szB, 0);
  end(&m);
}

static void without_a_clock_there_is_nothing(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  dmd_timekeeper_init(&m.keeper, &m.host.env, (dmd_clock_t){NULL, NULL}, (dmd_clock_t){NULL, NULL},
                      (dmd_resident_t){NULL, NULL}, true);
  assert_false(dmd_timekeeper_is_due(&m.keeper, m.now));
  dmd_timekeeper_add(&m.keeper, point(10, 10));
  dmd_timekeeper_mark(&m.keeper, point(10, 10), "x", 0);
  assert_int_equal(m.keeper.n_points + m.keeper.n_marks, 0);
  end(&m);
}

/* ---- marks ---- */

static void marks_are_bounded(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  for (uint32_t i = 0; i < 5000; i++) {
    char text[16];
    snprintf(text, sizeof text, "%u", i);
    m.now = i * 10;
    dmd_timekeeper_mark(&m.keeper, point(i * 100, i * 1000), text, i % 2);
    assert_true(m.keeper.n_marks <= DMD_MAX_TIMEMARKS);
  }
  assert_true(m.keeper.n_marks >= DMD_MAX_TIMEMARKS / 2);
  for (uint32_t k = 0; k < m.keeper.n_marks; k++) {
    const dmd_kept_mark_t *kept = &m.keeper.marks[k];
    uint32_t i = (uint32_t)atoi(kept->text);
    assert_true(k == 0 ? i == 0 : kept->mark.at.ms > m.keeper.marks[k - 1].mark.at.ms);
    assert_int_equal(kept->mark.at.ms, i * 10);
    assert_int_equal(kept->mark.at.szB, i * 100);
    assert_int_equal(kept->mark.dump, i % 2);
  }
  end(&m);
}

static void a_child_begins_anew(void **state) {
  (void)state;
  static model_t m;
  begin(&m, 1);
  m.now = 100;
  happen(&m);
  dmd_timekeeper_mark(&m.keeper, point(1, 1), "parent", 0);
  dmd_timekeeper_restart(&m.keeper);
  assert_true(dmd_timekeeper_is_due(&m.keeper, m.now));
  dmd_timekeeper_add(&m.keeper, point(7, 1));
  dmd_timekeeper_mark(&m.keeper, point(8, 2), NULL, 3);
  dmd_profile_init(&m.told, &m.host.env);
  m.now = 130;
  dmd_timekeeper_add(&m.keeper, point(5, 2));
  dmd_timekeeper_tell(&m.keeper, point(9, 2), 10, &m.told);
  const dmd_timeline_t *timeline = &m.told.timeline;
  assert_true(timeline->is_forked);
  assert_int_equal(timeline->points.last, 3);
  assert_int_equal(dmd_timeline_point(timeline, 1)->szB, 7);
  assert_int_equal(dmd_timeline_point(timeline, 3)->szB, 9);
  assert_int_equal(dmd_timeline_point(timeline, 3)->ms, 130);
  assert_int_equal(timeline->marks.last, 1);
  assert_int_equal(dmd_timeline_mark(timeline, 1)->text, DMD_NONE);
  assert_int_equal(dmd_timeline_mark(timeline, 1)->dump, 3);
  dmd_profile_destroy(&m.told);
  end(&m);
}

/* ---- of blocks ---- */

enum { MAX_BLOCKS = 400, N_STACKS = 7, N_TAGS = 3 };

typedef struct {
  model_t model; /* first, for the clock */
  slab_memory_t memory;
  dmd_slabs_t slabs;
  dmd_waiting_t waiting;
  dmd_blocks_t *blocks;
  dmd_new_block_t list[MAX_BLOCKS];
  uint32_t n;
  dmd_timepoint_t marks[DMD_MAX_TIMEMARKS];
  uint32_t n_marks;
  bool is_parallel;
  uint64_t szB, alloc_szB;
  dmd_intern_t tag_names;
  uint64_t stacks[N_STACKS], tags[N_TAGS]; /* live bytes */
  struct {
    uint64_t stacks[N_STACKS], tags[N_TAGS];
  } then[MAX_EVENTS]; /* at each event */
} heap_t;

static void begin_heap(heap_t *h, uint64_t seed) {
  static const char yes = 1;
  memset(h, 0, sizeof *h);
  begin(&h->model, seed);
  bool has_slabs = seed % 4 == 0, has_locks = seed % 4 > 1;
  slab_memory_init(&h->memory, UINT64_C(0x7f3200004320), DMD_SLAB_SZB + 48, &h->slabs,
                   &h->model.host.env);
  h->is_parallel = seed % 4 == 3;
  dmd_intern_init(&h->tag_names, &h->model.host.env, "tags");
  h->waiting = never_waiting;
  h->waiting.is_alone = seed % 4 == 2 ? &yes : NULL;
  h->blocks = dmd_blocks_create(&h->model.host.env,
                                &(dmd_blocks_config_t){.slabs = has_slabs ? &h->slabs : NULL,
                                                       .n_shards = has_slabs ? 1 : 16,
                                                       .waiting = has_locks ? &h->waiting : NULL,
                                                       .max_freed = seed % 3 * 100,
                                                       .records_peak = true,
                                                       .records_timeline = true,
                                                       .clock = {tell_time, h}});
}

static void end_heap(heap_t *h) {
  dmd_blocks_destroy(h->blocks);
  dmd_slabs_destroy(&h->slabs);
  dmd_intern_destroy(&h->tag_names);
  end(&h->model);
}

static dmd_timepoint_t now_of(const heap_t *h) {
  return (dmd_timepoint_t){.ms = h->model.now,
                           .szB = h->szB,
                           .n_blocks = h->n,
                           .alloc_szB = h->alloc_szB,
                           .resident_szB = DMD_MEMORY_UNKNOWN,
                           .least_szB = h->szB};
}

static void note_event(heap_t *h) {
  uint32_t n = h->model.n_events++;
  h->model.events[n] = now_of(h);
  memcpy(h->then[n].stacks, h->stacks, sizeof h->stacks);
  memcpy(h->then[n].tags, h->tags, sizeof h->tags);
}

static uint32_t same_stack(void *ctx, uint32_t id) {
  (void)ctx;
  return id;
}

/* Whether the breakdown has the sums of this event. */
static bool is_of_event(const heap_t *h, const dmd_timeline_t *timeline,
                        const dmd_breakdown_t *breakdown, uint32_t event) {
  uint64_t stacks[N_STACKS] = {h->then[event].stacks[0]}, tags[N_TAGS] = {h->then[event].tags[0]};
  if (memcmp(&breakdown->at, &h->model.events[event], sizeof breakdown->at) != 0)
    return false;
  for (uint32_t i = 0; i < timeline->stacks.last; i++)
    stacks[*dmd_timeline_stack(timeline, i)] = breakdown->stacks[i];
  for (uint32_t i = 0; i < timeline->tags.last; i++)
    tags[*dmd_timeline_tag(timeline, i)] = breakdown->tags[i];
  return memcmp(stacks, h->then[event].stacks, sizeof stacks) == 0 &&
         memcmp(tags, h->then[event].tags, sizeof tags) == 0;
}

static void compare_breakdowns(const heap_t *h, const dmd_timeline_t *timeline) {
  assert_true(timeline->n_breakdowns > 0 && timeline->n_breakdowns <= DMD_MAX_BREAKDOWNS + 1);
  assert_true(h->alloc_szB < 1000000 || timeline->n_breakdowns > 5);
  for (uint32_t i = 0; i < timeline->n_breakdowns; i++) {
    uint32_t k = h->model.n_events;
    while (k > 0 && !is_of_event(h, timeline, &timeline->breakdowns[i], k - 1))
      k--;
    assert_true(k > 0);
    assert_true(i + 1 < timeline->n_breakdowns || k == h->model.n_events);
  }
}

/* The least heap of a point was seen. Threads in parallel see it only in steps. */
static void compare_least(const heap_t *h, const dmd_timepoint_t *point) {
  uint32_t k = 0;
  while (k < h->model.n_events && h->model.events[k].szB != point->least_szB)
    k++;
  assert_true(point->least_szB <= point->szB);
  assert_true(k < h->model.n_events || h->is_parallel);
}

static void add_block(heap_t *h) {
  uint64_t req = 1 + roll(&h->model, 3000);
  dmd_new_block_t block = {.addr = (1 + roll(&h->model, 100000)) * 8192,
                           .req = req,
                           .usable = req,
                           .stack = (uint32_t)roll(&h->model, N_STACKS),
                           .tag = (uint32_t)roll(&h->model, N_TAGS)};
  for (uint32_t i = 0; i < h->n; i++)
    if (h->list[i].addr == block.addr)
      return;
  if (h->waiting.is_alone == NULL || !dmd_blocks_fast_add(h->blocks, &block, block.tag))
    dmd_blocks_add(h->blocks, &block, block.tag);
  dmd_blocks_let_go(h->blocks);
  h->list[h->n++] = block;
  h->stacks[block.stack] += req;
  h->tags[block.tag] += req;
  h->szB += req;
  h->alloc_szB += req;
}

static void remove_block(heap_t *h) {
  dmd_new_block_t *block = &h->list[roll(&h->model, h->n)];
  dmd_blocks_remove(h->blocks, block->addr, DMD_NONE);
  dmd_blocks_let_go(h->blocks);
  h->szB -= block->req;
  h->stacks[block->stack] -= block->req;
  h->tags[block->tag] -= block->req;
  *block = h->list[--h->n];
}

static void set_mark(heap_t *h) {
  dmd_blocks_mark(h->blocks, "here", 0);
  dmd_blocks_let_go(h->blocks);
  h->marks[h->n_marks++] = now_of(h);
}

static void compare_heap(heap_t *h) {
  dmd_profile_t *told = &h->model.told;
  dmd_profile_init(told, &h->model.host.env);
  dmd_translation_t ids;
  for (uint32_t i = 1; i < N_TAGS; i++) {
    char name[] = {(char)('a' + i), 0};
    dmd_intern_str(&h->tag_names, name);
    dmd_intern_str(&told->tags, name);
  }
  dmd_translation_init(&ids, told, NULL, &h->tag_names, NULL, same_stack, NULL);
  dmd_blocks_tell_timeline(h->blocks, &ids);
  dmd_translation_destroy(&ids);
  dmd_blocks_let_go(h->blocks);
  const dmd_timeline_t *timeline = &told->timeline;
  dmd_timepoint_t now = now_of(h);
  assert_memory_equal(dmd_timeline_point(timeline, timeline->points.last), &now, sizeof now);
  assert_int_equal(timeline->marks.last, h->n_marks);
  for (uint32_t i = 0; i < h->n_marks; i++)
    assert_memory_equal(&dmd_timeline_mark(timeline, i + 1)->at, &h->marks[i], sizeof now);
  /* Each point but the last is what the heap was before an allocation. */
  for (uint32_t i = 1; i < timeline->points.last; i++) {
    uint32_t k = 0;
    dmd_timepoint_t point = *dmd_timeline_point(timeline, i);
    compare_least(h, &point);
    point.least_szB = point.szB;
    while (k < h->model.n_events && memcmp(&point, &h->model.events[k], sizeof point) != 0)
      k++;
    assert_true(k < h->model.n_events);
  }
  assert_true(h->alloc_szB < 1000000 || timeline->points.last > 5);
  compare_breakdowns(h, timeline);
  dmd_profile_destroy(told);
}

static void points_and_marks_of_blocks_are_exact(void **state) {
  (void)state;
  static heap_t h;
  for (uint64_t seed = 1; seed <= 80; seed++) {
    begin_heap(&h, seed);
    uint32_t n = (uint32_t)roll(&h.model, 4000);
    for (uint32_t i = 0; i < n; i++) {
      h.model.now += roll(&h.model, 3);
      note_event(&h);
      if (roll(&h.model, 40) == 0 && h.n_marks < DMD_MAX_TIMEMARKS)
        set_mark(&h);
      else if (h.n < MAX_BLOCKS && (h.n == 0 || roll(&h.model, 10) < 6))
        add_block(&h);
      else
        remove_block(&h);
    }
    note_event(&h);
    compare_heap(&h);
    end_heap(&h);
  }
}

static void keep_one(host_t *host, void *arg) {
  dmd_timekeeper_t keeper;
  dmd_timekeeper_init(&keeper, &host->env, (dmd_clock_t){tell_time, arg}, (dmd_clock_t){NULL, NULL},
                      (dmd_resident_t){NULL, NULL}, true);
  dmd_timekeeper_add(&keeper, point(1, 1));
  dmd_timekeeper_mark(&keeper, point(1, 1), "text", 0);
  dmd_timekeeper_destroy(&keeper);
}

static void out_of_memory(void **state) {
  (void)state;
  static model_t m;
  assert_int_equal(host_fail_everywhere(keep_one, &m), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_all_events),
      cmocka_unit_test(half_of_the_points_stay_in_steady_progress),
      cmocka_unit_test(one_point_is_due_in_each_slot),
      cmocka_unit_test(a_clock_that_goes_back_stands_still),
      cmocka_unit_test(a_clock_that_jumps_ahead),
      cmocka_unit_test(resident_memory_is_read_once_a_slot),
      cmocka_unit_test(without_a_clock_there_is_nothing),
      cmocka_unit_test(marks_are_bounded),
      cmocka_unit_test(a_child_begins_anew),
      cmocka_unit_test(points_and_marks_of_blocks_are_exact),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
