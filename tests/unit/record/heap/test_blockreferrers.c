/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "referrers_fixture.h"

static void a_reported_block_holds_another(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "explicit/a");
  add_block(0x42000, 100, 2);
  point(0x41018, 0x42000);
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported explicit/a 9 +24: 1 100");
  referrers_end();
}

static void pointers_inside_count(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, NULL);
  add_block(0x42000, 100, 2);
  add_block(0x43000, 100, 3);
  add_block(0x44000, 0, 4); /* has an address all the same */
  point(0x41000, 0x42000 + 99);
  point(0x41008, 0x43000 + 100); /* behind the end */
  point(0x41010, 0x44000);
  point(0x41018, 0x44001);
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported - 9 +0: 1 100; 4 <- reported - 9 +16: 1 0");
  referrers_end();
}

static void only_aligned_words_are_read(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41004, 32, 1); /* announced, for example: words from 0x41008 to 0x41020 */
  report_block(0x41004, 9, "r");
  add_block(0x42000, 10, 2);
  add_block(0x43000, 10, 3);
  add_block(0x44000, 10, 4);
  point(0x4100c, 0x42000);
  point(0x41018, 0x43000);
  point(0x41020, 0x44000); /* ends at 0x41028, the block at 0x41024 */
  find_referrers();
  assert_string_equal(found_text(), "3 <- reported r 9 +20: 1 10");
  referrers_end();
}

/* Each block counts once, at its referrer's first offset. */
static void a_block_counts_once_for_a_referrer(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  add_block(0x41100, 64, 1);
  report_block(0x41000, 9, "r");
  report_block(0x41100, 8, "r");
  add_block(0x42000, 10, 2);
  add_block(0x43000, 10, 2);
  point(0x41010, 0x42000);
  point(0x41020, 0x42008);
  point(0x41108, 0x42000);
  point(0x41110, 0x43000);
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +16: 1 10; 2 <- reported r 8 +16: 1 10");
  referrers_end();
}

static void two_referrers_count_both(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  add_block(0x41100, 64, 1);
  report_block(0x41000, 9, "small");
  report_block(0x41100, 9, "big");
  add_block(0x42000, 10, 2);
  add_block(0x43000, 90, 2);
  point(0x41000, 0x42000);
  point(0x41100, 0x42000);
  point(0x41108, 0x43000);
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported big 9 +8: 1 90; 2 <- reported big 9 +0: 1 10; "
                                    "2 <- reported small 9 +0: 1 10");
  referrers_end();
}

/* Of a list of 1,000 nodes, a reported block holds only the head. */
static void a_list_is_held_with_its_head(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "r");
  for (uint64_t i = 0; i < 1000; i++) {
    uint64_t node = 0x42000 + (999 - i) * 32;
    add_block(node, 24, 2);
    point(i == 0 ? 0x41028 : node + 32 + 8, node);
  }
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +40: 1000 24000");
  referrers_end();
}

/* A pointer back to the referrer, or to blocks of the same kind, is no evidence. */
static void a_list_that_nobody_holds(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 16, 1);
  add_block(0x41100, 16, 1);
  point(0x41000, 0x41100);
  point(0x41100, 0x41000);
  point(0x41108, 0x41100);
  find_referrers();
  assert_string_equal(found_text(), "");
  referrers_end();
}

/* The referrer of blocks that hang on an unreported block of another place is found in two steps.
 */
static void unreported_blocks_hold_as_well(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "r");
  add_block(0x42000, 32, 2);
  point(0x41000, 0x42000);
  for (uint64_t i = 0; i < 3; i++) {
    add_block(0x43000 + i * 64, 16, 3);
    point(i == 0 ? 0x42008 : 0x43000 + (i - 1) * 64, 0x43000 + i * 64);
  }
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +0: 1 32; 3 <- unreported - 2 +8: 3 48");
  referrers_end();
}

/* Two stacks with equal text are one referrer, and blocks that hang on both count once. */
static void referrers_that_read_the_same_are_one(void **state) {
  (void)state;
  referrers_begin(8);
  for (uint64_t i = 0; i < 4; i++) {
    uint32_t twin = i % 2 == 0 ? 0 : TWIN;
    add_block(0x41000 + i * 64, 64, i < 2 ? 1 + twin : 2);
    if (i >= 2)
      report_block(0x41000 + i * 64, 9 + twin, NULL);
    for (uint64_t k = 0; k < 3; k++)
      point(0x41000 + i * 64, 0x42000);
  }
  add_block(0x42000, 100, 3);
  find_referrers();
  assert_string_equal(found_text(), "3 <- reported - 9 +0: 1 100; 3 <- unreported - 1 +0: 1 100");
  referrers_end();
}

/* A list continues in blocks of other stacks with equal text. */
static void a_list_of_stacks_that_read_the_same(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "r");
  for (uint64_t i = 0; i < 10; i++) {
    add_block(0x42000 + i * 32, 24, 2 + (i % 2 == 0 ? 0 : TWIN));
    point(i == 0 ? 0x41000 : 0x42000 + (i - 1) * 32, 0x42000 + i * 32);
  }
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +0: 10 240");
  referrers_end();
}

