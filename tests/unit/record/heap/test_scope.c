/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/scope.h"

/* Closes the innermost scope that was pushed; returns false if no scope is open. */
static bool pop(dmd_scopes_t *scopes, uint32_t thread) {
  dmd_scope_t *scope = dmd_scopes_pushed(scopes, thread, 0);
  if (scope != NULL)
    dmd_scopes_remove(scopes, thread, scope);
  return scope != NULL;
}

static void nested_scopes(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  assert_int_equal(dmd_scopes_top(&scopes, 1), DMD_NONE);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 10), 1);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 20), 2);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 10), 3);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 10);
  assert_true(pop(&scopes, 1));
  assert_int_equal(dmd_scopes_top(&scopes, 1), 20);
  assert_int_equal(dmd_scopes_depth(&scopes, 1), 2);
  assert_true(pop(&scopes, 1));
  assert_true(pop(&scopes, 1));
  assert_int_equal(dmd_scopes_top(&scopes, 1), DMD_NONE);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* One pop too many is reported, and does not harm later events. */
static void popped_too_often(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  assert_false(pop(&scopes, 5));
  dmd_scopes_push(&scopes, 5, 1);
  assert_true(pop(&scopes, 5));
  for (int i = 0; i < 3; i++)
    assert_false(pop(&scopes, 5));
  assert_int_equal(dmd_scopes_push(&scopes, 5, 2), 1);
  assert_int_equal(dmd_scopes_top(&scopes, 5), 2);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* Setting a name replaces the one that was set since the last push, and lasts until that push
 * ends. */
static void set_and_cleared(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  dmd_scopes_clear(&scopes, 1); /* an unknown thread */
  assert_int_equal(dmd_scopes_set(&scopes, 1, 10), 1);
  assert_int_equal(dmd_scopes_set(&scopes, 1, 20), 1);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 20);
  assert_false(pop(&scopes, 1)); /* nothing was pushed */
  assert_int_equal(dmd_scopes_top(&scopes, 1), 20);
  assert_int_equal(dmd_scopes_push(&scopes, 1, 30), 2);
  dmd_scopes_clear(&scopes, 1); /* names that were set below the push stay */
  assert_int_equal(dmd_scopes_top(&scopes, 1), 30);
  assert_int_equal(dmd_scopes_set(&scopes, 1, 40), 3);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 40);
  dmd_scopes_clear(&scopes, 1);
  dmd_scopes_clear(&scopes, 1);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 30);
  assert_int_equal(dmd_scopes_set(&scopes, 1, 50), 3);
  assert_true(pop(&scopes, 1));
  assert_int_equal(dmd_scopes_top(&scopes, 1), 20);
  assert_int_equal(dmd_scopes_depth(&scopes, 1), 1);
  dmd_scopes_clear(&scopes, 1);
  assert_int_equal(dmd_scopes_top(&scopes, 1), DMD_NONE);
  assert_int_equal(scopes.n_open, 0);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

static void a_base_stays(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  dmd_scopes_start_thread(&scopes, 50, DMD_NONE);
  assert_int_equal(host.n_calls, 0); /* nothing to keep */
  dmd_scopes_start_thread(&scopes, 3, 10);
  assert_int_equal(dmd_scopes_top(&scopes, 3), 10);
  assert_int_equal(dmd_scopes_depth(&scopes, 3), 1);
  assert_false(pop(&scopes, 3));
  dmd_scopes_clear(&scopes, 3);
  assert_int_equal(dmd_scopes_top(&scopes, 3), 10);
  assert_int_equal(dmd_scopes_push(&scopes, 3, 20), 2);
  assert_int_equal(dmd_scopes_set(&scopes, 3, 30), 3);
  assert_true(pop(&scopes, 3));
  assert_int_equal(dmd_scopes_top(&scopes, 3), 10);
  dmd_scopes_set(&scopes, 3, 40);
  dmd_scopes_start_thread(&scopes, 3, DMD_NONE); /* another thread: the end of the first one was not
                                                  * seen */
  assert_int_equal(dmd_scopes_depth(&scopes, 3), 0);
  assert_int_equal(dmd_scopes_top(&scopes, 3), DMD_NONE);
  dmd_scopes_start_thread(&scopes, 3, 10);
  dmd_scopes_end_thread(&scopes, 3);
  assert_int_equal(dmd_scopes_top(&scopes, 3), DMD_NONE);
  assert_int_equal(scopes.n_open, 0);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

static void threads_do_not_see_each_other(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  dmd_scopes_push(&scopes, 1, 10);
  dmd_scopes_push(&scopes, 100, 20);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 10);
  assert_int_equal(dmd_scopes_top(&scopes, 100), 20);
  assert_int_equal(dmd_scopes_top(&scopes, 50), DMD_NONE);
  assert_int_equal(dmd_scopes_top(&scopes, 100000), DMD_NONE);
  assert_false(pop(&scopes, 50));
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* A thread in the simplest form: for each level (0: the base's) the pushed name and the set
 * name. */
enum { THREADS = 70, LEVELS = 50 };

typedef struct {
  uint32_t pushed[LEVELS], set[LEVELS];
  uint32_t level;
} model_t;

static uint32_t depth_of(const model_t *m) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i <= m->level; i++)
    depth += (m->pushed[i] != DMD_NONE) + (m->set[i] != DMD_NONE);
  return depth;
}

