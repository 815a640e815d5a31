/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "profile/reports.h"

static const dmd_report_t here = {.stack = 10, .reporter = 1};
static const dmd_report_t there = {.stack = 20, .reporter = DMD_NONE};
static const dmd_report_t on_alloc = {.stack = 30, .reporter = 1, .flags = DMD_REPORT_ON_ALLOC};

static void assert_report(const dmd_report_t *actual, const dmd_report_t *expected) {
  assert_int_equal(actual->stack, expected->stack);
  assert_int_equal(actual->reporter, expected->reporter);
  assert_int_equal(actual->flags, expected->flags);
}

static dmd_reports_t *reports_new(host_t *host, dmd_reports_t *reports) {
  host_init(host);
  dmd_reports_init(reports, &host->env);
  return reports;
}

static void reports_done(host_t *host, dmd_reports_t *reports) {
  dmd_reports_destroy(reports);
  host_done(host);
}

static void once_twice_and_oftener(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t once = dmd_reports_add(r, DMD_NONE, here);
  uint32_t twice = dmd_reports_add(r, once, there);
  uint32_t thrice = dmd_reports_add(r, twice, here);
  assert_int_equal(dmd_reports_at(r, once)->count, 1);
  assert_report(&dmd_reports_at(r, once)->report[0], &here);
  assert_int_equal(dmd_reports_at(r, twice)->count, 2);
  assert_report(&dmd_reports_at(r, twice)->report[0], &here);
  assert_report(&dmd_reports_at(r, twice)->report[1], &there);
  /* The third is counted, not kept. */
  assert_int_equal(dmd_reports_at(r, thrice)->count, 3);
  assert_report(&dmd_reports_at(r, thrice)->report[0], &here);
  assert_report(&dmd_reports_at(r, thrice)->report[1], &there);
  reports_done(&host, r);
}

/* Reports that survive a clear are kept before those that do not, whenever they come. */
static void reports_on_alloc_are_kept_first(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t id = dmd_reports_add(r, dmd_reports_add(r, DMD_NONE, here), there);
  id = dmd_reports_add(r, id, on_alloc);
  assert_int_equal(dmd_reports_at(r, id)->count, 3);
  assert_report(&dmd_reports_at(r, id)->report[0], &here);
  assert_report(&dmd_reports_at(r, id)->report[1], &on_alloc);
  dmd_report_t other = {.stack = 40, .reporter = 2, .flags = DMD_REPORT_ON_ALLOC};
  id = dmd_reports_add(r, id, other);
  assert_report(&dmd_reports_at(r, id)->report[0], &other);
  assert_report(&dmd_reports_at(r, id)->report[1], &on_alloc);
  /* A third one is only counted. */
  id = dmd_reports_add(r, id, (dmd_report_t){.stack = 50, .flags = DMD_REPORT_ON_ALLOC});
  assert_int_equal(dmd_reports_at(r, id)->count, 5);
  assert_report(&dmd_reports_at(r, id)->report[0], &other);
  id = dmd_reports_clear(r, id);
  assert_int_equal(dmd_reports_at(r, id)->count, 2);
  reports_done(&host, r);
}

/* The same history has the same id, so that blocks are compared by it; another has another. */
static void histories_are_interned(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t a = dmd_reports_add(r, DMD_NONE, here);
  uint32_t b = dmd_reports_add(r, DMD_NONE, there);
  uint32_t ab = dmd_reports_add(r, a, there);
  uint32_t ba = dmd_reports_add(r, b, here);
  assert_true(a != DMD_NONE && b != DMD_NONE);
  assert_int_not_equal(a, b);
  assert_int_not_equal(ab, ba);
  assert_int_equal(dmd_reports_add(r, DMD_NONE, here), a);
  assert_int_equal(dmd_reports_add(r, a, there), ab);
  uint32_t again = dmd_reports_add(r, ab, here);
  assert_int_equal(dmd_reports_add(r, ab, there), again); /* who came third is not kept */
  dmd_report_t same_place_on_alloc = here;
  same_place_on_alloc.flags = DMD_REPORT_ON_ALLOC;
  assert_int_not_equal(dmd_reports_add(r, DMD_NONE, same_place_on_alloc), a);
  dmd_report_t same_place_other_reporter = here;
  same_place_other_reporter.reporter = 2;
  assert_int_not_equal(dmd_reports_add(r, DMD_NONE, same_place_other_reporter), a);
  reports_done(&host, r);
}

/* A program that reports one block for ever must not make a set each time. */
static void counting_ends(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t id = DMD_NONE;
  for (uint32_t n = 1; n <= DMD_REPORTS_COUNTED; n++) {
    id = dmd_reports_add(r, id, here);
    assert_int_equal(dmd_reports_at(r, id)->count, n);
  }
  for (int i = 0; i < 1000; i++)
    assert_int_equal(dmd_reports_add(r, id, there), id);
  assert_int_equal(dmd_reports_count(r), DMD_REPORTS_COUNTED);
  reports_done(&host, r);
}

