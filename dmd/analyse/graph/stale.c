/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/stale.h"

#include "base/bitset.h"

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
