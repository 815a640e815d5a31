/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of stacks with concurrent threads, built with ThreadSanitizer: finding and reading take
 * no lock. All threads number the same stacks, each in its own order, and read them back. A stack
 * has the same number for all.
 */
#include "together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/unwind/stacktrie.h"

enum { N_STACKS = 2000, N_STEPS = 5000, MAX_DEPTH = 24 };

typedef struct {
  dmd_code_t codes[MAX_DEPTH];
  uint32_t n;
} trace_t;

typedef struct {
  uint64_t dice;
  dmd_stack_path_t path;
  uint32_t numbers[N_STACKS]; /* as this thread got them; 0: not yet */
} worker_t;

static dmd_stacktrie_t g_table;
static worker_t g_workers[MAX_THREADS];

/* The i-th stack: few addresses, so that many stacks share outer frames; only the innermost frame
 * is its own. */
static void make_stack(uint32_t i, trace_t *stack) {
  uint64_t dice = i;
  stack->n = 2 + (uint32_t)together_roll(&dice, MAX_DEPTH - 1);
  for (uint32_t k = 0; k < stack->n; k++)
    stack->codes[k] = (dmd_code_t){UINT64_C(0x7f0000001000) + together_roll(&dice, 3) * 0x100000001,
                                   (uint32_t)together_roll(&dice, 2)};
  stack->codes[0] = (dmd_code_t){UINT64_C(0x7e0000000000) + i, 1};
}

static void check_number(uint32_t number, const trace_t *stack) {
  trace_t read;
  CHECK(number >= 1 && number <= dmd_stacktrie_count(&g_table));
  read.n = dmd_stacktrie_codes(&g_table, number, read.codes, MAX_DEPTH);
  CHECK(read.n == stack->n);
  for (uint32_t i = 0; i < read.n; i++)
    CHECK(dmd_code_equal(read.codes[i], stack->codes[i]));
}

static void *number_and_read(void *arg) {
  worker_t *w = arg;
  for (int step = 0; step < N_STEPS; step++) {
    trace_t stack;
    uint32_t i = (uint32_t)together_roll(&w->dice, N_STACKS);
    make_stack(i, &stack);
    uint32_t number =
        dmd_stacktrie_number(&g_table, step % 4 == 0 ? NULL : &w->path, stack.codes, stack.n);
    CHECK(w->numbers[i] == 0 || w->numbers[i] == number);
    w->numbers[i] = number;
    check_number(number, &stack);
  }
  return arg;
}

/* All threads got the same number for a stack, and no two stacks share a number. */
static void check_end(uint32_t n_threads) {
  static uint32_t owner[N_STACKS + 1];
  uint32_t n_met = 0;
  memset(owner, 0, sizeof owner);
  CHECK(dmd_stacktrie_count(&g_table) <= N_STACKS);
  for (uint32_t i = 0; i < N_STACKS; i++) {
    uint32_t number = 0;
    for (uint32_t t = 0; t < n_threads; t++) {
      uint32_t told = g_workers[t].numbers[i];
      CHECK(told == 0 || number == 0 || told == number);
      number = told != 0 ? told : number;
    }
    if (number == 0)
      continue;
    CHECK(owner[number] == 0);
    owner[number] = i + 1;
    n_met++;
  }
  CHECK(n_met == dmd_stacktrie_count(&g_table));
}

static void a_stack_has_one_number(uint32_t n_threads) {
  memset(g_workers, 0, sizeof g_workers);
  for (uint32_t t = 0; t < n_threads; t++)
    g_workers[t].dice = t + 3;
  dmd_stacktrie_init(&g_table, &together_env, &together_waiting);
  together_run(n_threads, number_and_read, g_workers, sizeof g_workers[0]);
  check_end(n_threads);
  dmd_stacktrie_destroy(&g_table);
}

int main(void) {
  static const uint32_t n_threads[] = {2, 4, MAX_THREADS};
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("1..3");
  for (int i = 0; i < 3; i++) {
    a_stack_has_one_number(n_threads[i]);
    printf("ok %d - a stack has one number: %u threads\n", i + 1, n_threads[i]);
  }
  return 0;
}
