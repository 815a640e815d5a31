/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

#include "live/blockindex.h"
#include "live/holders.h"

/* The program's memory, from BASE on. */
enum { BASE = 0x40000, PAGE = 4096, N_PAGES = 64, MEMORY_SZB = N_PAGES * PAGE };

/* The program's stacks 1 to N_STACKS have the same ids in the profile; TWIN + 1 and so on are other
 * stacks, that read as these do. */
enum { N_STACKS = 30, TWIN = 100 };

typedef struct {
  host_t host;
  dmd_live_t live;
  dmd_profile_t profile;
  dmd_advices_t found;
  unsigned char memory[MEMORY_SZB];
  bool unreadable[N_PAGES];
} fixture_t;

static fixture_t f;

/* ctx is the profile. */
static uint32_t add_stack(void *ctx, uint32_t id) {
  dmd_profile_t *profile = ctx;
  char text[16];
  snprintf(text, sizeof text, "f%u", (unsigned)id % TWIN);
  uint32_t frame = dmd_intern_str(&profile->frames, text);
  return dmd_profile_stack(profile, &frame, 1);
}

static size_t read_memory(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx;
  assert_true(n > 0 && n <= PAGE && addr / PAGE == (addr + n - 1) / PAGE);
  if (addr < BASE || addr + n > BASE + MEMORY_SZB || f.unreadable[(addr - BASE) / PAGE])
    return 0;
  memcpy(to, f.memory + (addr - BASE), n);
  return n;
}

static void find_in(dmd_profile_t *profile, dmd_advices_t *found) {
  dmd_memory_t memory = {.read = read_memory};
  dmd_translation_t ids;
  dmd_translation_init(&ids, profile, &f.live.reporter_names, &f.live.tag_names, &f.live.reports,
                       add_stack, profile);
  dmd_holders_find(&f.live, &ids, &memory, found);
  dmd_translation_destroy(&ids);
}

static void begin(uint64_t word_szB) {
  memset(f.memory, 0, sizeof f.memory);
  memset(f.unreadable, 0, sizeof f.unreadable);
  host_init(&f.host);
  dmd_live_init(&f.live, &f.host.env,
                &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                     .allocator = DMD_ALLOCATOR_EXACT,
                                     .word_szB = word_szB});
  dmd_profile_init(&f.profile, &f.host.env);
  for (uint32_t id = 1; id <= N_STACKS; id++)
    assert_int_equal(add_stack(&f.profile, id), id);
  dmd_advices_init(&f.found, &f.host.env);
}

static void end(void) {
  dmd_advices_destroy(&f.found);
  dmd_profile_destroy(&f.profile);
  dmd_live_destroy(&f.live);
  host_done(&f.host);
}

static void find(void) {
  find_in(&f.profile, &f.found);
}

static void add_as(uint64_t addr, uint64_t szB, uint32_t stack, uint32_t flags) {
  dmd_live_add(
      &f.live,
      &(dmd_new_block_t){
          .addr = addr, .req = szB, .usable = szB, .stack = stack, .thread = 1, .flags = flags});
}

static void add(uint64_t addr, uint64_t szB, uint32_t stack) {
  add_as(addr, szB, stack, 0);
}

/* reporter: NULL for a report outside of any scope. */
static void report(uint64_t addr, uint32_t stack, const char *reporter) {
  uint32_t name = reporter == NULL ? DMD_NONE : dmd_intern_str(&f.live.reporter_names, reporter);
  dmd_live_report(&f.live, 1, addr, stack, false, name);
}

static void point(uint64_t from, uint64_t to) {
  memcpy(f.memory + (from - BASE), &to, f.live.config.word_szB);
}

/* The one advice that there is, as "alloc <- held reporter at offset: blocks bytes"; several are
 * joined by "; " in their order. */
static const char *told(void) {
  static char text[1000];
  text[0] = '\0';
  for (uint32_t id = 1; id <= dmd_advices_count(&f.found); id++) {
    const dmd_advice_t *a = dmd_advices_at(&f.found, id);
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%u <- %s %s %u +%d: %d %d", n > 0 ? "; " : "", a->alloc,
             dmd_held_name(a->held),
             a->reporter == DMD_NONE ? "-" : dmd_intern_get_str(&f.profile.names, a->reporter),
             a->at, a->offset == DMD_OFFSET_ANY ? -1 : (int)a->offset, (int)a->blocks,
             (int)a->bytes);
  }
  return text;
}

