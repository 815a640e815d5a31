/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Holders are handled one after the other: all blocks of one are read together, and each unreported
 * block bears the number of the holder that was last seen to point to it. So a block counts once
 * for a holder, however many pointers there are, and no list of pointers is ever kept.
 */
#include "live/holders.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "live/blockindex.h"

enum {
  MAX_OFFSET = 4096, /* the first that is not told */
  KEPT_HOLDERS = 3,  /* of each allocation stack and kind of holder */
  KEPT_PLACES = 3    /* pairs of report stack and offset, of each of these holders */
};

static const uint64_t MAX_BLOCK_SZB = UINT64_C(64) << 20, MAX_TOTAL_SZB = UINT64_C(4) << 30;

/* Blocks that are one holder: those of a reporter's name, or of a stack. All ids are the profile's:
 * what is one holder there must be one here, or a block that two of them hold would count twice. */
typedef struct {
  uint32_t kind; /* a dmd_holder_kind_t */
  uint32_t reporter;
  uint32_t stack; /* of the report or allocation, where there is no reporter */
  uint32_t first; /* its blocks' places are order[first] and so on, up to the next group's */
} group_t;

typedef struct {
  const dmd_live_t *live;
  dmd_translation_t *ids;
  const dmd_memory_t *memory;
  dmd_blockindex_t index;
  dmd_pool_t groups;
  dmd_table_t group_index;
  uint32_t *order; /* places of blocks by group */
  uint32_t n_order;
  dmd_advices_t all;
  /* Of the holder at hand: the unreported blocks that it has been seen to hold. */
  uint32_t group;
  uint32_t *queue;
  uint32_t n_queue;
  uint64_t left_szB; /* to be read yet */
  uint64_t page[DMD_PAGE_SZB / sizeof(uint64_t)];
} search_t;

static group_t *group_at(const search_t *s, uint32_t id) {
  return DMD_POOL_AT(&s->groups, group_t, id);
}

/* ---- Who holds. ---- */

static uint64_t group_hash(const group_t *g) {
  return dmd_hash_u64(g->kind ^ (uint64_t)g->reporter << 32 ^ (uint64_t)g->stack << 1);
}

static bool group_equal(const void *owner, uint32_t id, const void *key) {
  const group_t *a = group_at(owner, id), *b = key;
  return a->kind == b->kind && a->reporter == b->reporter && a->stack == b->stack;
}

static uint32_t group_id(search_t *s, group_t key) {
  uint64_t hash = group_hash(&key);
  uint32_t id = dmd_table_find(&s->group_index, hash, &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&s->groups);
    *group_at(s, id) = key;
    dmd_table_add(&s->group_index, hash, id);
  }
  return id;
}

static const dmd_report_t *first_report(const search_t *s, const dmd_block_t *block) {
  return &dmd_reports_at(&s->live->reports, block->reports)->report[0];
}

/* What is known of a block as a holder: the stack of its report, or of its allocation. */
static uint32_t place_of(const search_t *s, const dmd_block_t *block) {
  uint32_t stack = block->reports == DMD_NONE ? block->stack : first_report(s, block)->stack;
  return dmd_translation_stack(s->ids, stack);
}

/* The group of a block; DMD_NONE where nothing could be said of it as a holder. */
static uint32_t group_of(search_t *s, const dmd_block_t *block) {
  if (block->reports != DMD_NONE) {
    uint32_t reporter = dmd_translation_name(s->ids, first_report(s, block)->reporter);
    return group_id(s, (group_t){.kind = DMD_HOLDER_REPORTED,
                                 .reporter = reporter,
                                 .stack = reporter == DMD_NONE ? place_of(s, block) : DMD_NONE});
  }
  if (block->stack == DMD_NONE)
    return DMD_NONE;
  return group_id(s, (group_t){.kind = DMD_HOLDER_UNREPORTED, .stack = place_of(s, block)});
}

/* Sorts the blocks by group. */
static void group_blocks(search_t *s) {
  for (uint32_t i = 0; i < s->index.n; i++) {
    uint32_t id = group_of(s, s->index.blocks[i].block);
    s->index.blocks[i].group = id;
    if (id != DMD_NONE)
      group_at(s, id)->first++;
  }
  uint32_t end = 0;
  for (uint32_t id = 1; id <= s->groups.last; id++)
    end = group_at(s, id)->first += end;
  s->n_order = end;
  for (uint32_t i = s->index.n; i-- > 0;)
    if (s->index.blocks[i].group != DMD_NONE)
      s->order[--group_at(s, s->index.blocks[i].group)->first] = i;
}

/* ---- What they hold. ---- */

static bool is_unreported(const dmd_block_t *block) {
  return block->reports == DMD_NONE && !(block->flags & DMD_BLOCK_UNSAMPLED);
}

/* The holder at hand has a pointer to this block. */
static void note_held(search_t *s, dmd_placed_block_t *to, uint32_t stack, uint32_t offset) {
  const group_t *holder = group_at(s, s->group);
  dmd_group_t g = dmd_live_group_of(s->live, to->block);
  dmd_advices_add(&s->all, &(dmd_advice_t){.blocks = g.num,
                                           .bytes = g.num * (g.req + g.slop),
                                           .alloc = place_of(s, to->block),
                                           .holder_kind = holder->kind,
                                           .reporter = holder->reporter,
                                           .stack = stack,
                                           .offset = offset});
  to->seen_by = s->group;
  to->stack = stack;
  to->offset = offset;
  s->queue[s->n_queue++] = (uint32_t)(to - s->index.blocks);
}

