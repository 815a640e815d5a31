/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slab_memory.h"

#include "record/heap/blocks.h"

/* ---- the program's memory, which exists only as addresses ---- */

static const uint64_t SLABS = UINT64_C(0x7f3200004320);
enum { APART = DMD_SLAB_SZB + 48 };

/* ---- the naive model: an array of live blocks, one of freed blocks ---- */

enum { MAX = 600, MAX_FREED = 30, N_TAGS = 4 };

typedef struct {
  dmd_new_block_t block;
  uint32_t tag;
  bool is_reported;
} entry_t;

typedef struct {
  host_t host;
  slab_memory_t memory;
  dmd_slabs_t slabs;
  dmd_blocks_t *blocks;
  entry_t list[MAX];
  size_t n;
  dmd_freed_block_t freed[MAX_FREED]; /* the last ones, newest first */
  dmd_totals_t totals;
  uint32_t serial;
} fixture_t;

static void begin(fixture_t *f) {
  memset(f, 0, sizeof *f);
  host_init(&f->host);
  slab_memory_init(&f->memory, SLABS, APART, &f->slabs, &f->host.env);
  f->blocks = dmd_blocks_create(&f->host.env,
                                &(dmd_blocks_config_t){.slabs = &f->slabs, .max_freed = MAX_FREED});
}

static void end(fixture_t *f) {
  dmd_blocks_destroy(f->blocks);
  dmd_slabs_destroy(&f->slabs);
  host_done(&f->host);
}

static entry_t *entry_at(fixture_t *f, uint64_t addr) {
  for (size_t i = 0; i < f->n; i++)
    if (f->list[i].block.addr == addr)
      return &f->list[i];
  return NULL;
}

static void count_new(fixture_t *f, const dmd_new_block_t *block) {
  f->totals.n_allocs++;
  f->totals.alloc_szB += block->req;
  f->totals.in_use_szB += block->req;
}

static void count_old(fixture_t *f, const entry_t *e) {
  f->totals.n_frees++;
  f->totals.in_use_szB -= e->block.req;
  f->totals.freed_reported += e->is_reported;
}

/* ---- what happens to blocks ---- */

static dmd_new_block_t describe(fixture_t *f, uint64_t addr, uint64_t req, uint64_t usable) {
  return (dmd_new_block_t){.addr = addr,
                           .req = req,
                           .usable = usable,
                           .stack = ++f->serial,
                           .thread = f->serial % 7,
                           .flags = f->serial % 3 == 0 ? DMD_BLOCK_SAMPLED : 0};
}

/* Adds a block of a slab, or one far from all slabs; returns its address. */
static uint64_t add(fixture_t *f, bool in_slab, uint64_t req, uint32_t tag) {
  static const uint64_t ELSEWHERE = UINT64_C(0x5000000);
  assert_true(f->n < MAX);
  uint64_t addr = ELSEWHERE + f->serial % 5000 * 8192, room = req + 5;
  if (in_slab) {
    addr = dmd_slabs_alloc(&f->slabs, req);
    room = dmd_slabs_room(&f->slabs, addr);
  }
  assert_null(entry_at(f, addr));
  dmd_new_block_t block = describe(f, addr, req, room);
  assert_int_equal(dmd_blocks_add(f->blocks, &block, tag)->stack, block.stack);
  f->list[f->n++] = (entry_t){.block = block, .tag = tag};
  count_new(f, &block);
  return addr;
}

static void remove_at(fixture_t *f, uint64_t addr, uint32_t stack) {
  entry_t *e = entry_at(f, addr);
  dmd_remove_t expected = e == NULL       ? DMD_REMOVE_FAILED
                          : addr >= SLABS ? DMD_REMOVE_DONE
                                          : DMD_REMOVE_MEMORY;
  assert_int_equal(dmd_blocks_remove(f->blocks, addr, stack), expected);
  if (e == NULL) {
    f->totals.n_frees++;
    return;
  }
  count_old(f, e);
  memmove(f->freed + 1, f->freed, sizeof f->freed - sizeof f->freed[0]);
  f->freed[0] = (dmd_freed_block_t){
      .addr = addr, .usable = e->block.usable, .allocated = e->block.stack, .freed = stack};
  *e = f->list[--f->n];
}