static void a_reported_block_holds_another(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, "explicit/a");
  add(0x42000, 100, 2);
  point(0x41018, 0x42000);
  find();
  assert_string_equal(told(), "2 <- reported explicit/a 9 +24: 1 100");
  end();
}

static void pointers_inside_count(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, NULL);
  add(0x42000, 100, 2);
  add(0x43000, 100, 3);
  add(0x44000, 0, 4); /* has an address all the same */
  point(0x41000, 0x42000 + 99);
  point(0x41008, 0x43000 + 100); /* behind the end */
  point(0x41010, 0x44000);
  point(0x41018, 0x44001);
  find();
  assert_string_equal(told(), "2 <- reported - 9 +0: 1 100; 4 <- reported - 9 +16: 1 0");
  end();
}

static void only_aligned_words_are_read(void **state) {
  (void)state;
  begin(8);
  add(0x41004, 32, 1); /* announced, for example: words from 0x41008 to 0x41020 */
  report(0x41004, 9, "r");
  add(0x42000, 10, 2);
  add(0x43000, 10, 3);
  add(0x44000, 10, 4);
  point(0x4100c, 0x42000);
  point(0x41018, 0x43000);
  point(0x41020, 0x44000); /* ends at 0x41028, the block at 0x41024 */
  find();
  assert_string_equal(told(), "3 <- reported r 9 +20: 1 10");
  end();
}

/* Each block once, at the first offset of its holder. */
static void a_block_counts_once_for_a_holder(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  add(0x41100, 64, 1);
  report(0x41000, 9, "r");
  report(0x41100, 8, "r");
  add(0x42000, 10, 2);
  add(0x43000, 10, 2);
  point(0x41010, 0x42000);
  point(0x41020, 0x42008);
  point(0x41108, 0x42000);
  point(0x41110, 0x43000);
  find();
  assert_string_equal(told(), "2 <- reported r 9 +16: 1 10; 2 <- reported r 8 +16: 1 10");
  end();
}

static void two_holders_count_both(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  add(0x41100, 64, 1);
  report(0x41000, 9, "small");
  report(0x41100, 9, "big");
  add(0x42000, 10, 2);
  add(0x43000, 90, 2);
  point(0x41000, 0x42000);
  point(0x41100, 0x42000);
  point(0x41108, 0x43000);
  find();
  assert_string_equal(told(), "2 <- reported big 9 +8: 1 90; 2 <- reported big 9 +0: 1 10; "
                              "2 <- reported small 9 +0: 1 10");
  end();
}

/* Of a list of 1,000 only the head is held by a block that was reported. */
static void a_list_is_held_with_its_head(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, "r");
  for (uint64_t i = 0; i < 1000; i++) {
    uint64_t node = 0x42000 + (999 - i) * 32;
    add(node, 24, 2);
    point(i == 0 ? 0x41028 : node + 32 + 8, node);
  }
  find();
  assert_string_equal(told(), "2 <- reported r 9 +40: 1000 24000");
  end();
}

/* A pointer back to what holds us, or to others of our kind, tells nothing. */
static void a_list_that_nobody_holds(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 16, 1);
  add(0x41100, 16, 1);
  point(0x41000, 0x41100);
  point(0x41100, 0x41000);
  point(0x41108, 0x41100);
  find();
  assert_string_equal(told(), "");
  end();
}

/* What hangs on an unreported block of another place is told in two steps. */
static void unreported_blocks_hold_as_well(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, "r");
  add(0x42000, 32, 2);
  point(0x41000, 0x42000);
  for (uint64_t i = 0; i < 3; i++) {
    add(0x43000 + i * 64, 16, 3);
    point(i == 0 ? 0x42008 : 0x43000 + (i - 1) * 64, 0x43000 + i * 64);
  }
  find();
  assert_string_equal(told(), "2 <- reported r 9 +0: 1 32; 3 <- unreported - 2 +8: 3 48");
  end();
}

