/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/condense.h"

#include "base/mem.h"
#include "base/sort.h"

typedef struct {
  const dmd_condense_t *what;
  const dmd_graph_t *graph;
  const dmd_dominators_t *dominators;
  const dmd_reader_limits_t *limits;
  uint32_t *group; /* by node: the representative of its group; DMD_LEFT_OUT */
  uint32_t *small; /* by node: the child that represents its small children; 0: none yet */
  bool *many;      /* by representative: the group has further nodes */
  uint64_t *size;  /* by representative of small nodes: total retained bytes */
} work_t;

static void *array(const dmd_env_t *env, uint64_t n, size_t element_szB) {
  return dmd_env_alloc(env, "dmd.condense", (size_t)(n > 0 ? n : 1) * element_szB);
}

/* ---- Groups. ---- */

/* True if the node is not merged; its dominators are not either, since they retain no less. */
static bool is_large(const work_t *w, uint32_t node, uint64_t up_to) {
  return node == 0 || w->dominators->retained[node] > up_to;
}

/* The group of a small child whose parent is not merged. */
static uint32_t join_small(work_t *w, uint32_t parent, uint32_t node) {
  uint64_t more = w->dominators->retained[node];
  uint32_t small = w->small[parent];
  if (small == 0 || w->size[small] + more > w->limits->max_node_size) {
    w->small[parent] = node;
    w->size[node] = more;
    return node;
  }
  w->size[small] += more;
  return small;
}

/* Merges nodes that retain at most up_to bytes; returns the number of groups. */
static uint32_t make_groups(work_t *w, uint64_t up_to) {
  const dmd_dominators_t *d = w->dominators;
  uint32_t n_groups = 1;
  if (up_to > w->limits->max_node_size)
    up_to = w->limits->max_node_size;
  dmd_mem_zero(w->small, w->graph->n_nodes * sizeof *w->small);
  dmd_mem_zero(w->many, w->graph->n_nodes * sizeof *w->many);
  for (uint32_t i = 1; i < d->n_reached; i++) {
    uint32_t node = d->order[i], parent = d->idom[node];
    if (!is_large(w, parent, up_to))
      w->group[node] = w->group[parent];
    else if (is_large(w, node, up_to))
      w->group[node] = node;
    else
      w->group[node] = join_small(w, parent, node);
    if (w->group[node] == node)
      n_groups++;
    else
      w->many[w->group[node]] = true;
  }
  return n_groups;
}

/* True if an edge remains. Among the edges of a node to one group only the first does; `met`
 * remembers it. */
static bool is_left(const work_t *w, uint32_t node, uint32_t target, uint32_t *met) {
  uint32_t group = w->group[target];
  if (!w->many[group])
    return true;
  if (group == w->group[node] || met[group] == node + 1)
    return false;
  met[group] = node + 1;
  return true;
}

/* An upper bound for the remaining edges: those from a merged group to one target may count several
 * times. */
static uint64_t count_edges(const work_t *w) {
  const dmd_graph_t *g = w->graph;
  const dmd_condense_t *what = w->what;
  uint64_t n = 0;
  dmd_mem_zero(w->small, g->n_nodes * sizeof *w->small);
  for (uint32_t node = 0; node < g->n_nodes; node++)
    if (w->group[node] != DMD_LEFT_OUT)
      for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        n += is_left(w, node, g->target[e], w->small);
  for (uint32_t i = 0; i < what->n_starts; i++)
    n += is_left(w, 0, what->starts[i], w->small);
  return n;
}

/* All edges of reached nodes. */
static uint64_t count_all_edges(const work_t *w) {
  const dmd_graph_t *g = w->graph;
  uint64_t n = w->what->n_starts;
  for (uint32_t node = 0; node < g->n_nodes; node++)
    if (w->group[node] != DMD_LEFT_OUT)
      n += g->first[node + 1] - g->first[node];
  return n;
}

static bool fits(const dmd_reader_limits_t *l, uint32_t n_nodes, uint64_t n_edges) {
  return n_nodes <= l->max_nodes &&
         n_nodes * (uint64_t)l->node_szB + n_edges * l->edge_szB <= l->max_szB;
}

/* Merges nodes that retain at most up_to bytes; true if the result fits. */
static bool fits_up_to(work_t *w, uint64_t up_to) {
  uint32_t n_groups = make_groups(w, up_to);
  return fits(w->limits, n_groups, 0) && fits(w->limits, n_groups, count_edges(w));
}

/* Thresholds to try: 1, 1.25, 1.5, 1.75, 2, 2.5 and so on, four per power of two. */
enum { N_STEPS = 240 };

static uint64_t size_of_step(uint32_t step) {
  return (UINT64_C(4) + step % 4) << step / 4 >> 2;
}

/* The lowest threshold at which the graph fits; the last one if it never fits. */
static uint64_t search_size(work_t *w) {
  uint32_t step;
  DMD_SEARCH(step, 0, N_STEPS - 1, !fits_up_to(w, size_of_step(step)));
  return size_of_step(step);
}

/* ---- Numbers. ---- */

static void number_groups(dmd_condensed_t *c, const uint32_t *group) {
  uint32_t n_nodes = c->graph->n_nodes;
  c->n_nodes = 0;
  for (uint32_t node = 0; node < n_nodes; node++) {
    c->number[node] = DMD_LEFT_OUT;
    if (group[node] == node) {
      c->node[c->n_nodes] = node;
      c->number[node] = c->n_nodes++;
    }
  }
  for (uint32_t node = 0; node < n_nodes; node++)
    if (group[node] != DMD_LEFT_OUT)
      c->number[node] = c->number[group[node]];
}

