/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * claimrules.h: finds what a function means by the size of an object, and which of its claims are
 * wrong.
 *
 * A rule is a scope (the block, its owned blocks, its retained blocks), a unit (requested or usable
 * bytes) and a constant. The rule of a function is the one that explains most shapes of objects to
 * the byte; a rule with a constant has to explain more than one without. The claims that it does
 * not explain are compared with the parts of the objects: for all claims about one shape, the same
 * one or two defects must explain all differences to the byte; besides, some parts may be counted
 * in the other unit, as by sizeof where other parts are counted by malloc_usable_size. Without such
 * defects only the range of the differences is known. If no rule explains any claim, the one is
 * chosen for which defects do.
 *
 * Cost: for each shape, the number of its parts, squared, times its claims, of which a few dozen
 * are tried first.
 */
#ifndef DMD_ANALYSE_CLAIMS_CLAIMRULES_H
#define DMD_ANALYSE_CLAIMS_CLAIMRULES_H

#include "analyse/claims/claimdefects.h"

enum { DMD_MAX_OUTLIERS = 20 };

/* Claims of a function with the same defects. */
typedef struct dmd_claim_finding {
  dmd_defect_t defects[DMD_MAX_DEFECTS]; /* up to the first DMD_DEFECT_NONE */
  uint32_t n_cases;
  uint64_t count;      /* calls */
  uint64_t bytes;      /* by how much they are wrong in total; saturates */
  int64_t least, most; /* difference of claim and truth; positive: the claim is too large */
  uint32_t outliers[DMD_MAX_OUTLIERS]; /* cases, those with the largest differences first */
} dmd_claim_finding_t;

typedef struct dmd_claim_verdict {
  uint32_t function; /* a name of the cases */
  uint32_t n_cases, n_explained;
  uint64_t count, n_right; /* calls: judged ones, and those that the rule explains */
  bool has_rule;           /* else the rule is the best one, and explains too few */
  dmd_claim_rule_t rule;
  uint32_t first_finding, n_findings;
} dmd_claim_verdict_t;

typedef struct dmd_claimrules {
  const dmd_claimcases_t *cases;
  dmd_pool_t verdicts; /* dmd_claim_verdict_t, in the order of the cases' functions */
  dmd_pool_t findings; /* dmd_claim_finding_t; of each verdict those with most calls first */
} dmd_claimrules_t;

/* The cases must be complete, and outlive the rules. */
void dmd_claimrules_init(dmd_claimrules_t *rules, const dmd_claimcases_t *cases);
void dmd_claimrules_destroy(dmd_claimrules_t *rules);

/* How far a claim is from the truth; positive: it is too large. */
static inline int64_t dmd_claim_difference(const dmd_claim_rule_t *rule,
                                           const dmd_claim_case_t *c) {
  return (int64_t)(c->value - dmd_claim_truth(rule, c));
}

/* The number of outliers; the first is the example. */
static inline uint32_t dmd_claim_n_outliers(const dmd_claim_finding_t *finding) {
  return finding->n_cases < DMD_MAX_OUTLIERS ? finding->n_cases : DMD_MAX_OUTLIERS;
}

static inline const dmd_claim_verdict_t *dmd_claimrules_at(const dmd_claimrules_t *rules,
                                                           uint32_t id) {
  return DMD_POOL_AT(&rules->verdicts, const dmd_claim_verdict_t, id);
}

/* The i-th finding of a verdict, from 0. */
static inline const dmd_claim_finding_t *
dmd_claimrules_finding(const dmd_claimrules_t *rules, const dmd_claim_verdict_t *v, uint32_t i) {
  return DMD_POOL_AT(&rules->findings, const dmd_claim_finding_t, v->first_finding + i);
}

#endif