/* Two stacks of the program that read the same are one holder, and blocks that hang on both count
 * once. */
static void holders_that_read_the_same_are_one(void **state) {
  (void)state;
  begin(8);
  for (uint64_t i = 0; i < 4; i++) {
    uint32_t twin = i % 2 == 0 ? 0 : TWIN;
    add(0x41000 + i * 64, 64, i < 2 ? 1 + twin : 2);
    if (i >= 2)
      report(0x41000 + i * 64, 9 + twin, NULL);
    for (uint64_t k = 0; k < 3; k++)
      point(0x41000 + i * 64, 0x42000);
  }
  add(0x42000, 100, 3);
  find();
  assert_string_equal(told(), "3 <- reported - 9 +0: 1 100; 3 <- unreported - 1 +0: 1 100");
  end();
}

/* A list goes on in blocks of other stacks that read the same. */
static void a_list_of_stacks_that_read_the_same(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, "r");
  for (uint64_t i = 0; i < 10; i++) {
    add(0x42000 + i * 32, 24, 2 + (i % 2 == 0 ? 0 : TWIN));
    point(i == 0 ? 0x41000 : 0x42000 + (i - 1) * 32, 0x42000 + i * 32);
  }
  find();
  assert_string_equal(told(), "2 <- reported r 9 +0: 10 240");
  end();
}

static void blocks_without_a_stack(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, "r");
  add(0x42000, 16, DMD_NONE);
  add(0x43000, 16, DMD_NONE); /* may be of any kind: no list */
  point(0x41000, 0x42000);
  point(0x42000, 0x43000);
  find();
  assert_string_equal(told(), "0 <- reported r 9 +0: 1 16");
  end();
}

/* More than three places are one, and so is everything from 4 KiB on. */
static void an_array_has_no_offset(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 0x3000, 1);
  report(0x41000, 9, "r");
  for (uint64_t i = 0; i < 700; i++) {
    add(0x48000 + i * 16, 16 + (i < 2 ? 2 - i : 0), 2);
    point(0x41000 + i * 8, 0x48000 + i * 16);
  }
  find();
  /* 188 pointers at 4 KiB and behind are most; the others have 18, 17 and 16 bytes each. */
  assert_string_equal(told(), "2 <- reported r 9 +-1: 698 11168; 2 <- reported r 9 +0: 1 18; "
                              "2 <- reported r 9 +8: 1 17");
  end();
}

static void only_the_best_holders_are_kept(void **state) {
  (void)state;
  begin(8);
  for (uint64_t i = 0; i < 5; i++) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const uint64_t sizes[] = {30, 50, 10, 40, 20};
    add(0x41000 + i * 64, 64, 1);
    report(0x41000 + i * 64, 9, names[i]);
    add(0x42000 + i * 64, sizes[i], 2);
    point(0x41000 + i * 64, 0x42000 + i * 64);
  }
  find();
  assert_string_equal(told(), "2 <- reported b 9 +0: 1 50; 2 <- reported d 9 +0: 1 40; "
                              "2 <- reported a 9 +0: 1 30");
  end();
}

static void what_cannot_be_read_is_passed_over(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 0x3000, 1);
  report(0x41000, 9, "r");
  add(0x10, 0x10000, 5); /* outside of all memory */
  report(0x10, 9, "r");
  add(0x48000, 16, 2);
  add(0x48100, 16, 3);
  add(0x48200, 16, 4);
  point(0x41ff8, 0x48000);
  point(0x42ff8, 0x48100);
  point(0x43008, 0x48200);
  f.unreadable[(0x42000 - BASE) / PAGE] = true;
  find();
  assert_string_equal(told(), "2 <- reported r 9 +4088: 1 16; 4 <- reported r 9 +-1: 1 16");
  end();
}

/* Announced blocks can be anywhere, and of any size. */
static void absurd_blocks(void **state) {
  (void)state;
  begin(8);
  add_as(0x41000, UINT64_MAX, 1, DMD_BLOCK_ANNOUNCED);
  add_as(UINT64_MAX - 100, 1000, 1, DMD_BLOCK_ANNOUNCED);
  add_as(0, UINT64_C(1) << 40, 1, DMD_BLOCK_ANNOUNCED);
  add(0x42000, 64, 1);
  report(0x42000, 9, "r");
  add(0x43000, 16, 2);
  point(0x42000, 0x43000);
  point(0x42008, UINT64_MAX);
  find();
  assert_string_equal(told(), "2 <- reported r 9 +0: 1 16");
  end();
}

