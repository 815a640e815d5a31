/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapsnapshot.h: a heap graph in the formats of browsers' memory tools.
 *
 * Types are what these tools take for classes, members what they take for properties. Sizes and
 * dominators are those of graph/retained.h, over all edges: so the tools find the retained sizes
 * that dmdv tells. What no root reaches hangs on the root where it begins, by edges named "(lost)".
 * A graph too large for the tools is cut (graph/condense.h); who reads the snapshot is to be told.
 *
 * Memory: that of the dominators while it is made; then 28 bytes a node, and the distinct names.
 */
#ifndef DMD_EXPORT_HEAPSNAPSHOT_H
#define DMD_EXPORT_HEAPSNAPSHOT_H

#include "base/out.h"
#include "graph/condense.h"
#include "graph/typing.h"

/* What the tools take: V8 has no string of more than 512 MiB, into which files are read, and no map
 * of more than 2^24 entries, with one for each node. */
#define DMD_HEAPSNAPSHOT_MAX_NODES 16000000

typedef struct dmd_heapsnapshot {
  const dmd_heapgraph_t *graph;
  dmd_typing_t *typing;
  uint64_t *sizes;  /* by node of the graph: bytes that are its own */
  uint32_t *starts; /* nodes of the graph where what no root reaches begins */
  dmd_condensed_t shown;
  uint32_t n_too_large; /* nodes that were written as smaller than they are */
} dmd_heapsnapshot_t;

/* Of at most so many nodes, at least 1. Graph and typing must outlive it. */
void dmd_heapsnapshot_init(dmd_heapsnapshot_t *snapshot, const dmd_heapgraph_t *graph,
                           dmd_typing_t *typing, uint64_t max_nodes);
void dmd_heapsnapshot_destroy(dmd_heapsnapshot_t *snapshot);

/* What a node is called: its type, or what else dmd_typing_name has. */
void dmd_heapsnapshot_name(const dmd_heapsnapshot_t *snapshot, uint32_t number, dmd_strbuf_t *to);

/* What the edge at which a walk through shown nodes is is called; nothing where it starts or ends
 * at nodes that were put together. */
void dmd_heapsnapshot_edge_name(const dmd_heapsnapshot_t *snapshot, const dmd_edge_walk_t *walk,
                                dmd_strbuf_t *to);

/* The profile's stack of a node; DMD_NONE: of no block, or of several. */
uint32_t dmd_heapsnapshot_stack(const dmd_heapsnapshot_t *snapshot, uint32_t number);

typedef void (*dmd_export_heapsnapshot_fn)(dmd_heapsnapshot_t *snapshot, dmd_out_t *out);

/* For Chrome's DevTools, and what reads their format: JSON. Sizes have 32 bits there: nodes that
 * are larger are written as of 4 GiB, and counted in n_too_large. */
void dmd_export_heapsnapshot(dmd_heapsnapshot_t *snapshot, dmd_out_t *out);

/* For Firefox's Memory panel, see fxsnapshot.proto beside this file; not yet gzipped. */
void dmd_export_fxsnapshot(dmd_heapsnapshot_t *snapshot, dmd_out_t *out);

#endif
