/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live_fixture.h"

static const dmd_live_config_t dark_matter = {.mode = DMD_MODE_DARK_MATTER};

/* A block of 100 + 4 bytes; the reporter counts it at stack 30 or a later one. */
static void count(live_fixture_t *f, uint64_t addr, uint32_t stack, const char *reporter) {
  alloc_sized(f, addr, 100, 104, stack);
  dmd_live_report(&f->live, 1, addr, 30, DMD_REPORT_ON_ALLOC, id_of_name(f, reporter));
}

static uint64_t counted(live_fixture_t *f, const char *reporter) {
  dmd_blocks_settle(f->live.blocks);
  const dmd_counter_t *counter = dmd_counters_find(&f->live.counters, id_of_name(f, reporter));
  return counter == NULL ? UINT64_MAX : counter->live;
}

static void counts_live_blocks_reported_on_allocation(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, dark_matter);
  alloc_sized(&f, C, 100, 104, 1);
  report_by(&f, C, 20, "a");
  assert_int_equal(counted(&f, "a"), UINT64_MAX); /* by a reporter that does not count */
  count(&f, A, 1, "a");
  count(&f, B, 1, "b");
  assert_int_equal(counted(&f, "a"), 104);
  report_by(&f, A, 20, "b");
  dmd_live_clear_reports(&f.live);
  assert_int_equal(counted(&f, "a"), 104);
  assert_int_equal(counted(&f, "b"), 104);
  dmd_live_resize_announced(&f.live, A, 300);
  assert_int_equal(counted(&f, "a"), 300);
  assert_int_equal(dmd_live_unreport(&f.live, 1, A, 40), 300);
  assert_int_equal(counted(&f, "a"), 0);
  free_at(&f, A, 50);
  free_at(&f, B, 50);
  assert_int_equal(counted(&f, "b"), 0);
  live_end(&f);
}

static void what_both_count_is_counted_by_both(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, dark_matter);
  count(&f, A, 1, "a");
  dmd_live_report(&f.live, 1, A, 31, DMD_REPORT_ON_ALLOC, id_of_name(&f, "b"));
  assert_int_equal(counted(&f, "a"), 104);
  assert_int_equal(counted(&f, "b"), 104);
  dmd_live_unreport(&f.live, 1, A, 40);
  assert_int_equal(counted(&f, "a"), 0);
  assert_int_equal(counted(&f, "b"), 0);
  live_end(&f);
}

/* The lost blocks that explain such an excess: the number of places, and the newest stack of a
 * free. */
static uint32_t explain(live_fixture_t *f, uint64_t excess, uint32_t *freed) {
  const dmd_counters_t *counters = &f->live.counters;
  bool all;
  dmd_blocks_settle(f->live.blocks);
  uint32_t id =
      dmd_counters_explain(counters, dmd_counters_find(counters, id_of_name(f, "a")), excess, &all);
  *freed = id == DMD_NONE ? DMD_NONE : dmd_counters_loss(counters, id)->freed;
  uint32_t n = id != DMD_NONE;
  while (all && (id = dmd_counters_loss(counters, id)->next) != DMD_NONE)
    n++;
  return n;
}

static void losses_by_place(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, dark_matter);
  uint32_t freed;
  for (uint32_t i = 0; i < 3; i++) {
    count(&f, A, 1 + i, "a");
    free_at(&f, A, i == 0 ? 50 : 51); /* 104 at 50, 208 at 51 */
  }
  count(&f, B, 7, "b");
  free_at(&f, B, 51); /* another's */
  assert_int_equal(explain(&f, 104, &freed), 1);
  assert_int_equal(freed, 50);
  assert_int_equal(explain(&f, 208, &freed), 1);
  assert_int_equal(freed, 51);
  assert_int_equal(explain(&f, 312, &freed), 2);
  assert_int_equal(explain(&f, 103, &freed), 0);
  const dmd_loss_t *loss = dmd_counters_loss(&f.live.counters, 2);
  assert_true(loss->num == 2 && loss->allocated == 3 && loss->reported == 30);
  /* Two places that fit equally well: it may be either. */
  count(&f, A, 4, "a");
  free_at(&f, A, 52);
  assert_int_equal(explain(&f, 104, &freed), 0);
  live_end(&f);
}