static void blocks_without_a_stack(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "r");
  add_block(0x42000, 16, DMD_NONE);
  add_block(0x43000, 16, DMD_NONE); /* could be of any kind, so not a list */
  point(0x41000, 0x42000);
  point(0x42000, 0x43000);
  find_referrers();
  assert_string_equal(found_text(), "0 <- reported r 9 +0: 1 16");
  referrers_end();
}

/* More than three places are merged, and so is everything from 4 KiB on. */
static void an_array_has_no_offset(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 0x3000, 1);
  report_block(0x41000, 9, "r");
  for (uint64_t i = 0; i < 700; i++) {
    add_block(0x48000 + i * 16, 16 + (i < 2 ? 2 - i : 0), 2);
    point(0x41000 + i * 8, 0x48000 + i * 16);
  }
  find_referrers();
  /* 188 pointers at 4 KiB and behind are most; the others have 18, 17 and 16 bytes each. */
  assert_string_equal(found_text(), "2 <- reported r 9 +-1: 698 11168; 2 <- reported r 9 +0: 1 18; "
                                    "2 <- reported r 9 +8: 1 17");
  referrers_end();
}

static void only_the_best_referrers_are_kept(void **state) {
  (void)state;
  referrers_begin(8);
  for (uint64_t i = 0; i < 5; i++) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const uint64_t sizes[] = {30, 50, 10, 40, 20};
    add_block(0x41000 + i * 64, 64, 1);
    report_block(0x41000 + i * 64, 9, names[i]);
    add_block(0x42000 + i * 64, sizes[i], 2);
    point(0x41000 + i * 64, 0x42000 + i * 64);
  }
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported b 9 +0: 1 50; 2 <- reported d 9 +0: 1 40; "
                                    "2 <- reported a 9 +0: 1 30");
  referrers_end();
}

static void what_cannot_be_read_is_passed_over(void **state) {
  (void)state;
  referrers_begin(8);
  add_block(0x41000, 0x3000, 1);
  report_block(0x41000, 9, "r");
  add_block(0x10, 0x10000, 5); /* outside of all memory */
  report_block(0x10, 9, "r");
  add_block(0x48000, 16, 2);
  add_block(0x48100, 16, 3);
  add_block(0x48200, 16, 4);
  point(0x41ff8, 0x48000);
  point(0x42ff8, 0x48100);
  point(0x43008, 0x48200);
  g_referrers.unreadable[(0x42000 - BASE) / PAGE] = true;
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +4088: 1 16; 4 <- reported r 9 +-1: 1 16");
  referrers_end();
}

/* Announced blocks can be anywhere, and of any size. */
static void absurd_blocks(void **state) {
  (void)state;
  referrers_begin(8);
  add_block_as(0x41000, UINT64_MAX, 1, DMD_BLOCK_ANNOUNCED);
  add_block_as(UINT64_MAX - 100, 1000, 1, DMD_BLOCK_ANNOUNCED);
  add_block_as(0, UINT64_C(1) << 40, 1, DMD_BLOCK_ANNOUNCED);
  add_block(0x42000, 64, 1);
  report_block(0x42000, 9, "r");
  add_block(0x43000, 16, 2);
  point(0x42000, 0x43000);
  point(0x42008, UINT64_MAX);
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +0: 1 16");
  referrers_end();
}

/* Estimates, as for records. */
static void sampled_blocks_stand_for_more(void **state) {
  (void)state;
  referrers_begin_sampled(1000);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "r");
  add_block_as(0x42000, 16, 2, DMD_BLOCK_SAMPLED);
  add_block_as(0x43000, 16, 2, DMD_BLOCK_SAMPLED | DMD_BLOCK_TWICE);
  add_block_as(0x44000, 16, DMD_NONE, DMD_BLOCK_UNSAMPLED);
  point(0x41000, 0x42000);
  point(0x41008, 0x43000);
  point(0x41010, 0x44000);
  find_referrers();
  assert_string_equal(found_text(), "2 <- reported r 9 +8: 2 2000; 2 <- reported r 9 +0: 1 1000");
  referrers_end();
}

static void nothing_live(void **state) {
  (void)state;
  referrers_begin(4);
  find_referrers();
  assert_int_equal(dmd_hints_count(&g_referrers.found), 0);
  referrers_end();
}

