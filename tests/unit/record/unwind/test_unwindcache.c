/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/unwind/unwindcache.h"

/* A made-up machine: a stack of words, and code whose frames have a size each. A return address
 * lies in the last word of a frame. Some code finds that word by its frame pointer, which points to
 * the word below it, where the caller's is saved. */
enum { N_WORDS = 200, N_CODE = 24, MAX_FRAMES = 12, N_TRACES = 100000 };

typedef struct {
  uintptr_t *stack; /* ends where reading must end */
  uint32_t szB[N_CODE + 1];
  bool has_fp[N_CODE + 1];
  dmd_walk_start_t start;
} machine_t;

/* The ip before a return address; 0 if there is no code. */
static uintptr_t code_before(uintptr_t return_address) {
  return return_address > 0 && return_address <= N_CODE + 1 ? return_address - 1 : 0;
}

static void machine_init(machine_t *m, dice_t *dice) {
  m->stack = malloc(N_WORDS * sizeof *m->stack);
  assert_non_null(m->stack);
  for (uintptr_t i = 1; i <= N_CODE; i++) {
    m->szB[i] = (uint32_t)(sizeof(uintptr_t) * (2 + dice_below(dice, 6)));
    m->has_fp[i] = dice_below(dice, 4) == 0;
  }
  memset(m->stack, 0, N_WORDS * sizeof *m->stack);
  m->start.key = 1;
}

/* Makes random calls, from the top down. */
static void call_around(machine_t *m, dice_t *dice, uint32_t depth) {
  m->start.top = (uintptr_t)&m->stack[N_WORDS - 1];
  uintptr_t sp = m->start.top + sizeof(uintptr_t), fp = 0, ip = 1;
  for (uint32_t i = 0; i < depth; i++) {
    uintptr_t callee = 1 + dice_below(dice, N_CODE);
    uintptr_t *slot = (uintptr_t *)sp - 1;
    *slot = i == 0 ? 0 : ip + 1;
    if (m->has_fp[callee]) {
      slot[-1] = fp;
      fp = (uintptr_t)(slot - 1);
    }
    /* The other words of the frame keep their old contents. */
    sp -= m->szB[callee];
    ip = callee;
  }
  m->start.ip = ip;
  m->start.sp = sp;
  m->start.fp = fp;
}

/* The simplest possible walk, and the words that it read. */
static void walk(const machine_t *m, dmd_trace_t *trace) {
  uintptr_t ip = m->start.ip, sp = m->start.sp, fp = m->start.fp, fp_at = 0;
  *trace = (dmd_trace_t){.n = 0};
  for (;;) {
    trace->ips[trace->n++] = ip;
    if (trace->n == MAX_FRAMES)
      return;
    uintptr_t slot = sp + m->szB[ip] - sizeof(uintptr_t);
    if (m->has_fp[ip]) {
      if (fp_at == 0)
        trace->needs_fp = true;
      else
        assert_true(dmd_trace_add_word(trace, fp_at));
      slot = fp + sizeof(uintptr_t);
    }
    if (slot < sp || slot > m->start.top || slot % sizeof(uintptr_t) != 0)
      return;
    assert_true(dmd_trace_add_word(trace, slot));
    uintptr_t caller = code_before(dmd_stack_word(slot));
    if (caller == 0)
      return;
    if (m->has_fp[ip]) {
      fp_at = slot - sizeof(uintptr_t);
      fp = dmd_stack_word(fp_at);
    }
    trace->slots[trace->n - 1] = slot;
    ip = caller;
    sp = slot + sizeof(uintptr_t);
  }
}

/* A number for each different list of frames. */
typedef struct {
  uintptr_t ips[2000][MAX_FRAMES];
  uint32_t n;
} stacks_t;

static uint32_t stack_of(stacks_t *stacks, const dmd_trace_t *trace) {
  uintptr_t ips[MAX_FRAMES] = {0};
  memcpy(ips, trace->ips, trace->n * sizeof *ips);
  for (uint32_t i = 0; i < stacks->n; i++)
    if (memcmp(stacks->ips[i], ips, sizeof ips) == 0)
      return i + 1;
  assert_true(stacks->n < COUNT_OF(stacks->ips));
  memcpy(stacks->ips[stacks->n++], ips, sizeof ips);
  return stacks->n;
}

