/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random referrers, against results computed block by block. */
#include "referrers_fixture.h"

enum { MAX_BLOCKS = 120, N_KINDS = 4, N_REPORTERS = 3 };

typedef struct {
  uint64_t addr, szB;
  uint32_t stack;
  uint32_t reporter; /* 0: unreported; 1 to N_REPORTERS: by name; above: by stack only */
  bool reached;
} naive_block_t;

static naive_block_t blocks[MAX_BLOCKS];
static int n_blocks;

/* The innermost block of the address: the one that starts last, and of several the newest. */
static int naive_find(uint64_t addr) {
  int found = -1;
  for (int i = 0; i < n_blocks; i++) {
    uint64_t szB = blocks[i].szB == 0 ? 1 : blocks[i].szB;
    if (addr >= blocks[i].addr && addr - blocks[i].addr < szB &&
        (found < 0 || blocks[i].addr >= blocks[found].addr))
      found = i;
  }
  return found;
}

static bool naive_points_to(int from, int to) {
  uint64_t word_szB = g_referrers.word_szB;
  uint64_t addr = (blocks[from].addr + word_szB - 1) / word_szB * word_szB;
  for (; addr + word_szB <= blocks[from].addr + blocks[from].szB; addr += word_szB) {
    uint64_t word = 0;
    memcpy(&word, g_referrers.memory + (addr - BASE), word_szB);
    if (naive_find(word) == to)
      return true;
  }
  return false;
}

static bool is_of_referrer(const naive_block_t *b, uint32_t reporter, uint32_t stack) {
  return b->reporter == reporter && (reporter != 0 || b->stack == stack);
}

/* Marks what the referrer reaches: the blocks that it points to, and from there on blocks of their
 * kind. */
static void naive_reach(uint32_t reporter, uint32_t stack) {
  for (int i = 0; i < n_blocks; i++)
    blocks[i].reached = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (int to = 0; to < n_blocks; to++)
      for (int from = 0; from < n_blocks && blocks[to].reporter == 0 && !blocks[to].reached;
           from++) {
        bool alike = blocks[from].reporter == 0 && blocks[from].stack == blocks[to].stack;
        bool may = alike ? blocks[from].reached : is_of_referrer(&blocks[from], reporter, stack);
        if (may && naive_points_to(from, to))
          changed = blocks[to].reached = true;
      }
  }
}

static void compare_referrer(uint32_t reporter, uint32_t stack) {
  naive_reach(reporter, stack);
  for (uint32_t alloc = 1; alloc <= N_KINDS; alloc++) {
    uint64_t n = 0, bytes = 0, found_n = 0, found_bytes = 0;
    for (int i = 0; i < n_blocks; i++)
      if (blocks[i].reached && blocks[i].stack == alloc) {
        n++;
        bytes += blocks[i].szB;
      }
    for (uint32_t id = 1; id <= dmd_hints_count(&g_referrers.found); id++) {
      const dmd_hint_t *a = dmd_hints_at(&g_referrers.found, id);
      bool named = reporter > 0 && reporter <= N_REPORTERS;
      if (a->alloc != alloc || a->referrer_kind != (reporter == 0) ||
          a->reporter != (named ? reporter : DMD_NONE) ||
          (!named && a->stack != (reporter == 0 ? stack : reporter)))
        continue;
      found_n += a->blocks;
      found_bytes += a->bytes;
    }
    assert_int_equal(found_n, n);
    assert_int_equal(found_bytes, bytes);
  }
}

