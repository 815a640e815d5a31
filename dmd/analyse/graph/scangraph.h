/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scangraph.h: turns a profile of mode scan into a heap graph.
 *
 * Each block is a node, and each of its words that is an address in a block, even its own, is an
 * edge, as in a captured graph (record/heap/capture.h). A scan has no roots, objects or code
 * addresses: the graph has no roots, and its codes consist of a frame only. If a file does not
 * state its word size, it is that of 64-bit programs, unless a block has more words than fit.
 *
 * Memory: that of the graph, and 4 bytes per block, stack and frame during construction.
 */
#ifndef DMD_ANALYSE_GRAPH_SCANGRAPH_H
#define DMD_ANALYSE_GRAPH_SCANGRAPH_H

#include "base/strbuf.h"
#include "model/graph/heapgraph.h"

/* Initialises a graph from a profile that contains its scanned data and is not needed afterwards.
 * Returns false, with the reason in *why and nothing to destroy, if its blocks have impossible
 * addresses (analyse/records/addresses.h). */
bool dmd_scangraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, const dmd_profile_t *profile,
                        dmd_strbuf_t *why);

#endif
