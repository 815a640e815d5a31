/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The live state with threads that run at the same time, built with ThreadSanitizer, which ends the
 * program where two of them touch the same memory without a lock in common.
 *
 * The test has no program and no heap. Its threads allocate addresses, which lie mixed within each
 * MiB, so that they meet in the same shards. A block's stack is made of its address, size and
 * owner, so a thread recognises a block that was never allocated, or one half written.
 */
#include "together.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "record/heap/fastpath.h"
#include "record/heap/snapshot.h"

enum {
  N_STEPS = 2500,
  N_BLOCKS = 64,  /* of each thread; they come and go */
  N_ANCHORS = 16, /* of each thread; they always exist, and move */
  N_KINDS = 2 * N_BLOCKS + 2 * N_ANCHORS,
  N_DUMPS = 60,
  N_SHARDS = 8
};

static const uint64_t BASE = UINT64_C(0x7f5500000000);

/* ---- A lock. ---- */

static struct {
  dmd_lock_t lock;
  uint64_t n;
} g_counted;

static char g_is_alone;
static dmd_waiting_t g_waiting; /* futexes, and whether there is only one thread */

static void *count(void *arg) {
  for (int i = 0; i < N_STEPS; i++) {
    if (i % 3 != 0)
      dmd_lock_take(&g_counted.lock, &g_waiting);
    else
      while (!dmd_lock_try(&g_counted.lock, &g_waiting))
        sched_yield();
    g_counted.n++;
    dmd_lock_let_go(&g_counted.lock, &g_waiting);
  }
  return arg;
}

/* A single thread takes the lock in a cheaper way, which later threads must respect. */
static void take_alone(void) {
  g_is_alone = 1;
  CHECK(dmd_lock_try(&g_counted.lock, &g_waiting));
  CHECK(!dmd_lock_try(&g_counted.lock, &g_waiting));
  g_is_alone = 0;
  CHECK(!dmd_lock_try(&g_counted.lock, &g_waiting));
  g_is_alone = 1;
  dmd_lock_let_go(&g_counted.lock, &g_waiting);
  dmd_lock_take(&g_counted.lock, &g_waiting);
  dmd_lock_let_go(&g_counted.lock, &g_waiting);
  g_is_alone = 0;
}

static void a_lock_is_one_thread_s(uint32_t n_threads) {
  char unused[MAX_THREADS];
  take_alone();
  g_counted.n = 0;
  together_run(n_threads, count, unused, 1);
  CHECK(g_counted.n == (uint64_t)n_threads * N_STEPS);
}

/* ---- The live state. ---- */

typedef struct {
  uint64_t addr;
  uint64_t req; /* 0: there is no block */
  uint32_t tag; /* one of the thread's tags, from 1; 0: none */
  bool is_reported;
} entry_t;

typedef struct {
  uint32_t number; /* from 1 */
  uint64_t dice;
  dmd_fastpath_t fastpath;
  entry_t blocks[N_BLOCKS], anchors[N_ANCHORS];
  uint32_t tag; /* its current tag */
  uint32_t n_fast, n_long;
  uint64_t n_reported_freed;
} worker_t;

static struct {
  dmd_lock_t engine_lock;
  dmd_live_t live;
  uint32_t n_threads;
  worker_t workers[MAX_THREADS + 1]; /* the last one dumps */
  uint32_t tag_ids[MAX_THREADS + 1][3];
} g;

static void enter(void) {
  dmd_lock_take(&g.engine_lock, &together_waiting);
}

static void leave(worker_t *w) {
  dmd_live_refresh(&g.live, w->number, &w->fastpath);
  dmd_blocks_let_go(g.live.blocks);
  dmd_lock_let_go(&g.engine_lock, &together_waiting);
}

/* The address of a thread's block; place is below N_KINDS. A block's neighbours belong to other
 * threads; the blocks of one thread are spread over 16 MiB. */
static uint64_t address_of(uint32_t thread, uint64_t place) {
  return BASE + place % 16 * (1 << 20) + (place / 16 * (MAX_THREADS + 1) + thread) * 48;
}

static uint32_t stack_of(uint64_t addr, uint64_t req, uint32_t thread) {
  return (uint32_t)(dmd_hash_u64(addr ^ req << 50 ^ thread) & 0xffff) + 1;
}

