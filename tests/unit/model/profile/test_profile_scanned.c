/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Profiles of mode scan: single blocks with their contents, from a program's memory of a few pages,
 * some of which cannot be read.
 */
#include "snapshot_fixture.h"

#include "files/profile/profilewriter.h"
#include "record/heap/pages.h"

#include <stdio.h>

enum { BASE = 0x40000, N_PAGES = 6, MEMORY_SZB = N_PAGES * DMD_PAGE_SZB };
enum { UNREADABLE = 2, EMPTY = 3 }; /* pages */

static unsigned char g_memory[MEMORY_SZB];

/* Memory that was never written must not be read. */
static size_t read_memory(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx;
  assert_true(addr >= BASE && addr + n <= BASE + MEMORY_SZB);
  uint64_t page = (addr - BASE) / DMD_PAGE_SZB;
  assert_true(page == (addr + n - 1 - BASE) / DMD_PAGE_SZB && page != EMPTY);
  if (page == UNREADABLE)
    return 0;
  memcpy(to, g_memory + (addr - BASE), n);
  return n;
}

static bool holds_memory(void *ctx, uint64_t addr, size_t n, bool *holds) {
  (void)ctx;
  for (size_t i = 0; i < n; i++)
    holds[i] = addr + i * DMD_PAGE_SZB != BASE + EMPTY * DMD_PAGE_SZB;
  return true;
}

static const dmd_memory_t memory = {.read = read_memory, .holds = holds_memory};

/* The value of each byte depends on its address. */
static void fill_memory(void) {
  for (size_t i = 0; i < MEMORY_SZB; i++)
    g_memory[i] = (unsigned char)(i * 7 + i / 256);
}

static unsigned char byte_at(uint64_t addr) {
  uint64_t page = (addr - BASE) / DMD_PAGE_SZB;
  return page == UNREADABLE || page == EMPTY ? 0 : g_memory[addr - BASE];
}

/* The word, byte by byte, as a machine of this kind stores it. */
static uint64_t word_at(uint64_t addr, uint64_t word_szB) {
  unsigned char bytes[sizeof(uint64_t)] = {0};
  uint64_t word = 0;
  uint32_t half = 0;
  for (uint64_t i = 0; i < word_szB; i++)
    bytes[i] = byte_at(addr + i);
  memcpy(&word, bytes, sizeof word);
  memcpy(&half, bytes, sizeof half);
  return word_szB == sizeof half ? half : word;
}

static void check_words(const dmd_scanned_t *scanned, uint32_t group, uint64_t addr, uint64_t szB,
                        uint64_t word_szB) {
  const dmd_scanned_block_t *block = dmd_scanned_of(scanned, group);
  assert_non_null(block);
  assert_int_equal(block->addr, addr);
  assert_int_equal(block->n_words, szB / word_szB);
  for (uint32_t i = 0; i < block->n_words; i++)
    assert_int_equal(*dmd_scanned_word(scanned, block, i), word_at(addr + i * word_szB, word_szB));
}

/* ---- Words of memory. ---- */

/* Whole pages and parts, aligned or not, over the ends of pages that are there and not. */
static void words_are_those_of_the_memory(void **state) {
  (void)state;
  host_t host;
  dmd_scanned_t scanned;
  static dmd_pages_t pages;
  dice_t dice = {5};
  fill_memory();
  for (uint64_t word_szB = 4; word_szB <= 8; word_szB += 4) {
    host_init(&host);
    dmd_scanned_init(&scanned, &host.env);
    dmd_pages_init(&pages, &memory);
    uint64_t addr[200], szB[200];
    for (uint32_t i = 0; i < COUNT_OF(addr); i++) {
      addr[i] = BASE + dice_below(&dice, MEMORY_SZB);
      szB[i] = dice_below(&dice, i % 2 == 0 ? 40 : BASE + MEMORY_SZB - addr[i] + 1);
      if (szB[i] > BASE + MEMORY_SZB - addr[i])
        szB[i] = BASE + MEMORY_SZB - addr[i];
      dmd_scanned_add(&scanned, i + 1, addr[i]);
      dmd_contents_add(&scanned, &pages, addr[i], szB[i], word_szB);
    }
    for (uint32_t i = 0; i < COUNT_OF(addr); i++)
      check_words(&scanned, i + 1, addr[i], szB[i], word_szB);
    dmd_scanned_destroy(&scanned);
    host_done(&host);
  }
}

static void groups_without_blocks_have_nothing(void **state) {
  (void)state;
  host_t host;
  dmd_scanned_t scanned;
  host_init(&host);
  dmd_scanned_init(&scanned, &host.env);
  assert_true(dmd_scanned_is_empty(&scanned));
  assert_null(dmd_scanned_of(&scanned, 1));
  dmd_scanned_add(&scanned, 3, 0x1000);
  dmd_scanned_add_word(&scanned, 7);
  dmd_scanned_add(&scanned, 4, 0x2000);
  dmd_scanned_add_word(&scanned, 8);
  dmd_scanned_add_word(&scanned, 9);
  assert_false(dmd_scanned_is_empty(&scanned));
  assert_true(dmd_scanned_of(&scanned, 2)->addr == 0 && dmd_scanned_of(&scanned, 2)->n_words == 0);
  assert_int_equal(dmd_scanned_of(&scanned, 3)->n_words, 1);
  assert_int_equal(*dmd_scanned_word(&scanned, dmd_scanned_of(&scanned, 3), 0), 7);
  assert_int_equal(*dmd_scanned_word(&scanned, dmd_scanned_of(&scanned, 4), 1), 9);
  assert_null(dmd_scanned_of(&scanned, 5));
  dmd_scanned_destroy(&scanned);
  host_done(&host);
}

/* ---- Snapshots. ---- */

