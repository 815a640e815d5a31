/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/mem.h"
#include "base/pool.h"
#include "base/table.h"

enum { MAX = 3000 };

/* The owner: a list of numbers, whose ids are their places in it from 1. */
typedef struct {
  uint64_t numbers[MAX + 1];
  uint32_t n;
  unsigned hash_bits; /* how much of a hash is left */
} list_t;

static uint64_t number_hash(const list_t *list, uint64_t number) {
  uint64_t h = dmd_hash_u64(number);
  return list->hash_bits == 64 ? h : h & ((UINT64_C(1) << list->hash_bits) - 1);
}

static bool equal(const void *owner, uint32_t id, const void *key) {
  const list_t *list = owner;
  assert_in_range(id, 1, list->n);
  return list->numbers[id] == *(const uint64_t *)key;
}

static uint32_t find(const dmd_table_t *table, const list_t *list, uint64_t number) {
  return dmd_table_find(table, number_hash(list, number), &number);
}

static uint32_t naive_find(const list_t *list, uint64_t number) {
  for (uint32_t id = 1; id <= list->n; id++)
    if (list->numbers[id] == number)
      return id;
  return DMD_NONE;
}

/* With a good hash, with a hash of few values, and with a constant hash: in the last case every
 * look-up walks over all elements. */
static void random_against_a_list(void **state) {
  static list_t list;
  list.n = 0;
  list.hash_bits = *(const unsigned *)*state;
  dice_t dice = {list.hash_bits + 1};
  host_t host;
  host_init(&host);
  dmd_table_t table;
  dmd_table_init(&table, &host.env, "test", equal, &list);
  size_t n_found = 0, n_missed = 0;
  uint32_t most = list.hash_bits == 0 ? 400 : MAX;
  for (int step = 0; step < 2 * MAX; step++) {
    uint64_t number = dice_below(&dice, most);
    uint32_t id = find(&table, &list, number);
    assert_int_equal(id, naive_find(&list, number));
    if (id != DMD_NONE) {
      n_found++;
      continue;
    }
    n_missed++;
    list.numbers[++list.n] = number;
    dmd_table_add(&table, number_hash(&list, list.numbers[list.n]), list.n);
    assert_int_equal(find(&table, &list, number), list.n);
  }
  assert_true(n_found > 300 && n_missed > 300);
  for (uint32_t id = 1; id <= list.n; id++)
    assert_int_equal(find(&table, &list, list.numbers[id]), id);
  dmd_table_destroy(&table);
  host_done(&host);
}

static bool equal_in_pool(const void *pool, uint32_t id, const void *key) {
  return *DMD_POOL_AT((const dmd_pool_t *)pool, const uint64_t, id) == *(const uint64_t *)key;
}

/* Each number gets the next id when it comes for the first time, and the same id again later. */
static void finds_or_adds(void **state) {
  (void)state;
  enum { MOST = 500 };
  uint32_t ids[MOST] = {0}, n = 0;
  dice_t dice = {3};
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_table_t table;
  dmd_pool_init(&pool, &host.env, "test", sizeof(uint64_t));
  dmd_table_init(&table, &host.env, "test", equal_in_pool, &pool);
  for (int step = 0; step < 4 * MOST; step++) {
    uint64_t number = dice_below(&dice, MOST);
    if (ids[number] == 0)
      ids[number] = ++n;
    uint32_t id = dmd_table_find_or_add(&table, &pool, dmd_hash_u64(number), &number);
    assert_int_equal(id, ids[number]);
    assert_int_equal(*DMD_POOL_AT(&pool, uint64_t, id), number);
  }
  assert_in_range(n, MOST / 2, MOST);
  assert_int_equal(pool.last, n);
  dmd_table_destroy(&table);
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void nothing_is_in_an_empty_one(void **state) {
  (void)state;
  static list_t list;
  list.n = 0;
  list.hash_bits = 64;
  host_t host;
  host_init(&host);
  dmd_table_t table;
  dmd_table_init(&table, &host.env, "test", equal, &list);
  assert_int_equal(find(&table, &list, 5), DMD_NONE);
  assert_int_equal(host.n_calls, 0);
  dmd_table_destroy(&table);
  host_done(&host);
}

/* Only the first id of a pool can stand in the first slot, and so on: probing has to wrap around
 * the end of the slots. Every hash is that of the last slot, whatever the number of slots. */
static void probing_goes_around_the_end(void **state) {
  (void)state;
  static list_t list;
  list.n = 40;
  host_t host;
  host_init(&host);
  dmd_table_t table;
  dmd_table_init(&table, &host.env, "test", equal, &list);
  for (uint32_t id = 1; id <= 40; id++) {
    list.numbers[id] = id * 10;
    dmd_table_add(&table, UINT64_MAX, id);
  }
  for (uint32_t id = 1; id <= 40; id++)
    assert_int_equal(dmd_table_find(&table, UINT64_MAX, &list.numbers[id]), id);
  assert_int_equal(dmd_table_find(&table, UINT64_MAX, &(uint64_t){11}), DMD_NONE);
  dmd_table_destroy(&table);
  host_done(&host);
}

/* The header promises 11 to 22 bytes; rounding makes it 10 an element; the first 64 slots are there
 * from the start. */
static void costs_what_the_header_says(void **state) {
  (void)state;
  static list_t list;
  list.n = 0;
  list.hash_bits = 64;
  host_t host;
  host_init(&host);
  dmd_table_t table;
  dmd_table_init(&table, &host.env, "test", equal, &list);
  while (list.n < MAX) {
    list.numbers[list.n + 1] = list.n;
    list.n++;
    dmd_table_add(&table, number_hash(&list, list.numbers[list.n]), list.n);
    assert_int_equal(host.n_blocks, 1);
    assert_true(host.szB >= 10 * (size_t)list.n);
    if (list.n >= 32)
      assert_true(host.szB <= 22 * (size_t)list.n);
  }
  dmd_table_destroy(&table);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static list_t list;
  list.n = 0;
  list.hash_bits = 64;
  dmd_table_t table;
  dmd_table_init(&table, &host->env, "test", equal, &list);
  for (uint64_t number = 0; number < 192; number++) {
    assert_int_equal(find(&table, &list, number), DMD_NONE);
    list.numbers[++list.n] = number;
    dmd_table_add(&table, number_hash(&list, list.numbers[list.n]), list.n);
  }
  dmd_table_destroy(&table);
}

/* 192 ids just fit into 256 slots: 64, 128 and 256 are allocated. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 3);
}

int main(void) {
  static const unsigned bits[] = {64, 4, 0};
  const struct CMUnitTest tests[] = {
      {"random_good_hash", random_against_a_list, NULL, NULL, (void *)&bits[0]},
      {"random_poor_hash", random_against_a_list, NULL, NULL, (void *)&bits[1]},
      {"random_no_hash", random_against_a_list, NULL, NULL, (void *)&bits[2]},
      cmocka_unit_test(finds_or_adds),
      cmocka_unit_test(nothing_is_in_an_empty_one),
      cmocka_unit_test(probing_goes_around_the_end),
      cmocka_unit_test(costs_what_the_header_says),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