static void add_random_block(dice_t *dice, uint64_t *next) {
  naive_block_t *b = &blocks[n_blocks++];
  *b = (naive_block_t){.szB = dice_below(dice, 64) * (dice_below(dice, 8) == 0 ? 16 : 1),
                       .stack = 1 + (uint32_t)dice_below(dice, N_KINDS)};
  b->reporter = (uint32_t)dice_below(dice, 6);
  if (b->reporter > 3) /* at most three reporters of a kind: only that many are kept */
    b->reporter = 0;
  if (n_blocks > 1 && dice_below(dice, 5) == 0) {
    const naive_block_t *outer = &blocks[dice_below(dice, (uint64_t)n_blocks - 1)];
    b->addr = outer->addr + (outer->szB == 0 ? 0 : dice_below(dice, outer->szB));
    b->szB = (outer->addr + outer->szB - b->addr) / (1 + dice_below(dice, 3));
  } else {
    b->addr = *next;
    *next += (b->szB + 31) / 16 * 16;
  }
  uint32_t twin = dice_below(dice, 2) == 0 ? 0 : TWIN;
  add_block(b->addr, b->szB, b->stack + twin);
  if (b->reporter == N_REPORTERS) {
    b->reporter = 10;
    report_block(b->addr, b->reporter + twin, NULL);
  } else if (b->reporter > 0) {
    report_block(b->addr, (uint32_t)(20 + dice_below(dice, 3)), b->reporter == 1 ? "one" : "two");
  }
}

static void random_heap(dice_t *dice, uint64_t word_szB) {
  referrers_begin(word_szB);
  dmd_intern_str(&g_referrers.profile.names, "one");
  dmd_intern_str(&g_referrers.profile.names, "two");
  uint64_t next = BASE + 16 * dice_below(dice, 100);
  n_blocks = 0;
  int n = 1 + (int)dice_below(dice, MAX_BLOCKS);
  while (n_blocks < n)
    add_random_block(dice, &next);
  for (uint64_t i = dice_below(dice, 300); i > 0; i--)
    point(BASE + dice_below(dice, (next - BASE) / word_szB) * word_szB,
          BASE + dice_below(dice, next - BASE));
  find_referrers();
  for (uint32_t reporter = 1; reporter <= 2; reporter++)
    compare_referrer(reporter, 0);
  compare_referrer(10, 0);
  for (uint32_t stack = 1; stack <= N_KINDS; stack++)
    compare_referrer(0, stack);
  referrers_end();
}

static void random_against_a_naive_search(void **state) {
  (void)state;
  dice_t dice = {4711};
  for (int round = 0; round < 300; round++)
    random_heap(&dice, round % 2 == 0 ? 8 : 4);
}

/* ---- The index by itself. ---- */

static void index_against_a_naive_search(void **state) {
  (void)state;
  dice_t dice = {815};
  for (int round = 0; round < 200; round++) {
    referrers_begin(8);
    n_blocks = 0;
    for (int n = 1 + (int)dice_below(&dice, MAX_BLOCKS); n_blocks < n; n_blocks++) {
      /* Close together, or somewhere in 2^41 bytes. */
      uint64_t addr = dice_below(&dice, 3000) << (dice_below(&dice, 4) == 0 ? 29 : 0);
      blocks[n_blocks] = (naive_block_t){.addr = addr, .szB = dice_below(&dice, 200)};
      add_block(addr, blocks[n_blocks].szB, 1);
    }
    dmd_blockindex_t index;
    dmd_blockindex_init(&index, &g_referrers.host.env, g_referrers.live.blocks);
    for (int i = 0; i < 2000; i++) {
      int k = (int)dice_below(&dice, (uint64_t)n_blocks);
      uint64_t addr = blocks[k].addr + dice_below(&dice, 210) - 5;
      int expected = naive_find(addr);
      const dmd_placed_block_t *found = dmd_blockindex_find(&index, addr);
      assert_int_equal(found != NULL, expected >= 0);
      if (found != NULL) {
        assert_int_equal(found->addr, blocks[expected].addr);
        assert_int_equal(found->end - found->addr,
                         blocks[expected].szB == 0 ? 1 : blocks[expected].szB);
      }
    }
    dmd_blockindex_destroy(&index);
    referrers_end();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_naive_search),
      cmocka_unit_test(index_against_a_naive_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