static uint32_t top_of(const model_t *m) {
  return m->set[m->level] != DMD_NONE ? m->set[m->level] : m->pushed[m->level];
}

static void random_step(dmd_scopes_t *scopes, uint32_t t, model_t *m, dice_t *dice) {
  uint32_t name = 1 + (uint32_t)dice_below(dice, 1000);
  uint64_t roll = dice_below(dice, 300);
  if (roll == 0) {
    dmd_scopes_end_thread(scopes, t);
    *m = (model_t){0};
  } else if (roll == 1) {
    uint32_t base = name % 4 ? name : DMD_NONE;
    dmd_scopes_start_thread(scopes, t, base);
    *m = (model_t){.pushed = {base}};
  } else if (roll < 60) {
    m->set[m->level] = name;
    assert_int_equal(dmd_scopes_set(scopes, t, name), depth_of(m));
  } else if (roll < 90) {
    dmd_scopes_clear(scopes, t);
    m->set[m->level] = DMD_NONE;
  } else if (roll < 205 && m->level < LEVELS - 1) {
    m->level++;
    m->pushed[m->level] = name;
    m->set[m->level] = DMD_NONE;
    assert_int_equal(dmd_scopes_push(scopes, t, name), depth_of(m));
  } else {
    assert_int_equal(pop(scopes, t), m->level > 0);
    m->level -= m->level > 0;
  }
}

/* Many threads, random events, against arrays. Programs without scopes skip all work by the count
 * of open scopes: if it were too high, only the time would show it. */
static void random_against_arrays(void **state) {
  (void)state;
  static model_t models[THREADS];
  uint64_t n_open = 0;
  dice_t dice = {111};
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  for (int step = 0; step < 50000; step++) {
    uint32_t t = (uint32_t)dice_below(&dice, THREADS);
    model_t *m = &models[t];
    n_open -= depth_of(m);
    random_step(&scopes, t, m, &dice);
    n_open += depth_of(m);
    assert_int_equal(scopes.n_open, n_open);
    assert_int_equal(dmd_scopes_depth(&scopes, t), depth_of(m));
    assert_int_equal(dmd_scopes_top(&scopes, t), top_of(m));
  }
  for (uint32_t t = 0; t < THREADS; t++)
    assert_int_equal(dmd_scopes_depth(&scopes, t), depth_of(&models[t]));
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host->env);
  for (uint32_t i = 0; i < 40; i++)
    dmd_scopes_push(&scopes, i % 2 ? 3 : 20, i + 1);
  dmd_scopes_set(&scopes, 33, 1);
  assert_int_equal(dmd_scopes_top(&scopes, 3), 40);
  dmd_scopes_destroy(&scopes);
}

/* Stacks of 8, 16 and 32 for two threads, one of 8 for the third; rooms for 32 and 64 threads. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 2 * 3 + 1 + 2);
}

/* ---- Scopes that were left without an end. ---- */

