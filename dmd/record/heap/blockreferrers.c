/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search handles one referrer at a time: it reads all blocks of a referrer together, and marks
 * each unreported block with the last referrer that was seen to point to it. So a block counts once
 * per referrer, however many pointers lead to it, and no list of pointers is needed.
 *
 * A forgotten structure is usually reached through its first block: the head of a list, the root of
 * a tree. So a block that an unreported block points to gets the same referrer, as long as both
 * were allocated at the same stack; such blocks are read again for each referrer. Across different
 * allocation stacks a hint takes two steps: the record of the outer block names its reporter, and
 * the record of the inner block names the outer one.
 *
 * Reused memory holds stale pointers, and one stale pointer to one node would attach a whole list.
 * So the referring blocks are compared with all that were allocated and reported in the same way: a
 * real member occurs in many of them, a stale pointer in few.
 */
#include "record/heap/blockreferrers.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "record/heap/blockindex.h"

enum {
  KEPT_REFERRERS = 3, /* per allocation stack and kind of referrer */
  KEPT_PLACES = 3     /* pairs of report stack and offset, per referrer */
};

/* The blocks that form one referrer: those reported under one name, or from one stack. All ids are
 * the profile's: if two ids here were one referrer there, a block that both point to would count
 * twice. */
typedef struct {
  uint32_t kind; /* a dmd_referrer_kind_t */
  uint32_t reporter;
  uint32_t stack; /* of the report or allocation, if there is no reporter */
  uint32_t first; /* its blocks' places: from order[first] to the next group's first */
} group_t;

/* Blocks of a group that were allocated at one place. */
typedef struct {
  uint32_t group;
  uint32_t alloc; /* a stack id of the profile */
  uint32_t n;
} kind_t;

/* Counts for the current referrer's pointers to the blocks allocated at one place. */
typedef struct {
  uint32_t group;           /* the group counted; 0: no counts, or they were added already */
  uint32_t last, last_kind; /* the last block that pointed there, as its place + 1, and its kind */
  uint64_t n_referrers, n_like; /* see dmd_hint_t */
} pointed_t;

/* State of a block in relation to the current referrer or earlier ones. */
typedef struct {
  uint32_t kind;          /* index into kinds */
  uint32_t seen_by;       /* the last referrer (a group) that points to it; 0: none so far */
  uint32_t stack, offset; /* where the pointer to it is */
} held_t;

typedef struct {
  const dmd_live_t *live;
  dmd_translation_t *ids;
  const dmd_memory_t *memory;
  dmd_blockindex_t index;
  held_t *held; /* by place */
  dmd_pool_t groups;
  dmd_table_t group_index;
  dmd_pool_t kinds;
  dmd_table_t kind_index;
  dmd_pool_t pointed; /* a pointed_t for each stack of the profile */
  dmd_pool_t pairs;   /* pairs of an allocation stack and a kind, each already counted */
  dmd_table_t pair_index;
  uint32_t *order; /* places of blocks, sorted by group */
  uint32_t n_order;
  dmd_hints_t all;
  /* For the current referrer: the unreported blocks that it was seen to point to. */
  uint32_t group;
  uint32_t *queue;
  uint32_t n_queue;
  uint64_t left_szB; /* bytes that may still be read */
  uint64_t page[DMD_PAGE_SZB / sizeof(uint64_t)];
} search_t;

static group_t *group_at(const search_t *s, uint32_t id) {
  return DMD_POOL_AT(&s->groups, group_t, id);
}

static held_t *held_at(const search_t *s, const dmd_placed_block_t *placed) {
  return &s->held[placed - s->index.blocks];
}

/* ---- Grouping blocks by referrer. ---- */

static uint64_t group_hash(const group_t *g) {
  return dmd_hash_u64(g->kind ^ (uint64_t)g->reporter << 32 ^ (uint64_t)g->stack << 1);
}

static bool group_equal(const void *owner, uint32_t id, const void *key) {
  const group_t *a = group_at(owner, id), *b = key;
  return a->kind == b->kind && a->reporter == b->reporter && a->stack == b->stack;
}

