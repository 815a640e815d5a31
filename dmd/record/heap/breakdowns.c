/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/breakdowns.h"

#include "base/mem.h"

void dmd_breakdowns_init(dmd_breakdowns_t *b, const dmd_env_t *env, const dmd_shard_t *shards,
                         uint32_t n_shards) {
  *b = (dmd_breakdowns_t){.env = env, .shards = shards, .n_shards = n_shards, .spacing_ms = 1};
  dmd_pool_init(&b->by_stack, env, "dmd.breakdowns", sizeof(uint64_t));
  dmd_pool_init(&b->by_tag, env, "dmd.breakdowns", sizeof(uint64_t));
}

void dmd_breakdowns_destroy(dmd_breakdowns_t *b) {
  dmd_pool_destroy(&b->by_tag);
  dmd_pool_destroy(&b->by_stack);
  dmd_env_free(b->env, b->kept);
}

void dmd_breakdowns_restart(dmd_breakdowns_t *b) {
  b->n_kept = 0;
  b->spacing_ms = 1;
  b->next_ms = 0;
}

/* ---- A walk. ---- */

typedef struct {
  dmd_breakdowns_t *b;
  const dmd_shard_t *shard;
} walk_t;

static void add_amount(dmd_pool_t *sums, uint32_t id, uint64_t szB) {
  if (id > sums->last)
    dmd_pool_reach(sums, id);
  *DMD_POOL_AT(sums, uint64_t, id) += szB;
}

/* Does not settle: what the program's next block gets must not depend on a walk. */
static void visit(void *ctx, dmd_block_t *block) {
  const walk_t *w = ctx;
  if ((block->flags & DMD_BLOCK_ANNOUNCED) || block == w->shard->leaving.removed.block)
    return;
  uint64_t szB = dmd_shard_bytes_of(w->shard, block);
  if (block->stack != DMD_NONE)
    add_amount(&w->b->by_stack, block->stack, szB);
  if (block->tag != DMD_NONE)
    add_amount(&w->b->by_tag, block->tag, szB);
}

/* Keeps the largest sums, up to max of them, and returns how many these are. */
static uint32_t keep_largest(const dmd_pool_t *sums, dmd_amount_t *amounts, uint32_t max) {
  uint32_t n = 0;
  for (uint32_t id = 1; id <= sums->last; id++) {
    uint64_t szB = *DMD_POOL_AT(sums, uint64_t, id);
    if (szB == 0 || (n == max && szB <= amounts[n - 1].szB))
      continue;
    uint32_t i = n < max ? n++ : n - 1;
    for (; i > 0 && amounts[i - 1].szB < szB; i--)
      amounts[i] = amounts[i - 1];
    amounts[i] = (dmd_amount_t){.id = id, .szB = szB};
  }
  return n;
}

static void clear(dmd_pool_t *sums) {
  for (uint32_t id = 1; id <= sums->last; id++)
    *DMD_POOL_AT(sums, uint64_t, id) = 0;
}

__attribute__((noinline)) static void take(dmd_breakdowns_t *b, const dmd_timepoint_t *now,
                                           uint64_t not_new) {
  if (b->kept == NULL)
    b->kept = dmd_env_alloc(b->env, "dmd.breakdowns", (DMD_MAX_BREAKDOWNS + 1) * sizeof *b->kept);
  clear(&b->by_stack);
  clear(&b->by_tag);
  for (uint32_t i = 0; i < b->n_shards; i++)
    dmd_heap_each(&b->shards[i].heap, not_new, visit, &(walk_t){.b = b, .shard = &b->shards[i]});
  dmd_kept_breakdown_t *kept = &b->kept[b->n_kept++];
  kept->at = *now;
  kept->n_stacks = keep_largest(&b->by_stack, kept->stacks, DMD_MAX_TIMESTACKS);
  kept->n_tags = keep_largest(&b->by_tag, kept->tags, DMD_MAX_TIMETAGS);
}

/* A walk leaves addresses of blocks on the stack. It may be the program's, on which a heap graph
 * would later take them for the program's pointers. */
