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
  return dmd_hints_at(&j->l->collected_hints, j->order[i]);
}

static dmd_hint_t hint_at(const joining_t *j, uint32_t i) {
  dmd_hint_t hint = *raw_at(j, i);
  hint.alloc = j->stacks[hint.alloc];
  hint.stack = j->stacks[hint.stack];
  return hint;
}

/* ---- Order: by allocation stack of the blocks, by merged referrer, by original referrer. ---- */

static int difference(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* The stack that identifies a referrer; DMD_NONE: its name does. */
static uint32_t referrer_stack(const dmd_hint_t *a) {
  return a->reporter == DMD_NONE ? a->stack : DMD_NONE;
}

static int compare(const void *ctx, uint32_t id_a, uint32_t id_b) {
  const joining_t *j = ctx;
  const dmd_hint_t *a = dmd_hints_at(&j->l->collected_hints, id_a);
  const dmd_hint_t *b = dmd_hints_at(&j->l->collected_hints, id_b);
  int order = difference(j->stacks[a->alloc], j->stacks[b->alloc]);
  if (order == 0)
    order = difference(a->referrer_kind, b->referrer_kind);
  if (order == 0)
    order = difference(a->reporter, b->reporter);
  if (order == 0)
    order = difference(j->stacks[referrer_stack(a)], j->stacks[referrer_stack(b)]);
  if (order == 0)
    order = difference(referrer_stack(a), referrer_stack(b));
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

static uint32_t end_of_referrer(const joining_t *j, uint32_t from, uint32_t end) {
  dmd_hint_t first = hint_at(j, from);
  for (uint32_t i = from + 1; i < end; i++) {
    dmd_hint_t other = hint_at(j, i);
    if (!dmd_hint_same_referrer(&first, &other))
      return i;
  }
  return end;
}

/* Counts the referrer's blocks that refer to any, and the blocks that are like these. For each
 * original referrer, the file repeats the count of like blocks in its hints, so the maximum
 * counts. */
static void count_referrers(const joining_t *j, uint32_t from, uint32_t end, dmd_hint_t *sum) {
  sum->referrers = sum->referrers_alike = 0;
  while (from < end) {
    uint32_t was = referrer_stack(raw_at(j, from));
    uint64_t referrers = 0, alike = 0;
    for (; from < end && referrer_stack(raw_at(j, from)) == was; from++) {
      const dmd_hint_t *raw = raw_at(j, from);
      referrers += raw->referrers;
      alike = alike > raw->referrers_alike ? alike : raw->referrers_alike;
    }
    sum->referrers += least(referrers, alike);
    sum->referrers_alike += alike;
  }
}

/* hanging: blocks that depend on this referrer's blocks. */
static void add_referrer(const joining_t *j, uint32_t from, uint32_t end, amount_t hanging) {
  dmd_hint_t counts = {0};
  count_referrers(j, from, end, &counts);
  amount_t left = j->unreported[hint_at(j, from).alloc];
  for (uint32_t i = from; i < end; i++) {
    dmd_hint_t hint = hint_at(j, i);
    hint.blocks = least(hint.blocks + hanging.blocks, left.blocks);
    hint.bytes = least(hint.bytes + hanging.bytes, left.bytes);
    hint.pointed = least(hint.pointed, hint.blocks);
    hint.referrers = counts.referrers;
    hint.referrers_alike = counts.referrers_alike;
    if (hint.blocks == 0)
      continue;
    left.blocks -= hint.blocks;
    left.bytes -= hint.bytes;
    hanging = (amount_t){0, 0};
    counts.referrers = counts.referrers_alike = 0;
    dmd_hints_add(&j->l->profile->hints, &hint);
  }
}

/* ---- All hints about the blocks of one place. ---- */

static bool holds_its_likes(const dmd_hint_t *hint) {
  return hint->referrer_kind == DMD_REFERRER_UNREPORTED && hint->stack == hint->alloc;
}

static bool is_referrer(const dmd_hint_t *hint) {
  return hint->referrer_kind == DMD_REFERRER_REPORTED ||
         hint->referrer_kind == DMD_REFERRER_UNREPORTED;
}

/* The blocks referred to by blocks like themselves, if they depend on exactly one other
 * referrer. */
static amount_t count_hanging(const joining_t *j, uint32_t from, uint32_t end) {
  amount_t hanging = {0, 0};
  uint32_t n_others = 0;
  while (from < end) {
    uint32_t next = end_of_referrer(j, from, end);
    dmd_hint_t first = hint_at(j, from);
    n_others += is_referrer(&first) && !holds_its_likes(&first);
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
    uint32_t next = end_of_referrer(j, from, end);
    dmd_hint_t first = hint_at(j, from);
    if (!holds_its_likes(&first))
      add_referrer(j, from, next, is_referrer(&first) ? hanging : (amount_t){0, 0});
    from = next;
  }
}

void dmd_load_join_hints(dmd_readerstate_t *l, const uint32_t *stacks) {
  uint32_t n = dmd_hints_count(&l->collected_hints);
  joining_t j = {.l = l, .stacks = stacks, .unreported = count_unreported(l)};
  j.order = dmd_sorted_ids(l->env, n, compare, &j);
  for (uint32_t from = 0, end; from < n; from = end) {
    uint32_t alloc = hint_at(&j, from).alloc;
    for (end = from + 1; end < n && hint_at(&j, end).alloc == alloc;)
      end++;
    add_place(&j, from, end);
  }
  dmd_env_free(l->env, j.order);
  dmd_env_free(l->env, j.unreported);
}
