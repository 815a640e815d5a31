/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heldby.h: by what each block of a heap graph is held.
 *
 * That is the node without which it could not be reached: its immediate dominator (dominators.h),
 * and the member of it that points to the block. Blocks that are held alike have the same holder:
 * an id, from 1 on, of a kind of node and a way (kinds.h). With a block that is no longer needed it
 * says whom to ask.
 *
 *   term.postings                a member of a type
 *   catalog                      a variable, or a member of one: server.db
 *   from term_new +0x18          the type is not known
 *   dict (in several ways)       it has no pointer to it: the block is reached through several
 * others (several roots)              no node alone holds it (not reached)
 *
 * Cost: the dominator tree while it is made, then 4 bytes a node.
 */
#ifndef DMD_GRAPH_HELDBY_H
#define DMD_GRAPH_HELDBY_H

#include "graph/kinds.h"

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
