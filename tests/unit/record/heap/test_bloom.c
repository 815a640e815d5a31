/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/bloom.h"

enum { N = 2000 };

/* 16 bytes apart at least, as blocks are: near each other and far away. */
static uint64_t any_address(dice_t *dice) {
  uint64_t base = dice_below(dice, 2) ? UINT64_C(0x7f0000000000) : UINT64_C(0x550000000000);
  return base + 16 * dice_below(dice, UINT64_C(1) << 26);
}

static void random_against_a_list(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {71};
  uint64_t there[N];
  size_t n = 0, n_wrong = 0, n_asked = 0;
  dmd_bloom_t *marks = dmd_bloom_create(&host.env);
  for (int i = 0; i < 20000; i++) {
    if (n < N && dice_below(&dice, 3) > 0) {
      there[n] = any_address(&dice);
      dmd_bloom_add(marks, there[n++]);
    } else if (n > 0) {
      size_t k = dice_below(&dice, n);
      dmd_bloom_remove(marks, there[k]);
      there[k] = there[--n];
    }
    if (n > 0)
      assert_true(dmd_bloom_may_have(marks, there[dice_below(&dice, n)]));
    uint64_t other = any_address(&dice) + 8; /* not the start of a block */
    n_wrong += dmd_bloom_may_have(marks, other);
    n_asked++;
  }
  /* At most 2,000 of a million pages and of 65,536 starts are marked: on average one of 16,000
   * queries is a false positive. */
  assert_true(n_wrong < n_asked / 1000);
  while (n > 0)
    dmd_bloom_remove(marks, there[--n]);
  for (int i = 0; i < 20000; i++)
    assert_false(dmd_bloom_may_have(marks, any_address(&dice)));
  dmd_bloom_destroy(marks);
  dmd_bloom_destroy(NULL);
  host_done(&host);
}

/* The table of pages rules out only blocks on other pages; the other table rules out nearly all
 * other blocks of the page. */
static void blocks_of_one_page(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  const uint64_t page = 0x555500000000;
  dmd_bloom_t *marks = dmd_bloom_create(&host.env);
  size_t n_wrong = 0;
  dmd_bloom_add(marks, page + 0x800);
  for (uint64_t at = 0; at < 0x1000; at += 16)
    n_wrong += at != 0x800 && dmd_bloom_may_have(marks, page + at);
  assert_true(n_wrong <= 1);
  assert_true(dmd_bloom_may_have(marks, page + 0x800));
  dmd_bloom_destroy(marks);
  host_done(&host);
}

/* More blocks at one place than the counter can hold: it then stays non-zero for ever. */
static void a_count_that_is_full(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_bloom_t *marks = dmd_bloom_create(&host.env);
  const uint64_t apart = (uint64_t)DMD_N_MARKED_PAGES << DMD_MARK_PAGE_BITS;
  for (uint64_t i = 0; i < 300; i++)
    dmd_bloom_add(marks, 0x1000 + i * apart);
  for (uint64_t i = 1; i < 300; i++)
    dmd_bloom_remove(marks, 0x1000 + i * apart);
  assert_true(dmd_bloom_may_have(marks, 0x1000));
  dmd_bloom_destroy(marks);
  host_done(&host);
}

static void make_one(host_t *host, void *arg) {
  (void)arg;
  dmd_bloom_destroy(dmd_bloom_create(&host->env));
}

static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(make_one, NULL), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(blocks_of_one_page),
      cmocka_unit_test(a_count_that_is_full),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