/* Chains merged nodes behind their representative, in order. */
static void chain_nodes(dmd_condensed_t *c, const uint32_t *group) {
  uint32_t n_nodes = c->graph->n_nodes;
  c->next = array(c->graph->env, n_nodes, sizeof *c->next);
  dmd_mem_zero(c->next, n_nodes * sizeof *c->next);
  for (uint32_t node = n_nodes; node-- > 0;)
    if (group[node] != DMD_LEFT_OUT && group[node] != node) {
      c->next[node] = c->next[group[node]];
      c->next[group[node]] = node;
    }
  c->met = array(c->graph->env, c->n_nodes, sizeof *c->met);
  dmd_mem_zero(c->met, c->n_nodes * sizeof *c->met);
}

/* Merges nodes until the graph fits. */
static void cut(dmd_condensed_t *c, work_t *w) {
  const dmd_env_t *env = c->graph->env;
  uint32_t n = c->graph->n_nodes;
  w->small = array(env, n, sizeof *w->small);
  w->many = array(env, n, sizeof *w->many);
  w->size = array(env, n, sizeof *w->size);
  c->up_to = search_size(w);
  c->fits = fits_up_to(w, c->up_to);
  dmd_env_free(env, w->size);
  dmd_env_free(env, w->many);
  dmd_env_free(env, w->small);
}

void dmd_condensed_init(dmd_condensed_t *condensed, const dmd_condense_t *what,
                        const dmd_reader_limits_t *limits) {
  const dmd_graph_t *graph = what->graph;
  const dmd_dominators_t *dominators = what->dominators;
  uint32_t n = graph->n_nodes;
  work_t w = {.what = what, .graph = graph, .dominators = dominators, .limits = limits};
  *condensed = (dmd_condensed_t){
      .graph = graph, .starts = what->starts, .n_starts = what->n_starts, .sizes = what->sizes};
  w.group = array(graph->env, n, sizeof *w.group);
  for (uint32_t node = 0; node < n; node++)
    w.group[node] = node == 0 || dominators->idom[node] != DMD_NO_DOMINATOR ? node : DMD_LEFT_OUT;
  condensed->fits = fits(limits, dominators->n_reached, count_all_edges(&w));
  if (!condensed->fits)
    cut(condensed, &w);
  condensed->number = array(graph->env, n, sizeof *condensed->number);
  condensed->node = array(graph->env, n, sizeof *condensed->node);
  number_groups(condensed, w.group);
  if (condensed->up_to > 0)
    chain_nodes(condensed, w.group);
  dmd_env_free(graph->env, w.group);
}

void dmd_condensed_destroy(dmd_condensed_t *condensed) {
  const dmd_env_t *env = condensed->graph->env;
  dmd_env_free(env, condensed->met);
  dmd_env_free(env, condensed->next);
  dmd_env_free(env, condensed->node);
  dmd_env_free(env, condensed->number);
}

/* ---- Access. ---- */

/* The next node of the group; 0 at the end. */
static uint32_t next_node(const dmd_condensed_t *c, uint32_t node) {
  return c->next != NULL ? c->next[node] : 0;
}

bool dmd_condensed_is_many(const dmd_condensed_t *condensed, uint32_t number) {
  return next_node(condensed, condensed->node[number]) != 0;
}

uint32_t dmd_condensed_n(const dmd_condensed_t *condensed, uint32_t number) {
  uint32_t n = 1;
  for (uint32_t node = condensed->node[number]; (node = next_node(condensed, node)) != 0;)
    n++;
  return n;
}

uint64_t dmd_condensed_size(const dmd_condensed_t *condensed, uint32_t number) {
  uint32_t node = condensed->node[number];
  uint64_t size = condensed->sizes[node];
  while ((node = next_node(condensed, node)) != 0)
    size += condensed->sizes[node];
  return size;
}

void dmd_condensed_walk(dmd_condensed_t *condensed, uint32_t number, dmd_edge_walk_t *walk) {
  uint32_t node = condensed->node[number];
  *walk = (dmd_edge_walk_t){.number = number,
                            .node = node,
                            .next_edge = condensed->graph->first[node],
                            .is_many = dmd_condensed_is_many(condensed, number)};
  condensed->n_walks++;
}

/* Advances to the next edge of the graph. */
static bool next_edge(const dmd_condensed_t *c, dmd_edge_walk_t *walk) {
  const dmd_graph_t *g = c->graph;
  while (walk->next_edge == g->first[walk->node + 1]) {
    if (walk->node == 0 && walk->next_start < c->n_starts) {
      walk->edge = DMD_NO_EDGE;
      walk->target = c->number[c->starts[walk->next_start++]];
      return true;
    }
    uint32_t node = next_node(c, walk->node);
    if (node == 0)
      return false;
    walk->node = node;
    walk->next_edge = g->first[node];
  }
  walk->edge = walk->next_edge++;
  walk->target = c->number[g->target[walk->edge]];
  return true;
}

bool dmd_condensed_next(dmd_condensed_t *condensed, dmd_edge_walk_t *walk) {
  while (next_edge(condensed, walk)) {
    if (!walk->is_many && !dmd_condensed_is_many(condensed, walk->target))
      return true;
    if (walk->target != walk->number && condensed->met[walk->target] != condensed->n_walks) {
      condensed->met[walk->target] = condensed->n_walks;
      return true;
    }
  }
  return false;
}
