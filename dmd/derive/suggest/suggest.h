/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * suggest.h: which words a struct's pointers should have, by what a heap graph of a run shows.
 *
 *   a block that nothing else holds             is owned
 *   one that is held by other pointers, too     has one owner: not a pointer to const, nor one that
 *                                               is named as those that lead back are (prev, parent,
 *                                               tail), if there is a better one; one that is named
 *                                               as owners are (next, head, root); else the first
 *   one that several objects hold by one member is shared, unless another member owns it
 *   one without which the object would not be   is the owner, and is ignored
 *
 * How many elements an array has is no part of a graph: a member whose name says so is proposed, or
 * a constant of an enum if all blocks have room for so many.
 *
 * These are proposals: people read the evidence, and derived code is checked by the same graph.
 */
#ifndef DMD_DERIVE_SUGGEST_SUGGEST_H
#define DMD_DERIVE_SUGGEST_SUGGEST_H

#include "derive/suggest/evidence.h"

typedef struct dmd_derive_proposal {
  const dmd_derive_record_t *record;
  const dmd_derive_member_t *member; /* NULL: of the record itself */
  const char *words;                 /* "DMD_OWNS_ARRAY(n) DMD_OWNS"; "": there is no evidence */
  const char *evidence;
} dmd_derive_proposal_t;

/* Until the next call the proposal may be looked at. */
typedef void (*dmd_derive_propose_fn)(void *ctx, const dmd_derive_proposal_t *proposal);

/* Hears of each struct of the headers that were named which has pointers without words, then of
 * each of these. heap: the typing's graph. */
void dmd_derive_suggest(const dmd_derive_model_t *model, dmd_typing_t *typing,
                        dmd_heapgraph_t *heap, dmd_derive_propose_fn propose, void *ctx);

#endif
