/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hint.h: hints: which blocks point to unreported blocks, and so who should have reported them.
 *
 * A hint is about unreported blocks from one allocation stack. It says how many of them, with how
 * many usable bytes, one offset of the blocks of one referrer points to. A referrer is identified
 * by its report (the reporter's name or, without one, the report's stack); an unreported referrer
 * by its allocation stack.
 *
 * For one referrer each block counts once, at the first offset found: hints that differ only in
 * offset or report stack may be added up. Hints of different referrers may not, since a block may
 * have several referrers. So blocks must be counted by the referrers of the profile: unlike groups
 * and faults, hints use the profile's ids from the start (model/profile/translate.h).
 */
#ifndef DMD_MODEL_PROFILE_HINT_H
#define DMD_MODEL_PROFILE_HINT_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

/* Names and order are part of the file format: append only. */
typedef enum {
  DMD_REFERRER_REPORTED,
  DMD_REFERRER_UNREPORTED,
  /* No referrers; instead, reporters that reported blocks from that stack before the last clear: */
  DMD_REFERRER_LAST_TIME,      /* they have run since, and measured other blocks */
  DMD_REFERRER_NOTHING_NOW,    /* they have run since, and measured nothing */
  DMD_REFERRER_NOT_RUN,        /* they have not run since */
  DMD_REFERRER_BEFORE_REALLOC, /* they reported blocks that were then reallocated there */
  DMD_N_REFERRER_KINDS
} dmd_referrer_kind_t;

/* The name in files, e.g. "reported" or "unreported". */
const char *dmd_referrer_kind_name(dmd_referrer_kind_t kind);

/* Several offsets that are not listed one by one. */
#define DMD_OFFSET_ANY UINT32_MAX

typedef struct dmd_hint {
  uint64_t blocks, bytes; /* blocks with a referrer, and their usable bytes */
  /* The evidence. referrers and referrers_alike are set in only one of the hints about an
   * allocation stack and a referrer, and are 0 in the others. */
  uint64_t pointed;   /* blocks that a referrer points to directly; the others hang on these */
  uint64_t referrers; /* blocks of the referrer that point to any of them */
  uint64_t referrers_alike; /* blocks allocated and reported like these referrers; 0 in all hints
                             * about them: unknown */
  uint64_t before;          /* kinds without referrers: bytes that the reporter measured then */
  uint32_t alloc;           /* allocation stack of the blocks; DMD_NONE: not recorded */
  uint32_t referrer_kind;   /* a dmd_referrer_kind_t */
  uint32_t reporter;        /* name of the referrer's reporter, or DMD_NONE */
  uint32_t stack;           /* of the referrer's report, or of its allocation if unreported */
  uint32_t offset;          /* of the pointer in the referrer, or DMD_OFFSET_ANY */
} dmd_hint_t;

typedef struct dmd_hints {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of addition */
  dmd_table_t index;
} dmd_hints_t;

/* The collection must not move until it is destroyed. */
void dmd_hints_init(dmd_hints_t *hints, const dmd_env_t *env);
void dmd_hints_destroy(dmd_hints_t *hints);

/* Adds the counts to the hint that equals this one otherwise. */
void dmd_hints_add(dmd_hints_t *hints, const dmd_hint_t *hint);

static inline uint32_t dmd_hints_count(const dmd_hints_t *hints) {
  return hints->pool.last;
}

static inline const dmd_hint_t *dmd_hints_at(const dmd_hints_t *hints, uint32_t id) {
  return DMD_POOL_AT(&hints->pool, const dmd_hint_t, id);
}

/* Whether two hints have the same referrer. */
static inline bool dmd_hint_same_referrer(const dmd_hint_t *a, const dmd_hint_t *b) {
  return a->referrer_kind == b->referrer_kind && a->reporter == b->reporter &&
         (a->reporter != DMD_NONE || a->stack == b->stack);
}

/* Adds the counts of one hint to another. */
void dmd_hint_count(dmd_hint_t *sum, const dmd_hint_t *hint);

/* How strong the evidence is that a referrer owns the blocks it points to. */
typedef enum {
  DMD_EVIDENCE_CHANCE, /* few pointers, which may be left over in reused memory */
  DMD_EVIDENCE_WEAK,   /* many pointers, but in few of the referrer's blocks */
  DMD_EVIDENCE_STRONG  /* in many of the referrer's blocks, or unknown */
} dmd_evidence_t;

/* The evidence of one hint or, added up, of several about one referrer. */
dmd_evidence_t dmd_hint_evidence(const dmd_hint_t *counts);

/* The weight of a referrer's bytes against other referrers: half of them if the evidence is weak, 0
 * if it may be chance. */
uint64_t dmd_hint_weight(uint64_t bytes, dmd_evidence_t evidence);

/* Replaces stack and name ids by those of another owner. */
void dmd_hint_translate(dmd_hint_t *hint, dmd_translate_fn stack, dmd_translate_fn name, void *ctx);

#endif
