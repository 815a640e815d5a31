/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/profile/groups.h"

static const dmd_group_t some_group = {
    .req = 100, .slop = 12, .num = 1, .stack = 3, .reports = 4, .tag = 5, .thread = 6};

/* Each field of the key, at its lowest and its highest bit, makes another group; num and record
 * do not. */
static void every_field_tells_apart(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_groups_t groups;
  dmd_groups_init(&groups, &host.env);
  dmd_group_t different[14];
  for (size_t i = 0; i < COUNT_OF(different); i++)
    different[i] = some_group;
  different[1].req ^= 1;
  different[2].req ^= UINT64_C(1) << 63;
  different[3].slop ^= 1;
  different[4].slop ^= UINT64_C(1) << 63;
  different[5].stack ^= 1;
  different[6].stack ^= 1u << 31;
  different[7].reports ^= 1;
  different[8].reports ^= 1u << 31;
  different[9].tag ^= 1;
  different[10].tag = DMD_MAX_TAGS;
  different[11].thread ^= 1;
  different[12].thread = DMD_MAX_THREAD;
  different[13].sampled = 1;
  for (uint32_t i = 0; i < COUNT_OF(different); i++) {
    dmd_groups_add(&groups, &different[i]);
    assert_int_equal(dmd_groups_count(&groups), i + 1);
  }
  for (uint32_t i = 0; i < COUNT_OF(different); i++) {
    dmd_group_t again = different[i];
    again.num = 10 + i;
    again.record = 77;
    dmd_groups_add(&groups, &again);
    assert_int_equal(dmd_groups_count(&groups), COUNT_OF(different));
    const dmd_group_t *g = dmd_groups_at(&groups, i + 1);
    assert_int_equal(g->num, 11 + i);
    assert_true(g->req == different[i].req && g->slop == different[i].slop);
    assert_int_equal(g->stack, different[i].stack);
    assert_int_equal(g->reports, different[i].reports);
    assert_int_equal(g->tag, different[i].tag);
    assert_int_equal(g->thread, different[i].thread);
    assert_int_equal(g->sampled, different[i].sampled);
  }
  dmd_groups_destroy(&groups);
  host_done(&host);
}

/* Ten groups with the stacks 1 to 10 become three when the stacks become 0, 1 and 2. */
static void what_has_become_equal_is_joined(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_groups_t groups;
  dmd_groups_init(&groups, &host.env);
  for (uint32_t i = 1; i <= 10; i++) {
    dmd_group_t g = some_group;
    g.stack = i;
    g.num = i;
    dmd_groups_add(&groups, &g);
  }
  for (uint32_t id = 1; id <= 10; id++)
    dmd_groups_at(&groups, id)->stack %= 3;
  dmd_groups_join(&groups);
  static const uint64_t stacks[] = {1, 2, 0}, nums[] = {1 + 4 + 7 + 10, 2 + 5 + 8, 3 + 6 + 9};
  assert_int_equal(dmd_groups_count(&groups), 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(dmd_groups_at(&groups, i + 1)->stack, stacks[i]);
    assert_int_equal(dmd_groups_at(&groups, i + 1)->num, nums[i]);
  }
  dmd_group_t again = some_group;
  again.stack = 2;
  dmd_groups_add(&groups, &again);
  assert_int_equal(dmd_groups_at(&groups, 2)->num, nums[1] + 1);
  dmd_groups_destroy(&groups);
  host_done(&host);
}

static void no_record_to_begin_with(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_groups_t groups;
  dmd_groups_init(&groups, &host.env);
  dmd_group_t owned = some_group;
  owned.record = 9;
  dmd_groups_add(&groups, &owned);
  assert_int_equal(dmd_groups_at(&groups, 1)->record, DMD_NONE);
  dmd_groups_destroy(&groups);
  host_done(&host);
}

static bool same_key(const dmd_group_t *a, const dmd_group_t *b) {
  return a->req == b->req && a->slop == b->slop && a->stack == b->stack &&
         a->reports == b->reports && a->tag == b->tag && a->thread == b->thread &&
         a->sampled == b->sampled;
}

static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 3000 };
  static dmd_group_t list[MAX + 1];
  uint32_t n = 0;
  size_t n_again = 0;
  dice_t dice = {51};
  host_t host;
  host_init(&host);
  dmd_groups_t groups;
  dmd_groups_init(&groups, &host.env);
  for (int step = 0; step < MAX; step++) {
    dmd_group_t g = {
        .req = dice_below(&dice, 3) * 16,
        .slop = dice_below(&dice, 3) * 8,
        .num = 1 + dice_below(&dice, 100),
        .stack = (uint32_t)dice_below(&dice, 5),
        .reports = (uint32_t)dice_below(&dice, 4),
        .tag = (uint16_t)dice_below(&dice, 3),
        .thread = (uint16_t)(dice_below(&dice, 3) & DMD_MAX_THREAD),
        .sampled = dice_below(&dice, 2) & 1,
    };
    uint32_t id = 1;
    while (id <= n && !same_key(&list[id], &g))
      id++;
    if (id <= n) {
      list[id].num += g.num;
      n_again++;
    } else {
      list[++n] = g;
    }
    dmd_groups_add(&groups, &g);
    assert_int_equal(dmd_groups_count(&groups), n);
  }
  assert_true(n > 1000 && n_again > 500);
  for (uint32_t id = 1; id <= n; id++) {
    assert_true(same_key(dmd_groups_at(&groups, id), &list[id]));
    assert_true(dmd_groups_at(&groups, id)->num == list[id].num);
  }
  dmd_groups_destroy(&groups);
  host_done(&host);
}