static uint32_t group_id(search_t *s, group_t key) {
  uint64_t hash = group_hash(&key);
  return dmd_table_find_or_add(&s->group_index, &s->groups, hash, &key);
}

static const dmd_report_t *first_report(const search_t *s, const dmd_block_t *block) {
  return &dmd_reports_at(&s->live->reports, block->reports)->report[0];
}

/* The stack that identifies a block as a referrer: that of its report, else of its allocation. */
static uint32_t place_of(const search_t *s, const dmd_block_t *block) {
  uint32_t stack = block->reports == DMD_NONE ? block->stack : first_report(s, block)->stack;
  return dmd_translation_stack(s->ids, stack);
}

/* The group of a block; DMD_NONE if the block cannot be identified as a referrer. */
static uint32_t group_of(search_t *s, const dmd_block_t *block) {
  if (block->reports != DMD_NONE) {
    uint32_t reporter = dmd_translation_name(s->ids, first_report(s, block)->reporter);
    return group_id(s, (group_t){.kind = DMD_REFERRER_REPORTED,
                                 .reporter = reporter,
                                 .stack = reporter == DMD_NONE ? place_of(s, block) : DMD_NONE});
  }
  if (block->stack == DMD_NONE)
    return DMD_NONE;
  return group_id(s, (group_t){.kind = DMD_REFERRER_UNREPORTED, .stack = place_of(s, block)});
}

static bool kind_equal(const void *owner, uint32_t id, const void *key) {
  const search_t *s = owner;
  const kind_t *a = DMD_POOL_AT(&s->kinds, kind_t, id), *b = key;
  return a->group == b->group && a->alloc == b->alloc;
}

/* Counts a block in its kind, and returns the kind. */
static uint32_t count_kind(search_t *s, const dmd_placed_block_t *placed) {
  kind_t key = {.group = placed->group,
                .alloc = dmd_translation_stack(s->ids, placed->block->stack)};
  uint64_t hash = dmd_hash_u64(key.group ^ (uint64_t)key.alloc << 32);
  uint32_t id = dmd_table_find_or_add(&s->kind_index, &s->kinds, hash, &key);
  DMD_POOL_AT(&s->kinds, kind_t, id)->n++;
  return id;
}

/* Sorts the blocks by group. */
static void group_blocks(search_t *s) {
  for (uint32_t i = 0; i < s->index.n; i++) {
    dmd_placed_block_t *placed = &s->index.blocks[i];
    placed->group = group_of(s, placed->block);
    if (placed->group == DMD_NONE)
      continue;
    held_at(s, placed)->kind = count_kind(s, placed);
    group_at(s, placed->group)->first++;
  }
  uint32_t end = 0;
  for (uint32_t id = 1; id <= s->groups.last; id++)
    end = group_at(s, id)->first += end;
  s->n_order = end;
  for (uint32_t i = s->index.n; i-- > 0;)
    if (s->index.blocks[i].group != DMD_NONE)
      s->order[--group_at(s, s->index.blocks[i].group)->first] = i;
}

/* ---- Reading pointers. ---- */

static bool is_unreported(const dmd_block_t *block) {
  return block->reports == DMD_NONE && !(block->flags & DMD_BLOCK_UNSAMPLED);
}

static bool pair_equal(const void *owner, uint32_t id, const void *key) {
  const search_t *s = owner;
  return *DMD_POOL_AT(&s->pairs, uint64_t, id) == *(const uint64_t *)key;
}

/* True on the first call for this pair: blocks of this kind point to blocks allocated at
 * `alloc`. */
static bool is_first_of_kind(search_t *s, uint32_t alloc, uint32_t kind) {
  uint64_t pair = alloc | (uint64_t)kind << 32, hash = dmd_hash_u64(pair);
  if (dmd_table_find(&s->pair_index, hash, &pair) != DMD_NONE)
    return false;
  uint32_t id = dmd_pool_add(&s->pairs);
  *DMD_POOL_AT(&s->pairs, uint64_t, id) = pair;
  dmd_table_add(&s->pair_index, hash, id);
  return true;
}

