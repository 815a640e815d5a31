/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding the block of an address in a scan, and clamping words, against a search of all blocks for
 * each word.
 */
#include "fixture.h"

#include "analyse/transform/reduce.h"

enum { MAX = 40 };

/* Blocks of a heap, in the order in which a file may have them. */
typedef struct {
  uint64_t addr, req;
} place_t;

static void add(dmd_profile_t *profile, uint64_t addr, uint64_t req) {
  dmd_group_t group = {.req = req, .num = 1};
  dmd_scanned_add(&profile->scanned, dmd_groups_append(&profile->groups, &group), addr);
}

static bool init(dmd_addresses_t *addresses, fixture_t *f, const char *expected) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f->host.env);
  bool good = dmd_addresses_init(addresses, &f->profile, &why);
  assert_string_equal(why.text, expected);
  dmd_strbuf_destroy(&why);
  return good;
}

/* n consecutive blocks with gaps of up to 2 bytes, in random order. */
static void make_places(place_t *places, uint32_t n, dice_t *dice) {
  uint64_t addr = 1 + dice_below(dice, 8);
  for (uint32_t i = 0; i < n; i++) {
    places[i] = (place_t){.addr = addr, .req = dice_below(dice, 5)};
    addr += places[i].req + dice_below(dice, 3);
    if (places[i].req == 0)
      addr++;
  }
  for (uint32_t i = n; i > 1; i--) {
    uint32_t k = (uint32_t)dice_below(dice, i);
    place_t place = places[k];
    places[k] = places[i - 1];
    places[i - 1] = place;
  }
}

/* The block around an address, found the slow way; 0: no block. */
static uint64_t start_around(const place_t *places, uint32_t n, uint64_t addr) {
  for (uint32_t i = 0; i < n; i++)
    if (addr == places[i].addr || (addr > places[i].addr && addr < places[i].addr + places[i].req))
      return places[i].addr;
  return 0;
}

static void finds_as_a_search_of_all(void **state) {
  (void)state;
  dice_t dice = {7};
  for (int round = 0; round < 500; round++) {
    fixture_t f;
    place_t places[MAX];
    uint32_t n = (uint32_t)dice_below(&dice, MAX);
    dmd_addresses_t addresses;
    fixture_begin(&f, DMD_MODE_SCAN);
    make_places(places, n, &dice);
    for (uint32_t i = 0; i < n; i++)
      add(&f.profile, places[i].addr, places[i].req);
    assert_true(init(&addresses, &f, ""));
    assert_int_equal(addresses.n, n);
    for (uint64_t addr = 0; addr < 8 * MAX; addr++) {
      uint32_t place = dmd_addresses_find(&addresses, addr);
      uint64_t expected = start_around(places, n, addr);
      assert_int_equal(place < n, expected != 0);
      if (place < n) {
        assert_int_equal(dmd_addresses_start(&addresses, place), expected);
        assert_int_equal(
            dmd_groups_at(&f.profile.groups, dmd_addresses_group(&addresses, place))->req,
            places[dmd_addresses_group(&addresses, place) - 1].req);
      }
    }
    dmd_addresses_destroy(&addresses);
    fixture_end(&f);
  }
}

