/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of starts against the index that it is made of.
 */
#include "referrers_fixture.h"

#include "record/heap/blockstarts.h"

typedef struct {
  dmd_blockindex_t index;
  dmd_blockstarts_t starts;
} starts_t;

static void begin(starts_t *s) {
  dmd_blockindex_init(&s->index, &g_referrers.host.env, g_referrers.live.blocks);
  dmd_blockstarts_init(&s->starts, &s->index);
}

static void end(starts_t *s) {
  dmd_blockstarts_destroy(&s->starts);
  dmd_blockindex_destroy(&s->index);
  referrers_end();
}

/* The block that starts there, by the index: its place + 1; 0: no block. */
static uint32_t expected(const starts_t *s, uint64_t addr) {
  const dmd_placed_block_t *found = dmd_blockindex_find(&s->index, addr);
  return found == NULL || found->addr != addr ? 0 : (uint32_t)(found - s->index.blocks) + 1;
}

/* All entries of the table are right. Returns how many blocks it knows. */
static uint32_t compare(const starts_t *s, uint64_t from, uint64_t to) {
  uint32_t n_known = 0;
  for (uint64_t addr = from; addr < to; addr++) {
    uint32_t found = dmd_blockstarts_find(&s->starts, addr);
    assert_true(found == 0 || found == expected(s, addr));
    n_known += found != 0;
  }
  return n_known;
}

static void all_of_a_dense_heap_are_known(void **state) {
  (void)state;
  enum { N = 500, LOW = 0x41230 };
  dice_t dice = {1};
  starts_t s;
  uint64_t next = LOW;
  referrers_begin(8);
  for (int i = 0; i < N; i++) {
    add_block(next, dice_below(&dice, 100), 1);
    next += 112 + 16 * dice_below(&dice, 20);
  }
  begin(&s);
  assert_int_equal(compare(&s, LOW - 5000, next + 5000), N);
  end(&s);
}

static void what_starts_oddly_is_left_to_the_index(void **state) {
  (void)state;
  dice_t dice = {2};
  for (int round = 0; round < 100; round++) {
    starts_t s;
    uint64_t next = BASE;
    uint32_t n = 0, n_odd = 0;
    referrers_begin(8);
    for (; next < BASE + 50000; n++, next += 16 + 16 * dice_below(&dice, 30)) {
      bool is_odd = dice_below(&dice, 50) == 0;
      add_block(next + (is_odd ? 1 + dice_below(&dice, 15) : 0), 10, 1);
      if (dice_below(&dice, 50) == 0) {
        add_block(next, 5, 1); /* two with the same start, or nearly so */
        is_odd = true;
        n++;
      }
      n_odd += is_odd;
    }
    begin(&s);
    uint32_t known = compare(&s, BASE - 100, next + 100);
    assert_in_range(known, n / 8, n - n_odd);
    end(&s);
  }
}

/* The others are not lost with them. */
static void blocks_far_from_most_are_left_to_the_index(void **state) {
  (void)state;
  enum { N = 3000 };
  const uint64_t step = 64, far = UINT64_C(1) << 46;
  starts_t s;
  referrers_begin(8);
  for (uint64_t i = 0; i < N; i++)
    add_block(far / 2 + i * step, 60, 1);
  add_block(64, 60, 1);
  add_block(far, 60, 1);
  begin(&s);
  assert_true(compare(&s, far / 2, far / 2 + N * step) >= N - 20);
  assert_int_equal(dmd_blockstarts_find(&s.starts, 64), 0);
  assert_int_equal(dmd_blockstarts_find(&s.starts, far), 0);
  assert_true(s.starts.szB < 2 * N * step);
  end(&s);
}

static void a_sparse_heap_has_no_table(void **state) {
  (void)state;
  starts_t s;
  referrers_begin(8);
  for (uint64_t i = 0; i < 100; i++)
    add_block(BASE + i * 2000, 60, 1);
  begin(&s);
  assert_null(s.starts.lines);
  assert_int_equal(compare(&s, BASE, BASE + 100 * 2000), 0);
  end(&s);
  referrers_begin(8);
  begin(&s);
  assert_int_equal(compare(&s, 0, 10000), 0);
  end(&s);
}

static void bits_are_counted(void **state) {
  (void)state;
  dice_t dice = {3};
  for (int i = 0; i < 10000; i++) {
    uint64_t bits = 0;
    uint32_t n = 0;
    for (int k = 0; k < 64; k++)
      if (dice_below(&dice, 3) == 0) {
        bits |= UINT64_C(1) << k;
        n++;
      }
    assert_int_equal(dmd_count_bits(bits), n);
  }
  assert_int_equal(dmd_count_bits(0), 0);
  assert_int_equal(dmd_count_bits(UINT64_MAX), 64);
}

static void use(host_t *host, void *arg) {
  starts_t s;
  (void)arg;
  referrers_begin_on(&host->env, 8, 0);
  add_block(BASE, 64, 1);
  dmd_blockindex_init(&s.index, &host->env, g_referrers.live.blocks);
  dmd_blockstarts_init(&s.starts, &s.index);
  dmd_blockstarts_destroy(&s.starts);
  dmd_blockindex_destroy(&s.index);
  referrers_end_on();
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_of_a_dense_heap_are_known),
      cmocka_unit_test(what_starts_oddly_is_left_to_the_index),
      cmocka_unit_test(blocks_far_from_most_are_left_to_the_index),
      cmocka_unit_test(a_sparse_heap_has_no_table),
      cmocka_unit_test(bits_are_counted),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
