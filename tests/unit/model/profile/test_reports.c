/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/profile/reports.h"

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

/* A pool that is reported five times, with a piece that is reported once. */
static void reports_of_the_outer_block_count_all(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t outer = DMD_NONE, inner = dmd_reports_add(r, DMD_NONE, there);
  for (int i = 0; i < 5; i++)
    outer = dmd_reports_add(r, outer, here);
  uint32_t joined = dmd_reports_join(r, inner, outer);
  assert_int_equal(dmd_reports_at(r, joined)->count, 6);
  assert_report(&dmd_reports_at(r, joined)->report[0], &there);
  assert_report(&dmd_reports_at(r, joined)->report[1], &here);
  reports_done(&host, r);
}

/* Reports that survive a clear take precedence over those that do not, whatever the order. */
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

/* An equal history has the same id, so that blocks can be compared by it; a different history has
 * another. */
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

/* A program that reports one block again and again must not make a set each time for ever. */
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
  /* Clearing many reports leaves only the kept ones: the count starts from these. */
  uint32_t many = alloc;
  for (int i = 0; i < 200; i++)
    many = dmd_reports_add(r, many, there);
  assert_int_equal(dmd_reports_clear(r, many), alloc);
  reports_done(&host, r);
}

/* Many blocks, each with its own list of reports, moved at random. */
static void random_against_lists(void **state) {
  (void)state;
  enum { N_BLOCKS = 50, N_LISTED = 2000 };
  static struct {
    uint32_t id, count;
    dmd_report_t list[N_LISTED];
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
      assert_true(blocks[b].count < N_LISTED);
      blocks[b].list[blocks[b].count++] = one;
    }
    if (blocks[b].count == 0) {
      assert_int_equal(blocks[b].id, DMD_NONE);
      continue;
    }
    const dmd_report_set_t *set = dmd_reports_at(r, blocks[b].id);
    assert_int_equal(set->count, blocks[b].count);
    assert_int_equal(dmd_reports_excess(r, blocks[b].id), blocks[b].count - 1);
    uint32_t n = 0;
    for (dmd_report_walk_t walk = dmd_reports_walk(r, blocks[b].id); dmd_reports_next(&walk);)
      n += walk.times;
    assert_int_equal(n, blocks[b].count);
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
  dmd_report_t sharers[] = {{.stack = 1, .flags = DMD_REPORT_SHARED},
                            {.stack = 2, .flags = DMD_REPORT_SHARED}};
  id = dmd_reports_intern_sharers(&reports, sharers, 2);
  dmd_reports_add(&reports, id, (dmd_report_t){.stack = 3, .flags = DMD_REPORT_SHARED});
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
  assert_int_equal(dmd_reports_n_kept(r, id), 1);
  assert_int_equal(dmd_reports_part(r, id, true, 105), 105);
  /* Another report by the same owner, from there or elsewhere, does not add an owner. */
  dmd_report_t elsewhere = sharer_a;
  elsewhere.stack = 77;
  assert_int_equal(dmd_reports_add(r, id, sharer_a), id);
  assert_int_equal(dmd_reports_add(r, id, elsewhere), id);
  assert_int_equal(dmd_reports_find_sharer(r, id, &elsewhere)->stack, sharer_a.stack);
  assert_null(dmd_reports_find_sharer(r, id, &sharer_b));
  assert_int_equal(dmd_reports_clear(r, id), DMD_NONE);
  reports_done(&host, r);
}

/* Checks that a set, as a list and one by one, has these sharers, and that the parts add up to a
 * block. */
static void assert_sharers(const dmd_reports_t *r, uint32_t id, const dmd_report_t *expected,
                           uint32_t n, uint64_t usable) {
  assert_int_equal(dmd_reports_n_kept(r, id), n);
  assert_int_equal(dmd_reports_at(r, id)->count, n);
  dmd_report_t *list = calloc(n, sizeof *list);
  assert_non_null(list);
  dmd_reports_list(r, id, list);
  uint64_t sum = 0;
  uint32_t left = n, n_unnamed = 0;
  dmd_report_walk_t walk = dmd_reports_walk(r, id);
  while (dmd_reports_next(&walk)) {
    assert_report(walk.report, &expected[--left]);
    assert_report(&list[left], &expected[left]);
    assert_int_equal(walk.is_first, left == 0);
    n_unnamed += walk.report->reporter == DMD_NONE;
    assert_int_equal(walk.is_again, walk.report->reporter == DMD_NONE && n_unnamed > 1);
    uint64_t part = dmd_reports_part(r, id, walk.is_first, usable);
    assert_in_range(part, usable / n, usable / n + (left == 0 ? n - 1 : 0));
    sum += part;
  }
  assert_int_equal(left, 0);
  assert_int_equal(sum, usable);
  free(list);
}

static bool is_owner_of(const dmd_report_t *report, const dmd_report_t *other) {
  return report->reporter == other->reporter &&
         (report->reporter != DMD_NONE || report->stack == other->stack);
}

/* Many blocks, each with its own list of owners, who report in any order, some from several places
 * and some without a name. */
