/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <pthread.h>
#include <sched.h>

#include "record/unwind/stacktrie.h"

enum { MAX_DEPTH = 24, N_STACKS = 4000, N_THREADS = 4 };

/* A random stack of few addresses, so that many stacks share outer frames. */
typedef struct {
  dmd_code_t codes[MAX_DEPTH];
  uint32_t n;
} stack_t;

static stack_t random_stack(uint64_t seed) {
  dice_t dice = {seed};
  stack_t stack = {.n = 1 + (uint32_t)dice_below(&dice, MAX_DEPTH)};
  for (uint32_t i = 0; i < stack.n; i++)
    stack.codes[i] = (dmd_code_t){UINT64_C(0x7f0000001000) + dice_below(&dice, 3) * 0x100000001,
                                  (uint32_t)dice_below(&dice, 2)};
  return stack;
}

static bool is_same(const stack_t *a, const stack_t *b) {
  if (a->n != b->n)
    return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (!dmd_code_equal(a->codes[i], b->codes[i]))
      return false;
  return true;
}

static void check_codes(const dmd_stacktrie_t *table, uint32_t number, const stack_t *stack) {
  stack_t read;
  read.n = dmd_stacktrie_codes(table, number, read.codes, MAX_DEPTH);
  assert_true(is_same(&read, stack));
}

/* A thread waits by letting others run. */
static void wait_a_little(void *ctx, uint32_t *word, uint32_t while_it_is) {
  (void)ctx, (void)word, (void)while_it_is;
  sched_yield();
}

static void wake_nobody(void *ctx, uint32_t *word) {
  (void)ctx, (void)word;
}

static const dmd_waiting_t g_waiting = {NULL, wait_a_little, wake_nobody, NULL};

/* Stacks get numbers in the order of first sight, as in a list. */
static void random_against_a_list(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_stacktrie_t table;
  dmd_stacktrie_init(&table, &host.env, NULL);
  dmd_stack_path_t path = {.n = 0};
  static stack_t list[N_STACKS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < N_STACKS; i++) {
    stack_t stack = random_stack(i);
    uint32_t expected = 0;
    while (expected < n && !is_same(&list[expected], &stack))
      expected++;
    if (expected == n)
      list[n++] = stack;
    dmd_stack_path_t *by = i % 3 == 0 ? NULL : &path;
    assert_int_equal(dmd_stacktrie_number(&table, by, stack.codes, stack.n), expected + 1);
    assert_int_equal(dmd_stacktrie_count(&table), n);
  }
  assert_true(n > N_STACKS / 2 && n < N_STACKS);
  for (uint32_t i = 0; i < n; i++)
    check_codes(&table, i + 1, &list[i]);
  dmd_stacktrie_destroy(&table);
  host_done(&host);
}

static void the_first_frames_of_a_long_stack(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_stacktrie_t table;
  dmd_stacktrie_init(&table, &host.env, NULL);
  const dmd_code_t codes[] = {{1, 0}, {2, 0}, {3, 1}};
  uint32_t number = dmd_stacktrie_number(&table, NULL, codes, 3);
  dmd_code_t read[3] = {{9, 9}, {9, 9}, {9, 9}};
  assert_int_equal(dmd_stacktrie_codes(&table, number, read, 2), 3);
  assert_int_equal(read[0].ip, 1);
  assert_int_equal(read[1].ip, 2);
  assert_int_equal(read[2].ip, 9);
  /* The outer frames of a stack alone are another stack. */
  assert_int_equal(dmd_stacktrie_number(&table, NULL, codes + 1, 2), number + 1);
  dmd_stacktrie_destroy(&table);
  host_done(&host);
}

/* A deep stack, and the stacks after each return from it: each frame is stored once. */
static void outer_frames_are_shared(void **state) {
  (void)state;
  enum { DEPTH = 500 };
  host_t host;
  host_init(&host);
  dmd_stacktrie_t table;
  dmd_stacktrie_init(&table, &host.env, NULL);
  dmd_stack_path_t path = {.n = 0};
  dmd_code_t codes[DEPTH];
  for (uint32_t i = 0; i < DEPTH; i++)
    codes[i] = (dmd_code_t){i + 1, 0};
  for (uint32_t i = 0; i < DEPTH; i++)
    assert_int_equal(dmd_stacktrie_number(&table, &path, codes + i, DEPTH - i), i + 1);
  assert_int_equal(table.n_nodes, DEPTH);
  dmd_stacktrie_destroy(&table);
  host_done(&host);
}

/*--- Threads ---*/

typedef struct {
  dmd_stacktrie_t *table;
  uint32_t seed;
  uint32_t numbers[N_STACKS];
} worker_t;

/* All threads number the same stacks, each in its own order, and read each back at once. A failed
 * check must not end the thread, so it is counted. */
static void *work(void *arg) {
  worker_t *worker = arg;
  dmd_stack_path_t path = {.n = 0};
  dice_t dice = {worker->seed};
  uintptr_t n_wrong = 0;
  for (uint32_t i = 0; i < N_STACKS; i++) {
    uint32_t which = (i * 7 + worker->seed * 1009) % N_STACKS;
    stack_t stack = random_stack(which), read;
    uint32_t number = dmd_stacktrie_number(worker->table, &path, stack.codes, stack.n);
    read.n = dmd_stacktrie_codes(worker->table, number, read.codes, MAX_DEPTH);
    n_wrong += !is_same(&read, &stack) || number > dmd_stacktrie_count(worker->table);
    worker->numbers[which] = number;
    /* Also reads a stack that another thread may have added. */
    number = 1 + (uint32_t)dice_below(&dice, dmd_stacktrie_count(worker->table));
    read.n = dmd_stacktrie_codes(worker->table, number, read.codes, MAX_DEPTH);
    n_wrong += read.n == 0 || read.n > MAX_DEPTH;
  }
  return (void *)n_wrong;
}

static void threads_agree(void **state) {
  (void)state;
  static worker_t workers[N_THREADS];
  host_t host;
  host_init(&host);
  dmd_stacktrie_t table;
  dmd_stacktrie_init(&table, &host.env, &g_waiting);
  pthread_t threads[N_THREADS];
  for (uint32_t i = 0; i < N_THREADS; i++) {
    workers[i] = (worker_t){.table = &table, .seed = i + 1};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (uint32_t i = 0; i < N_THREADS; i++) {
    void *n_wrong;
    pthread_join(threads[i], &n_wrong);
    assert_null(n_wrong);
    assert_memory_equal(workers[i].numbers, workers[0].numbers, sizeof workers[0].numbers);
  }
  uint32_t n = dmd_stacktrie_count(&table);
  assert_true(n > N_STACKS / 2 && n < N_STACKS);
  for (uint32_t i = 0; i < N_STACKS; i++) {
    stack_t stack = random_stack(i);
    check_codes(&table, workers[0].numbers[i], &stack);
  }
  dmd_stacktrie_destroy(&table);
  host_done(&host);
}

static void add_many(host_t *host, void *arg) {
  (void)arg;
  dmd_stacktrie_t table;
  dmd_stacktrie_init(&table, &host->env, NULL);
  for (uint32_t i = 0; i < N_STACKS / 4; i++) {
    stack_t stack = random_stack(i);
    dmd_stacktrie_number(&table, NULL, stack.codes, stack.n);
  }
  dmd_stacktrie_destroy(&table);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(add_many, NULL) > 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),   cmocka_unit_test(the_first_frames_of_a_long_stack),
      cmocka_unit_test(outer_frames_are_shared), cmocka_unit_test(threads_agree),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