/* Estimates, as in records. */
static void sampled_blocks_stand_for_more(void **state) {
  (void)state;
  begin(8);
  f.live.config.sample_below = 1000;
  add(0x41000, 64, 1);
  report(0x41000, 9, "r");
  add_as(0x42000, 16, 2, DMD_BLOCK_SAMPLED);
  add_as(0x43000, 16, 2, DMD_BLOCK_SAMPLED | DMD_BLOCK_TWICE);
  add_as(0x44000, 16, DMD_NONE, DMD_BLOCK_UNSAMPLED);
  point(0x41000, 0x42000);
  point(0x41008, 0x43000);
  point(0x41010, 0x44000);
  find();
  assert_string_equal(told(), "2 <- reported r 9 +8: 2 2000; 2 <- reported r 9 +0: 1 1000");
  end();
}

static void nothing_live(void **state) {
  (void)state;
  begin(4);
  find();
  assert_int_equal(dmd_advices_count(&f.found), 0);
  end();
}

/* ---- At random, against what is worked out block by block. ---- */

enum { MAX_BLOCKS = 120, N_KINDS = 4, N_REPORTERS = 3 };

typedef struct {
  uint64_t addr, szB;
  uint32_t stack;
  uint32_t reporter; /* 0: unreported; 1 to N_REPORTERS: by name; above: by stack only */
  bool reached;
} naive_block_t;

static naive_block_t blocks[MAX_BLOCKS];
static int n_blocks;

/* The innermost block of the address: the one that starts last, and of these the newest. */
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
  uint64_t word_szB = f.live.config.word_szB;
  uint64_t addr = (blocks[from].addr + word_szB - 1) / word_szB * word_szB;
  for (; addr + word_szB <= blocks[from].addr + blocks[from].szB; addr += word_szB) {
    uint64_t word = 0;
    memcpy(&word, f.memory + (addr - BASE), word_szB);
    if (naive_find(word) == to)
      return true;
  }
  return false;
}

static bool is_of_holder(const naive_block_t *b, uint32_t reporter, uint32_t stack) {
  return b->reporter == reporter && (reporter != 0 || b->stack == stack);
}

/* Marks what the holder reaches: blocks that it points to, and from these on their likes. */
static void naive_reach(uint32_t reporter, uint32_t stack) {
  for (int i = 0; i < n_blocks; i++)
    blocks[i].reached = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (int to = 0; to < n_blocks; to++)
      for (int from = 0; from < n_blocks && blocks[to].reporter == 0 && !blocks[to].reached;
           from++) {
        bool alike = blocks[from].reporter == 0 && blocks[from].stack == blocks[to].stack;
        bool may = alike ? blocks[from].reached : is_of_holder(&blocks[from], reporter, stack);
        if (may && naive_points_to(from, to))
          changed = blocks[to].reached = true;
      }
  }
}

static void compare_holder(uint32_t reporter, uint32_t stack) {
  naive_reach(reporter, stack);
  for (uint32_t alloc = 1; alloc <= N_KINDS; alloc++) {
    uint64_t n = 0, bytes = 0, told_n = 0, told_bytes = 0;
    for (int i = 0; i < n_blocks; i++)
      if (blocks[i].reached && blocks[i].stack == alloc) {
        n++;
        bytes += blocks[i].szB;
      }
    for (uint32_t id = 1; id <= dmd_advices_count(&f.found); id++) {
      const dmd_advice_t *a = dmd_advices_at(&f.found, id);
      bool named = reporter > 0 && reporter <= N_REPORTERS;
      if (a->alloc != alloc || a->held != (reporter == 0) ||
          a->reporter != (named ? reporter : DMD_NONE) ||
          (!named && a->at != (reporter == 0 ? stack : reporter)))
        continue;
      told_n += a->blocks;
      told_bytes += a->bytes;
    }
    assert_int_equal(told_n, n);
    assert_int_equal(told_bytes, bytes);
  }
}

