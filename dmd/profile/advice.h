/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * advice.h: who holds the unreported blocks, and so who should have reported them.
 *
 * An advice is about blocks that were allocated at one place and not reported. It says how many of
 * them, with how many usable bytes, are pointed to from one offset of the blocks of one holder. The
 * holder is known by its report (the name of the reporter's scope, or the report's stack where it
 * has none); blocks that are unreported themselves are known by where they were allocated.
 *
 * Of one holder each block counts once, at the first offset that was found: advices that differ in
 * nothing but offset or report stack may be added up. Those of different holders may not, since one
 * block may have several. So what is one holder in a profile must be one when blocks are counted:
 * unlike groups and faults, advices are made with the profile's ids from the start
 * (profile/translate.h).
 *
 * Concurrency: nothing locks; that of the profile that the advices are in.
 */
#ifndef DMD_PROFILE_ADVICE_H
#define DMD_PROFILE_ADVICE_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

/* Names and order are part of the file format: append only. */
typedef enum {
  DMD_HOLDER_REPORTED,
  DMD_HOLDER_UNREPORTED,
  /* No holders, but reporters that reported blocks of that place before the last clear: */
  DMD_HOLDER_LAST_TIME,      /* and that have run since, and measured others */
  DMD_HOLDER_NOTHING_NOW,    /* have run since, and measured nothing */
  DMD_HOLDER_NOT_RUN,        /* have not run since */
  DMD_HOLDER_BEFORE_REALLOC, /* reported blocks which were then reallocated at that place */
  DMD_N_HOLDER_KINDS
} dmd_holder_kind_t;

/* The name in files, e.g. "reported" or "unreported". */
const char *dmd_holder_kind_name(dmd_holder_kind_t kind);

/* Stands for several offsets that are not listed one by one. */
#define DMD_OFFSET_ANY UINT32_MAX

typedef struct dmd_advice {
  uint64_t blocks, bytes; /* that are held; usable bytes */
  /* What that rests on. The last two stand in one only of the advices about an allocation stack and
   * a holder, and are 0 in the others. */
  uint64_t pointed;       /* blocks of these that a holder points to; the others hang on them */
  uint64_t holders;       /* blocks of the holder that point to any of them */
  uint64_t holders_alike; /* blocks that were allocated and reported as these holders were; 0 in all
                           * advices about them: not known */
  uint64_t before;        /* of kinds without holders: bytes that the reporter measured then */
  uint32_t alloc;         /* where these were allocated; DMD_NONE: not recorded */
  uint32_t holder_kind;   /* a dmd_holder_kind_t */
  uint32_t reporter;      /* name of the holder's reporter, or DMD_NONE */
  uint32_t stack;         /* of the holder's report; of an unreported holder's allocation */
  uint32_t offset;        /* of the pointer in the holder, or DMD_OFFSET_ANY */
} dmd_advice_t;

typedef struct dmd_advices {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of first sight */
  dmd_table_t index;
} dmd_advices_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_advices_init(dmd_advices_t *advices, const dmd_env_t *env);
void dmd_advices_destroy(dmd_advices_t *advices);

/* Adds the counts to the advice that equals this one in all else. */
void dmd_advices_add(dmd_advices_t *advices, const dmd_advice_t *advice);

static inline uint32_t dmd_advices_count(const dmd_advices_t *advices) {
  return advices->pool.last;
}

static inline const dmd_advice_t *dmd_advices_at(const dmd_advices_t *advices, uint32_t id) {
  return DMD_POOL_AT(&advices->pool, const dmd_advice_t, id);
}

/* Whether two advices are about the same holder. */
static inline bool dmd_advice_same_holder(const dmd_advice_t *a, const dmd_advice_t *b) {
  return a->holder_kind == b->holder_kind && a->reporter == b->reporter &&
         (a->reporter != DMD_NONE || a->stack == b->stack);
}

/* Adds the counts of one advice to those of another. */
void dmd_advice_count(dmd_advice_t *sum, const dmd_advice_t *advice);

/* How good the reason is to take a holder for the owner of what it points to. */
typedef enum {
  DMD_EVIDENCE_CHANCE, /* few words that look like pointers, as memory has them that is used again
                        */
  DMD_EVIDENCE_WEAK,   /* in few of the blocks that are alike, but many */
  DMD_EVIDENCE_STRONG  /* in many of the blocks that are alike; or nothing is known of it */
} dmd_evidence_t;

/* That of the counts of one advice or, added up, of several about one holder. */
dmd_evidence_t dmd_advice_evidence(const dmd_advice_t *counts);

/* What a holder of so many bytes counts for against others: half of them where the evidence is
 * weak, nothing where it may be chance. */
uint64_t dmd_advice_weight(uint64_t bytes, dmd_evidence_t evidence);

/* Replaces the stack and name ids by those of another owner. */
void dmd_advice_translate(dmd_advice_t *advice, dmd_translate_fn stack, dmd_translate_fn name,
                          void *ctx);

#endif
