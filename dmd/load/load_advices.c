/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Advices of stacks that became one.
 *
 * Blocks were counted for each stack by itself (profile/advice.h), and may be in several of these
 * counts. What can be said of them together:
 * - of a holder's stacks and of the stacks of what they hold, the counts are added up, as far as
 *   there are so many unreported blocks;
 * - blocks that look like their holder now are parts of one structure, such as a list that two
 *   calls on one line make. They hang on whoever else holds blocks of the place. If that is one
 *   holder, they are counted as its own;
 * - of a holder's blocks that hold any of these the least is not known, but never are they more
 *   than its likes.
 */
#include "load/loader.h"

#include "base/mem.h"
#include "base/sort.h"

typedef struct {
  uint64_t blocks, bytes;
} amount_t;

typedef struct {
  dmd_loader_t *l;
  const uint32_t *stacks; /* by the number of a trace */
  amount_t *unreported;   /* by stack */
  uint32_t *order;        /* of the advices that were read */
} joining_t;

static const dmd_advice_t *raw_at(const joining_t *j, uint32_t i) {
  return dmd_advices_at(&j->l->collected_advices, j->order[i]);
}

static dmd_advice_t advice_at(const joining_t *j, uint32_t i) {
  dmd_advice_t advice = *raw_at(j, i);
  advice.alloc = j->stacks[advice.alloc];
  advice.stack = j->stacks[advice.stack];
  return advice;
}

/* ---- Their order: by whose blocks they are about, by holder as it is now, and as it was. ---- */

static int difference(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* The stack that a holder is known by; DMD_NONE: it is known by its name. */
static uint32_t holder_stack(const dmd_advice_t *a) {
  return a->reporter == DMD_NONE ? a->stack : DMD_NONE;
}

static int compare(const void *ctx, uint32_t id_a, uint32_t id_b) {
  const joining_t *j = ctx;
  const dmd_advice_t *a = dmd_advices_at(&j->l->collected_advices, id_a);
  const dmd_advice_t *b = dmd_advices_at(&j->l->collected_advices, id_b);
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

/* ---- What there is to hold. ---- */

static amount_t *count_unreported(const dmd_loader_t *l) {
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

/* ---- One holder of one place's blocks: from this advice to before that one. ---- */

static uint32_t end_of_holder(const joining_t *j, uint32_t from, uint32_t end) {
  dmd_advice_t first = advice_at(j, from);
  for (uint32_t i = from + 1; i < end; i++) {
    dmd_advice_t other = advice_at(j, i);
    if (!dmd_advice_same_holder(&first, &other))
      return i;
  }
  return end;
}

/* How many of its blocks hold any, and how many are like these. Of what was one holder before the
 * blocks that are alike were counted for each place that it holds blocks of. */
static void count_holders(const joining_t *j, uint32_t from, uint32_t end, dmd_advice_t *sum) {
  sum->holders = sum->holders_alike = 0;
  while (from < end) {
    uint32_t was = holder_stack(raw_at(j, from));
    uint64_t holders = 0, alike = 0;
    for (; from < end && holder_stack(raw_at(j, from)) == was; from++) {
      const dmd_advice_t *raw = raw_at(j, from);
      holders += raw->holders;
      alike = alike > raw->holders_alike ? alike : raw->holders_alike;
    }
    sum->holders += least(holders, alike);
    sum->holders_alike += alike;
  }
}

/* hanging: blocks that hang on this holder's. */
static void add_holder(const joining_t *j, uint32_t from, uint32_t end, amount_t hanging) {
  dmd_advice_t counts = {0};
  count_holders(j, from, end, &counts);
  amount_t left = j->unreported[advice_at(j, from).alloc];
  for (uint32_t i = from; i < end; i++) {
    dmd_advice_t advice = advice_at(j, i);
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
    dmd_advices_add(&j->l->profile->advices, &advice);
  }
}

/* ---- All about one place's blocks. ---- */

static bool holds_its_likes(const dmd_advice_t *advice) {
  return advice->holder_kind == DMD_HOLDER_UNREPORTED && advice->stack == advice->alloc;
}

static bool is_holder(const dmd_advice_t *advice) {
  return advice->holder_kind == DMD_HOLDER_REPORTED || advice->holder_kind == DMD_HOLDER_UNREPORTED;
}

/* What its own likes hold, if it is clear on whom that hangs. */
static amount_t count_hanging(const joining_t *j, uint32_t from, uint32_t end) {
  amount_t hanging = {0, 0};
  uint32_t n_others = 0;
  while (from < end) {
    uint32_t next = end_of_holder(j, from, end);
    dmd_advice_t first = advice_at(j, from);
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
    dmd_advice_t first = advice_at(j, from);
    if (!holds_its_likes(&first))
      add_holder(j, from, next, is_holder(&first) ? hanging : (amount_t){0, 0});
    from = next;
  }
}

void dmd_load_join_advices(dmd_loader_t *l, const uint32_t *stacks) {
  uint32_t n = dmd_advices_count(&l->collected_advices);
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
