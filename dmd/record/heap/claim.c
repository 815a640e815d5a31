/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/claim.h"

#include "base/limits.h"
#include "base/mem.h"

/* A portion of the measured bytes: from one nested reporter or from one place. */
typedef struct {
  uint32_t next; /* next older portion */
  uint32_t name; /* the nested reporter's name, or the place's stack */
  uint64_t measured;
} part_t;

static part_t *part_at(const dmd_claims_t *claims, uint32_t id) {
  return DMD_POOL_AT(&claims->parts, part_t, id);
}

void dmd_claims_init(dmd_claims_t *claims, const dmd_env_t *env) {
  claims->reported = 0;
  claims->n_opened = 0;
  dmd_pool_init(&claims->open, env, "dmd.claims", sizeof(dmd_claim_t));
  dmd_pool_init(&claims->parts, env, "dmd.claims.parts", sizeof(part_t));
}

void dmd_claims_destroy(dmd_claims_t *claims) {
  dmd_pool_destroy(&claims->parts);
  dmd_pool_destroy(&claims->open);
}

uint32_t dmd_claims_open(dmd_claims_t *claims, bool exclusive) {
  uint32_t id = dmd_pool_add(&claims->open);
  *dmd_claims_at(claims, id) = (dmd_claim_t){
      .serial = ++claims->n_opened, .exclusive = exclusive, .begun = claims->reported};
  return id;
}

static void add_part(dmd_claims_t *claims, uint32_t *list, uint32_t name, uint64_t measured) {
  uint32_t id = dmd_pool_add(&claims->parts);
  *part_at(claims, id) = (part_t){.next = *list, .name = name, .measured = measured};
  *list = id;
}

static void free_parts(dmd_claims_t *claims, uint32_t id) {
  while (id != DMD_NONE) {
    uint32_t next = part_at(claims, id)->next;
    dmd_pool_release(&claims->parts, id);
    id = next;
  }
}

/* Adds to the bytes measured at one place. */
static void add_place(dmd_claims_t *claims, dmd_claim_t *claim, uint32_t stack, uint64_t measured) {
  for (uint32_t id = claim->places; id != DMD_NONE; id = part_at(claims, id)->next)
    if (part_at(claims, id)->name == stack) {
      part_at(claims, id)->measured += measured;
      return;
    }
  if (claim->n_places == DMD_MAX_CLAIM_PLACES)
    return;
  add_part(claims, &claim->places, stack, measured);
  claim->n_places++;
}

void dmd_claims_note_report(dmd_claims_t *claims, uint32_t id, uint64_t usable, uint64_t requested,
                            uint32_t stack) {
  dmd_claim_t *claim = dmd_claims_at(claims, id);
  claim->measured += usable;
  claim->own += usable;
  claim->requested += requested;
  add_place(claims, claim, stack, usable);
}

uint32_t dmd_claims_next_place(const dmd_claims_t *claims, uint32_t id, uint32_t place) {
  return place == DMD_NONE ? dmd_claims_at(claims, id)->places : part_at(claims, place)->next;
}

uint32_t dmd_claims_place_stack(const dmd_claims_t *claims, uint32_t place) {
  return part_at(claims, place)->name;
}

/* ---- Judging. ---- */

/* The nested reporter that measured exactly this many bytes; DMD_NONE if no or several names
 * match. */
static uint32_t find_child(const dmd_claims_t *claims, const dmd_claim_t *claim, uint64_t bytes) {
  uint32_t found = DMD_NONE;
  for (uint32_t id = claim->children; id != DMD_NONE; id = part_at(claims, id)->next) {
    const part_t *child = part_at(claims, id);
    if (child->measured != bytes || child->name == found)
      continue;
    if (found != DMD_NONE)
      return DMD_NONE;
    found = child->name;
  }
  return found;
}

/* The place where exactly this many bytes were reported, or the first of a few successive places
 * that add up to it, as in a function that measures one object. DMD_NONE if no or several places
 * match. */