/* Adding many blocks at once equals adding them one by one, however many there are. */
static void many_at_once(void **state) {
  (void)state;
  dice_t dice = {52};
  host_t host;
  host_init(&host);
  dmd_groups_t one, all;
  dmd_groups_init(&one, &host.env);
  dmd_groups_init(&all, &host.env);
  for (int round = 0; round < 60; round++) {
    dmd_group_t keys[200];
    size_t n = dice_below(&dice, COUNT_OF(keys) + 1);
    for (size_t i = 0; i < n; i++) {
      keys[i] = (dmd_group_t){.req = dice_below(&dice, 3000), .num = 1 + dice_below(&dice, 9)};
      dmd_groups_add(&one, &keys[i]);
    }
    dmd_groups_add_all(&all, keys, n);
  }
  uint32_t n = dmd_groups_count(&one);
  assert_in_range(n, 2000, 3000);
  assert_int_equal(dmd_groups_count(&all), n);
  for (uint32_t id = 1; id <= n; id++) {
    const dmd_group_t *a = dmd_groups_at(&one, id), *b = dmd_groups_at(&all, id);
    assert_true(same_key(a, b) && a->num == b->num);
  }
  dmd_groups_destroy(&all);
  dmd_groups_destroy(&one);
  host_done(&host);
}

/* Sizes come from a file, which may be hostile: no set of sizes makes many groups collide, whatever
 * bits they have in common. */
static void sizes_spread(void **state) {
  (void)state;
  enum { N = 4096 };
  host_t host;
  host_init(&host);
  for (unsigned shift = 0; shift < 42; shift++) {
    dmd_groups_t groups;
    dmd_groups_init(&groups, &host.env);
    for (uint64_t k = 0; k < N; k++)
      dmd_groups_add(&groups, &(dmd_group_t){.req = k << shift, .slop = k, .num = 1});
    /* How far elements are from their home slots: in a half-full table half a slot on average. */
    const dmd_table_t *index = &groups.index;
    uint64_t distance = 0;
    for (uint32_t i = 0; i < index->n_slots; i++)
      if (index->slots[i].id != DMD_NONE)
        distance += (i - index->slots[i].hash) & (index->n_slots - 1);
    assert_in_range(distance, 0, N);
    dmd_groups_destroy(&groups);
  }
  host_done(&host);
}

/* 40 bytes and 11 to 22 in the index, as the header says; in segments of 1,024. */
static void costs_what_the_header_says(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_groups_t groups;
  dmd_groups_init(&groups, &host.env);
  enum { N = 64 * DMD_POOL_SEGMENT };
  for (uint32_t i = 0; i < N; i++)
    dmd_groups_add(&groups, &(dmd_group_t){.req = i, .num = 1});
  assert_int_equal(dmd_groups_count(&groups), N);
  assert_in_range(host.szB, 51 * N, 62 * N + 64 * sizeof(char *));
  dmd_groups_destroy(&groups);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_groups_t groups;
  dmd_groups_init(&groups, &host->env);
  for (uint32_t i = 0; i < 3000; i++)
    dmd_groups_add(&groups, &(dmd_group_t){.req = i % 1500, .num = 1});
  assert_int_equal(dmd_groups_count(&groups), 1500);
  dmd_groups_destroy(&groups);
}

/* Two segments and a list of them; tables of 64, 128, 256, 512, 1,024 and 2,048 slots. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 3 + 6);
}

/* After closing, an equal key makes a new group, and earlier groups stay as they were. */
static void closed_groups_stay_as_they_are(void **state) {
  (void)state;
  host_t host;
  dmd_groups_t groups;
  host_init(&host);
  dmd_groups_init(&groups, &host.env);
  /* Many, then few: the index is made small again in between. */
  static const uint32_t n_groups[] = {0, 1, 3000, 2, 2, 100, 0, 5};
  uint32_t n = 0;
  for (size_t i = 0; i < COUNT_OF(n_groups); i++) {
    dmd_groups_close(&groups);
    for (int twice = 0; twice < 2; twice++)
      for (uint64_t req = 1; req <= n_groups[i]; req++)
        dmd_groups_add(&groups, &(dmd_group_t){.req = req, .num = req});
    for (uint64_t req = 1; req <= n_groups[i]; req++) {
      const dmd_group_t *g = dmd_groups_at(&groups, ++n);
      assert_true(g->req == req && g->num == 2 * req);
    }
    assert_int_equal(dmd_groups_count(&groups), n);
  }
  dmd_groups_destroy(&groups);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_tells_apart),
      cmocka_unit_test(what_has_become_equal_is_joined),
      cmocka_unit_test(no_record_to_begin_with),
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(many_at_once),
      cmocka_unit_test(sizes_spread),
      cmocka_unit_test(costs_what_the_header_says),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(closed_groups_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
