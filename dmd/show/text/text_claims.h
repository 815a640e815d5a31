/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_claims.h: what functions said about the sizes of objects, and what is wrong with it, as text
 * and as JSON.
 */
#ifndef DMD_SHOW_TEXT_TEXT_CLAIMS_H
#define DMD_SHOW_TEXT_TEXT_CLAIMS_H

#include "analyse/claims/claimrules.h"
#include "base/out.h"

/* Prints a paragraph for each function: its rule, then the claims that deviate, at most max_rows
 * kinds of them (0: all). */
void dmd_claims_print(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t max_rows);

/* `Returns 32 bytes too few in 2 calls: leaves out ...`, about a finding of the id-th verdict. */
void dmd_claims_print_sentence(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id,
                               const dmd_claim_finding_t *finding);

/* The same without the numbers: `leaves out ...`. */
void dmd_claims_print_defects(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id,
                              const dmd_claim_finding_t *finding);

/* {"functions": [...]}, as docs/format.md describes it. stacks: the profile that has the stacks of
 * the cases. */
void dmd_claims_json(dmd_out_t *out, const dmd_claimrules_t *rules, const dmd_profile_t *stacks);

#endif