static void sharers_against_lists(void **state) {
  (void)state;
  enum { N_BLOCKS = 20, N_OWNERS = 150 };
  static struct {
    uint32_t id, n;
    dmd_report_t list[N_OWNERS * 2];
  } blocks[N_BLOCKS];
  memset(blocks, 0, sizeof blocks);
  dice_t dice = {7};
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  for (int step = 0; step < 20000; step++) {
    size_t b = (size_t)dice_below(&dice, N_BLOCKS);
    dmd_report_t report = {.stack = 1 + (uint32_t)dice_below(&dice, 30),
                           .reporter = (uint32_t)dice_below(&dice, b == 0 ? 3 : N_OWNERS),
                           .flags = DMD_REPORT_SHARED};
    uint32_t place = 0;
    while (place < blocks[b].n && !is_owner_of(&blocks[b].list[place], &report))
      place++;
    bool is_new = place == blocks[b].n;
    if (is_new)
      blocks[b].list[blocks[b].n++] = report;
    uint32_t before = blocks[b].id;
    blocks[b].id = dmd_reports_add(r, before, report);
    assert_int_equal(blocks[b].id == before, !is_new);
    assert_sharers(r, blocks[b].id, blocks[b].list, blocks[b].n, dice_below(&dice, 1000));
    if (dice_below(&dice, 2000) == 0)
      blocks[b].id = blocks[b].n = 0;
  }
  assert_true(blocks[1].n > 100);
  reports_done(&host, r);
}

/* Each owner takes one set, however many owners there are; a second block takes none. An owner is
 * not compared with all others: with so many, that would take a minute. */
static void shared_by_ten_thousand(void **state) {
  (void)state;
  enum { OWNERS = 10000, BLOCKS = 300 };
  static dmd_report_t list[OWNERS];
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  uint32_t last = DMD_NONE;
  for (int block = 0; block < BLOCKS; block++) {
    uint32_t id = DMD_NONE;
    for (uint32_t i = 0; i < OWNERS; i++) {
      list[i] = (dmd_report_t){.stack = 1 + i % 7, .reporter = 1 + i, .flags = DMD_REPORT_SHARED};
      id = dmd_reports_add(r, id, list[i]);
    }
    assert_true(last == DMD_NONE || id == last);
    last = id;
  }
  assert_int_equal(r->pool.last, OWNERS);
  assert_sharers(r, last, list, OWNERS, 123456);
  assert_int_equal(dmd_reports_intern_sharers(r, list, OWNERS), last);
  assert_int_equal(r->pool.last, OWNERS);
  reports_done(&host, r);
}

/* A set made of a list of sharers equals one made by adding their reports one by one, however many
 * are of the same owner. */
static void sharers_at_once(void **state) {
  (void)state;
  host_t host;
  dmd_reports_t reports, *r = reports_new(&host, &reports);
  dice_t dice = {23};
  for (int round = 0; round < 600; round++) {
    dmd_report_t list[200], copy[200];
    uint32_t id = DMD_NONE, n = 1 + (uint32_t)dice_below(&dice, COUNT_OF(list));
    for (uint32_t i = 0; i < n; i++) {
      list[i] = (dmd_report_t){.stack = 1 + (uint32_t)dice_below(&dice, 4),
                               .reporter = (uint32_t)dice_below(&dice, round % 2 ? 3 : 150),
                               .flags = DMD_REPORT_SHARED};
      id = dmd_reports_add(r, id, list[i]);
    }
    memcpy(copy, list, sizeof copy);
    assert_int_equal(dmd_reports_intern_sharers(r, copy, n), id);
    /* Also if the set did not exist yet. */
    dmd_reports_t others;
    dmd_reports_init(&others, &host.env);
    memcpy(copy, list, sizeof copy);
    uint32_t other = dmd_reports_intern_sharers(&others, copy, n);
    assert_sharers(&others, other, copy, dmd_reports_at(r, id)->count, 1000);
    assert_sharers(r, id, copy, dmd_reports_at(r, id)->count, 1000);
    dmd_reports_destroy(&others);
  }
  reports_done(&host, r);
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

  /* Each sharer is a report then. */
  id = DMD_NONE;
  for (uint32_t n = 1; n <= 200; n++) {
    dmd_report_t sharer = {.stack = 5, .reporter = n, .flags = DMD_REPORT_SHARED};
    id = dmd_reports_add(r, id, sharer);
    uint32_t mixed = dmd_reports_add(r, id, plain);
    assert_false(dmd_reports_are_shared(r, mixed));
    const dmd_report_set_t *set = dmd_reports_at(r, mixed);
    assert_int_equal(set->count, n + 1);
    assert_int_equal(dmd_reports_excess(r, id), 0);
    assert_int_equal(dmd_reports_excess(r, mixed), n);
    assert_int_equal(set->older, DMD_NONE);
    assert_int_equal(set->report[0].reporter, 1);
    assert_int_equal(set->report[1].reporter, n == 1 ? DMD_NONE : n);
    assert_int_equal(set->report[0].flags | set->report[1].flags, 0);
  }
  reports_done(&host, r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(once_twice_and_oftener),
      cmocka_unit_test(reports_of_the_outer_block_count_all),
      cmocka_unit_test(reports_on_alloc_are_kept_first),
      cmocka_unit_test(histories_are_interned),
      cmocka_unit_test(counting_ends),
      cmocka_unit_test(clear_leaves_reports_on_alloc),
      cmocka_unit_test(random_against_lists),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(shared_by_one),
      cmocka_unit_test(sharers_against_lists),
      cmocka_unit_test(shared_by_ten_thousand),
      cmocka_unit_test(sharers_at_once),
      cmocka_unit_test(shared_and_plain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
