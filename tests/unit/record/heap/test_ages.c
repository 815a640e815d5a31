/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slab_memory.h"

#include "record/heap/shard.h"

/* ---- the naive model: each block with the moment of its birth ---- */

enum { MAX = 400, N_STACKS = 7 };

typedef enum { SLABS, ALONE, LOCKED, N_HOSTS } host_kind_t;

typedef struct {
  uint64_t addr, req, born, event;
  uint32_t stack;
} entry_t;

typedef struct {
  host_t host;
  host_kind_t kind;
  uint64_t dice;
  slab_memory_t memory;
  dmd_slabs_t slabs;
  dmd_blocks_t *blocks;
  dmd_waiting_t waiting;
  char is_alone;
  entry_t list[MAX];
  uint32_t n;
  uint64_t allocated, event; /* bytes so far, and the number of allocations and frees */
  bool has_clock;            /* lifetimes are in instructions: */
  uint64_t instructions;     /* so far */
  dmd_lifetime_t stacks[N_STACKS];
  uint64_t live[N_STACKS];  /* bytes */
  double inexact[N_STACKS]; /* how much the sum of a stack's lifetimes may be wrong */
} model_t;

static uint64_t roll(model_t *m, uint64_t sides) {
  m->dice = m->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (m->dice >> 33) % sides;
}

static uint64_t tell_instructions(void *ctx) {
  return ((model_t *)ctx)->instructions;
}

static void begin(model_t *m, host_kind_t kind, uint64_t seed) {
  memset(m, 0, sizeof *m);
  m->kind = kind;
  m->dice = seed;
  m->has_clock = seed / N_HOSTS % 2;
  m->instructions = 1000000;
  host_init(&m->host);
  slab_memory_init(&m->memory, UINT64_C(0x7f3200004320), DMD_SLAB_SZB + 48, &m->slabs,
                   &m->host.env);
  m->waiting = never_waiting;
  m->is_alone = 1;
  m->waiting.is_alone = &m->is_alone;
  m->blocks = dmd_blocks_create(
      &m->host.env,
      &(dmd_blocks_config_t){.slabs = kind == SLABS ? &m->slabs : NULL,
                             .n_shards = kind == SLABS ? 1 : 16,
                             .waiting = kind == LOCKED ? &m->waiting : NULL,
                             .records_peak = true,
                             .records_lifetimes = true,
                             .instructions = {m->has_clock ? tell_instructions : NULL, m}});
}

static void end(model_t *m) {
  dmd_blocks_destroy(m->blocks);
  dmd_slabs_destroy(&m->slabs);
  host_done(&m->host);
}

static uint64_t size(model_t *m) {
  uint64_t kind = roll(m, 10);
  return kind < 6 ? roll(m, 200) : kind < 9 ? roll(m, 4000) : roll(m, 300000);
}

static uint64_t now(const model_t *m) {
  return m->has_clock ? m->instructions : m->allocated;
}

static void note_birth(model_t *m, entry_t *e) {
  m->allocated += e->req;
  e->born = now(m);
  e->event = ++m->event;
  m->live[e->stack] += e->req;
  if (m->live[e->stack] > m->stacks[e->stack].most_szB)
    m->stacks[e->stack].most_szB = m->live[e->stack];
}

static void note_death(model_t *m, const entry_t *e) {
  uint64_t life = now(m) - e->born;
  dmd_lifetime_t *of = &m->stacks[e->stack];
  of->n_freed++;
  of->alloc_szB += e->req;
  of->n_temporary += e->event == m->event;
  of->sum += (double)life;
  m->inexact[e->stack] += DMD_AGES_SZB * 3.0 / 4 + (double)life / 256;
  m->event++;
  m->live[e->stack] -= e->req;
}

static void add(model_t *m) {
  entry_t *e = &m->list[m->n++];
  e->req = size(m);
  e->stack = (uint32_t)roll(m, N_STACKS);
  e->addr = m->kind == SLABS && e->req <= 4096 ? dmd_slabs_alloc(&m->slabs, e->req)
                                               : UINT64_C(0x10000000) + m->event * 1048576;
  const dmd_new_block_t block = {
      .addr = e->addr, .req = e->req, .usable = e->req, .stack = e->stack};
  if (m->kind != LOCKED || !dmd_blocks_fast_add(m->blocks, &block, DMD_NONE))
    dmd_blocks_add(m->blocks, &block, DMD_NONE);
  dmd_blocks_let_go(m->blocks);
  note_birth(m, e);
}

static void drop(model_t *m, entry_t *e) {
  if (m->kind != LOCKED || !dmd_blocks_fast_remove(m->blocks, e->addr, DMD_NONE, false))
    dmd_blocks_remove(m->blocks, e->addr, DMD_NONE);
  dmd_blocks_let_go(m->blocks);
  note_death(m, e);
  *e = m->list[--m->n];
}

/* A realloc in place. */
static void renew(model_t *m, entry_t *e) {
  uint64_t req = roll(m, 200);
  dmd_blocks_renew(
      m->blocks, &(dmd_new_block_t){.addr = e->addr, .req = req, .usable = req, .stack = e->stack},
      DMD_NONE);
  dmd_blocks_let_go(m->blocks);
  note_death(m, e);
  e->req = req;
  note_birth(m, e);
}