/* A word of `from` is an address in `to`. */
static void note_pointer(search_t *s, const dmd_placed_block_t *from, uint64_t offset,
                         dmd_placed_block_t *to) {
  if (to->seen_by == s->group || !is_unreported(to->block))
    return;
  bool is_holder = from->group == s->group;
  bool is_same = from->group == to->group; /* both unreported, and allocated at one place */
  if (from->seen_by == s->group) {
    /* A list's next block. */
    if (is_same && to->group != DMD_NONE)
      note_held(s, to, from->stack, from->offset);
  } else if (is_holder && !is_same) {
    note_held(s, to, place_of(s, from->block),
              offset < MAX_OFFSET ? (uint32_t)offset : DMD_OFFSET_ANY);
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
  uint64_t end = addr + MAX_BLOCK_SZB < from->end ? addr + MAX_BLOCK_SZB : from->end;
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
  s->group = id;
  s->n_queue = 0;
  for (uint32_t i = group_at(s, id)->first; i < end; i++)
    read_block(s, &s->index.blocks[s->order[i]]);
  for (uint32_t i = 0; i < s->n_queue; i++)
    read_block(s, &s->index.blocks[s->queue[i]]);
}

/* ---- What is kept of it. ---- */

/* Brings together what is about one stack and one holder, most bytes first. */
static int compare_advices(const void *ctx, uint32_t x, uint32_t y) {
  const dmd_advice_t *a = dmd_advices_at(ctx, x), *b = dmd_advices_at(ctx, y);
  if (a->alloc != b->alloc)
    return a->alloc < b->alloc ? -1 : 1;
  if (a->holder_kind != b->holder_kind)
    return a->holder_kind < b->holder_kind ? -1 : 1;
  if (a->reporter != b->reporter)
    return a->reporter < b->reporter ? -1 : 1;
  if (!dmd_advice_same_holder(a, b))
    return a->stack < b->stack ? -1 : 1;
  return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* Sorted advices about one stack and holder: ids[first] to ids[end - 1]. */
typedef struct {
  uint32_t first, end;
  uint64_t bytes;
} run_t;

/* Puts a run among the best, most bytes first. */
static uint32_t keep_best(run_t *best, uint32_t n, run_t run) {
  uint32_t i = n < KEPT_HOLDERS ? n++ : KEPT_HOLDERS;
  for (; i > 0 && best[i - 1].bytes < run.bytes; i--)
    if (i < KEPT_HOLDERS)
      best[i] = best[i - 1];
  if (i < KEPT_HOLDERS)
    best[i] = run;
  return n;
}

static void add_runs(const search_t *s, const uint32_t *ids, const run_t *runs, uint32_t n,
                     dmd_advices_t *found) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = runs[i].first; k < runs[i].end; k++) {
      dmd_advice_t advice = *dmd_advices_at(&s->all, ids[k]);
      if (k - runs[i].first >= KEPT_PLACES) {
        advice.stack = dmd_advices_at(&s->all, ids[runs[i].first])->stack;
        advice.offset = DMD_OFFSET_ANY;
      }
      dmd_advices_add(found, &advice);
    }
}

static void add_best(const search_t *s, dmd_advices_t *found) {
  const dmd_env_t *env = s->live->env;
  uint32_t n = dmd_advices_count(&s->all), n_best = 0;
  uint32_t *ids = dmd_env_alloc(env, "dmd.holders.ids", ((size_t)n + 1) * sizeof *ids);
  for (uint32_t i = 0; i < n; i++)
    ids[i] = i + 1;
  dmd_sort(env, ids, n, compare_advices, &s->all);
  run_t best[KEPT_HOLDERS];
  const dmd_advice_t *before = NULL;
  for (run_t run = {0}; run.first < n; run = (run_t){.first = run.end}) {
    const dmd_advice_t *a = dmd_advices_at(&s->all, ids[run.first]);
    for (run.end = run.first; run.end < n; run.end++) {
      const dmd_advice_t *b = dmd_advices_at(&s->all, ids[run.end]);
      if (a->alloc != b->alloc || !dmd_advice_same_holder(a, b))
        break;
      run.bytes += b->bytes;
    }
    if (before != NULL && (a->alloc != before->alloc || a->holder_kind != before->holder_kind)) {
      add_runs(s, ids, best, n_best, found);
      n_best = 0;
    }
    n_best = keep_best(best, n_best, run);
    before = a;
  }
  add_runs(s, ids, best, n_best, found);
  dmd_env_free(env, ids);
}

void dmd_holders_find(const dmd_live_t *live, dmd_translation_t *ids, const dmd_memory_t *memory,
                      dmd_advices_t *found) {
  const dmd_env_t *env = live->env;
  search_t s = {.live = live, .ids = ids, .memory = memory, .left_szB = MAX_TOTAL_SZB};
  dmd_blockindex_init(&s.index, env, live->blocks);
  dmd_pool_init(&s.groups, env, "dmd.holders.groups", sizeof(group_t));
  dmd_table_init(&s.group_index, env, "dmd.holders.index", group_equal, &s);
  dmd_advices_init(&s.all, env);
  size_t list_szB = ((size_t)s.index.n + 1) * sizeof(uint32_t);
  s.order = dmd_env_alloc(env, "dmd.holders.order", list_szB);
  s.queue = dmd_env_alloc(env, "dmd.holders.queue", list_szB);

  group_blocks(&s);
  for (uint32_t kind = 0; kind < DMD_N_HOLDER_KINDS; kind++)
    for (uint32_t id = 1; id <= s.groups.last; id++)
      if (group_at(&s, id)->kind == kind)
        read_group(&s, id);
  add_best(&s, found);

  dmd_env_free(env, s.queue);
  dmd_env_free(env, s.order);
  dmd_advices_destroy(&s.all);
  dmd_table_destroy(&s.group_index);
  dmd_pool_destroy(&s.groups);
  dmd_blockindex_destroy(&s.index);
}