static void use(host_t *host, void *arg) {
  (void)arg;
  referrers_begin_on(&host->env, 8, 0);
  add_block(0x41000, 64, 1);
  report_block(0x41000, 9, "r");
  add_block(0x42000, 100, 2);
  point(0x41018, 0x42000);
  find_referrers();
  assert_int_equal(dmd_hints_count(&g_referrers.found), 1);
  referrers_end_on();
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

/* ---- Evidence. ---- */

/* The counts of all hints about blocks of a stack and one kind of referrer, added up. */
static dmd_hint_t counts_of(uint32_t alloc, dmd_referrer_kind_t kind) {
  dmd_hint_t sum = {.blocks = 0};
  for (uint32_t id = 1; id <= dmd_hints_count(&g_referrers.found); id++) {
    const dmd_hint_t *a = dmd_hints_at(&g_referrers.found, id);
    if (a->alloc == alloc && a->referrer_kind == (uint32_t)kind)
      dmd_hint_count(&sum, a);
  }
  return sum;
}

/* Of 30 blocks of one reporter, 20 were allocated at one place. 5 of these point to 4 blocks, at
 * different offsets; 1 of the other place does. */
static void pointers_are_counted_where_they_are_found(void **state) {
  (void)state;
  referrers_begin(8);
  for (uint64_t i = 0; i < 30; i++) {
    add_block(0x41000 + i * 64, 64, i < 20 ? 1 : 3);
    report_block(0x41000 + i * 64, 9, "r");
  }
  for (uint64_t i = 0; i < 6; i++)
    add_block(0x42000 + i * 32, 24, 2);
  point(0x41000, 0x42000);
  point(0x41040, 0x42020);
  point(0x41048, 0x42020); /* once more, in the same block */
  point(0x41080, 0x42040);
  point(0x410c8, 0x42060);
  point(0x41100, 0x42060);           /* the same block from a fifth referrer */
  point(0x41000 + 25 * 64, 0x42000); /* from the other place */
  point(0x42060, 0x42080);           /* a list */
  find_referrers();
  dmd_hint_t counts = counts_of(2, DMD_REFERRER_REPORTED);
  assert_int_equal(counts.blocks, 5);
  assert_int_equal(counts.pointed, 4);
  assert_int_equal(counts.referrers, 6);
  assert_int_equal(counts.referrers_alike, 30);
  referrers_end();
}

/* Places without pointers are not searched for likes. */
static void only_blocks_that_are_alike_count(void **state) {
  (void)state;
  referrers_begin(8);
  for (uint64_t i = 0; i < 100; i++) {
    add_block(0x41000 + i * 16, 16, 1);
    report_block(0x41000 + i * 16, 9, "r");
  }
  add_block(0x43000, 16, 3); /* the one with the list */
  report_block(0x43000, 9, "r");
  add_block(0x44000, 16, 2);
  point(0x43008, 0x44000);
  find_referrers();
  dmd_hint_t counts = counts_of(2, DMD_REFERRER_REPORTED);
  assert_int_equal(counts.referrers, 1);
  assert_int_equal(counts.referrers_alike, 1);
  referrers_end();
}

/* Three reporters have one old pointer each to a list's node. The list's head is unreported and
 * holds no more bytes than they do, but they must not displace it. */
static void old_pointers_do_not_push_the_referrer_out(void **state) {
  (void)state;
  static const char *const reporters[] = {"a", "b", "c", "d"};
  referrers_begin(8);
  for (uint64_t i = 0; i < 4 * 40; i++) {
    add_block(0x41000 + i * 16, 16, 1);
    report_block(0x41000 + i * 16, 9, reporters[i / 40]);
  }
  add_block(0x45000, 16, 3);
  report_block(0x45000, 9, "true");
  for (uint64_t i = 0; i < 50; i++) {
    add_block(0x46000 + i * 32, 32, 2);
    point(0x46000 + i * 32, 0x46000 + (i + 1) % 50 * 32);
  }
  for (uint64_t i = 0; i < 4; i++)
    point(0x41000 + (40 * i + 7) * 16, 0x46000 + i * 32);
  point(0x45000, 0x46000 + 9 * 32);
  find_referrers();
  assert_non_null(strstr(found_text(), "2 <- reported true 9 +0: 50 1600"));
  referrers_end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reported_block_holds_another),
      cmocka_unit_test(pointers_inside_count),
      cmocka_unit_test(only_aligned_words_are_read),
      cmocka_unit_test(a_block_counts_once_for_a_referrer),
      cmocka_unit_test(two_referrers_count_both),
      cmocka_unit_test(a_list_is_held_with_its_head),
      cmocka_unit_test(a_list_that_nobody_holds),
      cmocka_unit_test(unreported_blocks_hold_as_well),
      cmocka_unit_test(referrers_that_read_the_same_are_one),
      cmocka_unit_test(a_list_of_stacks_that_read_the_same),
      cmocka_unit_test(blocks_without_a_stack),
      cmocka_unit_test(an_array_has_no_offset),
      cmocka_unit_test(only_the_best_referrers_are_kept),
      cmocka_unit_test(what_cannot_be_read_is_passed_over),
      cmocka_unit_test(absurd_blocks),
      cmocka_unit_test(sampled_blocks_stand_for_more),
      cmocka_unit_test(nothing_live),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(pointers_are_counted_where_they_are_found),
      cmocka_unit_test(only_blocks_that_are_alike_count),
      cmocka_unit_test(old_pointers_do_not_push_the_referrer_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