static void renew(fixture_t *f, entry_t *e, uint64_t req, uint32_t tag) {
  count_old(f, e);
  *e = (entry_t){.block = describe(f, e->block.addr, req, e->block.usable), .tag = tag};
  dmd_blocks_renew(f->blocks, &e->block, tag);
  count_new(f, &e->block);
}

static void report(fixture_t *f, entry_t *e) {
  dmd_blocks_find(f->blocks, e->block.addr)->reports = 1;
  e->is_reported = true;
}

/* ---- queries; each must be right as the first one after any event ---- */

static void check_block(const dmd_block_t *found, const entry_t *e) {
  assert_int_equal(found != NULL, e != NULL);
  if (e == NULL)
    return;
  assert_true(found->req == e->block.req && dmd_block_usable(found) == e->block.usable);
  assert_int_equal(found->stack, e->block.stack);
  assert_int_equal(found->tag, e->tag);
  assert_int_equal(found->thread, e->block.thread);
  assert_int_equal(found->flags, e->block.flags);
  assert_int_equal(found->reports != DMD_NONE, e->is_reported);
}

static void check_find(fixture_t *f, uint64_t addr) {
  check_block(dmd_blocks_find(f->blocks, addr), entry_at(f, addr));
}

static void check_find_containing(fixture_t *f, uint64_t addr) {
  uint64_t start;
  const entry_t *e = NULL;
  for (size_t i = 0; i < f->n; i++)
    if (addr - f->list[i].block.addr < f->list[i].block.usable)
      e = &f->list[i];
  check_block(dmd_blocks_find_containing(f->blocks, addr, &start), e);
  if (e != NULL)
    assert_true(start == e->block.addr);
}

typedef struct {
  fixture_t *f;
  size_t n;
} walk_t;

static void visit(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *w = ctx;
  assert_non_null(entry_at(w->f, addr));
  check_block(block, entry_at(w->f, addr));
  w->n++;
}

static void check_walk(fixture_t *f) {
  walk_t w = {.f = f};
  dmd_blocks_walk(f->blocks, visit, &w);
  assert_int_equal(w.n, f->n);
}

static void check_freed(fixture_t *f, uint64_t addr) {
  const dmd_freed_block_t *expected = NULL;
  for (size_t i = MAX_FREED; i-- > 0;)
    if (f->freed[i].addr == addr)
      expected = &f->freed[i];
  const dmd_freed_block_t *found = dmd_blocks_find_freed(f->blocks, addr);
  assert_int_equal(found != NULL, expected != NULL);
  if (found != NULL)
    assert_memory_equal(found, expected, sizeof *found);
}

static void check_totals(fixture_t *f) {
  dmd_totals_t expected = f->totals, totals = dmd_blocks_totals(f->blocks);
  expected.n_blocks = f->n;
  assert_memory_equal(&totals, &expected, sizeof totals);
}

static void check_tag(fixture_t *f, uint32_t tag) {
  dmd_tag_sum_t expected = {0}, sum = dmd_blocks_tag_sum(f->blocks, tag);
  for (size_t i = 0; i < f->n && tag != DMD_NONE; i++)
    if (f->list[i].tag == tag) {
      expected.usable += f->list[i].block.usable;
      expected.n_blocks++;
    }
  assert_memory_equal(&sum, &expected, sizeof sum);
}

enum { N_QUESTIONS = 7 };

/* addr: an address near the latest event. */
static void ask(fixture_t *f, uint64_t question, uint64_t addr) {
  switch (question) {
  case 0:
    check_find(f, addr);
    break;
  case 1:
    check_find_containing(f, addr + 3);
    break;
  case 2:
    check_walk(f);
    break;
  case 3:
    check_freed(f, addr);
    break;
  case 4:
    check_totals(f);
    break;
  case 5:
    check_tag(f, 1 + f->serial % (N_TAGS + 2));
    break;
  default:
    dmd_blocks_clear_freed_reported(f->blocks);
    f->totals.freed_reported = 0;
    check_totals(f);
  }
}

/* ---- tests ---- */

