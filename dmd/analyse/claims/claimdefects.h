/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimdefects.h: finds the defects that explain why claims about objects of one shape
 * differ from the truth.
 */
#ifndef DMD_ANALYSE_CLAIMS_CLAIMDEFECTS_H
#define DMD_ANALYSE_CLAIMS_CLAIMDEFECTS_H

#include "analyse/claims/claimcases.h"

typedef struct dmd_claim_rule {
  dmd_claim_scope_t scope;
  bool is_usable; /* usable bytes, not requested ones */
  int64_t constant;
} dmd_claim_rule_t;

static inline uint64_t dmd_claim_truth(const dmd_claim_rule_t *rule, const dmd_claim_case_t *c) {
  return dmd_claim_size_bytes(&c->size[rule->scope], rule->is_usable) + (uint64_t)rule->constant;
}

/* The defect of a claim. A part is one of the case's. */
typedef enum {
  DMD_DEFECT_NONE,
  DMD_DEFECT_UNIT,          /* the part is counted in the other unit: requested or usable bytes */
  DMD_DEFECT_MISSING,       /* the part is not counted, nor what is below it */
  DMD_DEFECT_MISSING_OWN,   /* the part is not counted, but what is below it is */
  DMD_DEFECT_MISSING_BELOW, /* the part is counted, but not what is below it */
  DMD_DEFECT_TWICE,         /* the part and what is below it are counted once too often */
  DMD_DEFECT_TWICE_OWN,
  DMD_DEFECT_SHARED,     /* a part that the object does not own is counted */
  DMD_DEFECT_EACH,       /* `bytes` too many for each block of the part */
  DMD_DEFECT_AS,         /* each block of the part is counted as `bytes` */
  DMD_DEFECT_RATIO,      /* only one byte in `bytes` of the part is counted */
  DMD_DEFECT_CONSTANT,   /* `bytes` too many */
  DMD_DEFECT_NOTHING,    /* 0 */
  DMD_DEFECT_WRAPPED,    /* only the lower bits: 32, or `bytes`, if the result has no more */
  DMD_DEFECT_STALE,      /* the true size at an earlier claim about the object */
  DMD_DEFECT_NOT_SEEN,   /* of what the set consisted is not known */
  DMD_DEFECT_UNEXPLAINED /* none of these */
} dmd_defect_kind_t;

typedef struct dmd_defect {
  dmd_defect_kind_t kind;
  uint32_t part; /* its key; DMD_NONE for those without a part */
  int64_t bytes;
} dmd_defect_t;

enum { DMD_MAX_DEFECTS = 8 }; /* more than two only if most are DMD_DEFECT_UNIT */

/* Claims about objects of one shape: n ids of cases. */
typedef struct dmd_claim_group {
  const dmd_claimcases_t *cases;
  const dmd_claim_rule_t *rule;
  const uint32_t *ids;
  uint32_t n;
} dmd_claim_group_t;

/* Fills in the defects. Returns their cost: the more, the less likely. */
uint32_t dmd_defects_find(const dmd_claim_group_t *group, dmd_defect_t defects[DMD_MAX_DEFECTS]);

/* What a defect adds to a claim about this object under this rule (negative: too few bytes). Only
 * for defects that depend on the object alone. */
int64_t dmd_defect_of(const dmd_claimcases_t *cases, const dmd_claim_rule_t *rule,
                      const dmd_claim_case_t *c, const dmd_defect_t *defect);

#endif
