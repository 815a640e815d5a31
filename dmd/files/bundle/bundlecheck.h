/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlecheck.h: checks the properties of a bundle's graph that analyses rely on:
 *
 *   - edges lead from the common root to each root, in order, and from all other nodes to blocks
 *   - the edges of a node are ordered by offset, and offsets are within the node, except beyond 4
 *     GiB
 *   - blocks are ordered by address; a nested block starts within its outer block and follows it
 *   - sizes add up to less than 2^61 bytes, no block ends beyond the last address, slop is within
 *     its block
 *   - interior edges, first words and types are in order and refer to valid ids
 *
 * Time is linear in the columns. The functions return NULL, or what is damaged.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLECHECK_H
#define DMD_FILES_BUNDLE_BUNDLECHECK_H

#include "analyse/graph/typing.h"

/* Call first: checks what dmd_heapgraph_borrow relies on. */
const char *dmd_imagecheck_edges(const dmd_heapgraph_columns_t *columns, uint32_t n_edges);

/* Call these when the graph is complete. */
const char *dmd_imagecheck_graph(const dmd_heapgraph_t *heap);
const char *dmd_imagecheck_typed(const dmd_typing_t *typing);

#endif