/* Looks the machine's state up. A stack that is found must be the one that walking finds. A stack
 * that is not found is remembered, unless the walk may have ended early. */
static bool known_and_right(dmd_unwindcache_t *walks, const machine_t *m, stacks_t *stacks) {
  dmd_trace_t trace;
  walk(m, &trace);
  uint32_t expected = stack_of(stacks, &trace);
  uint32_t found = dmd_unwindcache_find(walks, &m->start);
  if (found == 0 && m->start.top == (uintptr_t)&m->stack[N_WORDS - 1])
    dmd_unwindcache_remember(walks, &m->start, &trace, expected);
  if (found != 0)
    assert_int_equal(found, expected);
  return found != 0;
}

/* Changes one thing: a word (more often than not one that matters), the frame pointer, or how far
 * up words can be read. */
static void change(machine_t *m, dice_t *dice) {
  dmd_trace_t trace;
  walk(m, &trace);
  uint64_t n_above = (m->start.top - m->start.sp) / sizeof(uintptr_t);
  uintptr_t *word = &m->stack[dice_below(dice, N_WORDS)];
  switch (dice_below(dice, 6)) {
  case 0:
    m->start.fp = m->start.sp + dice_below(dice, n_above + 1) * sizeof(uintptr_t);
    return;
  case 1:
    m->start.top -= dice_below(dice, n_above + 1) * sizeof(uintptr_t);
    return;
  case 2:
    break;
  default:
    if (trace.n_words > 0)
      word = (uintptr_t *)trace.at[dice_below(dice, trace.n_words)];
  }
  *word = dice_below(dice, 3) == 0 ? *word + sizeof(uintptr_t) : dice_below(dice, N_CODE + 2);
}

static void random_against_walking(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    host_t host;
    host_init(&host);
    dice_t dice = {seed};
    machine_t m;
    machine_init(&m, &dice);
    dmd_unwindcache_t walks;
    dmd_unwindcache_init(&walks, &host.env, MAX_FRAMES, DMD_UNWINDCACHE_LEAST);
    walks.is_restless = true;
    stacks_t stacks = {.n = 0};
    dice_t calls[8];
    for (uint32_t i = 0; i < COUNT_OF(calls); i++)
      calls[i].state = seed * 100 + i;
    for (uint32_t i = 0; i < 800; i++) {
      dice_t again = calls[dice_below(&dice, COUNT_OF(calls))];
      call_around(&m, &again, 1 + (uint32_t)dice_below(&dice, 20));
      known_and_right(&walks, &m, &stacks);
      assert_true(known_and_right(&walks, &m, &stacks));
      change(&m, &dice);
      known_and_right(&walks, &m, &stacks);
    }
    assert_int_equal(dmd_unwindcache_asked(&walks), 800 * 3);
    assert_true(dmd_unwindcache_known(&walks) > 800);
    dmd_unwindcache_destroy(&walks);
    free(m.stack);
    host_done(&host);
  }
}

/* Rounds of equal calls in equal order: in the last round nearly all are cached. */
static void what_comes_again_is_known(void **state) {
  (void)state;
  enum { N_CALLS = 600 };
  host_t host;
  host_init(&host);
  dice_t dice = {7};
  machine_t m;
  machine_init(&m, &dice);
  stacks_t stacks = {.n = 0};
  dmd_unwindcache_t walks;
  dmd_unwindcache_init(&walks, &host.env, MAX_FRAMES, DMD_UNWINDCACHE_LEAST);
  uint32_t n_new[4] = {0};
  for (uint32_t round = 0; round < COUNT_OF(n_new); round++)
    for (uint64_t i = 0; i < N_CALLS; i++) {
      dice_t calls = {i + 1};
      call_around(&m, &calls, 10 + (uint32_t)(i % 10));
      n_new[round] += !known_and_right(&walks, &m, &stacks);
    }
  assert_true(n_new[0] > N_CALLS / 2);
  assert_true(walks.n_room > 1u << DMD_UNWINDCACHE_LEAST);
  /* Doubling empties the cache. 600 walks of some 30 words fit after three doublings, which come in
   * the first two rounds. A set of the table has four places, so few walks find it full. */
  assert_true(n_new[3] < N_CALLS / 20);
  dmd_unwindcache_forget(&walks);
  dice_t calls = {1};
  call_around(&m, &calls, 10);
  assert_false(known_and_right(&walks, &m, &stacks));
  dmd_unwindcache_destroy(&walks);
  free(m.stack);
  host_done(&host);
}

