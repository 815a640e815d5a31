/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Merges hints whose stacks became equal.
 *
 * The file counts blocks for each stack separately (model/profile/hint.h), and one block may be in
 * several of these counts. The merged counts are:
 * - the counts of all stacks of a referrer and of the blocks it refers to are added up, limited to
 *   the number of unreported blocks;
 * - blocks that now look like their referrer are parts of one structure, such as a list built by
 *   two calls on one line. They depend on the other referrers to blocks of that place. If there is
 *   exactly one, they are counted as its own;
 * - the number of a referrer's blocks that refer to any of these has no known minimum, but it is at
 *   most the number of blocks that are like the referrer.
 */
#include "files/profile/readerstate.h"

#include "base/mem.h"
#include "base/sort.h"

typedef struct {
  uint64_t blocks, bytes;
} amount_t;

typedef struct {
  dmd_readerstate_t *l;
  const uint32_t *stacks; /* by trace number */
  amount_t *unreported;   /* by stack */
  uint32_t *order;        /* of the hints that were read */
} joining_t;

static const dmd_hint_t *raw_at(const joining_t *j, uint32_t i) {
  return dmd_hints_at(&j->l->collected_advices, j->order[i]);
}

static dmd_hint_t advice_at(const joining_t *j, uint32_t i) {
  dmd_hint_t advice = *raw_at(j, i);
  advice.alloc = j->stacks[advice.alloc];
  advice.stack = j->stacks[advice.stack];
  return advice;
}

/* ---- Order: by allocation stack of the blocks, by merged referrer, by original referrer. ---- */

