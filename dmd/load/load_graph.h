/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load_graph.h: the file of a heap graph (docs/dmd-graph.proto) as a heap graph.
 *
 * The file is read twice: first to count what is in it, which tells how much memory the graph
 * takes, then to fill the graph. Beside the graph one part of the file at a time is in memory. What
 * is not known is passed over; everything else is checked, and what is wrong is reported with its
 * place; nothing in a file can do more harm than that. What follows the file's order can rely on:
 *
 *   - ids of objects, codes, stacks, names, tags and report sets are of something that is there
 *   - edges lead to blocks, and start within their nodes, in ascending order
 *   - blocks stand in the order of their addresses; one within another starts in it, and follows it
 *   - sizes add up to less than 2^61 bytes
 *
 * Blocks that lie in others get the reports of these as well (graph/nesting.h).
 */
#ifndef DMD_LOAD_LOAD_GRAPH_H
#define DMD_LOAD_LOAD_GRAPH_H

#include "graph/heapgraph.h"
#include "graph/variables.h"
#include "load/source.h"
#include "profile/naming.h"

/* A part of a root: szB bytes that are a variable, or lie between variables. */
typedef struct dmd_cut_part {
  uint64_t szB;
  const char *name; /* NULL: between variables */
} dmd_cut_part_t;

/* Cuts the data of objects, stacks and thread-local storage into variables, which become roots of
 * their own. */
typedef struct dmd_data_cutter {
  void *ctx;
  /* Called for each object of the file, with its id, before part. */
  void (*add_object)(void *ctx, uint32_t id, const dmd_graph_object_t *object);
  /* The part that what is left of a root begins with. Called for each part twice, and says the same
   * again. */
  dmd_cut_part_t (*part)(void *ctx, const dmd_uncut_t *rest);
} dmd_data_cutter_t;

typedef struct dmd_load_graph_options {
  const dmd_data_cutter_t *cutter; /* NULL: data stays whole */
  dmd_frame_view_t frame_view;     /* which the graph's profile gets */
  const dmd_namer_t *namer;        /* as in dmd_load_options_t */
} dmd_load_graph_options_t;

/* Makes a graph, uninitialised so far, of a file. False, with *fail filled in and nothing to
 * destroy, if that fails. */
bool dmd_load_graph(dmd_heapgraph_t *graph, const dmd_env_t *env, const dmd_source_t *source,
                    const dmd_load_graph_options_t *options, dmd_fail_t *fail);

#endif
