/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphreader.h: reads a heap graph file (docs/dmd-graph.proto).
 *
 * The file is read twice: first to count its elements, which determine how much memory the graph
 * takes, then to fill the graph. Apart from the graph, only one part of the file is in memory at a
 * time. Unknown fields are ignored; everything else is checked. Files need not be trusted: an
 * invalid one causes an error with its place and nothing worse. A loaded graph has these
 * properties:
 *
 *   - ids of objects, codes, stacks, names, tags and report sets are valid
 *   - edges lead to blocks, and start within their nodes in ascending order
 *   - blocks are ordered by address; a nested block starts within its outer block and follows it
 *   - sizes add up to less than 2^61 bytes
 *
 * Nested blocks also get the reports of their outer blocks (model/graph/nesting.h).
 */
#ifndef DMD_FILES_GRAPH_GRAPHREADER_H
#define DMD_FILES_GRAPH_GRAPHREADER_H

#include "files/profile/source.h"
#include "model/graph/heapgraph.h"
#include "model/graph/types.h"
#include "model/profile/frame.h"

/* A part of a root: szB bytes that are a variable, or lie between variables. */
typedef struct dmd_cut_part {
  uint64_t szB;
  const char *name; /* NULL: between variables */
} dmd_cut_part_t;

/* Cuts the data of objects, stacks and thread-local storage into variables, each of which becomes a
 * root. */
typedef struct dmd_data_cutter {
  void *ctx;
  /* Called for each object of the file, with its id, before part. */
  void (*add_object)(void *ctx, uint32_t id, const dmd_graph_object_t *object);
  /* The first part of the rest of a root. Called twice for each part; both calls must agree. */
  dmd_cut_part_t (*part)(void *ctx, const dmd_uncut_t *rest);
} dmd_data_cutter_t;

/* Facts about a graph before it takes memory. */
typedef struct dmd_graph_preview {
  dmd_mode_t mode;
  dmd_run_t run;             /* only is_known, pid and dump_number are set */
  uint64_t n_nodes, n_edges; /* with the parts of data */
  uint64_t n_claims;
} dmd_graph_preview_t;

typedef struct dmd_load_graph_options {
  const dmd_data_cutter_t *cutter; /* NULL: data stays whole */
  dmd_frame_view_t frame_view;     /* becomes that of the graph's profile */
  const dmd_namer_t *namer;        /* as in dmd_load_options_t */
  /* Decides after the first pass whether the graph is loaded; if not, loading fails. NULL: it is.
   */
  bool (*is_wanted)(void *ctx, const dmd_graph_preview_t *preview);
  void *ctx; /* for is_wanted */
} dmd_load_graph_options_t;

/* Reads a file into an uninitialised graph. On failure returns false with *fail filled in, and
 * there is nothing to destroy. */
bool dmd_load_graph(dmd_heapgraph_t *graph, const dmd_env_t *env, const dmd_source_t *source,
                    const dmd_load_graph_options_t *options, dmd_fail_t *fail);

#endif
