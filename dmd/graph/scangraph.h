/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scangraph.h: a profile of mode scan as a heap graph.
 *
 * Each block is a node, and each of its words that is an address in another one, or in itself, an
 * edge, as in a graph that was captured (live/capture.h). A scan says nothing of roots, objects and
 * code: the graph has no roots, and a stack's frames are codes of which nothing but the frame is
 * known. Words of a file that does not say their size are those of 64-bit programs, unless some
 * block has more of them than it has room for.
 *
 * Memory: that of the graph, and 4 bytes for each block, stack and frame while it is made.
 */
#ifndef DMD_GRAPH_SCANGRAPH_H
#define DMD_GRAPH_SCANGRAPH_H

#include "base/strbuf.h"
#include "graph/heapgraph.h"

/* Makes a graph, uninitialised so far, of a profile that has its contents. The profile is not
 * needed afterwards. False, with what is wrong in *why and nothing to destroy, where its blocks
 * cannot be where they are (analysis/addresses.h). */
bool dmd_scangraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, const dmd_profile_t *profile,
                        dmd_strbuf_t *why);

#endif