/* Code from 0x1000 on is one function, from 0x2000 on another. */
static bool same_function(void *ctx, uint64_t a, uint64_t b) {
  ++*(int *)ctx;
  return a >> 12 == b >> 12;
}

static void push_at(dmd_scopes_t *scopes, uint64_t ip, uint64_t sp) {
  dmd_scopes_push(scopes, 1, (uint32_t)(ip & 0xff));
  dmd_scopes_pushed(scopes, 1, 0)->begin = (dmd_place_t){.ip = ip, .sp = sp};
}

static uint32_t n_left(const dmd_scopes_t *scopes, uint64_t ip, uint64_t sp, int *n_asked) {
  dmd_place_t end = {.ip = ip, .sp = sp};
  return dmd_scopes_n_left(scopes, 1, end, same_function, n_asked);
}

static void scopes_left_by_a_jump(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  int n_asked = 0;
  assert_int_equal(n_left(&scopes, 0x1000, 900, &n_asked), 0); /* nothing is open */
  push_at(&scopes, 0x1001, 900);
  push_at(&scopes, 0x2002, 700);
  push_at(&scopes, 0x3003, 500);
  assert_int_equal(n_left(&scopes, 0x3100, 500, &n_asked), 0); /* ends the innermost */
  assert_int_equal(n_left(&scopes, 0x1100, 800, &n_asked), 0); /* a frame that began none */
  assert_int_equal(n_asked, 0);
  assert_int_equal(n_left(&scopes, 0x1100, 900, &n_asked), 2);
  assert_int_equal(n_left(&scopes, 0x2100, 700, &n_asked), 1);
  assert_int_equal(n_left(&scopes, 0x4100, 900, &n_asked), 0); /* chance: another function */
  assert_int_equal(n_asked, 3);
  /* A scope that was begun further up in the stack than the end is not that of a finished call. */
  push_at(&scopes, 0x3004, 950);
  assert_int_equal(n_left(&scopes, 0x1100, 900, &n_asked), 0);
  /* Setting a name does not make a scope of its own. */
  pop(&scopes, 1);
  dmd_scopes_set(&scopes, 1, 9);
  assert_int_equal(n_left(&scopes, 0x1100, 900, &n_asked), 2);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* With hosts that do not know where scopes begin no scope is ever left. */
static void places_unknown(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  int n_asked = 0;
  for (int i = 0; i < 3; i++)
    dmd_scopes_push(&scopes, 1, 7);
  assert_int_equal(n_left(&scopes, 0, 0, &n_asked), 0);
  assert_int_equal(n_left(&scopes, 0x1000, 900, &n_asked), 0);
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

static void pushed_and_of_others(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  assert_null(dmd_scopes_pushed(&scopes, 1, 0));
  dmd_scopes_push(&scopes, 1, 10);
  assert_null(dmd_scopes_of_others(&scopes, 1, 10)); /* its own does not count */
  dmd_scopes_push(&scopes, 1, 20);
  dmd_scopes_set(&scopes, 1, 30);
  assert_int_equal(dmd_scopes_pushed(&scopes, 1, 0)->name, 20);
  assert_int_equal(dmd_scopes_pushed(&scopes, 1, 1)->name, 10);
  assert_null(dmd_scopes_pushed(&scopes, 1, 2));
  assert_int_equal(dmd_scopes_of_others(&scopes, 2, 10)->name, 10);
  assert_null(dmd_scopes_of_others(&scopes, 2, 11));
  dmd_scopes_push(&scopes, 40, 20);
  assert_ptr_equal(dmd_scopes_of_others(&scopes, 1, 20), dmd_scopes_pushed(&scopes, 40, 0));
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* A guard off the stack, which is at 900, is independent: it ends by itself, with the names that
 * were set in it. */
static void guards_off_the_stack(void **state) {
  (void)state;
  enum { HEAP = 0x40000000 };
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  dmd_scopes_start_thread(&scopes, 1, 5);
  assert_int_equal(dmd_scopes_begin(&scopes, 1, 10, (dmd_place_t){.sp = 900, .guard = 950}), 2);
  assert_false(dmd_scopes_any_free(&scopes, 1));
  dmd_scopes_begin(&scopes, 1, 20, (dmd_place_t){.sp = 900, .guard = HEAP});
  dmd_scopes_set(&scopes, 1, 21);
  dmd_scopes_begin(&scopes, 1, 30, (dmd_place_t){.sp = 900, .guard = HEAP + 8});
  assert_true(dmd_scopes_any_free(&scopes, 1));
  assert_false(dmd_scopes_any_free(&scopes, 2));
  assert_null(dmd_scopes_find_guard(&scopes, 1, HEAP + 4));
  dmd_scope_t *scope = dmd_scopes_find_guard(&scopes, 1, HEAP);
  assert_int_equal(scope->name, 20);
  assert_int_equal(dmd_scopes_name_in(&scopes, 1, scope), 21);
  dmd_scopes_remove(&scopes, 1, scope);
  assert_null(dmd_scopes_find_guard(&scopes, 1, HEAP));
  assert_int_equal(dmd_scopes_depth(&scopes, 1), 3);
  assert_int_equal(scopes.n_open, 3);
  assert_int_equal(dmd_scopes_top(&scopes, 1), 30);
  assert_int_equal(dmd_scopes_name_in(&scopes, 1, NULL), 5);
  assert_int_equal(dmd_scopes_name_in(&scopes, 1, dmd_scopes_find_guard(&scopes, 1, 950)), 10);
  assert_true(pop(&scopes, 1));
  assert_false(dmd_scopes_any_free(&scopes, 1));
  dmd_scopes_begin(&scopes, 1, 30, (dmd_place_t){.sp = 900, .guard = HEAP});
  dmd_scopes_end_thread(&scopes, 1);
  assert_false(dmd_scopes_any_free(&scopes, 1));
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

/* A scope of one thread becomes the innermost of another. So can a scope that began in a coroutine,
 * wherever its guard lies. */
static void from_thread_to_thread(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_scopes_t scopes;
  dmd_scopes_init(&scopes, &host.env);
  dmd_scopes_begin(&scopes, 1, 10, (dmd_place_t){.sp = 900, .guard = 950, .in_coroutine = true});
  dmd_scopes_begin(&scopes, 1, 20, (dmd_place_t){.sp = 900, .guard = 960});
  dmd_scopes_push(&scopes, 2, 30);
  assert_true(dmd_scopes_any_free(&scopes, 2)); /* thread 1's scope may continue there */
  uint32_t owner;
  assert_null(dmd_scopes_find_guard_of_others(&scopes, 1, 950, &owner));
  assert_null(dmd_scopes_find_guard_of_others(&scopes, 2, 951, &owner));
  dmd_scope_t *scope = dmd_scopes_find_guard_of_others(&scopes, 2, 950, &owner);
  assert_int_equal(owner, 1);
  scope = dmd_scopes_move(&scopes, owner, scope, 40);
  assert_true(scope->name == 10 && scope->is_free);
  assert_int_equal(dmd_scopes_depth(&scopes, 1), 1);
  assert_int_equal(dmd_scopes_top(&scopes, 40), 10);
  assert_int_equal(scopes.n_open, 3);
  dmd_scopes_end_thread(&scopes, 40);
  assert_false(dmd_scopes_any_free(&scopes, 2));
  dmd_scopes_set_free(&scopes, 1, dmd_scopes_find_guard(&scopes, 1, 960));
  assert_true(dmd_scopes_any_free(&scopes, 1));
  assert_false(dmd_scopes_any_free(&scopes, 2));
  assert_true(pop(&scopes, 1));
  assert_false(dmd_scopes_any_free(&scopes, 1));
  dmd_scopes_destroy(&scopes);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nested_scopes),         cmocka_unit_test(from_thread_to_thread),
      cmocka_unit_test(popped_too_often),      cmocka_unit_test(set_and_cleared),
      cmocka_unit_test(a_base_stays),          cmocka_unit_test(threads_do_not_see_each_other),
      cmocka_unit_test(random_against_arrays), cmocka_unit_test(out_of_memory),
      cmocka_unit_test(scopes_left_by_a_jump), cmocka_unit_test(places_unknown),
      cmocka_unit_test(pushed_and_of_others),  cmocka_unit_test(guards_off_the_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