static int difference(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* The stack that identifies a referrer; DMD_NONE: its name does. */
static uint32_t holder_stack(const dmd_hint_t *a) {
  return a->reporter == DMD_NONE ? a->stack : DMD_NONE;
}

static int compare(const void *ctx, uint32_t id_a, uint32_t id_b) {
  const joining_t *j = ctx;
  const dmd_hint_t *a = dmd_hints_at(&j->l->collected_advices, id_a);
  const dmd_hint_t *b = dmd_hints_at(&j->l->collected_advices, id_b);
  int order = difference(j->stacks[a->alloc], j->stacks[b->alloc]);
  if (order == 0)
    order = difference(a->holder_kind, b->holder_kind);
  if (order == 0)
    order = difference(a->reporter, b->reporter);
  if (order == 0)
    order = difference(j->stacks[holder_stack(a)], j->stacks[holder_stack(b)]);
  if (order == 0)
    order = difference(holder_stack(a), holder_stack(b));
  return order != 0 ? order : difference(id_a, id_b);
}

/* ---- Unreported blocks. ---- */

static amount_t *count_unreported(const dmd_readerstate_t *l) {
  const dmd_profile_t *profile = l->profile;
  size_t szB = (dmd_intern_count(&profile->stacks) + 1ul) * sizeof(amount_t);
  amount_t *amounts = dmd_env_alloc(l->env, "dmd.load.advices", szB);
  dmd_mem_zero(amounts, szB);
  for (uint32_t id = 1; id <= dmd_groups_count(&profile->groups); id++) {
    const dmd_group_t *group = dmd_groups_at(&profile->groups, id);
    if (group->reports != DMD_NONE)
      continue;
    amounts[group->stack].blocks += group->num;
    amounts[group->stack].bytes += group->num * (group->req + group->slop);
  }
  return amounts;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* ---- One referrer to the blocks of one place: hints `from` to `end`, exclusive. ---- */

static uint32_t end_of_holder(const joining_t *j, uint32_t from, uint32_t end) {
  dmd_hint_t first = advice_at(j, from);
  for (uint32_t i = from + 1; i < end; i++) {
    dmd_hint_t other = advice_at(j, i);
    if (!dmd_hint_same_holder(&first, &other))
      return i;
  }
  return end;
}

/* Counts the referrer's blocks that refer to any, and the blocks that are like these. For each
 * original referrer, the file repeats the count of like blocks in its hints, so the maximum
 * counts. */
static void count_holders(const joining_t *j, uint32_t from, uint32_t end, dmd_hint_t *sum) {
  sum->holders = sum->holders_alike = 0;
  while (from < end) {
    uint32_t was = holder_stack(raw_at(j, from));
    uint64_t holders = 0, alike = 0;
    for (; from < end && holder_stack(raw_at(j, from)) == was; from++) {
      const dmd_hint_t *raw = raw_at(j, from);
      holders += raw->holders;
      alike = alike > raw->holders_alike ? alike : raw->holders_alike;
    }
    sum->holders += least(holders, alike);
    sum->holders_alike += alike;
  }
}

/* hanging: blocks that depend on this referrer's blocks. */
static void add_holder(const joining_t *j, uint32_t from, uint32_t end, amount_t hanging) {
  dmd_hint_t counts = {0};
  count_holders(j, from, end, &counts);
  amount_t left = j->unreported[advice_at(j, from).alloc];
  for (uint32_t i = from; i < end; i++) {
    dmd_hint_t advice = advice_at(j, i);
    advice.blocks = least(advice.blocks + hanging.blocks, left.blocks);
    advice.bytes = least(advice.bytes + hanging.bytes, left.bytes);
    advice.pointed = least(advice.pointed, advice.blocks);
    advice.holders = counts.holders;
    advice.holders_alike = counts.holders_alike;
    if (advice.blocks == 0)
      continue;
    left.blocks -= advice.blocks;
    left.bytes -= advice.bytes;
    hanging = (amount_t){0, 0};
    counts.holders = counts.holders_alike = 0;
    dmd_hints_add(&j->l->profile->advices, &advice);
  }
}

/* ---- All hints about the blocks of one place. ---- */

static bool holds_its_likes(const dmd_hint_t *advice) {
  return advice->holder_kind == DMD_HOLDER_UNREPORTED && advice->stack == advice->alloc;
}

static bool is_holder(const dmd_hint_t *advice) {
  return advice->holder_kind == DMD_HOLDER_REPORTED || advice->holder_kind == DMD_HOLDER_UNREPORTED;
}

/* The blocks referred to by blocks like themselves, if they depend on exactly one other
 * referrer. */
static amount_t count_hanging(const joining_t *j, uint32_t from, uint32_t end) {
  amount_t hanging = {0, 0};
  uint32_t n_others = 0;
  while (from < end) {
    uint32_t next = end_of_holder(j, from, end);
    dmd_hint_t first = advice_at(j, from);
    n_others += is_holder(&first) && !holds_its_likes(&first);
    for (; from < next; from++)
      if (holds_its_likes(&first)) {
        hanging.blocks += raw_at(j, from)->blocks;
        hanging.bytes += raw_at(j, from)->bytes;
      }
  }
  return n_others == 1 ? hanging : (amount_t){0, 0};
}

static void add_place(const joining_t *j, uint32_t from, uint32_t end) {
  amount_t hanging = count_hanging(j, from, end);
  while (from < end) {
    uint32_t next = end_of_holder(j, from, end);
    dmd_hint_t first = advice_at(j, from);
    if (!holds_its_likes(&first))
      add_holder(j, from, next, is_holder(&first) ? hanging : (amount_t){0, 0});
    from = next;
  }
}

void dmd_load_join_advices(dmd_readerstate_t *l, const uint32_t *stacks) {
  uint32_t n = dmd_hints_count(&l->collected_advices);
  joining_t j = {.l = l, .stacks = stacks, .unreported = count_unreported(l)};
  j.order = dmd_sorted_ids(l->env, n, compare, &j);
  for (uint32_t from = 0, end; from < n; from = end) {
    uint32_t alloc = advice_at(&j, from).alloc;
    for (end = from + 1; end < n && advice_at(&j, end).alloc == alloc;)
      end++;
    add_place(&j, from, end);
  }
  dmd_env_free(l->env, j.order);
  dmd_env_free(l->env, j.unreported);
}
