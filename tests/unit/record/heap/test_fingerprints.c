/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/fingerprints.h"

enum { BLOCKS = 2000, MAX_SZB = 400 };

typedef struct {
  unsigned char bytes[MAX_SZB];
  uint64_t szB;
} block_t;

/* Few different bytes and sizes, so that many blocks are equal, or nearly. */
static void throw_block(block_t *block, dice_t *dice) {
  static const uint64_t sizes[] = {0, 8, 15, 16, 17, 24, 64, 65, 100, 128, 399};
  block->szB = sizes[dice_below(dice, COUNT_OF(sizes))];
  uint64_t n_random = dice_below(dice, 4) == 0 ? 0 : dice_below(dice, 3);
  for (uint64_t i = 0; i < block->szB; i++)
    block->bytes[i] = 0;
  for (uint64_t i = 0; i < n_random && block->szB > 0; i++)
    block->bytes[dice_below(dice, block->szB)] = (unsigned char)dice_below(dice, 2);
}

/* In pieces of whole words. */
static dmd_fingerprint_t show(dmd_fingerprints_t *prints, const block_t *block, uint32_t place,
                              dice_t *dice) {
  dmd_fingerprints_begin(prints);
  for (uint64_t at = 0, n; at < block->szB; at += n) {
    n = dice_below(dice, 2) == 0 ? 8 * (1 + dice_below(dice, 9)) : block->szB;
    n = n < block->szB - at ? n : block->szB - at;
    dmd_fingerprints_add(prints, (const char *)block->bytes + at, n);
  }
  return dmd_fingerprints_end(prints, place);
}

static void random_against_all_pairs(void **state) {
  (void)state;
  host_t host;
  dmd_fingerprints_t prints;
  dice_t dice = {41};
  static block_t blocks[BLOCKS];
  uint32_t n_equal = 0, n_tails = 0;
  host_init(&host);
  dmd_fingerprints_init(&prints, &host.env, BLOCKS);
  for (uint32_t i = 0; i < BLOCKS; i++) {
    throw_block(&blocks[i], &dice);
    dmd_fingerprint_t print = show(&prints, &blocks[i], i, &dice);
    uint32_t same = 0;
    for (uint32_t k = 0; k < i && same == 0 && blocks[i].szB >= 16; k++)
      if (blocks[k].szB == blocks[i].szB &&
          memcmp(blocks[k].bytes, blocks[i].bytes, blocks[i].szB) == 0)
        same = k + 1;
    uint64_t tail = 0, szB = blocks[i].szB;
    while (tail < szB && blocks[i].bytes[szB - 1 - tail] == blocks[i].bytes[szB - 1])
      tail++;
    assert_int_equal(print.same, same);
    assert_int_equal(print.tail, tail >= 64 ? tail : 0);
    assert_int_equal(print.byte, tail >= 64 ? blocks[i].bytes[szB - 1] : 0);
    n_equal += same > 0;
    n_tails += print.tail > 0 && print.tail < szB;
  }
  assert_true(n_equal > BLOCKS / 4 && n_equal < BLOCKS - 100 && n_tails > 50);
  dmd_fingerprints_destroy(&prints);
  host_done(&host);
}

static void memory_that_was_not_read(void **state) {
  (void)state;
  host_t host;
  dmd_fingerprints_t prints;
  const char zeroes[64] = {0};
  host_init(&host);
  dmd_fingerprints_init(&prints, &host.env, 1);
  dmd_fingerprints_begin(&prints);
  dmd_fingerprints_add(&prints, "12345678", 8);
  dmd_fingerprints_add(&prints, NULL, 4096);
  dmd_fingerprints_add(&prints, zeroes, sizeof zeroes);
  dmd_fingerprint_t print = dmd_fingerprints_end(&prints, 0);
  assert_int_equal(print.tail, 4096 + 64);
  assert_int_equal(print.byte, 0);
  dmd_fingerprints_destroy(&prints);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dmd_fingerprints_t prints;
  (void)arg;
  dmd_fingerprints_init(&prints, &host->env, 100);
  for (uint64_t i = 0; i < 100; i++) {
    uint64_t words[2] = {i, i};
    dmd_fingerprints_begin(&prints);
    dmd_fingerprints_add(&prints, (const char *)words, sizeof words);
    assert_int_equal(dmd_fingerprints_end(&prints, (uint32_t)i).same, 0);
  }
  dmd_fingerprints_destroy(&prints);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_all_pairs),
      cmocka_unit_test(memory_that_was_not_read),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
