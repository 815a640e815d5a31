/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stale.h: finds stale words of a heap graph: edges that are left from an earlier use of the
 * memory.
 *
 * A stale edge begins where no pointer can be (dmd_typing_is_blank), such as in a buffer of
 * characters, and leads to a node that roots reach without such edges. So it must not decide which
 * node dominates or holds its target. If an edge from such a place is the only way to its target,
 * it is not stale: the type may be wrong, as for the elements of a container that is declared as
 * `char *`. Therefore the same nodes are reachable with and without stale edges.
 *
 * Time: proportional to nodes and edges. Memory: 8 bytes a stale edge; meanwhile also 8 bytes an
 * edge from such a place and, if there is one, 4 bytes a node and a bit an edge.
 */
#ifndef DMD_ANALYSE_GRAPH_STALE_H
#define DMD_ANALYSE_GRAPH_STALE_H

#include "analyse/graph/edgemask.h"
#include "analyse/graph/typing.h"

/* ---- Live parts. ----
 *
 * Finds blocks of which only a part is in use, so that words behind it are left from
 * the memory's earlier use.
 *
 * The array of a std::vector is in use up to the vector's size, which its second pointer shows. No
 * part of a buffer of C's streams (stdio) holds pointers. */

/* Notes them in the typing (dmd_typing_add_part). Call when the types of all nodes are set. Time:
 * proportional to nodes and edges. */
void dmd_liveparts_find(dmd_typing_t *typing);

/* ---- Stale pointers. ---- */

typedef struct dmd_stale_edge {
  uint32_t node, edge;
} dmd_stale_edge_t;

typedef struct dmd_stale {
  dmd_pool_t edges; /* dmd_stale_edge_t, ascending */
} dmd_stale_t;

void dmd_stale_init(dmd_stale_t *stale, const dmd_typing_t *typing);
void dmd_stale_destroy(dmd_stale_t *stale);

/* Takes all of them out of the graph of the typing, which is the mask's. */
void dmd_stale_take(const dmd_stale_t *stale, dmd_edgemask_t *mask);

/* Finds them and takes them out. */
void dmd_edgemask_take_stale(dmd_edgemask_t *mask, const dmd_typing_t *typing);

#endif