static void threads_have_walks_of_their_own(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {3};
  machine_t m;
  machine_init(&m, &dice);
  stacks_t stacks = {.n = 0};
  dmd_unwindcache_t walks;
  dmd_unwindcache_init(&walks, &host.env, MAX_FRAMES, DMD_UNWINDCACHE_LEAST);
  call_around(&m, &dice, 8);
  assert_false(known_and_right(&walks, &m, &stacks));
  assert_true(known_and_right(&walks, &m, &stacks));
  m.start.key = 2;
  assert_false(known_and_right(&walks, &m, &stacks));
  dmd_unwindcache_destroy(&walks);
  free(m.stack);
  host_done(&host);
}

/* If no walk repeats, fewer and fewer are looked up. */
static void rests_where_little_is_known(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dice_t dice = {5};
  machine_t m;
  machine_init(&m, &dice);
  dmd_unwindcache_t walks;
  dmd_unwindcache_init(&walks, &host.env, MAX_FRAMES, DMD_UNWINDCACHE_LEAST);
  uint32_t n_asked = 0;
  for (uint32_t i = 0; i < N_TRACES; i++) {
    if (dmd_unwindcache_rest(&walks))
      continue;
    n_asked++;
    call_around(&m, &dice, 10);
    dmd_trace_t trace;
    walk(&m, &trace);
    if (dmd_unwindcache_find(&walks, &m.start) == 0)
      dmd_unwindcache_remember(&walks, &m.start, &trace, 1 + i);
  }
  assert_int_equal(dmd_unwindcache_asked(&walks), n_asked);
  assert_true(n_asked < N_TRACES / 5);
  dmd_unwindcache_destroy(&walks);
  free(m.stack);
  host_done(&host);
}

static void too_many_words(void **state) {
  (void)state;
  dmd_trace_t trace = {.n = 1};
  for (uintptr_t i = 0; i < DMD_TRACE_WORDS; i++) {
    assert_true(dmd_trace_add_word(&trace, 8 * (i + 1)));
    assert_true(dmd_trace_add_word(&trace, 8));
  }
  assert_int_equal(trace.n_words, DMD_TRACE_WORDS);
  assert_false(dmd_trace_add_word(&trace, 8 * (DMD_TRACE_WORDS + 1)));
}

static void remember_many(host_t *host, void *arg) {
  machine_t *m = arg;
  stacks_t stacks = {.n = 0};
  dmd_unwindcache_t walks;
  dmd_unwindcache_init(&walks, &host->env, MAX_FRAMES, DMD_UNWINDCACHE_LEAST);
  for (uint64_t i = 0; i < 400; i++) {
    dice_t calls = {i + 1};
    call_around(m, &calls, 12);
    known_and_right(&walks, m, &stacks);
  }
  dmd_unwindcache_destroy(&walks);
}

static void out_of_memory(void **state) {
  (void)state;
  dice_t dice = {11};
  machine_t m;
  machine_init(&m, &dice);
  /* Four allocations, and four more for each doubling. */
  assert_true(host_fail_everywhere(remember_many, &m) >= 8);
  free(m.stack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_walking),
      cmocka_unit_test(what_comes_again_is_known),
      cmocka_unit_test(threads_have_walks_of_their_own),
      cmocka_unit_test(rests_where_little_is_known),
      cmocka_unit_test(too_many_words),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