__attribute__((noinline)) static void wipe_stack(void) {
  enum { WIPED = 2048 };
  uint64_t below[WIPED / sizeof(uint64_t)];
  dmd_mem_zero(below, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory"); /* so that the compiler does not leave it out */
}

/* ---- When. ---- */

enum { ALLOCATIONS_PER_BLOCK = 8, BLOCKS_PER_MS = 250 };

static bool is_affordable(const dmd_breakdowns_t *b, uint64_t ms, uint64_t n_allocated) {
  uint64_t n = b->by_stack.last / 4;
  for (uint32_t i = 0; i < b->n_shards; i++)
    n += b->shards[i].heap.n_blocks;
  return (n_allocated - b->n_allocated) / ALLOCATIONS_PER_BLOCK >= n ||
         (ms - b->last_ms) * BLOCKS_PER_MS >= n;
}

/* Doubles the slots until a quarter of the breakdowns is gone. */
static void thin_out(dmd_breakdowns_t *b) {
  while (b->n_kept > DMD_MAX_BREAKDOWNS / 4 * 3) {
    uint32_t n = b->n_kept, to = 0;
    b->spacing_ms *= 2;
    for (uint32_t i = 1; i < n; i++)
      if (b->kept[i].at.ms / b->spacing_ms != b->kept[to].at.ms / b->spacing_ms)
        b->kept[++to] = b->kept[i];
      else if (b->kept[i].at.szB >= b->kept[to].at.szB)
        b->kept[to] = b->kept[i];
    b->n_kept = to + 1;
  }
}

void dmd_breakdowns_look(dmd_breakdowns_t *b, const dmd_timepoint_t *now, uint64_t n_allocated,
                         uint64_t not_new) {
  if (now->ms < b->next_ms || !is_affordable(b, now->ms, n_allocated))
    return;
  take(b, now, not_new);
  wipe_stack();
  b->last_ms = now->ms;
  b->n_allocated = n_allocated;
  if (b->n_kept == DMD_MAX_BREAKDOWNS)
    thin_out(b);
  b->next_ms = (now->ms / b->spacing_ms + 1) * b->spacing_ms;
}

/* ---- What the profile gets. ---- */

enum {
  TOP = 10,
  MAX_GROWING = 16,
  MAX_CANDIDATES = DMD_MAX_BREAKDOWNS * TOP + 2 * DMD_MAX_TIMESTACKS
};

typedef struct {
  uint32_t id;
  bool grows;
  uint64_t most_szB; /* of the breakdowns for which it is a candidate */
} candidate_t;

typedef struct {
  uint32_t n;
  candidate_t list[MAX_CANDIDATES];
} candidates_t;

static candidate_t *add_candidate(candidates_t *c, const dmd_amount_t *amount) {
  uint32_t i = 0;
  while (i < c->n && c->list[i].id != amount->id)
    i++;
  if (i == c->n)
    c->list[c->n++] = (candidate_t){.id = amount->id};
  if (amount->szB > c->list[i].most_szB)
    c->list[i].most_szB = amount->szB;
  return &c->list[i];
}

static uint64_t amount_of(const dmd_amount_t *amounts, uint32_t n, uint32_t id) {
  for (uint32_t i = 0; i < n; i++)
    if (amounts[i].id == id)
      return amounts[i].szB;
  return 0;
}

/* True if the stack has more bytes in all of the last third than it had at any time before. */
static bool grows(const dmd_breakdowns_t *b, uint32_t stack) {
  uint64_t least = UINT64_MAX, most = 0;
  for (uint32_t i = 0; i < b->n_kept; i++) {
    uint64_t szB = amount_of(b->kept[i].stacks, b->kept[i].n_stacks, stack);
    if (i < b->n_kept / 3 * 2)
      most = szB > most ? szB : most;
    else
      least = szB < least ? szB : least;
  }
  return least > most;
}

/* Moves the largest candidate of those from i on, or of those of them that grow, to place i. */
static bool select_next(candidates_t *c, uint32_t i, bool that_grows) {
  uint32_t largest = c->n;
  for (uint32_t k = i; k < c->n; k++)
    if ((c->list[k].grows || !that_grows) &&
        (largest == c->n || c->list[k].most_szB > c->list[largest].most_szB))
      largest = k;
  if (largest == c->n)
    return false;
  candidate_t next = c->list[largest];
  c->list[largest] = c->list[i];
  c->list[i] = next;
  return true;
}

/* Growing stacks may be small beside the others. The dump may be that of the exit, when nothing is
 * left, so it says nothing about growth. */
static void add_growing(const dmd_breakdowns_t *b, candidates_t *c) {
  if (b->n_kept == 0)
    return;
  const dmd_kept_breakdown_t *last = &b->kept[b->n_kept - 1];
  for (uint32_t k = 0; k < last->n_stacks; k++)
    if (grows(b, last->stacks[k].id))
      add_candidate(c, &last->stacks[k])->grows = true;
}

static void choose_stacks(const dmd_breakdowns_t *b, candidates_t *c) {
  for (uint32_t i = 0; i < b->n_kept; i++)
    for (uint32_t k = 0; k < b->kept[i].n_stacks && k < TOP; k++)
      add_candidate(c, &b->kept[i].stacks[k]);
  uint32_t n = 0;
  while (n < MAX_GROWING && select_next(c, n, true))
    n++;
  while (n < DMD_MAX_TIMESTACKS && select_next(c, n, false))
    n++;
  c->n = n;
  for (uint32_t i = 0; i < n; i++)
    select_next(c, i, false);
}

static void choose_tags(const dmd_breakdowns_t *b, candidates_t *c) {
  c->n = 0;
  for (uint32_t i = 0; i < b->n_kept; i++)
    for (uint32_t k = 0; k < b->kept[i].n_tags && k < TOP; k++)
      add_candidate(c, &b->kept[i].tags[k]);
  for (uint32_t i = 0; i < c->n; i++)
    select_next(c, i, false);
  if (c->n > DMD_MAX_TIMETAGS)
    c->n = DMD_MAX_TIMETAGS;
}

static bool is_chosen(const candidates_t *c, uint32_t id) {
  uint32_t i = 0;
  while (i < c->n && c->list[i].id != id)
    i++;
  return i < c->n;
}

/* Different stacks of the heap may be one stack of the profile. Adds those that were not chosen to
 * the one that was. */
static void add_equal_stacks(const dmd_breakdowns_t *b, const candidates_t *c,
                             const dmd_translation_t *ids) {
  dmd_timeline_t *to = &ids->to->timeline;
  for (uint32_t i = 0; i < b->n_kept; i++)
    for (uint32_t k = 0; k < b->kept[i].n_stacks; k++) {
      dmd_amount_t amount = b->kept[i].stacks[k];
      uint32_t place = 0, stack = dmd_translation_known_stack(ids, amount.id);
      if (stack == DMD_NONE || is_chosen(c, amount.id))
        continue;
      while (place < to->stacks.last && *dmd_timeline_stack(to, place) != stack)
        place++;
      if (place < to->stacks.last)
        to->breakdowns[i].stacks[place] += amount.szB;
    }
}

static void add_stacks(const dmd_breakdowns_t *b, const candidates_t *c, dmd_translation_t *ids) {
  dmd_timeline_t *to = &ids->to->timeline;
  for (uint32_t k = 0; k < c->n; k++) {
    dmd_timeline_add_stack(to, dmd_translation_stack(ids, c->list[k].id));
    for (uint32_t i = 0; i < b->n_kept; i++)
      to->breakdowns[i].stacks[k] =
          amount_of(b->kept[i].stacks, b->kept[i].n_stacks, c->list[k].id);
  }
  dmd_timeline_join_stacks(to);
  add_equal_stacks(b, c, ids);
}

static void add_tags(const dmd_breakdowns_t *b, const candidates_t *c, dmd_translation_t *ids) {
  dmd_timeline_t *to = &ids->to->timeline;
  for (uint32_t k = 0; k < c->n; k++) {
    dmd_timeline_add_tag(to, dmd_translation_tag(ids, c->list[k].id));
    for (uint32_t i = 0; i < b->n_kept; i++)
      to->breakdowns[i].tags[k] = amount_of(b->kept[i].tags, b->kept[i].n_tags, c->list[k].id);
  }
}

void dmd_breakdowns_tell(dmd_breakdowns_t *b, const dmd_timepoint_t *now, uint64_t unit,
                         dmd_translation_t *ids) {
  candidates_t *c = dmd_env_alloc(b->env, "dmd.breakdowns", sizeof *c);
  c->n = 0;
  add_growing(b, c);
  take(b, now, UINT64_MAX);
  choose_stacks(b, c);
  for (uint32_t i = 0; i < b->n_kept; i++) {
    dmd_timepoint_t at = dmd_timepoint_in_blocks(b->kept[i].at, unit);
    dmd_timeline_add_breakdown(&ids->to->timeline, &at);
  }
  add_stacks(b, c, ids);
  choose_tags(b, c);
  add_tags(b, c, ids);
  b->n_kept--;
  dmd_env_free(b->env, c);
}