/* A realloc that stays in place ends the block, too. */
static void a_realloc_in_place_loses(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_as(&f, dark_matter);
  count(&f, A, 1, "a");
  dmd_live_resize(&f.live, &(dmd_new_block_t){.addr = A, .req = 90, .usable = 104, .stack = 60});
  uint32_t freed;
  assert_int_equal(explain(&f, 104, &freed), 1);
  assert_int_equal(freed, 60);
  assert_int_equal(counted(&f, "a"), 0);
  live_end(&f);
}

/* A counting reporter may claim its sum, which other reporters did not measure, and also what it
 * measures besides. */
static void claims_of_the_sum(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  count(&f, A, 1, "a");
  count(&f, B, 2, "a");
  begin_reporter(&f, "a");
  end_reporter(&f, 208, 11);
  alloc_sized(&f, C, 50, 54, 1);
  begin_reporter(&f, "a");
  report(&f, C, 20);
  end_reporter(&f, 208 + 54, 11);
  expect_none(&f);
  free_at(&f, B, 70);
  begin_reporter(&f, "a");
  end_reporter(&f, 208, 12);
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .stack = 12,
                                   .reason = DMD_REASON_FREED_COUNTED,
                                   .allocated = 2,
                                   .freed = 70,
                                   .bytes = 104,
                                   .claimed = 208,
                                   .measured = 104},
                         .reporter = "a"};
  expect(&f, 1, 1, &expected);
  begin_reporter(&f, "a"); /* a shortfall, or a different amount, has another reason */
  end_reporter(&f, 100, 13);
  expected.fault = (dmd_fault_t){
      .kind = DMD_FAULT_CLAIM, .stack = 13, .bytes = 4, .claimed = 100, .measured = 104};
  expect(&f, 2, 2, &expected);
  live_end(&f);
}

/* Random events, against a list of the counted blocks. */
static void random_against_a_list(void **state) {
  (void)state;
  enum { N = 16, STEP = 0x1000 };
  static const char *const names[] = {"a", "b"};
  struct {
    bool live;
    int counted; /* by which; -1: by none */
  } list[N] = {{false, -1}};
  dice_t dice = {17};
  live_fixture_t f;
  live_begin_as(&f, dark_matter);
  id_of_name(&f, "a");
  for (int i = 0; i < 5000; i++) {
    uint64_t n = dice_below(&dice, N), what = dice_below(&dice, 5), addr = (n + 1) * STEP;
    if (!list[n].live) {
      alloc_sized(&f, addr, 8 * n, 8 * n + 8, 1);
      list[n].live = true;
      list[n].counted = -1;
    } else if (what < 2 && list[n].counted < 0) {
      list[n].counted = (int)what;
      dmd_live_report(&f.live, 1, addr, 9, DMD_REPORT_ON_ALLOC, id_of_name(&f, names[what]));
    } else if (what == 2) {
      list[n].counted = -1;
      dmd_live_unreport(&f.live, 1, addr, 9);
    } else if (what == 3) {
      list[n].live = false;
      free_at(&f, addr, (uint32_t)n);
    } else {
      report_by(&f, addr, 3, "a"); /* a plain report, which does not matter */
    }
    uint64_t sums[2] = {0};
    for (uint64_t k = 0; k < N; k++)
      if (list[k].live && list[k].counted >= 0)
        sums[list[k].counted] += 8 * k + 8;
    for (int k = 0; k < 2; k++)
      if (counted(&f, names[k]) != UINT64_MAX)
        assert_int_equal(counted(&f, names[k]), sums[k]);
  }
  live_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_live_t live;
  dmd_live_init(&live, &host->env, &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER});
  for (uint32_t i = 1; i <= 3; i++) {
    dmd_live_add(&live, &(dmd_new_block_t){.addr = A, .req = 8, .usable = 8, .stack = i});
    dmd_live_report(&live, 1, A, 9, DMD_REPORT_ON_ALLOC, dmd_intern_str(&live.reporter_names, "a"));
    dmd_live_remove(&live, A, i);
  }
  dmd_live_destroy(&live);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_live_blocks_reported_on_allocation),
      cmocka_unit_test(what_both_count_is_counted_by_both),
      cmocka_unit_test(losses_by_place),
      cmocka_unit_test(a_realloc_in_place_loses),
      cmocka_unit_test(claims_of_the_sum),
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
