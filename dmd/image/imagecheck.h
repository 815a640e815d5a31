/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagecheck.h: whether the columns of a graph out of an image are what analyses rely on.
 *
 *   - edges lead from the root of all to each root, in order, and from all other nodes to blocks
 *   - the edges of a node are in the order of their offsets, which are in the node, but for those
 *     beyond 4 GiB
 *   - blocks stand in the order of their addresses, and one in another starts in it and follows it
 *   - sizes add up to less than 2^61 bytes, no address is beyond all, slop is within its block
 *   - edges into blocks, first words and types are in order and of things that are there
 *
 * Linear in the columns. They return NULL, or what is wrong.
 */
#ifndef DMD_IMAGE_IMAGECHECK_H
#define DMD_IMAGE_IMAGECHECK_H

#include "graph/typing.h"

/* Before anything else: what dmd_heapgraph_borrow relies on. */
const char *dmd_imagecheck_edges(const dmd_heapgraph_columns_t *columns, uint32_t n_edges);

/* Once all is there. */
const char *dmd_imagecheck_graph(const dmd_heapgraph_t *heap);
const char *dmd_imagecheck_typed(const dmd_typing_t *typing);

#endif
