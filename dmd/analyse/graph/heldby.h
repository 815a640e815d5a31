/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heldby.h: the dominating referrer (holder) of each block of a heap graph.
 *
 * A block's holder is the node without which it would be unreachable, its immediate dominator
 * (dominators.h), and the member that points to the block. Blocks with equal holders share an id,
 * from 1 on, made of a kind of node and an edge label (kinds.h). For a block that is no longer
 * needed it says where to look.
 *
 *   term.postings             a member of a type
 *   catalog                   a variable, or a member of one: server.db
 *   from term_new +0x18       the type is unknown
 *   dict (in several ways)    no direct pointer: several nodes in between lead to the block
 *   (several roots)           no single node dominates it
 *   (lost)
 *
 * Stale words (stale.h) hold nothing.
 *
 * Cost: the dominator tree during construction, then 4 bytes a node.
 */
#ifndef DMD_ANALYSE_GRAPH_HELDBY_H
#define DMD_ANALYSE_GRAPH_HELDBY_H

#include "analyse/graph/kinds.h"

typedef struct dmd_heldby {
  dmd_kinds_t *kinds;
  uint32_t *of; /* by node */
  dmd_intern_t holders;
} dmd_heldby_t;

void dmd_heldby_init(dmd_heldby_t *heldby, dmd_kinds_t *kinds);
void dmd_heldby_destroy(dmd_heldby_t *heldby);

/* Appends the name of a holder. */
void dmd_heldby_name(const dmd_heldby_t *heldby, uint32_t holder, dmd_strbuf_t *to);

#endif