static dmd_new_block_t describe(const worker_t *w, const entry_t *e) {
  return (dmd_new_block_t){.addr = e->addr,
                           .req = e->req,
                           .usable = e->req + e->addr % 7,
                           .stack = stack_of(e->addr, e->req, w->number),
                           .thread = w->number};
}

static void allocate(worker_t *w, entry_t *e) {
  e->tag = w->tag;
  e->is_reported = false;
  dmd_new_block_t block = describe(w, e);
  if (dmd_live_is_fast(&g.live, &w->fastpath) && dmd_live_fast_add(&g.live, &w->fastpath, &block)) {
    w->n_fast++;
    return;
  }
  enter();
  dmd_live_add(&g.live, &block);
  leave(w);
  w->n_long++;
}

static void release(worker_t *w, entry_t *e) {
  if (dmd_live_fast_remove(&g.live, &w->fastpath, e->addr, DMD_NONE)) {
    CHECK(!e->is_reported);
    w->n_fast++;
  } else {
    CHECK(e->is_reported);
    enter();
    CHECK(dmd_live_remove(&g.live, e->addr, DMD_NONE) == DMD_REMOVE_MEMORY);
    leave(w);
    w->n_long++;
  }
  w->n_reported_freed += e->is_reported;
  e->req = 0;
}

/* Fails now and then. */
static void reallocate(worker_t *w, entry_t *e, uint64_t to) {
  bool fails = together_roll(&w->dice, 8) == 0, is_long = together_roll(&w->dice, 4) == 0;
  dmd_block_t *block = is_long ? NULL : dmd_live_fast_begin_move(&g.live, e->addr);
  if (block == NULL) {
    enter();
    block = dmd_blocks_begin_move(g.live.blocks, e->addr);
    CHECK(block != NULL);
    leave(w);
  }
  if (fails) {
    enter();
    dmd_blocks_put_back(g.live.blocks, e->addr, block, 1);
    leave(w);
    return;
  }
  uint64_t from = e->addr;
  w->n_reported_freed += e->is_reported;
  *e = (entry_t){.addr = to, .req = 1 + together_roll(&w->dice, 500), .tag = w->tag};
  dmd_new_block_t now = describe(w, e);
  if (dmd_live_is_fast(&g.live, &w->fastpath) &&
      dmd_live_fast_end_move(&g.live, &w->fastpath, from, block, &now))
    return;
  enter();
  dmd_live_end_move(&g.live, from, block, &now);
  leave(w);
}

static void report(worker_t *w, entry_t *e) {
  enter();
  CHECK(dmd_live_report(&g.live, w->number, e->addr, 9, 0, DMD_NONE) == e->req + e->addr % 7);
  leave(w);
  e->is_reported = true;
}

/* Changes to another tag, or to none. */
static void change_tag(worker_t *w) {
  static const char *const names[] = {"", "a", "b"};
  char name[20];
  enter();
  if (w->tag != 0)
    CHECK(dmd_live_pop_tag(&g.live, w->number, (dmd_scope_end_t){.depth = 0}));
  w->tag = (uint32_t)together_roll(&w->dice, 3);
  if (w->tag != 0) {
    snprintf(name, sizeof name, "%s%u", names[w->tag], w->number);
    dmd_live_push_tag(&g.live, w->number, name, (dmd_place_t){0});
    g.tag_ids[w->number - 1][w->tag] = dmd_intern_str(&g.live.tag_names, name);
  }
  leave(w);
}

static void check(worker_t *w, const entry_t *e) {
  enter();
  const dmd_block_t *block = dmd_live_find(&g.live, e->addr);
  CHECK(block != NULL);
  if (block != NULL) {
    CHECK(block->req == e->req && dmd_block_usable(block) == e->req + e->addr % 7);
    CHECK(block->stack == stack_of(e->addr, e->req, w->number) && block->thread == w->number);
    CHECK(block->tag == (e->tag == 0 ? DMD_NONE : g.tag_ids[w->number - 1][e->tag]));
    CHECK((block->reports != DMD_NONE) == e->is_reported);
  }
  leave(w);
}

static void add_anchors(worker_t *w) {
  for (uint64_t i = 0; i < N_ANCHORS; i++) {
    w->anchors[i] = (entry_t){.addr = address_of(w->number, 2 * i), .req = 1 + i};
    allocate(w, &w->anchors[i]);
  }
}