/* alloc: a stack id of the profile, or DMD_NONE. */
static pointed_t *pointed_at(search_t *s, uint32_t alloc) {
  dmd_pool_reach(&s->pointed, alloc + 1);
  return DMD_POOL_AT(&s->pointed, pointed_t, alloc + 1);
}

/* Counts a block of the current referrer that points to a block allocated at this place. */
static void count_referrer(search_t *s, const dmd_placed_block_t *from, uint32_t alloc) {
  pointed_t *p = pointed_at(s, alloc);
  uint32_t place = (uint32_t)(from - s->index.blocks) + 1, kind = held_at(s, from)->kind;
  if (p->group != s->group)
    *p = (pointed_t){.group = s->group};
  if (p->last == place)
    return;
  p->last = place;
  p->n_referrers++;
  if (p->last_kind != kind && is_first_of_kind(s, alloc, kind))
    p->n_like += DMD_POOL_AT(&s->kinds, kind_t, kind)->n;
  p->last_kind = kind;
}

/* Stores the counts for the current referrer in the first hint about each place. Its hints are
 * those from `first` on. */
static void add_counts(search_t *s, uint32_t first) {
  for (uint32_t id = first; id <= dmd_hints_count(&s->all); id++) {
    dmd_hint_t *hint = DMD_POOL_AT(&s->all.pool, dmd_hint_t, id);
    pointed_t *p = pointed_at(s, hint->alloc);
    if (p->group != s->group)
      continue;
    hint->referrers = p->n_referrers;
    hint->referrers_alike = p->n_like;
    p->group = 0;
  }
}

/* Adds a hint: the current referrer points to this block, or to one that leads to it. */
static void add_hint(search_t *s, dmd_placed_block_t *to, uint32_t stack, uint32_t offset,
                     bool is_pointed) {
  const group_t *referrer = group_at(s, s->group);
  dmd_group_t g = dmd_live_group_of(s->live, to->block);
  dmd_hints_add(&s->all, &(dmd_hint_t){.blocks = g.num,
                                       .bytes = g.num * (g.req + g.slop),
                                       .pointed = is_pointed ? g.num : 0,
                                       .alloc = place_of(s, to->block),
                                       .referrer_kind = referrer->kind,
                                       .reporter = referrer->reporter,
                                       .stack = stack,
                                       .offset = offset});
  held_t *held = held_at(s, to);
  held->seen_by = s->group;
  held->stack = stack;
  held->offset = offset;
  s->queue[s->n_queue++] = (uint32_t)(to - s->index.blocks);
}

/* Handles a word of `from` that is an address in `to`. */
static void note_pointer(search_t *s, const dmd_placed_block_t *from, uint64_t offset,
                         dmd_placed_block_t *to) {
  if (!is_unreported(to->block))
    return;
  bool is_referrer = from->group == s->group;
  bool is_same = from->group == to->group; /* both unreported and allocated at the same place */
  bool is_seen = held_at(s, to)->seen_by == s->group;
  const held_t *seen = held_at(s, from);
  if (seen->seen_by == s->group) {
    /* The next block of a list. */
    if (!is_seen && is_same && to->group != DMD_NONE)
      add_hint(s, to, seen->stack, seen->offset, false);
  } else if (is_referrer && !is_same) {
    count_referrer(s, from, place_of(s, to->block));
    if (!is_seen)
      add_hint(s, to, place_of(s, from->block),
               offset < DMD_MAX_OFFSET ? (uint32_t)offset : DMD_OFFSET_ANY, true);
  }
}

