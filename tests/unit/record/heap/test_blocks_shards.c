/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Many shards give the same answers as one.
 */
#include "host.h"

#include "record/heap/blockindex.h"
#include "record/heap/blocks.h"
#include "record/heap/nested.h"

enum { MAX = 300, MAX_FREED = 400, N_SHARDS = 16, N_TAGS = 5, N_GONE = 64 };

/* Frees of all shards together that may be counted after frees that came later. */
enum { N_LATE = 16 * N_SHARDS };

/* All addresses are here: 48 MiB, each of which is in one of the shards. */
static const uint64_t BASE = UINT64_C(0x7f1200000000), SPAN = UINT64_C(48) << 20;

/* Counts of reported blocks that were freed. */
typedef struct {
  dmd_block_t block[N_GONE];
  uint32_t stack[N_GONE];
  uint32_t n;
} gone_t;

typedef struct {
  uint64_t addr;
  bool is_announced;
} entry_t;

typedef struct {
  host_t host;
  dmd_blocks_t *one, *many;
  gone_t gone_one, gone_many;
  entry_t list[MAX];
  size_t n;
  dmd_freed_block_t *history; /* of all that was freed, the oldest first */
  size_t n_history;
  uint32_t serial;
} fixture_t;

static void note_gone(void *ctx, const dmd_block_t *block, uint32_t stack) {
  gone_t *gone = ctx;
  assert_true(gone->n < N_GONE);
  gone->block[gone->n] = *block;
  gone->stack[gone->n++] = stack;
}

static void begin(fixture_t *f, size_t max_history) {
  memset(f, 0, sizeof *f);
  host_init(&f->host);
  f->one = dmd_blocks_create(&f->host.env,
                             &(dmd_blocks_config_t){.max_freed = MAX_FREED, .n_shards = 1});
  f->many = dmd_blocks_create(&f->host.env, &(dmd_blocks_config_t){.max_freed = MAX_FREED,
                                                                   .n_shards = N_SHARDS,
                                                                   .waiting = &never_waiting});
  dmd_blocks_watch_reported(f->one, note_gone, &f->gone_one);
  dmd_blocks_watch_reported(f->many, note_gone, &f->gone_many);
  f->history = calloc(max_history, sizeof *f->history);
}

static void end(fixture_t *f) {
  dmd_blocks_let_go(f->many);
  dmd_blocks_destroy(f->one);
  dmd_blocks_destroy(f->many);
  free(f->history);
  host_done(&f->host);
}

/* ---- comparison ---- */

static bool is_same(const dmd_block_t *a, const dmd_block_t *b) {
  if (a == NULL || b == NULL)
    return a == b;
  return a->req == b->req && a->slop == b->slop && a->stack == b->stack &&
         a->reports == b->reports && a->tag == b->tag && a->thread == b->thread &&
         a->flags == b->flags;
}

static void check_gone(fixture_t *f) {
  assert_int_equal(f->gone_one.n, f->gone_many.n);
  for (uint32_t i = 0; i < f->gone_one.n; i++) {
    assert_true(is_same(&f->gone_one.block[i], &f->gone_many.block[i]));
    assert_int_equal(f->gone_one.stack[i], f->gone_many.stack[i]);
  }
  f->gone_one.n = f->gone_many.n = 0;
}

static void check_starts(fixture_t *f, uint64_t addr) {
  const dmd_block_t *one = dmd_blocks_find(f->one, addr), *many = dmd_blocks_find(f->many, addr);
  while (one != NULL && is_same(one, many)) {
    one = dmd_blocks_find_older(f->one, addr, one);
    many = dmd_blocks_find_older(f->many, addr, many);
  }
  assert_true(one == NULL && many == NULL);
  const dmd_block_t *freeable = dmd_blocks_find_freeable(f->one, addr);
  assert_true(is_same(freeable, dmd_blocks_find_freeable(f->many, addr)));
  dmd_blocks_let_go(f->many);
}