static void clear_leaves_reports_on_alloc(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t once = dmd_reports_add(r, DMD_NONE, here);
  uint32_t alloc = dmd_reports_add(r, DMD_NONE, on_alloc);
  assert_int_equal(dmd_reports_clear(r, DMD_NONE), DMD_NONE);
  assert_int_equal(dmd_reports_clear(r, once), DMD_NONE);
  assert_int_equal(dmd_reports_clear(r, alloc), alloc);
  assert_int_equal(dmd_reports_clear(r, dmd_reports_add(r, alloc, here)), alloc);
  assert_int_equal(dmd_reports_clear(r, dmd_reports_add(r, once, on_alloc)), alloc);
  uint32_t both = dmd_reports_add(r, alloc, on_alloc);
  assert_int_equal(dmd_reports_clear(r, both), both);
  /* Of many, only those that were kept: the count starts from these. */
  uint32_t many = alloc;
  for (int i = 0; i < 200; i++)
    many = dmd_reports_add(r, many, there);
  assert_int_equal(dmd_reports_clear(r, many), alloc);
  reports_done(&host, r);
}

/* Many blocks, each with its own list of reports, moved at random. */
static void random_against_lists(void **state) {
  (void)state;
  enum { N_BLOCKS = 50 };
  static struct {
    uint32_t id, count;
    dmd_report_t list[DMD_REPORTS_COUNTED + 1];
  } blocks[N_BLOCKS];
  memset(blocks, 0, sizeof blocks);
  dice_t dice = {61};
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  for (int step = 0; step < 20000; step++) {
    size_t b = (size_t)dice_below(&dice, N_BLOCKS);
    if (dice_below(&dice, 20) == 0) {
      blocks[b].id = dmd_reports_clear(r, blocks[b].id);
      uint32_t kept = 0;
      for (uint32_t i = 0; i < blocks[b].count && i < 2; i++)
        if (blocks[b].list[i].flags)
          blocks[b].list[kept++] = blocks[b].list[i];
      blocks[b].count = kept;
    } else {
      dmd_report_t one = {.stack = (uint32_t)dice_below(&dice, 4),
                          .reporter = (uint32_t)dice_below(&dice, 3),
                          .flags = dice_below(&dice, 3) == 0 ? DMD_REPORT_ON_ALLOC : 0};
      blocks[b].id = dmd_reports_add(r, blocks[b].id, one);
      if (blocks[b].count >= 2 && one.flags && !blocks[b].list[1].flags)
        blocks[b].list[1] = one;
      else if (blocks[b].count >= 2 && one.flags && !blocks[b].list[0].flags)
        blocks[b].list[0] = one;
      if (blocks[b].count < DMD_REPORTS_COUNTED)
        blocks[b].list[blocks[b].count++] = one;
    }
    if (blocks[b].count == 0) {
      assert_int_equal(blocks[b].id, DMD_NONE);
      continue;
    }
    const dmd_report_set_t *set = dmd_reports_at(r, blocks[b].id);
    assert_int_equal(set->count, blocks[b].count);
    for (uint32_t i = 0; i < 2; i++)
      assert_report(&set->report[i], i < set->count ? &blocks[b].list[i] : &(dmd_report_t){0});
  }
  reports_done(&host, r);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_reports_t reports;
  dmd_reports_init(&reports, &host->env);
  uint32_t id = DMD_NONE;
  for (uint32_t stack = 1; stack < 1500; stack++)
    id = dmd_reports_add(&reports, stack % 3 ? id : DMD_NONE, (dmd_report_t){.stack = stack});
  dmd_reports_destroy(&reports);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 7);
}

/* ---- Sharing. ---- */

static const dmd_report_t sharer_a = {.stack = 1, .reporter = 1, .flags = DMD_REPORT_SHARED},
                          sharer_b = {.stack = 2, .reporter = 2, .flags = DMD_REPORT_SHARED};

static void shared_by_one(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t id = dmd_reports_add(r, DMD_NONE, sharer_a);
  assert_true(dmd_reports_are_shared(r, id));
  assert_int_equal(dmd_reports_share(r, id, 0, 104), 104);
  assert_null(dmd_reports_sharer(r, id, 1));
  /* The same owner again: two of two parts are its own. */
  id = dmd_reports_add(r, id, sharer_a);
  assert_int_equal(dmd_reports_at(r, id)->count, 2);
  assert_int_equal(dmd_reports_share(r, id, 0, 105), 105);
  assert_null(dmd_reports_sharer(r, id, 1));
  assert_int_equal(dmd_reports_clear(r, id), DMD_NONE);
  dmd_reports_destroy(r);
  host_done(&host);
}