static void read_words(search_t *s, const dmd_placed_block_t *from, uint64_t addr, size_t szB) {
  uint64_t word_szB = s->live->config.word_szB;
  const char *bytes = (const char *)s->page;
  for (size_t i = 0; i + word_szB <= szB; i += word_szB) {
    uint64_t word = 0;
    if (word_szB == sizeof(uint32_t)) {
      uint32_t half;
      dmd_mem_copy(&half, bytes + i, sizeof half);
      word = half;
    } else {
      dmd_mem_copy(&word, bytes + i, sizeof word);
    }
    dmd_placed_block_t *to = dmd_blockindex_find(&s->index, word);
    if (to != NULL)
      note_pointer(s, from, addr + i - from->addr, to);
  }
}

static void read_block(search_t *s, const dmd_placed_block_t *from) {
  uint64_t word_szB = s->live->config.word_szB;
  uint64_t addr = (from->addr + word_szB - 1) & ~(word_szB - 1);
  uint64_t end = addr + DMD_MAX_BLOCK_READ < from->end ? addr + DMD_MAX_BLOCK_READ : from->end;
  while (addr < end && end - addr >= word_szB && s->left_szB > 0) {
    uint64_t szB = DMD_PAGE_SZB - addr % DMD_PAGE_SZB;
    if (szB > end - addr)
      szB = end - addr;
    read_words(s, from, addr, s->memory->read(s->memory->ctx, addr, s->page, (size_t)szB));
    s->left_szB -= szB < s->left_szB ? szB : s->left_szB;
    addr += szB;
  }
}

static void read_group(search_t *s, uint32_t id) {
  uint32_t end = id == s->groups.last ? s->n_order : group_at(s, id + 1)->first;
  uint32_t first = dmd_hints_count(&s->all) + 1;
  s->group = id;
  s->n_queue = 0;
  for (uint32_t i = group_at(s, id)->first; i < end; i++)
    read_block(s, &s->index.blocks[s->order[i]]);
  for (uint32_t i = 0; i < s->n_queue; i++)
    read_block(s, &s->index.blocks[s->queue[i]]);
  add_counts(s, first);
}

/* ---- Selecting the hints to keep. ---- */

