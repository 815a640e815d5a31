/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshots of a random program.
 */
#include "snapshot_fixture.h"

#include "analyse/records/record.h"
#include "files/profile/profilewriter.h"

/* ---- Stacks that read the same, at random ---- */

enum { BASE = 0x10000, N_BLOCKS = 60, BLOCK_SZB = 64, N_TEXTS = 4, N_TWINS = 3 };

typedef struct {
  snapshot_fixture_t f;
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

/* No two errors are equal: which numbers are kept would depend on the order. */
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
  snapshot_begin(&t->f, DMD_MODE_DARK_MATTER);
  t->f.n_texts = N_TEXTS;
  for (uint64_t i = 0; i < N_BLOCKS; i++)
    snapshot_alloc(&t->f, BASE + i * BLOCK_SZB, 16 * (1 + dice_below(&t->dice, 4)), any_stack(t));
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
  dmd_snapshot_take(&t.f.live, &memory, &t.f.profile, snapshot_resolve, &t.f);
  assert_true(dmd_hints_count(&t.f.profile.hints) > 0);
  sink_init(sink);
  dmd_profilewriter_write(&sink->out, &t.f.profile);
  snapshot_end(&t.f);
}

/* Which of several stacks with equal text a block, a report or a fault has makes no difference to
 * the file. */
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

static void random_event(snapshot_fixture_t *f, model_t *m, dice_t *dice) {
  uint64_t roll = dice_below(dice, 100);
  if (m->n == 0 || (roll < 40 && m->n < MAX)) {
    m->next += 16 * (1 + dice_below(dice, 1000));
    m->list[m->n] = (entry_t){.addr = m->next, .req = 1 + dice_below(dice, 8) * 16};
    snapshot_alloc(f, m->next, m->list[m->n].req, 1 + (uint32_t)dice_below(dice, 3));
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
    assert_int_equal(records->section[section].sum.bytes, usable[section]);
    assert_int_equal(records->section[section].sum.blocks, num[section]);
  }
  assert_int_equal(records->heap.blocks, m->n);
}

static void random_programs(void **state) {
  (void)state;
  dice_t dice = {151};
  for (int round = 0; round < 20; round++) {
    static model_t m;
    m.n = 0;
    m.next = 0x10000;
    snapshot_fixture_t f;
    snapshot_begin(&f, DMD_MODE_DARK_MATTER);
    for (int dump = 0; dump < 4; dump++) {
      for (int i = 0; i < 500; i++)
        random_event(&f, &m, &dice);
      dmd_records_t records;
      snapshot_take(&f);
      dmd_records_init(&records, &f.profile, 8, DMD_SORT_USABLE);
      compare(&records, &m);
      dmd_records_destroy(&records);
      /* Every dump is a profile of its own; the live heap continues as if there had been none. */
      dmd_profile_destroy(&f.profile);
      dmd_profile_init(&f.profile, &f.host.env);
    }
    /* After a clear, the remaining reports are those made on allocation. */
    dmd_live_clear_reports(&f.live);
    uint64_t n_left = 0, n_expected = 0;
    for (size_t i = 0; i < m.n; i++) {
      n_expected += m.list[i].on_alloc;
      n_left += dmd_live_find(&f.live, m.list[i].addr)->reports != DMD_NONE;
    }
    assert_int_equal(n_left, n_expected);
    snapshot_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacks_that_read_the_same_make_no_difference),
      cmocka_unit_test(random_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