static void check_containing(fixture_t *f, uint64_t addr) {
  uint64_t start_one = 0, start_many = 0;
  assert_true(is_same(dmd_blocks_find_containing(f->one, addr, &start_one),
                      dmd_blocks_find_containing(f->many, addr, &start_many)));
  assert_int_equal(start_one, start_many);
}

static void check_announced(fixture_t *f, uint64_t from, uint64_t end) {
  uint64_t start_one = 0, start_many = 0;
  assert_true(is_same(dmd_blocks_find_announced(f->one, from, end, &start_one),
                      dmd_blocks_find_announced(f->many, from, end, &start_many)));
  assert_int_equal(start_one, start_many);
}

/* As many as with one shard are remembered, except those that were counted late, and some more. */
static void check_freed(fixture_t *f, uint64_t addr) {
  const dmd_freed_block_t *one = dmd_blocks_find_freed(f->one, addr);
  const dmd_freed_block_t *many = dmd_blocks_find_freed(f->many, addr);
  size_t i = f->n_history;
  while (i > 0 && f->history[i - 1].addr != addr)
    i--;
  size_t n_later = f->n_history - i;
  assert_int_equal(one != NULL, i > 0 && n_later < MAX_FREED);
  if (i > 0 && n_later < MAX_FREED - N_LATE)
    assert_non_null(many);
  if (i == 0)
    assert_null(many);
  if (one != NULL)
    assert_memory_equal(one, &f->history[i - 1], sizeof *one);
  if (many != NULL)
    assert_memory_equal(many, &f->history[i - 1], sizeof *many);
}

