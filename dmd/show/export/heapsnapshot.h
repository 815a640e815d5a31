/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapsnapshot.h: exports a heap graph in the formats of browsers' memory tools.
 *
 * Types become classes in these tools, and members become properties. Sizes and dominators are
 * those of analyse/graph/retained.h over all edges, so the tools compute the retained sizes that
 * dmdv shows. Lost blocks are attached to the root by edges named "(lost)", each group at the node
 * where it starts. A graph too large for the tools is cut (analyse/graph/condense.h); the caller
 * should tell the user.
 *
 * Memory: that of the dominators during init; then 28 bytes per node, and the distinct names.
 */
#ifndef DMD_SHOW_EXPORT_HEAPSNAPSHOT_H
#define DMD_SHOW_EXPORT_HEAPSNAPSHOT_H

#include "analyse/graph/condense.h"
#include "analyse/graph/typing.h"
#include "base/out.h"
#include "model/profile/profile.h"

/* A limit of the tools: V8 reads a file into a string of at most 512 MiB, and the nodes into a map
 * of at most 2^24 entries. */
#define DMD_HEAPSNAPSHOT_MAX_NODES 16000000

typedef struct dmd_heapsnapshot {
  const dmd_heapgraph_t *graph;
  dmd_typing_t *typing;
  uint64_t *sizes;  /* by node of the graph: own size */
  uint32_t *starts; /* nodes of the graph where lost blocks start */
  dmd_condensed_t shown;
  uint32_t n_too_large; /* nodes written with a reduced size */
} dmd_heapsnapshot_t;

/* max_nodes: at least 1. Graph and typing must outlive the snapshot. */
void dmd_heapsnapshot_init(dmd_heapsnapshot_t *snapshot, const dmd_heapgraph_t *graph,
                           dmd_typing_t *typing, uint64_t max_nodes);
void dmd_heapsnapshot_destroy(dmd_heapsnapshot_t *snapshot);

/* The name of a node: its type, or what dmd_typing_name returns instead. */
void dmd_heapsnapshot_name(const dmd_heapsnapshot_t *snapshot, uint32_t number, dmd_strbuf_t *to);

/* The name of the current edge of a walk through shown nodes; nothing if it starts or ends at
 * merged nodes. */
void dmd_heapsnapshot_edge_name(const dmd_heapsnapshot_t *snapshot, const dmd_edge_walk_t *walk,
                                dmd_strbuf_t *to);

/* The profile's stack of a node; DMD_NONE if it stands for no block or several. */
uint32_t dmd_heapsnapshot_stack(const dmd_heapsnapshot_t *snapshot, uint32_t number);

typedef void (*dmd_export_heapsnapshot_fn)(dmd_heapsnapshot_t *snapshot, dmd_out_t *out);

/* Writes JSON for Chrome's DevTools and compatible programs. Sizes have 32 bits there: larger nodes
 * are written as 4 GiB and counted in n_too_large. */
void dmd_export_heapsnapshot(dmd_heapsnapshot_t *snapshot, dmd_out_t *out);

/* Writes the format of Firefox's Memory panel (fxsnapshot.proto in this folder), not yet
 * gzipped. */
void dmd_export_fxsnapshot(dmd_heapsnapshot_t *snapshot, dmd_out_t *out);

/* ---- A tree of stacks, which share their outer frames. ----
 *
 * A call is a frame and its caller. It represents the stack from there outwards, so that formats
 * which write each call once need not repeat stacks.
 *
 * Memory: 40 bytes per call, and 4 per stack of the profile. */

typedef struct dmd_call {
  uint64_t szB;      /* of the blocks whose stacks begin here */
  uint32_t n_blocks; /* number of these blocks */
  uint32_t frame;    /* of the profile */
  uint32_t caller;   /* DMD_NONE: an outermost frame */
  uint32_t callee;   /* its first callee, a list linked by `next`; DMD_NONE: none */
  uint32_t next;
} dmd_call_t;

typedef struct dmd_calltree {
  const dmd_profile_t *profile;
  uint32_t max_frames;
  dmd_pool_t calls;
  dmd_table_t index;
  dmd_pool_t of_stack; /* uint32_t: call ids */
  uint32_t outermost;  /* first of the outermost frames, a list linked by `next` */
} dmd_calltree_t;

/* Must not be moved in memory. Longer stacks are cut to their innermost max_frames frames. */
void dmd_calltree_init(dmd_calltree_t *tree, const dmd_profile_t *profile, uint32_t max_frames);
void dmd_calltree_destroy(dmd_calltree_t *tree);

/* The call of a stack's innermost frame; DMD_NONE if the stack has no frames. The profile must
 * already have all its stacks. */
uint32_t dmd_calltree_stack(dmd_calltree_t *tree, uint32_t stack);

static inline uint32_t dmd_calltree_count(const dmd_calltree_t *tree) {
  return tree->calls.last;
}

static inline dmd_call_t *dmd_calltree_at(const dmd_calltree_t *tree, uint32_t id) {
  return DMD_POOL_AT(&tree->calls, dmd_call_t, id);
}

#endif