static void do_something(worker_t *w) {
  uint64_t place = together_roll(&w->dice, N_BLOCKS), what = together_roll(&w->dice, 40);
  entry_t *e = &w->blocks[place];
  uint64_t at = address_of(w->number, 2 * N_ANCHORS + 2 * place);
  if (what == 0) {
    change_tag(w);
  } else if (what < 8) {
    uint64_t anchor = together_roll(&w->dice, N_ANCHORS);
    reallocate(w, &w->anchors[anchor], address_of(w->number, 2 * anchor + what % 2));
  } else if (e->req == 0) {
    *e = (entry_t){.addr = at, .req = 1 + together_roll(&w->dice, 500)};
    allocate(w, e);
  } else if (what < 10) {
    report(w, e);
  } else if (what < 12) {
    check(w, e);
  } else if (what < 16) {
    reallocate(w, e, at + 17);
  } else {
    release(w, e);
  }
}

static void *work(void *arg) {
  worker_t *w = arg;
  if (w->anchors[0].req == 0)
    add_anchors(w);
  for (int step = 0; step < N_STEPS; step++)
    do_something(w);
  return NULL;
}

/* While there are no other threads: takes the locks in another way, and finds the exact peak. */
static void work_alone(worker_t *w) {
  g_is_alone = 1;
  add_anchors(w);
  for (int step = 0; step < 1001; step++)
    do_something(w);
  g_is_alone = 0;
}

/* ---- Dumps meanwhile. ---- */

typedef struct {
  uint64_t n, req, last;
  uint32_t n_anchors[MAX_THREADS + 1]; /* by thread */
} seen_t;

static bool is_anchor(uint64_t addr, uint32_t thread) {
  for (uint64_t place = 0; place < 2 * N_ANCHORS; place++)
    if (address_of(thread, place) == addr)
      return true;
  return false;
}

static void see(void *ctx, uint64_t addr, dmd_block_t *block) {
  seen_t *seen = ctx;
  CHECK(addr > seen->last);
  CHECK(block->thread >= 1 && block->thread <= g.n_threads);
  CHECK(block->stack == stack_of(addr, block->req, block->thread));
  CHECK(block->slop == addr % 7);
  seen->last = addr;
  seen->n++;
  seen->req += block->req;
  seen->n_anchors[block->thread] += is_anchor(addr, block->thread);
}

static uint32_t same_stack(void *ctx, dmd_profile_t *profile, uint32_t stack) {
  (void)ctx, (void)profile, (void)stack;
  return DMD_NONE;
}

/* The peak is that of one moment, and not less than this one. */
static void check_peak(const dmd_profile_t *profile) {
  const dmd_groups_t *const lists[] = {&profile->groups, &profile->gone};
  uint64_t n = 0, szB = 0;
  for (int i = 0; i < 2; i++)
    for (uint32_t id = 1; id <= dmd_groups_count(lists[i]); id++) {
      const dmd_group_t *group = dmd_groups_at(lists[i], id);
      n += group->after_peak ? 0 : group->num;
      szB += group->after_peak ? 0 : group->num * group->req;
    }
  CHECK(n == profile->run.peak.n_blocks && szB == profile->run.peak.szB);
  CHECK(szB >= profile->run.in_use_szB);
}

/* A dump, with the engine's lock: all blocks at one moment. */
static void look(bool all_are_there) {
  seen_t seen = {0};
  dmd_blocks_hold_all(g.live.blocks);
  dmd_totals_t totals = dmd_live_totals(&g.live);
  dmd_blocks_walk(g.live.blocks, see, &seen);
  CHECK(seen.n == totals.n_blocks && seen.req == totals.in_use_szB);
  for (uint32_t thread = 1; thread <= g.n_threads && all_are_there; thread++)
    CHECK(seen.n_anchors[thread] == N_ANCHORS);
  dmd_profile_t profile;
  dmd_profile_init(&profile, &together_env);
  dmd_snapshot_take(&g.live, NULL, &profile, same_stack, NULL);
  uint64_t n = 0;
  for (uint32_t id = 1; id <= dmd_groups_count(&profile.groups); id++)
    n += dmd_groups_at(&profile.groups, id)->num;
  CHECK(n == seen.n);
  check_peak(&profile);
  dmd_profile_destroy(&profile);
}