static void blocks_that_cannot_be(void **state) {
  (void)state;
  static const struct {
    place_t places[2];
    const char *why;
  } cases[] = {
      {{{0x10, 8}, {0x18, 1}}, ""},
      {{{0x18, 1}, {0x10, 8}}, ""},
      {{{0x18, 0}, {0x10, 8}}, ""},
      {{{0x10, 8}, {0x10, 0}}, ""},
      {{{0x10, 8}, {0x17, 1}}, "the blocks at 0x10 and 0x17 overlap"},
      {{{0x20, 1}, {0x20, 1}}, "the blocks at 0x20 and 0x20 overlap"},
      {{{0x10, 8}, {0, 1}}, "a block has no address"},
      {{{0x10, 8}, {UINT64_MAX - 7, 7}}, ""},
      {{{0x10, 8}, {UINT64_MAX - 7, 8}},
       "the block at 0xfffffffffffffff8 ends beyond all addresses"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    dmd_addresses_t addresses;
    fixture_begin(&f, DMD_MODE_SCAN);
    add(&f.profile, cases[i].places[0].addr, cases[i].places[0].req);
    add(&f.profile, cases[i].places[1].addr, cases[i].places[1].req);
    assert_int_equal(init(&addresses, &f, cases[i].why), cases[i].why[0] == '\0');
    dmd_addresses_destroy(&addresses);
    fixture_end(&f);
  }
}

/* A group of a profile that is not a scan has no address. */
static void groups_without_addresses(void **state) {
  (void)state;
  fixture_t f;
  dmd_addresses_t addresses;
  fixture_begin(&f, DMD_MODE_LIVE);
  assert_true(init(&addresses, &f, ""));
  assert_int_equal(dmd_addresses_find(&addresses, 0), 0);
  dmd_addresses_destroy(&addresses);
  build_blocks(&f.profile, 1, 8, 0, "a|b", DMD_NONE);
  assert_false(init(&addresses, &f, "a block has no address"));
  dmd_addresses_destroy(&addresses);
  fixture_end(&f);
}

static void check_clamped(const dmd_profile_t *profile, uint32_t group, const uint64_t *before,
                          uint32_t n, const place_t *places, uint32_t n_places) {
  const dmd_scanned_block_t *block = dmd_scanned_of(&profile->scanned, group);
  uint64_t expected[MAX];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    expected[i] = start_around(places, n_places, before[i]);
    if (expected[i] != 0)
      kept = i + 1;
  }
  assert_int_equal(block->n_words, kept);
  for (uint32_t i = 0; i < kept; i++)
    assert_int_equal(*dmd_scanned_word(&profile->scanned, block, i), expected[i]);
}

static void words_become_starts_or_zero(void **state) {
  (void)state;
  dice_t dice = {8};
  for (int round = 0; round < 200; round++) {
    fixture_t f;
    place_t places[MAX];
    uint64_t words[MAX][4], sum[4] = {0};
    uint32_t n = (uint32_t)dice_below(&dice, MAX), n_words[MAX];
    fixture_begin(&f, DMD_MODE_SCAN);
    make_places(places, n, &dice);
    for (uint32_t i = 0; i < n; i++) {
      add(&f.profile, places[i].addr, places[i].req);
      n_words[i] = (uint32_t)dice_below(&dice, 5);
      for (uint32_t k = 0; k < n_words[i]; k++) {
        uint64_t word = dice_below(&dice, 3) == 0 ? 0 : dice_below(&dice, 6 * MAX);
        uint64_t start = start_around(places, n, word);
        words[i][k] = word;
        dmd_scanned_add_word(&f.profile.scanned, word);
        sum[word == 0 ? 0 : start == 0 ? 1 : start == word ? 2 : 3]++;
      }
    }
    dmd_strbuf_t why;
    dmd_clamped_t clamped;
    dmd_strbuf_init(&why, &f.host.env);
    assert_true(dmd_clamp(&f.profile, &clamped, &why));
    dmd_strbuf_destroy(&why);
    for (uint32_t i = 0; i < n; i++)
      check_clamped(&f.profile, i + 1, words[i], n_words[i], places, n);
    assert_true(clamped.zeroes == sum[0] && clamped.others == sum[1] && clamped.starts == sum[2] &&
                clamped.interiors == sum[3]);
    fixture_end(&f);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_profile_t profile;
  dmd_clamped_t clamped;
  dmd_strbuf_t why;
  dmd_profile_init(&profile, &host->env);
  dmd_strbuf_init(&why, &host->env);
  for (uint32_t i = 1; i <= 3; i++) {
    add(&profile, 64 * i, 16);
    dmd_scanned_add_word(&profile.scanned, 65);
  }
  assert_true(dmd_clamp(&profile, &clamped, &why));
  assert_int_equal(clamped.interiors, 3);
  add(&profile, 70, 1);
  assert_false(dmd_clamp(&profile, &clamped, &why));
  dmd_strbuf_destroy(&why);
  dmd_profile_destroy(&profile);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_as_a_search_of_all),
      cmocka_unit_test(blocks_that_cannot_be),
      cmocka_unit_test(groups_without_addresses),
      cmocka_unit_test(words_become_starts_or_zero),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