/* All sharers are kept, up to the highest count, and their shares add up to the block. */
static void shared_by_many(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t id = DMD_NONE, times[8] = {0}, n = 0;
  dice_t dice = {7};
  for (int i = 0; i < 150; i++) {
    uint32_t who = (uint32_t)dice_below(&dice, 7);
    dmd_report_t report = {.stack = 10 + who, .reporter = who, .flags = DMD_REPORT_SHARED};
    id = dmd_reports_add(r, id, report);
    if (n < DMD_REPORTS_COUNTED) {
      n++;
      times[who]++;
    }
    assert_int_equal(dmd_reports_at(r, id)->count, n);
    uint64_t sum = 0, usable = 1000 + dice_below(&dice, 1000);
    uint32_t n_sharers = 0;
    const dmd_report_t *sharer;
    while ((sharer = dmd_reports_sharer(r, id, n_sharers)) != NULL) {
      assert_int_equal(sharer->stack, 10 + sharer->reporter);
      assert_int_equal(sharer->further + 1, times[sharer->reporter]);
      sum += dmd_reports_share(r, id, n_sharers++, usable);
    }
    uint32_t n_expected = 0;
    for (int k = 0; k < 7; k++)
      n_expected += times[k] > 0;
    assert_int_equal(n_sharers, n_expected);
    assert_int_equal(sum, usable);
  }
  dmd_reports_destroy(r);
  host_done(&host);
}

/* A set made of a list of sharers is the one that comes of adding their reports one by one. */
static void sharers_at_once(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  dice_t dice = {11};
  for (uint32_t n = 1; n <= DMD_REPORTS_COUNTED; n++) {
    dmd_report_t list[DMD_REPORTS_COUNTED];
    uint32_t id = DMD_NONE, room = DMD_REPORTS_COUNTED - n;
    for (uint32_t i = 0; i < n; i++) {
      list[i] = (dmd_report_t){.stack = 1 + i / 2, .reporter = i % 2, .flags = DMD_REPORT_SHARED};
      uint32_t further = (uint32_t)dice_below(&dice, room / 4 + 1);
      room -= further;
      for (uint32_t k = 0; k <= further; k++)
        id = dmd_reports_add(r, id, list[i]);
      list[i].further = (uint16_t)further;
    }
    assert_int_equal(dmd_reports_intern_sharers(r, list, n), id);
  }
  dmd_reports_destroy(r);
  host_done(&host);
}

/* Those that are alike are one, wherever they stand in the list. */
static void sharers_that_are_alike(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  dice_t dice = {23};
  for (int round = 0; round < 300; round++) {
    dmd_report_t list[60];
    uint32_t id = DMD_NONE, n = 1 + (uint32_t)dice_below(&dice, COUNT_OF(list));
    for (uint32_t i = 0; i < n; i++) {
      list[i] = (dmd_report_t){.stack = 1 + (uint32_t)dice_below(&dice, 4),
                               .reporter = (uint32_t)dice_below(&dice, 3),
                               .flags = DMD_REPORT_SHARED};
      id = dmd_reports_add(r, id, list[i]);
    }
    assert_int_equal(dmd_reports_intern_sharers(r, list, n), id);
  }
  dmd_reports_destroy(r);
  host_done(&host);
}

/* One plain report, before or after, makes the others plain. */
static void shared_and_plain(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  static const dmd_report_t plain = {.stack = 3};
  uint32_t id = dmd_reports_add(r, DMD_NONE, plain);
  id = dmd_reports_add(r, id, sharer_a);
  assert_false(dmd_reports_are_shared(r, id));
  assert_int_equal(dmd_reports_at(r, id)->count, 2);
  assert_int_equal(dmd_reports_at(r, id)->report[1].stack, 1);

  id = dmd_reports_add(r, DMD_NONE, sharer_a);
  id = dmd_reports_add(r, id, sharer_a);
  id = dmd_reports_add(r, id, sharer_b);
  id = dmd_reports_add(r, id, plain);
  assert_false(dmd_reports_are_shared(r, id));
  assert_int_equal(dmd_reports_at(r, id)->count, 4);
  assert_int_equal(dmd_reports_at(r, id)->rest, DMD_NONE);

  /* Two reports of one place were kept as one, and are two again. */
  id = dmd_reports_add(r, DMD_NONE, sharer_a);
  id = dmd_reports_add(r, id, sharer_a);
  id = dmd_reports_add(r, id, plain);
  assert_int_equal(dmd_reports_at(r, id)->report[1].stack, 1);
  assert_int_equal(dmd_reports_at(r, id)->count, 3);
  dmd_reports_destroy(r);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(once_twice_and_oftener),
      cmocka_unit_test(reports_on_alloc_are_kept_first),
      cmocka_unit_test(histories_are_interned),
      cmocka_unit_test(counting_ends),
      cmocka_unit_test(clear_leaves_reports_on_alloc),
      cmocka_unit_test(random_against_lists),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(shared_by_one),
      cmocka_unit_test(shared_by_many),
      cmocka_unit_test(sharers_at_once),
      cmocka_unit_test(sharers_that_are_alike),
      cmocka_unit_test(shared_and_plain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
