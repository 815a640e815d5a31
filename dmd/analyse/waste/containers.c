/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/containers.h"

#include "base/str.h"

/* Two pointers of a container, at most one word apart, by the last parts of their members' paths.
 */
typedef struct {
  const char *first, *second;
  dmd_waste_form_t form;
} layout_t;

static const layout_t layouts[] = {
    {"_M_start", "_M_finish", DMD_WASTE_VECTOR},                 /* std::vector of libstdc++ */
    {"__begin_", "__end_", DMD_WASTE_VECTOR},                    /* and of libc++ */
    {"_M_finish._M_cur", "_M_finish._M_first", DMD_WASTE_DEQUE}, /* the last part of a std::deque */
    {"_M_buckets", "_M_before_begin._M_nxt", DMD_WASTE_HASH},    /* std::unordered_map and _set */
};

static bool ends_with(const dmd_strbuf_t *path, const char *end) {
  size_t n = dmd_str_length(end);
  return path->n >= n && dmd_str_equal(path->text + path->n - n, end);
}

/* NULL: none. */
static const layout_t *layout_of(dmd_waste_t *w, uint32_t node, uint32_t edge) {
  const dmd_typing_t *typing = w->keys->kinds->typing;
  const uint32_t *offset = w->graph->graph.offset;
  const layout_t *found = NULL;
  dmd_strbuf_t first, second;
  dmd_strbuf_init(&first, w->graph->env);
  dmd_strbuf_init(&second, w->graph->env);
  dmd_typing_find(typing, node, offset[edge], &first);
  dmd_typing_find(typing, node, offset[edge + 1], &second);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts && found == NULL; i++)
    if (ends_with(&first, layouts[i].first) && ends_with(&second, layouts[i].second))
      found = &layouts[i];
  dmd_strbuf_destroy(&second);
  dmd_strbuf_destroy(&first);
  return found;
}

/* Bytes from the start of a block to where an edge leads. */
static uint64_t into_of(const dmd_waste_t *w, uint32_t edge) {
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(w->graph, edge);
  return interior == NULL ? 0 : interior->into;
}

/* The length of a list whose elements begin with a pointer to the next one; at most `most`, and
 * what is left of the steps for all lists: a file can have a circle. */
static uint64_t length_of(const dmd_waste_t *w, uint32_t node, uint64_t most, uint64_t *steps) {
  const dmd_graph_t *g = &w->graph->graph;
  uint64_t n = 1;
  for (; n<most && * steps> 0; n++, --*steps) {
    uint32_t edge = g->first[node];
    if (edge == g->first[node + 1] || g->offset[edge] != 0)
      break;
    node = g->target[edge];
  }
  return *steps > 0 ? n : most;
}

typedef struct {
  dmd_waste_t *waste;
  uint64_t steps;
} work_t;

/* How much of a block is in use whose container has these two edges; all of it if it is no
 * container. */
static uint64_t used_of(work_t *work, uint32_t edge, const layout_t *layout) {
  const dmd_waste_t *w = work->waste;
  const uint32_t *target = w->graph->graph.target;
  uint64_t all = dmd_heapgraph_requested(w->graph, target[edge]);
  bool is_deque = layout->form == DMD_WASTE_DEQUE;
  bool has_two = target[edge] != target[edge + 1];
  if (has_two != (layout->form == DMD_WASTE_HASH) || into_of(w, edge + is_deque) != 0)
    return all;
  return has_two ? w->word_szB * length_of(w, target[edge + 1], all / w->word_szB, &work->steps)
                 : into_of(w, edge + !is_deque);
}

static void look_at_pair(work_t *work, uint32_t node, uint32_t edge) {
  dmd_waste_t *w = work->waste;
  const dmd_graph_t *g = &w->graph->graph;
  uint32_t block = g->target[edge], apart = g->offset[edge + 1] - g->offset[edge];
  const layout_t *layout = apart <= 2 * w->word_szB && dmd_heapgraph_is_block(w->graph, block)
                               ? layout_of(w, node, edge)
                               : NULL;
  if (layout == NULL)
    return;
  uint64_t all = dmd_heapgraph_requested(w->graph, block), used = used_of(work, edge, layout);
  if (used >= all)
    return;
  uint64_t bytes = dmd_waste_saved(w, block, all - used);
  uint32_t id = dmd_waste_add(w, DMD_WASTE_CONTAINER, block, block, DMD_NONE, bytes);
  if (id == DMD_NONE)
    return;
  dmd_waste_finding_t *finding = dmd_waste_finding(w, id);
  finding->used += used;
  finding->values = layout->form;
  if (finding->example == block) {
    finding->holder = w->keys->kinds->of[node];
    finding->way = dmd_kinds_way(w->keys->kinds, node, edge);
  }
  dmd_waste_add_size(w, id, used, 0, bytes);
}

void dmd_waste_find_containers(dmd_waste_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  const dmd_typing_t *typing = w->keys->kinds->typing;
  work_t work = {.waste = w, .steps = (uint64_t)g->n_nodes + 1};
  for (uint32_t node = 1; node < g->n_nodes; node++)
    if (dmd_type_tells(typing->types, dmd_typing_type(typing, node)) == DMD_TELLS_TYPE)
      for (uint32_t edge = g->first[node]; edge + 1 < g->first[node + 1]; edge++)
        look_at_pair(&work, node, edge);
}