/* The program may compute for long while it allocates nothing. */
static void do_something(model_t *m) {
  uint64_t what = roll(m, 20);
  m->instructions += roll(m, 50) == 0 ? roll(m, 1000000) : roll(m, 500);
  if (m->n == 0 || (m->n < MAX && what < 9))
    add(m);
  else if (what == 9)
    renew(m, &m->list[roll(m, m->n)]);
  else if (what < 15) /* often the newest */
    drop(m, &m->list[m->n - 1]);
  else
    drop(m, &m->list[roll(m, m->n)]);
}

static void compare(model_t *m) {
  dmd_moment_t peak, recent;
  dmd_blocks_peak(m->blocks, &peak, &recent);
  for (uint32_t stack = 0; stack < N_STACKS; stack++) {
    const dmd_lifetime_t *of = dmd_blocks_lifetime(m->blocks, stack), *expected = &m->stacks[stack];
    uint64_t n = 0;
    if (of == NULL) {
      assert_int_equal(expected->n_freed, 0);
      continue;
    }
    for (int i = 0; i < DMD_LIFETIME_CLASSES; i++)
      n += of->classes[i];
    assert_int_equal(of->n_freed, expected->n_freed);
    assert_int_equal(n, expected->n_freed);
    assert_int_equal(of->alloc_szB, expected->alloc_szB);
    assert_int_equal(of->n_temporary, expected->n_temporary);
    assert_int_equal(of->most_szB, expected->most_szB);
    double difference = of->sum - expected->sum;
    assert_true(difference <= m->inexact[stack] && -difference <= m->inexact[stack]);
    assert_true(m->event < 3000 ||
                (difference <= expected->sum / 100 && -difference <= expected->sum / 100));
  }
  dmd_blocks_let_go(m->blocks);
}

static void random_against_all_events(void **state) {
  (void)state;
  model_t *m = malloc(sizeof *m);
  for (uint64_t seed = 1; seed <= 60; seed++) {
    begin(m, (host_kind_t)(seed % N_HOSTS), seed);
    for (uint64_t n = roll(m, 2) ? 400 : 8000; n > 0; n--)
      do_something(m);
    compare(m);
    end(m);
  }
  free(m);
}

/* ---- parallel ---- */

static void threads_know_their_newest_block(void **state) {
  (void)state;
  model_t m;
  dmd_moment_t peak, recent;
  begin(&m, LOCKED, 1);
  m.is_alone = 0;
  for (uint64_t i = 1; i <= 400; i++) {
    const dmd_new_block_t block = {.addr = i << 20, .req = 1000, .usable = 1000, .stack = 1};
    dmd_blocks_add(m.blocks, &block, DMD_NONE);
    dmd_blocks_let_go(m.blocks);
  }
  for (uint64_t i = 1; i <= 200; i++)
    assert_true(dmd_blocks_fast_remove(m.blocks, i << 20, DMD_NONE, i % 2));
  dmd_blocks_peak(m.blocks, &peak, &recent);
  const dmd_lifetime_t *of = dmd_blocks_lifetime(m.blocks, 1);
  assert_int_equal(of->n_freed, 200);
  assert_int_equal(of->n_temporary, 100);
  assert_int_equal(of->most_szB, 400 * 1000);
  assert_true(of->sum / 200 <= 400 * 1000);
  dmd_blocks_let_go(m.blocks);
  end(&m);
}

/* ---- notes ---- */

/* The memory for notes grows with the logarithm of the run, and births stay known to 1/256. */
static void old_births_are_known_well_enough(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_ages_t *ages = dmd_ages_create(&host.env, NULL, (dmd_clock_t){NULL, NULL});
  enum { N = 1000000 };
  for (uint32_t i = 1; i <= N; i++)
    dmd_ages_note(ages, i, (uint64_t)i * 1024);
  int n_levels = 0;
  while (ages->levels[n_levels].notes != NULL)
    n_levels++;
  assert_int_equal(n_levels, 12); /* they hold 256 * (2^12 - 1) in all */
  double sum = 0;
  for (uint32_t age = 1; age < N; age = age * 5 / 4 + 1) {
    dmd_block_t block = {.born = N - age, .stack = 3};
    dmd_ages_free(ages, &block, (uint64_t)N * 1024, 0, false);
    double now = dmd_ages_of(ages, 3)->sum, life = age * 1024.0;
    assert_true(now - sum >= life - life / 256 - 1024 && now - sum <= life + life / 256 + 1024);
    sum = now;
  }
  dmd_ages_restart(ages, (uint64_t)N * 1024);
  dmd_block_t block = {.born = 2, .stack = 3};
  dmd_ages_free(ages, &block, (uint64_t)N * 1024, 0, false);
  assert_true(dmd_ages_of(ages, 3)->sum == sum);
  dmd_ages_destroy(ages);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_ages_t *ages = dmd_ages_create(&host->env, NULL, (dmd_clock_t){NULL, NULL});
  for (uint32_t i = 1; i <= 600; i++)
    dmd_ages_note(ages, i, (uint64_t)i * 1024);
  dmd_block_t block = {.born = 2, .stack = 3};
  dmd_ages_free(ages, &block, 700000, 0, false);
  dmd_ages_destroy(ages);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_all_events),
      cmocka_unit_test(threads_know_their_newest_block),
      cmocka_unit_test(old_births_are_known_well_enough),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
