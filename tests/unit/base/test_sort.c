/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/sort.h"

/* The compare function's context: a key for each id, and a count of its calls. */
typedef struct {
  const int *keys;
  size_t *n_compares;
} keys_t;

static int by_key(const void *ctx, uint32_t a, uint32_t b) {
  const keys_t *k = ctx;
  ++*k->n_compares;
  /* Not only -1, 0 and 1: callers may rely on the sign alone. */
  return 1000 * (k->keys[a] - k->keys[b]);
}

static void naive_sort(uint32_t *ids, size_t n, const int *keys) {
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j > 0 && keys[ids[j - 1]] > keys[ids[j]]; j--) {
      uint32_t swap = ids[j];
      ids[j] = ids[j - 1];
      ids[j - 1] = swap;
    }
}

/* Merging runs of doubling length takes at most n compares a pass. */
static size_t most_compares(size_t n) {
  size_t passes = 0;
  for (size_t run = 1; run < n; run *= 2)
    passes++;
  return n * passes;
}

enum { MAX = 1200 };

static void check(const int *keys, const uint32_t *order, size_t n) {
  host_t host;
  host_init(&host);
  /* On the heap and no longer than needed, so that the sanitiser sees a step beyond. */
  uint32_t *ids = malloc((n + 1) * sizeof *ids), *expected = malloc((n + 1) * sizeof *expected);
  assert_non_null(ids);
  assert_non_null(expected);
  memcpy(ids, order, n * sizeof *ids);
  memcpy(expected, order, n * sizeof *expected);
  ids[n] = 12345;
  naive_sort(expected, n, keys);
  size_t n_compares = 0;
  dmd_sort(&host.env, ids, n, by_key, &(keys_t){keys, &n_compares});
  assert_memory_equal(ids, expected, n * sizeof *ids);
  assert_int_equal(ids[n], 12345);
  assert_true(n_compares <= most_compares(n));
  free(ids);
  free(expected);
  host_done(&host);
}

static void like_stable_insertion(void **state) {
  (void)state;
  dice_t dice = {11};
  static int keys[MAX];
  static uint32_t order[MAX];
  for (size_t n = 0; n <= 300; n++) {
    for (uint64_t distinct = 1; distinct <= 2 * n + 1; distinct *= 4) {
      for (size_t i = 0; i < n; i++) {
        keys[i] = (int)dice_below(&dice, distinct) - (int)(distinct / 2);
        order[i] = (uint32_t)i;
      }
      /* Ids come in an order other than their own. */
      for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)dice_below(&dice, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
      }
      check(keys, order, n);
    }
  }
}

static void sorted_reversed_sawtooth(void **state) {
  (void)state;
  static int keys[MAX];
  static uint32_t order[MAX];
  for (int shape = 0; shape < 4; shape++) {
    for (int i = 0; i < MAX; i++) {
      int shapes[] = {i, -i, i % 7, 0};
      keys[i] = shapes[shape];
      order[i] = (uint32_t)i;
    }
    for (size_t n = MAX - 180; n <= MAX; n += 45)
      check(keys, order, n);
  }
}

/* Ids count from 1, here of keys[0] on. */
static int by_magnitude(const void *ctx, uint32_t a, uint32_t b) {
  const int64_t *keys = ctx;
  return dmd_compare_magnitudes(keys[a - 1], keys[b - 1]);
}

static void all_ids_by_magnitude(void **state) {
  (void)state;
  static const int64_t keys[] = {0, -3, 7, 3, INT64_MIN, INT64_MAX, -7};
  static const uint32_t expected[] = {5, 6, 3, 7, 2, 4, 1};
  host_t host;
  host_init(&host);
  uint32_t *ids = dmd_sorted_ids(&host.env, COUNT_OF(keys), by_magnitude, keys);
  assert_memory_equal(ids, expected, sizeof expected);
  dmd_env_free(&host.env, ids);
  dmd_env_free(&host.env, dmd_sorted_ids(&host.env, 0, by_magnitude, keys));
  host_done(&host);
}

static void nothing_to_do_allocates_nothing(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  int keys[] = {5};
  uint32_t ids[] = {0};
  size_t n_compares = 0;
  keys_t k = {keys, &n_compares};
  dmd_sort(&host.env, ids, 0, by_key, &k);
  dmd_sort(&host.env, ids, 1, by_key, &k);
  dmd_sort(&host.env, NULL, 0, by_key, &k);
  assert_int_equal(host.n_calls, 0);
  assert_int_equal(n_compares, 0);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  int keys[] = {3, 1, 2};
  uint32_t ids[] = {0, 1, 2};
  size_t n_compares = 0;
  dmd_sort(&host->env, ids, 3, by_key, &(keys_t){keys, &n_compares});
  assert_int_equal(ids[0], 1);
  assert_int_equal(ids[1], 2);
  assert_int_equal(ids[2], 0);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 1);
}

/* ---- By numbers. ---- */

static uint64_t number_of(const void *ctx, uint32_t id) {
  return ((const uint64_t *)ctx)[id];
}

/* Descending, equal ones in their order. */
static void naive_sort_by_number(uint32_t *ids, size_t n, const uint64_t *numbers) {
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j > 0 && numbers[ids[j - 1]] < numbers[ids[j]]; j--) {
      uint32_t swap = ids[j];
      ids[j] = ids[j - 1];
      ids[j - 1] = swap;
    }
}

/* Numbers that differ in few bits, in high ones alone, and in all. */
static void numbers_like_stable_insertion(void **state) {
  (void)state;
  static const uint64_t masks[] = {0, 3, 0xff00, UINT64_C(0xf0) << 56, 0x0100000001, UINT64_MAX};
  dice_t dice = {41};
  host_t host;
  host_init(&host);
  for (int round = 0; round < 300; round++) {
    size_t n = dice_below(&dice, 600);
    uint64_t mask = masks[dice_below(&dice, 6)];
    uint64_t *numbers = malloc((n + 1) * sizeof *numbers);
    uint32_t *ids = malloc((n + 1) * sizeof *ids), *expected = malloc((n + 1) * sizeof *expected);
    assert_true(numbers != NULL && ids != NULL && expected != NULL);
    for (size_t i = 0; i < n; i++) {
      ids[i] = expected[i] = (uint32_t)((i * 7919) % n);
      numbers[i] = (dice_below(&dice, UINT32_MAX) << 32 | dice_below(&dice, UINT32_MAX)) & mask;
    }
    ids[n] = 12345;
    dmd_sort_by_number(&host.env, ids, n, number_of, numbers);
    naive_sort_by_number(expected, n, numbers);
    assert_memory_equal(ids, expected, n * sizeof *ids);
    assert_int_equal(ids[n], 12345);
    free(expected);
    free(ids);
    free(numbers);
  }
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(like_stable_insertion),
      cmocka_unit_test(sorted_reversed_sawtooth),
      cmocka_unit_test(all_ids_by_magnitude),
      cmocka_unit_test(nothing_to_do_allocates_nothing),
      cmocka_unit_test(numbers_like_stable_insertion),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