/* Sorts hints about one stack and one referrer together, most bytes first. */
static int compare_hints(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_hint_t *a = dmd_hints_at(ctx, x), *b = dmd_hints_at(ctx, y);
  if (a->alloc != b->alloc)
    return a->alloc < b->alloc ? -1 : 1;
  if (a->referrer_kind != b->referrer_kind)
    return a->referrer_kind < b->referrer_kind ? -1 : 1;
  if (a->reporter != b->reporter)
    return a->reporter < b->reporter ? -1 : 1;
  if (!dmd_hint_same_referrer(a, b))
    return a->stack < b->stack ? -1 : 1;
  return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* Sorted hints about one stack and referrer: ids[first] to ids[end - 1]. */
typedef struct {
  uint32_t first, end;
  dmd_hint_t sum; /* sum of their counts */
} run_t;

static uint64_t weight(const run_t *run) {
  return dmd_hint_weight(run->sum.bytes, dmd_hint_evidence(&run->sum));
}

/* Inserts a run into the sorted list of the best. */
static uint32_t keep_best(run_t *best, uint32_t n, run_t run) {
  uint32_t i = n < KEPT_REFERRERS ? n++ : KEPT_REFERRERS;
  for (; i > 0 && weight(&run) > weight(&best[i - 1]); i--)
    if (i < KEPT_REFERRERS)
      best[i] = best[i - 1];
  if (i < KEPT_REFERRERS)
    best[i] = run;
  return n;
}

/* Adds the first KEPT_PLACES places one by one, and the rest as one. */
static void add_run(const search_t *s, const uint32_t *ids, const run_t *run, dmd_hints_t *found) {
  for (uint32_t k = run->first; k < run->end; k++) {
    dmd_hint_t hint = *dmd_hints_at(&s->all, ids[k]);
    if (k - run->first >= KEPT_PLACES) {
      hint.stack = dmd_hints_at(&s->all, ids[run->first])->stack;
      hint.offset = DMD_OFFSET_ANY;
    }
    dmd_hints_add(found, &hint);
  }
}

static void add_runs(const search_t *s, const uint32_t *ids, const run_t *runs, uint32_t n,
                     dmd_hints_t *found) {
  for (uint32_t i = 0; i < n; i++)
    add_run(s, ids, &runs[i], found);
}

static void add_best(const search_t *s, dmd_hints_t *found) {
  const dmd_env_t *env = s->live->env;
  uint32_t n = dmd_hints_count(&s->all), n_best = 0;
  uint32_t *ids = dmd_env_alloc(env, "dmd.holders.ids", ((size_t)n + 1) * sizeof *ids);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = i + 1;
  dmd_sort(env, ids, n, compare_hints, &s->all);
  run_t best[KEPT_REFERRERS];
  const dmd_hint_t *before = NULL;
  for (run_t run = {0}; run.first < n; run = (run_t){.first = run.end}) {
    const dmd_hint_t *a = dmd_hints_at(&s->all, ids[run.first]);
    for (run.end = run.first; run.end < n; run.end++) {
      const dmd_hint_t *b = dmd_hints_at(&s->all, ids[run.end]);
      if (a->alloc != b->alloc || !dmd_hint_same_referrer(a, b))
        break;
      dmd_hint_count(&run.sum, b);
    }
    if (before != NULL &&
        (a->alloc != before->alloc || a->referrer_kind != before->referrer_kind)) {
      add_runs(s, ids, best, n_best, found);
      n_best = 0;
    }
    n_best = keep_best(best, n_best, run);
    before = a;
  }
  add_runs(s, ids, best, n_best, found);
  dmd_env_free(env, ids);
}

bool dmd_blockreferrers_find(const dmd_live_t *live, dmd_translation_t *ids,
                             const dmd_memory_t *memory, dmd_hints_t *found) {
  const dmd_env_t *env = live->env;
  search_t s = {.live = live, .ids = ids, .memory = memory, .left_szB = DMD_MAX_HEAP_READ};
  dmd_blockindex_init(&s.index, env, live->blocks);
  dmd_pool_init(&s.groups, env, "dmd.holders.groups", sizeof(group_t));
  dmd_table_init(&s.group_index, env, "dmd.holders.index", group_equal, &s);
  dmd_pool_init(&s.kinds, env, "dmd.holders.kinds", sizeof(kind_t));
  dmd_table_init(&s.kind_index, env, "dmd.holders.kinds", kind_equal, &s);
  dmd_pool_init(&s.pointed, env, "dmd.holders.pointed", sizeof(pointed_t));
  dmd_pool_init(&s.pairs, env, "dmd.holders.pairs", sizeof(uint64_t));
  dmd_table_init(&s.pair_index, env, "dmd.holders.pairs", pair_equal, &s);
  dmd_hints_init(&s.all, env);
  size_t list_szB = ((size_t)s.index.n + 1) * sizeof(uint32_t);
  size_t held_szB = ((size_t)s.index.n + 1) * sizeof *s.held;
  s.held = dmd_env_alloc(env, "dmd.holders.held", held_szB);
  dmd_mem_zero(s.held, held_szB);
  s.order = dmd_env_alloc(env, "dmd.holders.order", list_szB);
  s.queue = dmd_env_alloc(env, "dmd.holders.queue", list_szB);

  group_blocks(&s);
  for (uint32_t kind = 0; kind < DMD_N_REFERRER_KINDS; kind++)
    for (uint32_t id = 1; id <= s.groups.last; id++)
      if (group_at(&s, id)->kind == kind)
        read_group(&s, id);
  add_best(&s, found);

  dmd_env_free(env, s.queue);
  dmd_env_free(env, s.order);
  dmd_env_free(env, s.held);
  dmd_hints_destroy(&s.all);
  dmd_table_destroy(&s.pair_index);
  dmd_pool_destroy(&s.pairs);
  dmd_pool_destroy(&s.pointed);
  dmd_table_destroy(&s.kind_index);
  dmd_pool_destroy(&s.kinds);
  dmd_table_destroy(&s.group_index);
  dmd_pool_destroy(&s.groups);
  dmd_blockindex_destroy(&s.index);
  return s.left_szB > 0;
}