static void random_against_lists(void **state) {
  (void)state;
  static fixture_t f;
  dice_t dice = {1208};
  begin(&f);
  size_t n_freed = 0;
  for (int step = 0; step < 60000; step++) {
    uint64_t roll = dice_below(&dice, 10), addr = 1;
    entry_t *any = f.n > 0 ? &f.list[dice_below(&dice, f.n)] : NULL;
    uint32_t tag = (uint32_t)dice_below(&dice, N_TAGS + 1);
    if (any == NULL || (roll < (step / 5000 % 2 == 0 ? 5 : 2) && f.n < MAX)) {
      addr = add(&f, dice_below(&dice, 4) != 0, 1 + dice_below(&dice, 1000), tag);
    } else if (roll < 7) {
      addr = any->block.addr;
      remove_at(&f, addr, f.serial);
      n_freed++;
      if (dice_below(&dice, 20) == 0)
        remove_at(&f, addr, f.serial); /* a double free */
    } else if (roll < 8) {
      addr = any->block.addr;
      renew(&f, any, dice_below(&dice, any->block.usable), tag);
    } else {
      addr = any->block.addr;
      report(&f, any);
    }
    if (dice_below(&dice, 2) == 0)
      ask(&f, dice_below(&dice, N_QUESTIONS), addr);
  }
  assert_true(n_freed > 10000);
  for (uint64_t question = 0; question < N_QUESTIONS; question++)
    ask(&f, question, SLABS);
  end(&f);
}

/* After a slab's block is removed, the first query, whichever it is, no longer sees it. */
static void whoever_asks_first(void **state) {
  (void)state;
  for (uint64_t question = 0; question < N_QUESTIONS; question++) {
    static fixture_t f;
    begin(&f);
    add(&f, true, 48, 1);
    uint64_t gone = add(&f, true, 40, 1);
    report(&f, entry_at(&f, gone));
    remove_at(&f, gone, 77);
    ask(&f, question, gone);
    end(&f);
  }
}

/* Its memory is withheld until the removal is settled, and no longer. */
static void memory_is_used_again_once_it_is_settled(void **state) {
  (void)state;
  static fixture_t f;
  begin(&f);
  uint64_t gone = add(&f, true, 40, 1);
  remove_at(&f, gone, 77);
  assert_true(add(&f, true, 40, 1) != gone);
  check_totals(&f);
  assert_true(add(&f, true, 40, 1) == gone);
  check_find(&f, gone);
  end(&f);
}

/* A host whose blocks lie outside slabs: no removal is left unsettled, and the host frees all
 * memory itself. */
static void without_slabs(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_blocks_t *blocks = dmd_blocks_create(&host.env, &(dmd_blocks_config_t){0});
  dmd_blocks_add(blocks, &(dmd_new_block_t){.addr = 0x1000, .req = 10, .usable = 24}, 3);
  dmd_blocks_add(blocks, &(dmd_new_block_t){.addr = 0x2000, .req = 20, .usable = 24}, 3);
  assert_int_equal(dmd_blocks_remove(blocks, 0x1000, DMD_NONE), DMD_REMOVE_MEMORY);
  assert_null(dmd_blocks_find(blocks, 0x1000));
  dmd_blocks_add(blocks, &(dmd_new_block_t){.addr = 0x1000, .req = 30, .usable = 40}, DMD_NONE);
  assert_int_equal(dmd_blocks_find(blocks, 0x1000)->req, 30);
  assert_int_equal(dmd_blocks_tag_sum(blocks, 3).usable, 24);
  assert_int_equal(dmd_blocks_totals(blocks).in_use_szB, 50);
  dmd_blocks_destroy(blocks);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  slab_memory_t memory;
  dmd_slabs_t slabs;
  slab_memory_init(&memory, SLABS, APART, &slabs, &host->env);
  dmd_blocks_t *blocks =
      dmd_blocks_create(&host->env, &(dmd_blocks_config_t){.slabs = &slabs, .max_freed = 10});
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t addr = i % 2 == 0 ? i * 100 : dmd_slabs_alloc(&slabs, i);
    dmd_blocks_add(blocks, &(dmd_new_block_t){.addr = addr, .req = i, .usable = i}, i);
    if (i % 3 == 0)
      dmd_blocks_remove(blocks, addr, DMD_NONE);
  }
  dmd_blocks_destroy(blocks);
  dmd_slabs_destroy(&slabs);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_lists),
      cmocka_unit_test(whoever_asks_first),
      cmocka_unit_test(memory_is_used_again_once_it_is_settled),
      cmocka_unit_test(without_slabs),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
