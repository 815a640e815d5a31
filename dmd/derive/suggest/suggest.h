/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * suggest.h: proposes words for a struct's pointers from a heap graph of a run.
 *
 *   a block with one referrer               is owned
 *   a block with several referrers          has one owner. A pointer to const, or one named like
 *                                           pointers that lead back (prev, parent, tail), is the
 *                                           owner only if there is no better one. Then one named
 *                                           like owners (next, head, root) is; else the first
 *   a block that several objects refer to   is shared, unless another member owns it
 *   by the same member
 *   a block that dominates the object       is its owner, and is ignored
 *
 * A graph does not have the number of elements of an array: the proposal is a member with a fitting
 * name, or an enum constant if all blocks can hold that many.
 *
 * These are only proposals: users read the evidence, and check derived code with the same graph.
 */
#ifndef DMD_DERIVE_SUGGEST_SUGGEST_H
#define DMD_DERIVE_SUGGEST_SUGGEST_H

#include "derive/model.h"
#include "derive/suggest/evidence.h"

/* ---- Numbers of elements. ----
 *
 * Guesses which member or constant has the number of elements of an array. */

/* Returns its name; NULL if nothing fits. The array's blocks can hold `least` to `most`
 * elements. */
const char *dmd_derive_guess_count(const dmd_derive_model_t *model,
                                   const dmd_derive_record_t *record,
                                   const dmd_derive_member_t *array, uint64_t least, uint64_t most);

/* ---- Suggestions. ---- */

typedef struct dmd_derive_proposal {
  const dmd_derive_record_t *record;
  const dmd_derive_member_t *member; /* NULL: for the record itself */
  const char *words;                 /* "DMD_OWNS_ARRAY(n) DMD_OWNS"; "": no evidence */
  const char *evidence;
} dmd_derive_proposal_t;

/* The proposal is valid until the next call. */
typedef void (*dmd_derive_propose_fn)(void *ctx, const dmd_derive_proposal_t *proposal);

/* Calls the function for each struct of the named headers that has pointers without words, then for
 * each of these pointers. heap: the typing's graph. */
void dmd_derive_suggest(const dmd_derive_model_t *model, dmd_typing_t *typing,
                        dmd_heapgraph_t *heap, dmd_derive_propose_fn propose, void *ctx);

#endif
