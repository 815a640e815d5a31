/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claim.h: what was measured in each open reporter, to be compared with what it claims.
 *
 * A reporter that is open has a claim in the making: the sum of what its reports returned, those of
 * reporters within it included unless it is exclusive. When it ends, its claim is judged: if the
 * sum is another, the difference is compared with what may have caused it (one of the reporters
 * within it, the reports of one place, slop ...), and the reason is part of the fault. A claim
 * that is off only because the claims within it are off is not a fault of its own.
 *
 * Order: open, any notes, judge, then close (the reporter around it gets what this one measured) or
 * discard. What a claim keeps of its parts is bounded (DMD_MAX_CLAIM_... in limits.h): what
 * comes beyond that counts but is never a reason.
 *
 * Concurrency: nothing locks; one thread at a time. A claim belongs to the thread whose reporter it
 * is of, but all lie in one pool, and a thread that begins the reporter that another one is in
 * marks the other's claim, too.
 */
#ifndef DMD_LIVE_CLAIM_H
#define DMD_LIVE_CLAIM_H

#include "profile/fault.h"

typedef struct dmd_claim {
  uint64_t measured, requested; /* usable and requested bytes of the blocks reported */
  uint64_t of_children;         /* what of it reporters within this one measured */
  uint64_t off;                 /* by how much the claims within it are off (modulo 2^64) */
  uint64_t own;                 /* what its thread reported meanwhile, whatever counts of it */
  uint64_t begun;               /* what all threads together had reported when it began */
  uint64_t asked;               /* what malloc_usable_size answered its thread meanwhile */
  uint64_t optional;            /* what may be claimed on top of it, and need not be */
  uint64_t counted;             /* what of the measured was reported on allocation */
  uint64_t kept;                /* the owner's: what may be claimed on top as a sum that was kept */
  uint32_t children, n_children; /* newest part of each list, and its length */
  uint32_t places, n_places;
  uint32_t
      no_block; /* something that is not a block was reported: its name, see fault.h's memory */
  uint32_t n_joined; /* scopes of other threads that add to it */
  uint64_t serial;   /* of all claims that were ever open, from 1 */
  bool exclusive;    /* blocks of reporters within it do not count */
  bool concurrent;   /* another thread was in the same reporter meanwhile */
} dmd_claim_t;

typedef struct dmd_claims {
  uint64_t reported; /* the owner's: bytes that all threads reported so far */
  dmd_pool_t open;   /* of dmd_claim_t */
  dmd_pool_t parts;  /* of the lists */
  uint64_t n_opened;
} dmd_claims_t;

void dmd_claims_init(dmd_claims_t *claims, const dmd_env_t *env);
void dmd_claims_destroy(dmd_claims_t *claims);

/* The id of a new claim. */
uint32_t dmd_claims_open(dmd_claims_t *claims, bool exclusive);

static inline dmd_claim_t *dmd_claims_at(const dmd_claims_t *claims, uint32_t id) {
  return DMD_POOL_AT(&claims->open, dmd_claim_t, id);
}

/* A block was reported at this stack. */
void dmd_claims_note_report(dmd_claims_t *claims, uint32_t id, uint64_t usable, uint64_t requested,
                            uint32_t stack);

/* The places where blocks were reported in it, as far as they are kept: the one after this
 * (DMD_NONE: the first; and after the last), and its stack. */
uint32_t dmd_claims_next_place(const dmd_claims_t *claims, uint32_t id, uint32_t place);
uint32_t dmd_claims_place_stack(const dmd_claims_t *claims, uint32_t place);

/* The reporter ends and claims this many bytes. True where that does not add up: *fault then gets
 * kind, reason and what goes with them; its other fields stay as they are. */
bool dmd_claims_judge(const dmd_claims_t *claims, uint32_t id, uint64_t claimed,
                      dmd_fault_t *fault);

/* Ends the claim. outer, the claim around it (DMD_NONE: none), gets what it measured, as a part
 * with this name. */
void dmd_claims_close(dmd_claims_t *claims, uint32_t id, uint32_t outer, uint32_t name);

/* The same for a reporter that ended without a claim: the one around it may claim what it measured,
 * or leave it out. */
void dmd_claims_discard(dmd_claims_t *claims, uint32_t id, uint32_t outer);

#endif