static void *dump(void *arg) {
  worker_t *w = arg;
  bool all_are_there = false;
  for (int i = 0; i < N_DUMPS; i++) {
    enter();
    seen_t seen = {0};
    dmd_blocks_walk(g.live.blocks, see, &seen);
    bool are_there = true;
    for (uint32_t thread = 1; thread <= g.n_threads; thread++)
      are_there &= seen.n_anchors[thread] == N_ANCHORS;
    CHECK(are_there || !all_are_there); /* once they exist, they stay */
    all_are_there |= are_there;
    look(all_are_there);
    if (i % 8 == 7)
      dmd_live_tag_sum(&g.live, "a1");
    leave(w);
    sched_yield();
  }
  return NULL;
}

static void *work_or_dump(void *arg) {
  return ((worker_t *)arg)->number > g.n_threads ? dump(arg) : work(arg);
}

/* ---- All of it. ---- */

/* Checks the sum of the thread's blocks with one of its tags. */
static void check_tag(worker_t *w, uint32_t tag) {
  dmd_tag_sum_t expected = {0};
  for (uint32_t i = 0; i < N_BLOCKS + N_ANCHORS; i++) {
    const entry_t *e = i < N_BLOCKS ? &w->blocks[i] : &w->anchors[i - N_BLOCKS];
    if (e->req != 0 && e->tag == tag) {
      expected.usable += e->req + e->addr % 7;
      expected.n_blocks++;
    }
  }
  enter();
  dmd_tag_sum_t sum = dmd_blocks_tag_sum(g.live.blocks, g.tag_ids[w->number - 1][tag]);
  leave(w);
  CHECK(sum.usable == expected.usable && sum.n_blocks == expected.n_blocks);
}

static void check_end(void) {
  uint64_t n_blocks = 0, n_reported_freed = 0, n_fast = 0, n_long = 0;
  for (uint32_t t = 0; t < g.n_threads; t++) {
    worker_t *w = &g.workers[t];
    for (uint32_t i = 0; i < N_BLOCKS; i++)
      if (w->blocks[i].req != 0) {
        check(w, &w->blocks[i]);
        n_blocks++;
      }
    for (uint32_t i = 0; i < N_ANCHORS; i++)
      check(w, &w->anchors[i]);
    n_blocks += N_ANCHORS;
    n_reported_freed += w->n_reported_freed;
    n_fast += w->n_fast;
    n_long += w->n_long;
    check_tag(w, 1);
    check_tag(w, 2);
  }
  enter();
  look(true);
  dmd_totals_t totals = dmd_live_totals(&g.live);
  leave(&g.workers[g.n_threads]);
  CHECK(totals.n_blocks == n_blocks && totals.freed_reported == n_reported_freed);
  CHECK(totals.n_allocs - totals.n_frees == n_blocks);
  CHECK(n_fast > 4 * n_long);
}

/* A millisecond has passed at each look. */
static uint64_t tick(void *ctx) {
  (void)ctx;
  static uint64_t ms;
  return __atomic_add_fetch(&ms, 1, __ATOMIC_RELAXED);
}

static void nothing_is_lost_or_invented(uint32_t n_threads) {
  memset(&g, 0, sizeof g);
  g.n_threads = n_threads;
  dmd_live_config_t config = {.mode = DMD_MODE_DARK_MATTER,
                              .word_szB = 8,
                              .freed_blocks = 100,
                              .n_shards = N_SHARDS,
                              .records_peak = true,
                              .records_lifetimes = true,
                              .records_timeline = true,
                              .clock = {tick, NULL},
                              .waiting = &g_waiting};
  dmd_live_init(&g.live, &together_env, &config);
  for (uint32_t i = 0; i <= n_threads; i++) {
    g.workers[i].number = i + 1;
    g.workers[i].dice = i + 7;
  }
  work_alone(&g.workers[0]);
  together_run(n_threads + 1, work_or_dump, g.workers, sizeof g.workers[0]);
  check_end();
  dmd_live_destroy(&g.live);
}

int main(void) {
  static const uint32_t n_threads[] = {2, 4, MAX_THREADS};
  int n = 0;
  g_waiting = together_waiting;
  g_waiting.is_alone = &g_is_alone;
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("1..6");
  for (int i = 0; i < 3; i++) {
    a_lock_is_one_thread_s(n_threads[i]);
    printf("ok %d - a lock is one thread's: %u threads\n", ++n, n_threads[i]);
    nothing_is_lost_or_invented(n_threads[i]);
    printf("ok %d - nothing is lost or invented: %u threads\n", ++n, n_threads[i]);
  }
  return 0;
}
