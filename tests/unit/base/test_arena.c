/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core's own allocator, for where there is no other, here over an array.
 */
#include "host.h"

#include "base/arena.h"

enum { SZB = 1 << 20, STEP = 4096, SLOTS = 300 };

/* The arena's source of memory: an array, of which it has not got all. */
typedef struct {
  char *start;
  size_t used;
  int n_grown;
  dmd_arena_t memory;
} arena_t;

static size_t grow(void *ctx, size_t szB) {
  arena_t *a = ctx;
  size_t more = (szB + STEP - 1) / STEP * STEP;
  if (more > SZB - a->used)
    return 0;
  a->used += more;
  a->n_grown++;
  return more;
}

static void begin(arena_t *a) {
  *a = (arena_t){.start = malloc(SZB), .used = STEP};
  assert_non_null(a->start);
  memset(a->start, 0xa5, SZB);
  dmd_arena_init(&a->memory, a->start, STEP, grow, a);
}

static size_t n_free(const arena_t *a) {
  bool good;
  size_t n = dmd_arena_check(&a->memory, a->start, &good);
  assert_true(good);
  return n;
}

static void what_is_freed_is_used_again(void **state) {
  (void)state;
  arena_t a;
  begin(&a);
  size_t all = n_free(&a);
  for (int i = 0; i < 100; i++) {
    void *p = dmd_arena_alloc(&a.memory, 1500), *q = dmd_arena_alloc(&a.memory, 1500);
    dmd_arena_free(&a.memory, p);
    dmd_arena_free(&a.memory, q);
  }
  assert_int_equal(a.n_grown, 0);
  assert_int_equal(n_free(&a), all);
  dmd_arena_free(&a.memory, NULL);
  free(a.start);
}

/* All freed pieces become one again, in whatever order they are freed. */
static void neighbours_become_one(void **state) {
  (void)state;
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (size_t i = 0; i < COUNT_OF(orders); i++) {
    arena_t a;
    begin(&a);
    void *piece[3];
    for (int k = 0; k < 3; k++)
      piece[k] = dmd_arena_alloc(&a.memory, 1000);
    for (int k = 0; k < 3; k++) {
      dmd_arena_free(&a.memory, piece[orders[i][k]]);
      n_free(&a);
    }
    assert_non_null(dmd_arena_alloc(&a.memory, 3900));
    assert_int_equal(a.n_grown, 0);
    free(a.start);
  }
}

static void what_grows_joins_what_is_free_before_it(void **state) {
  (void)state;
  arena_t a;
  begin(&a);
  void *p = dmd_arena_alloc(&a.memory, STEP + 2000);
  assert_non_null(p);
  assert_int_equal(a.n_grown, 1);
  dmd_arena_free(&a.memory, p);
  assert_non_null(dmd_arena_alloc(&a.memory, a.used - 200));
  assert_int_equal(a.n_grown, 1);
  free(a.start);
}

static void the_end_is_said(void **state) {
  (void)state;
  arena_t a;
  begin(&a);
  assert_null(dmd_arena_alloc(&a.memory, SZB));
  assert_null(dmd_arena_alloc(&a.memory, SIZE_MAX));
  assert_null(dmd_arena_alloc(&a.memory, SIZE_MAX / 2));
  void *p;
  size_t n = 0;
  while ((p = dmd_arena_alloc(&a.memory, 10000)) != NULL)
    memset(p, 1, 10000), n += 10000;
  assert_true(n > SZB - 2 * 10000 - STEP && a.used == SZB);
  n_free(&a);
  free(a.start);
}

/* Against a list of the live pieces: memory that was handed out is aligned, inside, and keeps what
 * was written to it. */
static void random_against_a_list(void **state) {
  (void)state;
  struct {
    unsigned char *at, value;
    size_t n;
  } slot[SLOTS] = {{0}};
  dice_t dice = {7};
  arena_t a;
  begin(&a);
  for (int i = 0; i < 60000; i++) {
    size_t k = dice_below(&dice, SLOTS);
    for (size_t at = 0; slot[k].at != NULL && at < slot[k].n; at++)
      assert_int_equal(slot[k].at[at], slot[k].value);
    dmd_arena_free(&a.memory, slot[k].at);
    slot[k].at = NULL;
    if (dice_below(&dice, 3) > 0) {
      slot[k].n = (size_t)dice_below(&dice, UINT64_C(1) << dice_below(&dice, 14)) + 1;
      slot[k].value = (unsigned char)dice_u64(&dice);
      slot[k].at = dmd_arena_alloc(&a.memory, slot[k].n);
      if (slot[k].at != NULL) {
        assert_int_equal((uintptr_t)slot[k].at % 16, 0);
        assert_true((char *)slot[k].at >= a.start &&
                    (char *)slot[k].at + slot[k].n <= a.start + a.used);
        memset(slot[k].at, slot[k].value, slot[k].n);
      }
    }
    if (i % 100 == 0)
      n_free(&a);
  }
  for (size_t k = 0; k < SLOTS; k++)
    dmd_arena_free(&a.memory, slot[k].at);
  /* One piece, and the header of the end. */
  assert_int_equal(n_free(&a), a.used - 16);
  free(a.start);
}

/* Regions that do not touch serve one arena, and each becomes one piece again. */
static void regions_are_used_together(void **state) {
  (void)state;
  enum { N_REGIONS = 3, N_PIECES = N_REGIONS * (STEP / 512) };
  _Alignas(16) static char region[N_REGIONS][2 * STEP];
  void *piece[N_PIECES];
  dmd_arena_t memory;
  dmd_arena_init(&memory, region[0], STEP, NULL, NULL);
  assert_null(dmd_arena_alloc(&memory, STEP));
  for (int i = 1; i < N_REGIONS; i++)
    dmd_arena_add_region(&memory, region[i], STEP);
  int n = 0, n_in[N_REGIONS] = {0};
  while ((piece[n] = dmd_arena_alloc(&memory, 512)) != NULL) {
    assert_true(dmd_arena_is_piece(piece[n]));
    size_t at = (size_t)((char *)piece[n] - region[0]);
    assert_true(at / sizeof region[0] < N_REGIONS && at % sizeof region[0] + 512 <= STEP);
    n_in[at / sizeof region[0]]++;
    memset(piece[n++], 0x5a, 512);
    assert_true(n < N_PIECES);
  }
  for (int i = 0; i < N_REGIONS; i++)
    assert_int_equal(n_in[i], (STEP - 16) / (512 + 16));
  while (n > 0)
    dmd_arena_free(&memory, piece[--n]);
  for (int i = 0; i < N_REGIONS; i++) {
    bool good;
    assert_int_equal(dmd_arena_check(&memory, region[i], &good), STEP - 16);
    assert_true(good);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_freed_is_used_again),
      cmocka_unit_test(neighbours_become_one),
      cmocka_unit_test(what_grows_joins_what_is_free_before_it),
      cmocka_unit_test(the_end_is_said),
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(regions_are_used_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