static void announce(snapshot_fixture_t *f, uint64_t addr, uint64_t szB) {
  dmd_live_add(
      &f->live,
      &(dmd_new_block_t){
          .addr = addr, .req = szB, .usable = szB, .thread = 1, .flags = DMD_BLOCK_ANNOUNCED});
}

static void begin_scan(snapshot_fixture_t *f) {
  fill_memory();
  snapshot_begin(f, DMD_MODE_SCAN);
}

static void take_scan(snapshot_fixture_t *f) {
  dmd_snapshot_take(&f->live, &memory, &f->profile, snapshot_resolve, f);
}

/* Equal blocks too, in the order of addresses. */
static void blocks_one_by_one(void **state) {
  (void)state;
  snapshot_fixture_t f;
  begin_scan(&f);
  static const uint64_t addr[] = {BASE + 0x40, BASE + 0x100, BASE + 0x1ff0, BASE + 0x5000};
  static const uint64_t szB[] = {32, 32, 0x2100, 3};
  for (size_t i = COUNT_OF(addr); i-- > 0;)
    snapshot_alloc(&f, addr[i], szB[i], 1);
  dmd_live_report(&f.live, 1, addr[0], 9, 0, DMD_NONE); /* this mode does not keep it */
  take_scan(&f);
  assert_int_equal(f.profile.mode, DMD_MODE_SCAN);
  assert_int_equal(dmd_groups_count(&f.profile.groups), COUNT_OF(addr));
  for (uint32_t i = 0; i < COUNT_OF(addr); i++) {
    const dmd_group_t *g = snapshot_group(&f, i + 1);
    assert_true(g->req == szB[i] && g->num == 1 && g->reports == DMD_NONE);
    assert_string_equal(snapshot_stack_text(&f, g->stack), "f1");
    check_words(&f.profile.scanned, i + 1, addr[i], szB[i], 8);
  }
  assert_int_equal(f.profile.run.nested_szB, 0);
  snapshot_end(&f);
}

/* A piece's words are part of its block's contents; memory outside blocks has its own. */
static void blocks_do_not_overlap(void **state) {
  (void)state;
  snapshot_fixture_t f;
  begin_scan(&f);
  snapshot_alloc(&f, BASE + 0x100, 0x100, 1);
  announce(&f, BASE + 0x100, 0x40);
  announce(&f, BASE + 0x140, 0x20);
  announce(&f, BASE + 0x148, 8);
  announce(&f, BASE + 0x401, 19);
  take_scan(&f);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 2);
  assert_int_equal(snapshot_group(&f, 1)->req, 0x100);
  check_words(&f.profile.scanned, 1, BASE + 0x100, 0x100, 8);
  check_words(&f.profile.scanned, 2, BASE + 0x401, 19, 8);
  assert_int_equal(f.profile.run.in_use_szB - f.profile.run.nested_szB, 0x100 + 19);
  assert_int_equal(f.profile.memory.heap_allocated, 0x100 + 19);
  snapshot_end(&f);
}

static void without_memory_it_is_live(void **state) {
  (void)state;
  snapshot_fixture_t f;
  begin_scan(&f);
  snapshot_alloc(&f, BASE, 16, 1);
  snapshot_alloc(&f, BASE + 64, 16, 1);
  snapshot_take(&f);
  assert_int_equal(f.profile.mode, DMD_MODE_LIVE);
  assert_int_equal(dmd_groups_count(&f.profile.groups), 1);
  assert_true(dmd_scanned_is_empty(&f.profile.scanned));
  snapshot_end(&f);
}

/* As DMD writes it: digits without a prefix, nothing where no word fits. */
static void as_a_document(void **state) {
  (void)state;
  snapshot_fixture_t f;
  sink_t sink;
  begin_scan(&f);
  memset(g_memory, 0, 64);
  g_memory[1] = 0xab;
  g_memory[15] = 0x80;
  snapshot_alloc(&f, BASE, 23, DMD_NONE);
  snapshot_alloc(&f, BASE + 64, 7, DMD_NONE);
  take_scan(&f);
  sink_init(&sink);
  dmd_profilewriter_write(&sink.out, &f.profile);
  assert_non_null(strstr(sink_text(&sink), "\"mode\": \"scan\""));
  /* The fixture gives a block req % 16 bytes of slop. */
  assert_non_null(strstr(sink_text(&sink),
                         "  {\"addr\":\"40000\",\"req\":23,\"slop\":7,\"contents\":[\"ab00\","
                         "\"8000000000000000\"]},\n  {\"addr\":\"40040\",\"req\":7,\"slop\":7}\n"));
  sink_free(&sink);
  snapshot_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  snapshot_fixture_t counter = {0};
  dmd_live_config_t config = {
      .mode = DMD_MODE_SCAN, .allocator = DMD_ALLOCATOR_EXACT, .word_szB = 8};
  dmd_live_t live;
  dmd_live_init(&live, &host->env, &config);
  for (uint32_t id = 1; id <= 3; id++)
    dmd_live_add(&live,
                 &(dmd_new_block_t){
                     .addr = BASE + id * 64, .req = 16, .usable = 16, .stack = id, .thread = 1});
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host->env);
  dmd_snapshot_take(&live, &memory, &profile, snapshot_resolve, &counter);
  assert_int_equal(dmd_scanned_of(&profile.scanned, 3)->n_words, 2);
  dmd_profile_destroy(&profile);
  dmd_live_destroy(&live);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_those_of_the_memory),
      cmocka_unit_test(groups_without_blocks_have_nothing),
      cmocka_unit_test(blocks_one_by_one),
      cmocka_unit_test(blocks_do_not_overlap),
      cmocka_unit_test(without_memory_it_is_live),
      cmocka_unit_test(as_a_document),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
