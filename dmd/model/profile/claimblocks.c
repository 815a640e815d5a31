/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/claimblocks.h"

/* An amount that a reporter is off by, and the allocation stacks that explain it. */
typedef struct {
  uint32_t reporter;
  uint64_t bytes;
  uint32_t own, n_own;   /* of a block that it reported; number of stacks, up to 2 */
  uint32_t held, n_held; /* of unreported blocks that its blocks point to */
} wanted_t;

/* Unreported blocks from one stack that a reporter's blocks point to. */
typedef struct {
  uint32_t reporter, alloc;
  uint64_t blocks;
} held_t;

/* All unreported blocks from one stack. */
typedef struct {
  uint32_t alloc;
  uint64_t blocks, requested, usable;
} dark_t;

/* The number of sizes that a reporter's fault is compared with. */
typedef struct {
  uint64_t blocks,
      held; /* blocks that it reported; stacks of unreported blocks that it points to */
} candidates_t;

typedef struct {
  const dmd_profile_t *profile;
  dmd_pool_t wanted, held, dark;
  dmd_table_t wanted_index, held_index, dark_index;
  dmd_pool_t candidates; /* by reporter name */
} explainer_t;

/* ---- The tables. ---- */

static wanted_t *wanted_at(const explainer_t *e, uint32_t id) {
  return DMD_POOL_AT(&e->wanted, wanted_t, id);
}

static held_t *held_at(const explainer_t *e, uint32_t id) {
  return DMD_POOL_AT(&e->held, held_t, id);
}

static dark_t *dark_at(const explainer_t *e, uint32_t id) {
  return DMD_POOL_AT(&e->dark, dark_t, id);
}

static bool wanted_equal(const void *owner, uint32_t id, const void *key) {
  const wanted_t *a = wanted_at(owner, id), *b = key;
  return a->reporter == b->reporter && a->bytes == b->bytes;
}

static bool held_equal(const void *owner, uint32_t id, const void *key) {
  const held_t *a = held_at(owner, id), *b = key;
  return a->reporter == b->reporter && a->alloc == b->alloc;
}

static bool dark_equal(const void *owner, uint32_t id, const void *key) {
  return dark_at(owner, id)->alloc == ((const dark_t *)key)->alloc;
}

static void begin(explainer_t *e, const dmd_profile_t *profile) {
  const dmd_env_t *env = profile->env;
  e->profile = profile;
  dmd_pool_init(&e->wanted, env, "dmd.claimblocks", sizeof(wanted_t));
  dmd_pool_init(&e->held, env, "dmd.claimblocks.held", sizeof(held_t));
  dmd_pool_init(&e->dark, env, "dmd.claimblocks.dark", sizeof(dark_t));
  dmd_pool_init(&e->candidates, env, "dmd.claimblocks.candidates", sizeof(candidates_t));
  dmd_table_init(&e->wanted_index, env, "dmd.claimblocks.index", wanted_equal, e);
  dmd_table_init(&e->held_index, env, "dmd.claimblocks.held.index", held_equal, e);
  dmd_table_init(&e->dark_index, env, "dmd.claimblocks.dark.index", dark_equal, e);
  dmd_pool_reach(&e->candidates, dmd_intern_count(&profile->names));
}

static void end(explainer_t *e) {
  dmd_table_destroy(&e->dark_index);
  dmd_table_destroy(&e->held_index);
  dmd_table_destroy(&e->wanted_index);
  dmd_pool_destroy(&e->candidates);
  dmd_pool_destroy(&e->dark);
  dmd_pool_destroy(&e->held);
  dmd_pool_destroy(&e->wanted);
}

static candidates_t *candidates_of(const explainer_t *e, uint32_t reporter) {
  return DMD_POOL_AT(&e->candidates, candidates_t, reporter);
}

static uint64_t hash_wanted(const explainer_t *e, const wanted_t *key) {
  return dmd_hash_u64(dmd_table_hash(&e->wanted_index, key->reporter) ^ key->bytes);
}

/* The amount if this reporter is off by it, else NULL. */
static wanted_t *find_wanted(const explainer_t *e, uint32_t reporter, uint64_t bytes) {
  wanted_t key = {.reporter = reporter, .bytes = bytes};
  uint32_t id = dmd_table_find(&e->wanted_index, hash_wanted(e, &key), &key);
  return id == DMD_NONE ? NULL : wanted_at(e, id);
}

/* ---- Amounts to explain. ---- */

static bool may_have_reason(const dmd_fault_t *fault) {
  return (fault->kind == DMD_FAULT_CLAIM || fault->kind == DMD_FAULT_MEMORY_REPORT) &&
         (fault->reason == DMD_REASON_NONE || fault->reason == DMD_REASON_STRUCT_SIZE) &&
         fault->reporter != DMD_NONE;
}

static uint64_t amount_of(const dmd_fault_t *fault) {
  return dmd_distance(fault->claimed, fault->measured);
}

static void want(explainer_t *e, const dmd_fault_t *fault) {
  wanted_t key = {.reporter = fault->reporter, .bytes = amount_of(fault)};
  if (find_wanted(e, key.reporter, key.bytes) != NULL)
    return;
  uint32_t id = dmd_pool_add(&e->wanted);
  *wanted_at(e, id) = key;
  dmd_table_add(&e->wanted_index, hash_wanted(e, &key), id);
}

/* ---- Candidates. ---- */

/* Adds a stack that fits; of several, any will do. */
static void note_place(uint32_t *place, uint32_t *n, uint32_t alloc) {
  if (*n == 0 || *place != alloc)
    ++*n;
  *place = alloc;
}

