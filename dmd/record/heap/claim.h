/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claim.h: compares what each open reporter measured with what it claims.
 *
 * Each open reporter has a claim: the sum of the sizes that its reports returned, including those
 * of nested reporters unless it is exclusive. The claim is judged when the reporter ends. If the
 * claimed value differs from the sum, the difference is compared with likely causes (a nested
 * reporter, the reports of one place, slop ...), and the reason becomes part of the fault. A claim
 * that is wrong only because nested claims are wrong is not a fault of its own.
 *
 * Call order: open, any notes, judge, then close (adds the result to the enclosing claim) or
 * discard. The details kept for a claim are bounded (DMD_MAX_CLAIM_... in limits.h): anything
 * beyond is counted but never named as a reason.
 *
 * Concurrency: one thread at a time. All claims lie in one pool, and a thread that begins a
 * reporter that another thread is in also marks the other's claim.
 */
#ifndef DMD_RECORD_HEAP_CLAIM_H
#define DMD_RECORD_HEAP_CLAIM_H

#include "model/profile/fault.h"

typedef struct dmd_claim {
  uint64_t measured, requested; /* usable and requested bytes of the blocks reported */
  uint64_t of_children;         /* the portion that nested reporters measured */
  uint64_t off;                 /* total error of nested claims (modulo 2^64) */
  uint64_t own;      /* everything its thread reported meanwhile, whether or not it counts */
  uint64_t begun;    /* what all threads together had reported when it began */
  uint64_t asked;    /* sum of what malloc_usable_size returned to its thread meanwhile */
  uint64_t optional; /* bytes that may, but need not, be claimed in addition */
  uint64_t counted;  /* the portion of measured that was reported on allocation */
  uint64_t kept;     /* set by the owner: bytes that may be claimed in addition as a sum that the
                        program keeps */
  uint32_t children, n_children; /* newest entry of each list, and its length */
  uint32_t places, n_places;
  uint32_t
      no_block; /* something that is not a block was reported: its name, see fault.h's memory */
  uint32_t n_joined; /* scopes of other threads that add to it */
  uint64_t serial;   /* counts all claims ever opened, from 1 */
  bool exclusive;    /* blocks of nested reporters do not count */
  bool concurrent;   /* another thread was in the same reporter meanwhile */
  bool ignored;      /* set by the owner: nothing is reported, and nothing claimed */
} dmd_claim_t;

typedef struct dmd_claims {
  uint64_t reported; /* set by the owner: bytes that all threads have reported so far */
  dmd_pool_t open;   /* of dmd_claim_t */
  dmd_pool_t parts;  /* the entries of both lists */
  uint64_t n_opened;
} dmd_claims_t;

void dmd_claims_init(dmd_claims_t *claims, const dmd_env_t *env);
void dmd_claims_destroy(dmd_claims_t *claims);

/* Returns the id of a new claim. */
uint32_t dmd_claims_open(dmd_claims_t *claims, bool exclusive);

static inline dmd_claim_t *dmd_claims_at(const dmd_claims_t *claims, uint32_t id) {
  return DMD_POOL_AT(&claims->open, dmd_claim_t, id);
}

/* Adds a block that was reported at this stack. */
void dmd_claims_note_report(dmd_claims_t *claims, uint32_t id, uint64_t usable, uint64_t requested,
                            uint32_t stack);

/* Iterates over the recorded places where blocks were reported: the one after `place` (DMD_NONE:
 * the first), or DMD_NONE at the end; and the stack of a place. */
uint32_t dmd_claims_next_place(const dmd_claims_t *claims, uint32_t id, uint32_t place);
uint32_t dmd_claims_place_stack(const dmd_claims_t *claims, uint32_t place);

/* The reporter ends and claims this many bytes. Returns true if the claim is wrong: *fault then
 * gets kind, reason and related fields; its other fields stay as they are. */
bool dmd_claims_judge(const dmd_claims_t *claims, uint32_t id, uint64_t claimed,
                      dmd_fault_t *fault);

/* Ends the claim and adds what it measured to outer, the enclosing claim (DMD_NONE: none), under
 * this name. */
void dmd_claims_close(dmd_claims_t *claims, uint32_t id, uint32_t outer, uint32_t name);

/* Like dmd_claims_close, for a reporter that ended without a claim: the enclosing reporter may
 * include what it measured or leave it out. */
void dmd_claims_discard(dmd_claims_t *claims, uint32_t id, uint32_t outer);

#endif
