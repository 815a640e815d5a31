/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/pool.h"

/* Ids are 1, 2, 3 ...; elements stay where they are, through more than one growth of the list of
 * segments (whose first length is 8), and none overlaps another. */
static void a_growing_array(void **state) {
  (void)state;
  enum { N = 20 * DMD_POOL_SEGMENT + 1 };
  static uint64_t *at[N + 1];
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", 3 * sizeof(uint64_t));
  for (uint32_t i = 1; i <= N; i++) {
    assert_int_equal(dmd_pool_add(&pool), i);
    assert_int_equal(pool.last, i);
    at[i] = dmd_pool_at(&pool, i);
    at[i][0] = at[i][1] = at[i][2] = i;
  }
  for (uint32_t i = 1; i <= N; i++) {
    assert_ptr_equal(dmd_pool_at(&pool, i), at[i]);
    assert_int_equal(at[i][0], i);
    assert_int_equal(at[i][1], i);
    assert_int_equal(at[i][2], i);
  }
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void the_macro_is_the_function(void **state) {
  (void)state;
  typedef struct {
    uint32_t a[5];
  } five_t;
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", sizeof(five_t));
  for (uint32_t i = 1; i <= 3000; i++) {
    dmd_pool_add(&pool);
    assert_ptr_equal(DMD_POOL_AT(&pool, five_t, i), dmd_pool_at(&pool, i));
  }
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void released_last_in_first_out(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", 4);
  for (uint32_t i = 1; i <= 5; i++)
    dmd_pool_add(&pool);
  dmd_pool_release(&pool, 2);
  dmd_pool_release(&pool, 5);
  dmd_pool_release(&pool, 1);
  assert_int_equal(dmd_pool_add(&pool), 1);
  assert_int_equal(dmd_pool_add(&pool), 5);
  dmd_pool_release(&pool, 3);
  assert_int_equal(dmd_pool_add(&pool), 3);
  assert_int_equal(dmd_pool_add(&pool), 2);
  assert_int_equal(dmd_pool_add(&pool), 6);
  dmd_pool_destroy(&pool);
  host_done(&host);
}

/* Any mixture of adding and releasing, for elements of several sizes, odd ones too: each live
 * element keeps its bytes, and the pool never makes more elements than were alive at once. */
static void random_against_a_list(void **state) {
  size_t szB = *(const size_t *)*state;
  enum { MOST = 4000 };
  static struct {
    uint32_t id;
    unsigned char fill;
  } live[MOST];
  size_t n = 0, peak = 0;
  dice_t dice = {szB};
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", szB);
  for (int step = 0; step < 60000; step++) {
    bool growing = step / 6000 % 2 == 0;
    if (n < MOST && (n == 0 || dice_below(&dice, 3) < (growing ? 2 : 1))) {
      live[n].id = dmd_pool_add(&pool);
      live[n].fill = (unsigned char)dice_u64(&dice);
      memset(dmd_pool_at(&pool, live[n].id), live[n].fill, szB);
      n++;
      if (n > peak)
        peak = n;
    } else {
      size_t i = (size_t)dice_below(&dice, n);
      unsigned char *p = dmd_pool_at(&pool, live[i].id);
      for (size_t k = 0; k < szB; k++)
        assert_int_equal(p[k], live[i].fill);
      dmd_pool_release(&pool, live[i].id);
      live[i] = live[--n];
    }
    assert_int_equal(pool.last, peak);
  }
  assert_true(peak > DMD_POOL_SEGMENT);
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void add_one_more(host_t *host, void *arg) {
  (void)host;
  dmd_pool_add(arg);
}

static void ids_do_not_wrap_around(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", 4);
  dmd_pool_add(&pool);
  pool.last = UINT32_MAX; /* as after 2^32 - 1 additions */
  assert_int_equal(host_run(&host, add_one_more, &pool), HOST_PANICKED);
  dmd_pool_release(&pool, 1);
  assert_int_equal(host_run(&host, add_one_more, &pool), HOST_RETURNED);
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void destroying_an_empty_one(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", 4);
  assert_int_equal(host.n_calls, 0);
  dmd_pool_destroy(&pool);
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host->env, "test", 8);
  for (uint32_t i = 0; i < 33 * DMD_POOL_SEGMENT; i++)
    dmd_pool_add(&pool);
  dmd_pool_destroy(&pool);
}

/* 33 segments, and four lists for them, of 8, 16, 32 and 64. */
/* Segments that were passed are given back one by one, and the others stay where they are. */
static void passing(void **state) {
  (void)state;
  enum { N = 3 * DMD_POOL_SEGMENT + 5 };
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", sizeof(uint64_t));
  for (uint32_t i = 1; i <= N; i++)
    *(uint64_t *)dmd_pool_at(&pool, dmd_pool_add(&pool)) = i;
  size_t n_blocks = host.n_blocks;
  for (uint32_t i = 1; i <= N; i++) {
    assert_int_equal(*DMD_POOL_AT(&pool, uint64_t, i), i);
    dmd_pool_pass(&pool, i);
    assert_int_equal(host.n_blocks, n_blocks - i / DMD_POOL_SEGMENT);
  }
  dmd_pool_destroy(&pool);
  host_done(&host);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 33 + 4);
}

/* Elements up to the id are zero; elements that exist are left alone. */
static void reach(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_pool_t pool;
  dmd_pool_init(&pool, &host.env, "test", sizeof(uint64_t));
  static const uint32_t ids[] = {1, 3, 2, 3000};
  uint32_t last = 0;
  for (size_t i = 0; i < COUNT_OF(ids); i++) {
    dmd_pool_reach(&pool, ids[i]);
    for (uint32_t id = last + 1; id <= ids[i]; id++)
      assert_int_equal(*DMD_POOL_AT(&pool, uint64_t, id), 0);
    last = ids[i] > last ? ids[i] : last;
    assert_int_equal(pool.last, last);
    *DMD_POOL_AT(&pool, uint64_t, ids[i]) = 7;
  }
  assert_int_equal(*DMD_POOL_AT(&pool, uint64_t, 3), 7);
  dmd_pool_destroy(&pool);
  host_done(&host);
}

/* Foreign elements are used where they lie, and stay there. */
static void borrowing(void **state) {
  (void)state;
  static uint64_t elements[2 * DMD_POOL_SEGMENT + 1];
  static const uint32_t counts[] = {0, 1, DMD_POOL_SEGMENT, COUNT_OF(elements)};
  host_t host;
  host_init(&host);
  for (size_t i = 0; i < COUNT_OF(counts); i++) {
    dmd_pool_t pool;
    dmd_pool_borrow(&pool, &host.env, "test", sizeof *elements, elements, counts[i]);
    assert_int_equal(pool.last, counts[i]);
    for (uint32_t id = 1; id <= counts[i]; id++)
      assert_ptr_equal(DMD_POOL_AT(&pool, uint64_t, id), &elements[id - 1]);
    dmd_pool_destroy(&pool);
  }
  host_done(&host);
}

int main(void) {
  static const size_t sizes[] = {4, 5, 8, 24, 100};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_growing_array),
      cmocka_unit_test(the_macro_is_the_function),
      cmocka_unit_test(released_last_in_first_out),
      {"random_against_a_list_4", random_against_a_list, NULL, NULL, (void *)&sizes[0]},
      {"random_against_a_list_5", random_against_a_list, NULL, NULL, (void *)&sizes[1]},
      {"random_against_a_list_8", random_against_a_list, NULL, NULL, (void *)&sizes[2]},
      {"random_against_a_list_24", random_against_a_list, NULL, NULL, (void *)&sizes[3]},
      {"random_against_a_list_100", random_against_a_list, NULL, NULL, (void *)&sizes[4]},
      cmocka_unit_test(ids_do_not_wrap_around),
      cmocka_unit_test(destroying_an_empty_one),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(reach),
      cmocka_unit_test(passing),
      cmocka_unit_test(borrowing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