static uint32_t find_places(const dmd_claims_t *claims, const dmd_claim_t *claim, uint64_t bytes) {
  enum { MAX_RUN = 8 };
  uint32_t found = DMD_NONE, shortest = MAX_RUN + 1, n_found = 0;
  for (uint32_t newest = claim->places; newest != DMD_NONE;
       newest = part_at(claims, newest)->next) {
    uint64_t sum = 0;
    uint32_t length = 0, id = newest;
    for (; id != DMD_NONE && length < shortest; id = part_at(claims, id)->next) {
      sum += part_at(claims, id)->measured;
      length++;
      if (sum >= bytes)
        break;
    }
    if (sum != bytes || id == DMD_NONE || length > shortest)
      continue;
    n_found = length < shortest ? 1 : n_found + 1;
    shortest = length;
    found = part_at(claims, id)->name;
  }
  return n_found == 1 ? found : DMD_NONE;
}

/* The unit or type width that would turn the measured value into the claimed one. Small numbers
 * prove nothing. */
static dmd_reason_t reason_of_unit(uint64_t measured, uint64_t claimed) {
  enum { LEAST = 4, KIB = 1024, WORD = 8, BITS = 8 };
  if (measured == 0 || claimed < LEAST)
    return DMD_REASON_NONE;
  if (claimed == measured / KIB || claimed == (measured + KIB - 1) / KIB)
    return DMD_REASON_IN_KIB;
  if (measured <= UINT64_MAX / BITS && claimed == measured * BITS)
    return DMD_REASON_IN_BITS;
  if (claimed <= UINT64_MAX / WORD && claimed * WORD == measured)
    return DMD_REASON_IN_WORDS;
  if (claimed == (uint16_t)measured)
    return DMD_REASON_WRAPPED_16;
  return (claimed - measured) << 32 == 0 ? DMD_REASON_WRAPPED_32 : DMD_REASON_NONE;
}

/* The reason for a claim that is not a size at all. */
static dmd_reason_t reason_of_negative(uint64_t measured, uint64_t claimed) {
  if (claimed == (uint64_t)(int16_t)measured)
    return DMD_REASON_WRAPPED_16;
  return claimed == (uint64_t)(int32_t)measured ? DMD_REASON_WRAPPED_32 : DMD_REASON_NEGATIVE;
}

static dmd_reason_t reason_of_too_little(const dmd_claims_t *claims, const dmd_claim_t *claim,
                                         dmd_fault_t *fault) {
  uint64_t missing = fault->bytes;
  fault->scope = find_child(claims, claim, missing);
  if (fault->scope != DMD_NONE)
    return DMD_REASON_CHILD_LEFT_OUT;
  if (missing == claim->of_children)
    return DMD_REASON_CHILDREN_LEFT_OUT;
  fault->reported = find_places(claims, claim, missing);
  if (fault->reported != DMD_NONE)
    return DMD_REASON_REPORTS_LEFT_OUT;
  return claim->concurrent ? DMD_REASON_CONCURRENT
                           : reason_of_unit(fault->measured, fault->claimed);
}

/* Bytes that other threads reported while the reporter was open. */
static uint64_t of_other_threads(const dmd_claims_t *claims, const dmd_claim_t *claim) {
  return claims->reported - claim->begun - claim->own;
}

static dmd_reason_t reason_of_too_much(const dmd_claims_t *claims, const dmd_claim_t *claim,
                                       dmd_fault_t *fault) {
  uint64_t excess = fault->bytes;
  if (claim->concurrent)
    return DMD_REASON_CONCURRENT;
  if (excess == claim->asked)
    return DMD_REASON_USABLE_SIZE;
  if (excess == of_other_threads(claims, claim))
    return DMD_REASON_OTHER_THREADS;
  if (excess == fault->measured && excess > 0)
    return DMD_REASON_TWICE;
  fault->scope = find_child(claims, claim, excess);
  if (fault->scope != DMD_NONE)
    return DMD_REASON_CHILD_TWICE;
  fault->reported = find_places(claims, claim, excess);
  if (fault->reported != DMD_NONE)
    return DMD_REASON_REPORTS_TWICE;
  if (claim->no_block != DMD_NONE && excess <= DMD_MAX_STRUCTURE) {
    fault->memory = claim->no_block;
    return DMD_REASON_NOT_A_BLOCK;
  }
  if (fault->measured == 0)
    return DMD_REASON_NOT_MEASURED;
  dmd_reason_t unit = reason_of_unit(fault->measured, fault->claimed);
  if (unit != DMD_REASON_NONE)
    return unit;
  return excess <= DMD_MAX_STRUCTURE && excess % 4 == 0 ? DMD_REASON_STRUCT_SIZE : DMD_REASON_NONE;
}

