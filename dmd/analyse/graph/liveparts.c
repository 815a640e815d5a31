/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/liveparts.h"

#include "base/bitset.h"
#include "base/str.h"

/* ---- Vectors. ---- */

static bool ends_with(const dmd_strbuf_t *path, const char *end) {
  size_t n = dmd_str_length(end);
  return path->n >= n && dmd_str_equal(path->text + path->n - n, end);
}

/* True if an edge and the next one are the first two pointers of a vector of libstdc++ or libc++.
 */
static bool is_vector(const dmd_typing_t *typing, uint32_t node, uint32_t edge) {
  const uint32_t *offset = typing->graph->graph.offset;
  dmd_strbuf_t start, finish;
  dmd_strbuf_init(&start, typing->graph->env);
  dmd_strbuf_init(&finish, typing->graph->env);
  dmd_typing_find(typing, node, offset[edge], &start);
  dmd_typing_find(typing, node, offset[edge + 1], &finish);
  bool is_one = (ends_with(&start, "_M_start") && ends_with(&finish, "_M_finish")) ||
                (ends_with(&start, "__begin_") && ends_with(&finish, "__end_"));
  dmd_strbuf_destroy(&finish);
  dmd_strbuf_destroy(&start);
  return is_one;
}

/* A vector that is full has no second edge: the pointer is behind the block. */
static void look_at_pair(dmd_typing_t *typing, uint32_t node, uint32_t edge) {
  const dmd_heapgraph_t *graph = typing->graph;
  const dmd_graph_t *g = &graph->graph;
  if (g->target[edge] != g->target[edge + 1] ||
      g->offset[edge] + typing->types->pointer_szB != g->offset[edge + 1] ||
      dmd_heapgraph_interior(graph, edge) != NULL || !is_vector(typing, node, edge))
    return;
  const dmd_graph_interior_t *finish = dmd_heapgraph_interior(graph, edge + 1);
  dmd_typing_add_part(typing, g->target[edge], finish == NULL ? 0 : finish->into);
}

static void find_vectors(dmd_typing_t *typing) {
  const dmd_graph_t *g = &typing->graph->graph;
  for (uint32_t node = 1; node < g->n_nodes; node++)
    if (dmd_type_tells(typing->types, dmd_typing_type(typing, node)) == DMD_TELLS_TYPE)
      for (uint32_t edge = g->first[node]; edge + 1 < g->first[node + 1]; edge++)
        look_at_pair(typing, node, edge);
}

/* ---- Buffers of streams. ---- */

static bool is_of_stream(const dmd_profile_t *profile, uint32_t stack) {
  static const char *const functions[] = {"_IO_file_doallocate", "_IO_wfile_doallocate",
                                          "_IO_default_doallocate", "_IO_wdefault_doallocate"};
  enum { MAX_LOOKS = 3 };
  size_t n;
  const uint32_t *frames = dmd_profile_frames(profile, stack, &n);
  for (size_t i = 0; i < n && i < MAX_LOOKS; i++) {
    const char *function = dmd_frames_location(&profile->frames, frames[i]).function;
    for (size_t k = 0; function != NULL && k < sizeof functions / sizeof *functions; k++)
      if (dmd_str_equal(function, functions[k]))
        return true;
  }
  return false;
}

static void find_streams(dmd_typing_t *typing) {
  const dmd_heapgraph_t *graph = typing->graph;
  dmd_bitset_t streams; /* set of the graph's stacks */
  dmd_bitset_init(&streams, graph->env, "dmd.liveparts", graph->stacks.last + 1ul);
  for (uint32_t id = 1; id <= graph->stacks.last; id++) {
    uint32_t stack = dmd_heapgraph_profile_stack(graph, id);
    if (stack != DMD_NONE && is_of_stream(&graph->profile, stack))
      dmd_bitset_add(&streams, id);
  }
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    if (dmd_bitset_has(&streams, dmd_heapgraph_block(graph, node)->stack))
      dmd_typing_add_part(typing, node, 0);
  dmd_bitset_destroy(&streams);
}

void dmd_liveparts_find(dmd_typing_t *typing) {
  find_vectors(typing);
  find_streams(typing);
}
