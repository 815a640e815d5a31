/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/stale.h"

#include "base/bitset.h"
#include "base/str.h"

/* ---- Live parts. ---- */

/* ---- Vectors. ---- */

/* True if an edge and the next one are the first two pointers of a vector of libstdc++ or libc++.
 */
static bool is_vector(const dmd_typing_t *typing, uint32_t node, uint32_t edge) {
  const uint32_t *offset = typing->graph->graph.offset;
  dmd_strbuf_t start, finish;
  dmd_strbuf_init(&start, typing->graph->env);
  dmd_strbuf_init(&finish, typing->graph->env);
  dmd_typing_find(typing, node, offset[edge], &start);
  dmd_typing_find(typing, node, offset[edge + 1], &finish);
  bool is_one = (dmd_str_ends(start.text, start.n, "_M_start") &&
                 dmd_str_ends(finish.text, finish.n, "_M_finish")) ||
                (dmd_str_ends(start.text, start.n, "__begin_") &&
                 dmd_str_ends(finish.text, finish.n, "__end_"));
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

/* ---- Stale pointers. ---- */

typedef struct {
  const dmd_typing_t *typing;
  dmd_pool_t blanks;    /* dmd_stale_edge_t: edges from places without pointers */
  dmd_bitset_t reached; /* node set: reached without edges of `blanks` */
} work_t;

static void note_blank(void *work, uint32_t node, uint32_t edge) {
  work_t *w = work;
  if (!dmd_typing_is_blank(w->typing, node, edge))
    return;
  uint32_t id = dmd_pool_add(&w->blanks);
  *DMD_POOL_AT(&w->blanks, dmd_stale_edge_t, id) = (dmd_stale_edge_t){.node = node, .edge = edge};
}

static void reach(work_t *w, const dmd_bitset_t *blank) {
  const dmd_graph_t *g = &w->typing->graph->graph;
  uint32_t *queue = dmd_env_alloc(g->env, "dmd.stale", g->n_nodes * sizeof *queue);
  uint32_t n = 0;
  queue[n++] = DMD_GRAPH_ALL;
  dmd_bitset_add(&w->reached, DMD_GRAPH_ALL);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t e = g->first[queue[i]]; e < g->first[queue[i] + 1]; e++) {
      if (dmd_bitset_has(blank, e) || dmd_bitset_has(&w->reached, g->target[e]))
        continue;
      dmd_bitset_add(&w->reached, g->target[e]);
      queue[n++] = g->target[e];
    }
  dmd_env_free(g->env, queue);
}

static void find_reached(work_t *w) {
  const dmd_graph_t *g = &w->typing->graph->graph;
  dmd_bitset_t blank;
  dmd_bitset_init(&blank, g->env, "dmd.stale", dmd_graph_n_edges(g));
  for (uint32_t id = 1; id <= w->blanks.last; id++)
    dmd_bitset_add(&blank, DMD_POOL_AT(&w->blanks, const dmd_stale_edge_t, id)->edge);
  dmd_bitset_init(&w->reached, g->env, "dmd.stale", g->n_nodes);
  reach(w, &blank);
  dmd_bitset_destroy(&blank);
}

/* Leaves only the stale ones. */
static void keep_stale(work_t *w, dmd_pool_t *edges) {
  const dmd_graph_t *g = &w->typing->graph->graph;
  for (uint32_t id = 1; id <= w->blanks.last; id++) {
    const dmd_stale_edge_t *b = DMD_POOL_AT(&w->blanks, const dmd_stale_edge_t, id);
    if (dmd_bitset_has(&w->reached, g->target[b->edge]))
      *(dmd_stale_edge_t *)dmd_pool_at(edges, dmd_pool_add(edges)) = *b;
  }
}

void dmd_stale_init(dmd_stale_t *stale, const dmd_typing_t *typing) {
  const dmd_env_t *env = typing->graph->env;
  work_t w = {.typing = typing};
  dmd_pool_init(&stale->edges, env, "dmd.stale", sizeof(dmd_stale_edge_t));
  dmd_pool_init(&w.blanks, env, "dmd.stale", sizeof(dmd_stale_edge_t));
  dmd_find_doubtful(typing, note_blank, &w);
  if (w.blanks.last > 0) {
    find_reached(&w);
    keep_stale(&w, &stale->edges);
    dmd_bitset_destroy(&w.reached);
  }
  dmd_pool_destroy(&w.blanks);
}

void dmd_stale_destroy(dmd_stale_t *stale) {
  dmd_pool_destroy(&stale->edges);
}

void dmd_stale_take(const dmd_stale_t *stale, dmd_edgemask_t *mask) {
  for (uint32_t id = 1; id <= stale->edges.last; id++) {
    const dmd_stale_edge_t *at = DMD_POOL_AT(&stale->edges, const dmd_stale_edge_t, id);
    dmd_edgemask_take(mask, at->node, at->edge);
  }
}

void dmd_edgemask_take_stale(dmd_edgemask_t *mask, const dmd_typing_t *typing) {
  dmd_stale_t stale;
  dmd_stale_init(&stale, typing);
  dmd_stale_take(&stale, mask);
  dmd_stale_destroy(&stale);
}