static void look_at_reported(explainer_t *e, const dmd_group_t *g) {
  dmd_report_walk_t walk = dmd_reports_walk(&e->profile->reports, g->reports);
  while (dmd_reports_next(&walk)) {
    uint32_t reporter = walk.report->reporter;
    if (reporter == DMD_NONE || walk.is_again)
      continue;
    candidates_of(e, reporter)->blocks += g->num;
    wanted_t *wanted = find_wanted(e, reporter, g->req + g->slop);
    if (wanted != NULL)
      note_place(&wanted->own, &wanted->n_own, g->stack);
  }
}

static void look_at_dark(explainer_t *e, const dmd_group_t *g) {
  dark_t key = {.alloc = g->stack};
  uint32_t id = dmd_table_find(&e->dark_index, dmd_table_hash(&e->dark_index, key.alloc), &key);
  if (id == DMD_NONE)
    return;
  dark_at(e, id)->blocks += g->num;
  dark_at(e, id)->requested += g->num * g->req;
  dark_at(e, id)->usable += g->num * (g->req + g->slop);
}

/* Records the unreported blocks that a reporter's blocks point to, by stack; only for reporters
 * with amounts to explain. */
static void add_held(explainer_t *e, const dmd_hint_t *hint) {
  held_t key = {.reporter = hint->reporter, .alloc = hint->alloc};
  if (hint->referrer_kind != DMD_REFERRER_REPORTED || key.reporter == DMD_NONE ||
      key.alloc == DMD_NONE)
    return;
  uint64_t hash = dmd_table_hash(&e->held_index, (uint64_t)key.reporter << 32 | key.alloc);
  uint32_t id = dmd_table_find(&e->held_index, hash, &key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&e->held);
    *held_at(e, id) = key;
    dmd_table_add(&e->held_index, hash, id);
    candidates_of(e, key.reporter)->held++;
  }
  held_at(e, id)->blocks += hint->blocks;
  dark_t dark = {.alloc = key.alloc};
  hash = dmd_table_hash(&e->dark_index, key.alloc);
  if (dmd_table_find(&e->dark_index, hash, &dark) == DMD_NONE) {
    id = dmd_pool_add(&e->dark);
    *dark_at(e, id) = dark;
    dmd_table_add(&e->dark_index, hash, id);
  }
}

/* If a reporter points to all unreported blocks from a stack, their sum may be the amount. */
static void look_at_held(explainer_t *e, const held_t *held) {
  dark_t key = {.alloc = held->alloc};
  uint32_t id = dmd_table_find(&e->dark_index, dmd_table_hash(&e->dark_index, key.alloc), &key);
  const dark_t *dark = dark_at(e, id);
  if (dark->blocks != held->blocks)
    return;
  const uint64_t sums[] = {dark->requested, dark->usable};
  for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
    wanted_t *wanted = find_wanted(e, held->reporter, sums[i]);
    if (wanted != NULL)
      note_place(&wanted->held, &wanted->n_held, held->alloc);
  }
}

static void look_at_all(explainer_t *e) {
  const dmd_profile_t *profile = e->profile;
  for (uint32_t id = 1; id <= dmd_hints_count(&profile->hints); id++)
    add_held(e, dmd_hints_at(&profile->hints, id));
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *g = dmd_groups_at(&profile->groups, id);
    if (g->stack != DMD_NONE && g->reports != DMD_NONE)
      look_at_reported(e, g);
    else if (g->stack != DMD_NONE)
      look_at_dark(e, g);
  }
  for (uint32_t id = 1; id <= e->held.last; id++)
    look_at_held(e, held_at(e, id));
}

/* ---- Reasons. ---- */

/* Whether so many candidates would rarely fit an amount of this size by chance. */
static bool is_no_chance(uint64_t candidates, uint64_t bytes) {
  enum { STEP = 8, SELDOM = 8 };
  return candidates <= bytes / (STEP * SELDOM);
}

static bool explain(const explainer_t *e, dmd_fault_t *fault) {
  const wanted_t *wanted = find_wanted(e, fault->reporter, amount_of(fault));
  const candidates_t *n = candidates_of(e, fault->reporter);
  bool too_much = fault->claimed > fault->measured;
  if (wanted->n_own == 1 && is_no_chance(n->blocks, wanted->bytes)) {
    fault->reason = too_much ? DMD_REASON_BLOCK_TWICE : DMD_REASON_BLOCK_LEFT_OUT;
    fault->allocated = wanted->own;
    return true;
  }
  /* two sums are compared for each stack */
  if (too_much && wanted->n_held == 1 && is_no_chance(2 * n->held, wanted->bytes)) {
    fault->reason = DMD_REASON_HELD_BLOCKS;
    fault->allocated = wanted->held;
    return true;
  }
  return false;
}

static void explain_all(explainer_t *e, dmd_faults_t *faults) {
  uint32_t n = dmd_faults_count(faults), n_explained = 0;
  dmd_fault_t *list = dmd_faults_list(faults);
  for (uint32_t i = 0; i < n; i++)
    if (may_have_reason(&list[i]))
      n_explained += explain(e, &list[i]);
  if (n_explained > 0)
    dmd_faults_replace(faults, list, n);
  dmd_env_free(faults->pool.env, list);
}

void dmd_claimblocks_explain(dmd_profile_t *profile) {
  explainer_t e;
  if (dmd_profile_is_sampled(profile))
    return; /* sums of blocks are estimates */
  begin(&e, profile);
  for (uint32_t id = 1; id <= dmd_faults_count(&profile->faults); id++)
    if (may_have_reason(dmd_faults_at(&profile->faults, id)))
      want(&e, dmd_faults_at(&profile->faults, id));
  if (e.wanted.last > 0) {
    look_at_all(&e);
    explain_all(&e, &profile->faults);
  }
  end(&e);
}