static void check_sums(fixture_t *f) {
  dmd_totals_t one = dmd_blocks_totals(f->one), many = dmd_blocks_totals(f->many);
  assert_memory_equal(&one, &many, sizeof one);
  for (uint32_t tag = 0; tag <= N_TAGS + 1; tag++) {
    dmd_tag_sum_t a = dmd_blocks_tag_sum(f->one, tag), b = dmd_blocks_tag_sum(f->many, tag);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

typedef struct {
  uint64_t addr;
  dmd_block_t block;
} seen_t;

typedef struct {
  seen_t seen[MAX];
  size_t n;
} walk_t;

static void visit(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *walk = ctx;
  assert_true(walk->n < MAX);
  walk->seen[walk->n++] = (seen_t){addr, *block};
}

static void check_walk(fixture_t *f) {
  static walk_t one, many;
  one.n = many.n = 0;
  dmd_blocks_walk(f->one, visit, &one);
  dmd_blocks_walk(f->many, visit, &many);
  assert_int_equal(one.n, f->n);
  assert_int_equal(many.n, f->n);
  for (size_t i = 0; i < one.n; i++) {
    assert_true(one.seen[i].addr == many.seen[i].addr);
    assert_true(i == 0 || one.seen[i].addr >= one.seen[i - 1].addr);
    assert_true(is_same(&one.seen[i].block, &many.seen[i].block));
  }
}

/* The blocks as dumps see them. */
static void check_index(fixture_t *f, dice_t *dice) {
  dmd_blockindex_t one, many;
  dmd_nested_t nested_one, nested_many;
  dmd_blockindex_init(&one, &f->host.env, f->one);
  dmd_blockindex_init(&many, &f->host.env, f->many);
  dmd_nested_init(&nested_one, &f->host.env, f->one);
  dmd_nested_init(&nested_many, &f->host.env, f->many);
  assert_int_equal(one.n, many.n);
  for (int i = 0; i < 100; i++) {
    uint64_t addr = BASE + dice_below(dice, SPAN);
    const dmd_placed_block_t *a = dmd_blockindex_find(&one, addr);
    const dmd_placed_block_t *b = dmd_blockindex_find(&many, addr);
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
      assert_true(a->addr == b->addr && is_same(a->block, b->block) && a->outer == b->outer);
  }
  assert_int_equal(dmd_nested_szB(&nested_one), dmd_nested_szB(&nested_many));
  dmd_nested_destroy(&nested_many);
  dmd_nested_destroy(&nested_one);
  dmd_blockindex_destroy(&many);
  dmd_blockindex_destroy(&one);
}

static void ask(fixture_t *f, dice_t *dice, uint64_t addr) {
  uint64_t other = BASE + dice_below(dice, SPAN);
  switch (dice_below(dice, 8)) {
  case 0:
    check_starts(f, addr);
    break;
  case 1:
    check_containing(f, dice_below(dice, 2) == 0 ? addr + dice_below(dice, 5000) : other);
    break;
  case 2:
    check_announced(f, other, other + dice_below(dice, SPAN / 4));
    break;
  case 3:
    check_freed(f, addr);
    break;
  case 4:
    check_sums(f);
    break;
  case 5:
    check_walk(f);
    break;
  case 6:
    check_index(f, dice);
    break;
  default:
    dmd_blocks_clear_freed_reported(f->one);
    dmd_blocks_clear_freed_reported(f->many);
    check_sums(f);
  }
}

/* ---- events ---- */

/* An address: anywhere, at the end of a MiB or where a block is already. */
static uint64_t somewhere(fixture_t *f, dice_t *dice) {
  uint64_t addr = BASE + (dice_below(dice, SPAN) & ~UINT64_C(15));
  if (dice_below(dice, 4) == 0)
    addr = (addr | 0xfffff) - dice_below(dice, 3) * 64 - 15;
  if (dice_below(dice, 3) == 0) /* some share a slot, and not all start at 16 bytes */
    addr = BASE + dice_below(dice, 32) * 8;
  if (f->n > 0 && dice_below(dice, 8) == 0)
    addr = f->list[dice_below(dice, f->n)].addr;
  return addr;
}

static bool is_taken_by_plain(const fixture_t *f, uint64_t addr) {
  for (size_t i = 0; i < f->n; i++)
    if (f->list[i].addr == addr && !f->list[i].is_announced)
      return true;
  return false;
}

static bool is_taken(const fixture_t *f, uint64_t addr) {
  for (size_t i = 0; i < f->n; i++)
    if (f->list[i].addr == addr)
      return true;
  return false;
}

/* Half of the plain blocks come and go without the engine's lock. */
static uint64_t add(fixture_t *f, dice_t *dice) {
  bool is_announced = dice_below(dice, 3) == 0;
  uint64_t addr = somewhere(f, dice), req = dice_below(dice, 2000);
  uint32_t tag = (uint32_t)dice_below(dice, N_TAGS + 1);
  if (dice_below(dice, 10) == 0)
    req = dice_below(dice, UINT64_C(5) << 20);
  if (!is_announced && is_taken(f, addr))
    return addr;
  dmd_new_block_t block = {
      .addr = addr, .req = req, .usable = req + 8, .stack = ++f->serial, .thread = f->serial % 7};
  if (is_announced) {
    block.flags = DMD_BLOCK_ANNOUNCED | (dice_below(dice, 3) == 0 ? DMD_BLOCK_POOLED : 0u);
    block.usable = req;
  }
  dmd_blocks_add(f->one, &block, tag);
  if (!is_announced && dice_below(dice, 2) == 0) {
    dmd_blocks_let_go(f->many);
    assert_true(dmd_blocks_fast_add(f->many, &block, tag));
    assert_false(dmd_blocks_fast_add(f->many, &block, tag));
  } else {
    dmd_blocks_add(f->many, &block, tag);
  }
  f->list[f->n++] = (entry_t){addr, is_announced};
  return addr;
}

static void note_freed(fixture_t *f, uint64_t addr, const dmd_block_t *block, uint32_t stack) {
  f->history[f->n_history++] = (dmd_freed_block_t){
      .addr = addr, .usable = dmd_block_usable(block), .allocated = block->stack, .freed = stack};
}

/* Removes the entry of an announced block at addr, or of one that was not announced. */
static void forget(fixture_t *f, uint64_t addr, bool is_announced) {
  size_t i = 0;
  while (f->list[i].addr != addr || f->list[i].is_announced != is_announced)
    i++;
  f->list[i] = f->list[--f->n];
}

static void free_at(fixture_t *f, dice_t *dice, uint64_t addr) {
  uint32_t stack = ++f->serial;
  const dmd_block_t *block = dmd_blocks_find_freeable(f->one, addr);
  if (block != NULL) {
    bool is_plain = dmd_blocks_find(f->one, addr) == block &&
                    !(block->flags & DMD_BLOCK_ANNOUNCED) && block->reports == DMD_NONE;
    note_freed(f, addr, block, stack);
    forget(f, addr, block->flags & DMD_BLOCK_ANNOUNCED);
    if (dice_below(dice, 2) == 0) {
      dmd_blocks_let_go(f->many);
      assert_int_equal(dmd_blocks_fast_remove(f->many, addr, stack, false), is_plain);
      if (is_plain) {
        assert_int_equal(dmd_blocks_remove(f->one, addr, stack), DMD_REMOVE_MEMORY);
        return;
      }
    }
  }
  assert_int_equal(dmd_blocks_remove(f->one, addr, stack), dmd_blocks_remove(f->many, addr, stack));
}

static void renew(fixture_t *f, uint64_t addr) {
  const dmd_block_t *block = dmd_blocks_find_freeable(f->one, addr);
  if (block == NULL || (block->flags & DMD_BLOCK_ANNOUNCED))
    return;
  uint64_t req = block->req / 2;
  dmd_new_block_t now = {.addr = addr, .req = req, .usable = req + 3, .stack = ++f->serial};
  dmd_blocks_renew(f->one, &now, 2);
  dmd_blocks_renew(f->many, &now, 2);
}

/* A realloc that fails, or moves the block; meanwhile another thread may get its old place. */
static void move(fixture_t *f, dice_t *dice, uint64_t addr) {
  const dmd_block_t *plain = dmd_blocks_find(f->one, addr);
  bool is_fast = plain != NULL && !(plain->flags & DMD_BLOCK_ANNOUNCED) &&
                 plain->reports == DMD_NONE && dice_below(dice, 2) == 0;
  dmd_blocks_let_go(f->many);
  dmd_block_t *one = dmd_blocks_begin_move(f->one, addr);
  dmd_block_t *many =
      is_fast ? dmd_blocks_fast_begin_move(f->many, addr) : dmd_blocks_begin_move(f->many, addr);
  assert_true(is_same(one, many));
  if (one == NULL)
    return;
  assert_true(dmd_blocks_find_freeable(f->one, addr) != one);
  check_starts(f, addr);
  check_sums(f);
  check_walk(f);
  if (dice_below(dice, 3) == 0) {
    dmd_blocks_put_back(f->one, addr, one, 17);
    dmd_blocks_put_back(f->many, addr, many, 17);
    return;
  }
  uint64_t to = dice_below(dice, 2) == 0 ? addr : somewhere(f, dice);
  uint32_t stack = ++f->serial;
  dmd_new_block_t now = {.addr = to, .req = one->req / 2 + 1, .usable = one->req + 9};
  now.stack = stack;
  forget(f, addr, one->flags & DMD_BLOCK_ANNOUNCED);
  if (to != addr && f->n + 1 < MAX && dice_below(dice, 2) == 0) {
    dmd_new_block_t other = {.addr = addr, .req = 3, .usable = 5, .stack = ++f->serial};
    dmd_blocks_add(f->one, &other, DMD_NONE);
    dmd_blocks_add(f->many, &other, DMD_NONE);
    f->list[f->n++] = (entry_t){addr, false};
  }
  bool fits = dmd_blocks_find(f->one, to) == NULL && one->reports == DMD_NONE;
  if (is_taken_by_plain(f, to))
    to = now.addr = BASE + SPAN + (uint64_t)f->serial * 16, fits = one->reports == DMD_NONE;
  note_freed(f, addr, one, stack);
  dmd_blocks_end_move(f->one, addr, one, &now, 2);
  dmd_blocks_let_go(f->many);
  bool tries = dice_below(dice, 2) == 0;
  if (tries)
    assert_int_equal(dmd_blocks_fast_end_move(f->many, addr, many, &now, 2), fits);
  if (!tries || !fits)
    dmd_blocks_end_move(f->many, addr, many, &now, 2);
  f->list[f->n++] = (entry_t){to, false};
}

static void change_announced(fixture_t *f, dice_t *dice, uint64_t addr) {
  dmd_block_t *one = dmd_blocks_find(f->one, addr), *many = dmd_blocks_find(f->many, addr);
  if (one == NULL || !(one->flags & DMD_BLOCK_ANNOUNCED))
    return;
  uint64_t req = dice_below(dice, 100000), to = somewhere(f, dice);
  switch (dice_below(dice, 3)) {
  case 0:
    dmd_blocks_resize_announced(f->one, addr, one, req);
    dmd_blocks_resize_announced(f->many, addr, many, req);
    break;
  case 1:
    one = dmd_blocks_move_announced(f->one, addr, one, to, req);
    assert_true(is_same(one, dmd_blocks_move_announced(f->many, addr, many, to, req)));
    forget(f, addr, true);
    f->list[f->n++] = (entry_t){to, true};
    break;
  default:
    note_freed(f, addr, one, ++f->serial);
    dmd_blocks_remove_announced(f->one, addr, one, f->serial);
    dmd_blocks_remove_announced(f->many, addr, many, f->serial);
    forget(f, addr, true);
  }
}

static void report(fixture_t *f, uint64_t addr) {
  if (!is_taken(f, addr))
    return;
  uint32_t reports = ++f->serial;
  dmd_blocks_set_reports(f->one, addr, dmd_blocks_find(f->one, addr), reports);
  dmd_blocks_set_reports(f->many, addr, dmd_blocks_find(f->many, addr), reports);
}

static void random_histories(void **state) {
  (void)state;
  enum { N_STEPS = 60000 };
  static fixture_t f;
  dice_t dice = {77};
  begin(&f, N_STEPS);
  for (int step = 0; step < N_STEPS; step++) {
    uint64_t addr = somewhere(&f, &dice), roll = dice_below(&dice, 12);
    if (f.n > 0 && roll > 0)
      addr = f.list[dice_below(&dice, f.n)].addr;
    if (f.n < MAX && roll < (step / 3000 % 2 == 0 ? 6 : 3))
      addr = add(&f, &dice);
    else if (roll < 7)
      free_at(&f, &dice, addr);
    else if (roll < 8)
      renew(&f, addr);
    else if (roll < 9)
      move(&f, &dice, addr);
    else if (roll < 10)
      change_announced(&f, &dice, addr);
    else if (roll < 11)
      report(&f, addr);
    else
      dmd_blocks_count_failed_realloc(f.one, 5), dmd_blocks_count_failed_realloc(f.many, 5);
    check_gone(&f);
    assert_int_equal(dmd_blocks_may_nest(f.one), dmd_blocks_may_nest(f.many));
    if (dice_below(&dice, 3) == 0)
      ask(&f, &dice, addr);
    if (dice_below(&dice, 2) == 0)
      dmd_blocks_let_go(f.many);
  }
  assert_true(f.n_history > 5000);
  end(&f);
}

/* Searches may end early as long as nothing was announced; a block that spans many shards is found
 * nevertheless. */
static void a_block_of_many_parts(void **state) {
  (void)state;
  static fixture_t f;
  dice_t dice = {3};
  begin(&f, 1);
  for (uint64_t i = 0; i < 4; i++) {
    uint64_t req = (i + 1) * 2500000;
    dmd_new_block_t block = {.addr = BASE + i * 11000000, .req = req, .usable = req};
    dmd_blocks_add(f.one, &block, DMD_NONE);
    assert_true(dmd_blocks_fast_add(f.many, &block, DMD_NONE));
  }
  for (int i = 0; i < 1000; i++)
    check_containing(&f, BASE + dice_below(&dice, SPAN));
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_histories),
      cmocka_unit_test(a_block_of_many_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