static void add_random_block(dice_t *dice, uint64_t *next) {
  naive_block_t *b = &blocks[n_blocks++];
  *b = (naive_block_t){.szB = dice_below(dice, 64) * (dice_below(dice, 8) == 0 ? 16 : 1),
                       .stack = 1 + (uint32_t)dice_below(dice, N_KINDS)};
  b->reporter = (uint32_t)dice_below(dice, 6);
  if (b->reporter > 3) /* no more than three reporters of a kind: others would not be kept */
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
  add(b->addr, b->szB, b->stack + twin);
  if (b->reporter == N_REPORTERS) {
    b->reporter = 10;
    report(b->addr, b->reporter + twin, NULL);
  } else if (b->reporter > 0) {
    report(b->addr, (uint32_t)(20 + dice_below(dice, 3)), b->reporter == 1 ? "one" : "two");
  }
}

static void random_heap(dice_t *dice, uint64_t word_szB) {
  begin(word_szB);
  dmd_intern_str(&f.profile.names, "one");
  dmd_intern_str(&f.profile.names, "two");
  uint64_t next = BASE + 16 * dice_below(dice, 100);
  n_blocks = 0;
  int n = 1 + (int)dice_below(dice, MAX_BLOCKS);
  while (n_blocks < n)
    add_random_block(dice, &next);
  for (uint64_t i = dice_below(dice, 300); i > 0; i--)
    point(BASE + dice_below(dice, (next - BASE) / word_szB) * word_szB,
          BASE + dice_below(dice, next - BASE));
  find();
  for (uint32_t reporter = 1; reporter <= 2; reporter++)
    compare_holder(reporter, 0);
  compare_holder(10, 0);
  for (uint32_t stack = 1; stack <= N_KINDS; stack++)
    compare_holder(0, stack);
  end();
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
    begin(8);
    n_blocks = 0;
    for (int n = 1 + (int)dice_below(&dice, MAX_BLOCKS); n_blocks < n; n_blocks++) {
      /* Close together, or somewhere in 2^41 bytes. */
      uint64_t addr = dice_below(&dice, 3000) << (dice_below(&dice, 4) == 0 ? 29 : 0);
      blocks[n_blocks] = (naive_block_t){.addr = addr, .szB = dice_below(&dice, 200)};
      add(addr, blocks[n_blocks].szB, 1);
    }
    dmd_blockindex_t index;
    dmd_blockindex_init(&index, &f.host.env, f.live.blocks);
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
    end();
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  f.live.env = &host->env;
  dmd_profile_init(&profile, &host->env);
  find_in(&profile, &profile.advices);
  assert_int_equal(dmd_advices_count(&profile.advices), 1);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  begin(8);
  add(0x41000, 64, 1);
  report(0x41000, 9, "r");
  add(0x42000, 100, 2);
  point(0x41018, 0x42000);
  assert_true(host_fail_everywhere(use, NULL) > 10);
  f.live.env = &f.host.env;
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reported_block_holds_another),
      cmocka_unit_test(pointers_inside_count),
      cmocka_unit_test(only_aligned_words_are_read),
      cmocka_unit_test(a_block_counts_once_for_a_holder),
      cmocka_unit_test(two_holders_count_both),
      cmocka_unit_test(a_list_is_held_with_its_head),
      cmocka_unit_test(a_list_that_nobody_holds),
      cmocka_unit_test(unreported_blocks_hold_as_well),
      cmocka_unit_test(holders_that_read_the_same_are_one),
      cmocka_unit_test(a_list_of_stacks_that_read_the_same),
      cmocka_unit_test(blocks_without_a_stack),
      cmocka_unit_test(an_array_has_no_offset),
      cmocka_unit_test(only_the_best_holders_are_kept),
      cmocka_unit_test(what_cannot_be_read_is_passed_over),
      cmocka_unit_test(absurd_blocks),
      cmocka_unit_test(sampled_blocks_stand_for_more),
      cmocka_unit_test(nothing_live),
      cmocka_unit_test(random_against_a_naive_search),
      cmocka_unit_test(index_against_a_naive_search),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
