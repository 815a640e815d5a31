/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/containers.h"

#include "base/str.h"

/* A container whose memory is in use from its start up to the second of two adjacent pointers. */
typedef struct {
  const char *begin, *end; /* the last parts of the members' paths */
} layout_t;

static const layout_t layouts[] = {
    {"_M_start", "_M_finish"}, /* std::vector of libstdc++ */
    {"__begin_", "__end_"},    /* and of libc++ */
};

static bool ends_with(const dmd_strbuf_t *path, const char *end) {
  size_t n = dmd_str_length(end);
  return path->n >= n && dmd_str_equal(path->text + path->n - n, end);
}

static bool is_container(dmd_waste_t *w, uint32_t node, uint32_t edge) {
  const dmd_typing_t *typing = w->keys->kinds->typing;
  const uint32_t *offset = w->graph->graph.offset;
  bool found = false;
  dmd_strbuf_t begin, end;
  dmd_strbuf_init(&begin, w->graph->env);
  dmd_strbuf_init(&end, w->graph->env);
  dmd_typing_find(typing, node, offset[edge], &begin);
  dmd_typing_find(typing, node, offset[edge + 1], &end);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts && !found; i++)
    found = ends_with(&begin, layouts[i].begin) && ends_with(&end, layouts[i].end);
  dmd_strbuf_destroy(&end);
  dmd_strbuf_destroy(&begin);
  return found;
}

/* Looks at two adjacent edges. */
static void look_at_pair(dmd_waste_t *w, uint32_t node, uint32_t edge) {
  const dmd_graph_t *g = &w->graph->graph;
  uint32_t block = g->target[edge];
  if (block != g->target[edge + 1] || !dmd_heapgraph_is_block(w->graph, block) ||
      g->offset[edge] + w->word_szB != g->offset[edge + 1] ||
      dmd_heapgraph_interior(w->graph, edge) != NULL || !is_container(w, node, edge))
    return;
  const dmd_graph_interior_t *end = dmd_heapgraph_interior(w->graph, edge + 1);
  uint64_t used = end == NULL ? 0 : end->into, all = dmd_heapgraph_requested(w->graph, block);
  if (used >= all)
    return;
  uint64_t bytes = dmd_waste_saved(w, block, all - used);
  uint32_t id = dmd_waste_add(w, DMD_WASTE_CONTAINER, block, block, DMD_NONE, bytes);
  if (id == DMD_NONE)
    return;
  dmd_waste_finding_t *finding = dmd_waste_finding(w, id);
  finding->used += used;
  if (finding->example == block) {
    finding->holder = w->keys->kinds->of[node];
    finding->way = dmd_kinds_way(w->keys->kinds, node, edge);
  }
  dmd_waste_add_size(w, id, used, 0, bytes);
}

void dmd_waste_find_containers(dmd_waste_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  const dmd_typing_t *typing = w->keys->kinds->typing;
  for (uint32_t node = 1; node < g->n_nodes; node++)
    if (dmd_type_tells(typing->types, dmd_typing_type(typing, node)) == DMD_TELLS_TYPE)
      for (uint32_t edge = g->first[node]; edge + 1 < g->first[node + 1]; edge++)
        look_at_pair(w, node, edge);
}
