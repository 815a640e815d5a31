/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph/graph.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/wire.h"

static void *array(const dmd_env_t *env, uint64_t n, size_t element_szB) {
  return dmd_env_alloc(env, "dmd.graph", (size_t)(n > 0 ? n : 1) * element_szB);
}

void dmd_graph_init(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t max_edges,
                    bool with_offsets) {
  *graph = (dmd_graph_t){.env = env, .n_nodes = n_nodes, .max_edges = max_edges};
  graph->first = array(env, (uint64_t)n_nodes + 1, sizeof *graph->first);
  graph->target = array(env, max_edges, sizeof *graph->target);
  if (with_offsets)
    graph->offset = array(env, max_edges, sizeof *graph->offset);
  graph->size = array(env, n_nodes, sizeof *graph->size);
  dmd_mem_zero(graph->size, n_nodes * sizeof *graph->size);
  graph->first[0] = 0;
  if (n_nodes > 0)
    graph->first[1] = 0;
}

void dmd_graph_borrow(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t *first,
                      uint32_t *target, uint32_t *offset, uint64_t *size) {
  *graph = (dmd_graph_t){.env = env,
                         .n_nodes = n_nodes,
                         .max_edges = first[n_nodes],
                         .n_ended = n_nodes,
                         .first = first,
                         .target = target,
                         .offset = offset,
                         .size = size,
                         .is_borrowed = true};
}

void dmd_graph_destroy(dmd_graph_t *graph) {
  if (graph->is_borrowed)
    return;
  dmd_env_free(graph->env, graph->size);
  dmd_env_free(graph->env, graph->offset);
  dmd_env_free(graph->env, graph->target);
  dmd_env_free(graph->env, graph->first);
}

void dmd_graph_add_edge(dmd_graph_t *graph, uint32_t target, uint32_t offset) {
  uint32_t edge = graph->first[graph->n_ended + 1]++;
  if (edge >= graph->max_edges || target >= graph->n_nodes)
    graph->env->panic(graph->env->ctx, "too many edges for the graph");
  graph->target[edge] = target;
  if (graph->offset != NULL)
    graph->offset[edge] = offset;
}

void dmd_graph_end_node(dmd_graph_t *graph) {
  graph->n_ended++;
  if (graph->n_ended < graph->n_nodes)
    graph->first[graph->n_ended + 1] = graph->first[graph->n_ended];
}

uint32_t dmd_graph_source(const dmd_graph_t *graph, uint32_t edge) {
  uint32_t next;
  DMD_SEARCH(next, 1, graph->n_nodes, graph->first[next] <= edge);
  return next - 1;
}

/* ---- Packed offsets. ---- */

/* Calls `put` with the difference of each edge's offset to the previous one in its node, or to
 * 0. */
static void for_each_difference(const dmd_graph_t *graph, void (*put)(void *ctx, uint32_t v),
                                void *ctx) {
  for (uint32_t node = 0; node < graph->n_ended; node++) {
    uint32_t last = 0;
    for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
      put(ctx, graph->offset[e] - last);
      last = graph->offset[e];
    }
  }
}

static void add_szB(void *szB, uint32_t v) {
  *(size_t *)szB += dmd_wire_number_szB(v);
}

static void put(void *end, uint32_t v) {
  char **at = end;
  *at = dmd_wire_put(*at, v);
}

void dmd_graph_pack_offsets(dmd_graph_t *graph, dmd_packed_offsets_t *packed) {
  *packed = (dmd_packed_offsets_t){.graph = graph};
  if (graph->offset == NULL || graph->is_borrowed)
    return;
  size_t szB = 0;
  for_each_difference(graph, add_szB, &szB);
  packed->bytes = array(graph->env, szB, 1);
  char *end = packed->bytes;
  for_each_difference(graph, put, &end);
  dmd_env_free(graph->env, graph->offset);
  graph->offset = NULL;
}

void dmd_graph_unpack_offsets(dmd_packed_offsets_t *packed) {
  dmd_graph_t *graph = packed->graph;
  const char *at = packed->bytes;
  if (at == NULL)
    return;
  graph->offset = array(graph->env, graph->max_edges, sizeof *graph->offset);
  for (uint32_t node = 0; node < graph->n_ended; node++) {
    uint32_t last = 0;
    for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++)
      graph->offset[e] = last += (uint32_t)dmd_wire_get(&at);
  }
  dmd_env_free(graph->env, packed->bytes);
}