bool dmd_claims_judge(const dmd_claims_t *claims, uint32_t id, uint64_t claimed,
                      dmd_fault_t *fault) {
  const dmd_claim_t *claim = dmd_claims_at(claims, id);
  uint64_t measured = claim->measured;
  if (claimed == measured || claimed == measured + claim->optional ||
      claimed == measured + claim->kept || claimed == measured + claim->off)
    return false;
  if (dmd_distance(claimed, measured + claim->kept) < dmd_distance(claimed, measured))
    measured += claim->kept;
  fault->kind = DMD_FAULT_CLAIM;
  fault->claimed = claimed;
  fault->measured = measured;
  fault->bytes = dmd_distance(claimed, measured);
  if (claimed == 0)
    fault->reason = DMD_REASON_CLAIMED_NOTHING;
  else if (claimed > INT64_MAX)
    fault->reason = reason_of_negative(measured, claimed);
  else if (claimed == claim->requested)
    fault->reason = DMD_REASON_REQUESTED;
  else if (claimed < measured)
    fault->reason = reason_of_too_little(claims, claim, fault);
  else
    fault->reason = reason_of_too_much(claims, claim, fault);
  return true;
}

/* ---- The end. ---- */

static void release(dmd_claims_t *claims, uint32_t id) {
  const dmd_claim_t *claim = dmd_claims_at(claims, id);
  free_parts(claims, claim->children);
  free_parts(claims, claim->places);
  dmd_pool_release(&claims->open, id);
}

/* Older places first, so that successive ones stay successive. */
static void hand_over_places(dmd_claims_t *claims, const dmd_claim_t *claim, dmd_claim_t *outer) {
  uint32_t order[DMD_MAX_CLAIM_PLACES], n = 0;
  for (uint32_t id = claim->places; id != DMD_NONE; id = part_at(claims, id)->next)
    order[n++] = id;
  while (n-- > 0) {
    const part_t *place = part_at(claims, order[n]);
    add_place(claims, outer, place->name, place->measured);
  }
}

void dmd_claims_close(dmd_claims_t *claims, uint32_t id, uint32_t outer_id, uint32_t name) {
  if (outer_id != DMD_NONE) {
    const dmd_claim_t *claim = dmd_claims_at(claims, id);
    dmd_claim_t *outer = dmd_claims_at(claims, outer_id);
    outer->own += claim->own;
    outer->asked += claim->asked;
    if (outer->n_children < DMD_MAX_CLAIM_REPORTERS) {
      add_part(claims, &outer->children, name, claim->measured);
      outer->n_children++;
    }
    if (!outer->exclusive) {
      outer->measured += claim->measured;
      outer->of_children += claim->measured;
      outer->off += claim->off;
      outer->requested += claim->requested;
      outer->optional += claim->optional;
      hand_over_places(claims, claim, outer);
      if (outer->no_block == DMD_NONE)
        outer->no_block = claim->no_block;
    }
  }
  release(claims, id);
}

void dmd_claims_discard(dmd_claims_t *claims, uint32_t id, uint32_t outer) {
  const dmd_claim_t *claim = dmd_claims_at(claims, id);
  if (outer != DMD_NONE) {
    dmd_claims_at(claims, outer)->optional += claim->measured + claim->optional;
    dmd_claims_at(claims, outer)->own += claim->own;
    dmd_claims_at(claims, outer)->asked += claim->asked;
  }
  release(claims, id);
}
