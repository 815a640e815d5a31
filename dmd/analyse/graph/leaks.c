/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/leaks.h"

#include "base/bitset.h"

typedef struct {
  dmd_leaks_t *leaks;
  const dmd_graph_t *edges;
  uint32_t first_block;
  dmd_bitset_t inside; /* edges into the middle of blocks without a heuristic */
  uint32_t *stack;     /* nodes whose edges are still to be followed, each at most once */
  uint32_t n_stack;
  uint32_t n_met; /* nodes reached so far */
} work_t;

static uint8_t *state_of(const work_t *w, uint32_t node) {
  return &w->leaks->state[node - w->first_block];
}

static void push(work_t *w, uint32_t node, dmd_leak_state_t state) {
  dmd_env_tell(w->edges->env, "reachable blocks", w->n_met++, w->edges->n_nodes);
  *state_of(w, node) = (uint8_t)state;
  w->stack[w->n_stack++] = node;
}

static void find_inside(work_t *w) {
  const dmd_heapgraph_t *graph = w->leaks->graph;
  dmd_bitset_init(&w->inside, graph->env, "dmd.leaks", dmd_graph_n_edges(w->edges));
  for (uint32_t id = 1; id <= graph->interiors.last; id++) {
    const dmd_graph_interior_t *i = DMD_POOL_AT(&graph->interiors, const dmd_graph_interior_t, id);
    if (i->heuristic == DMD_HEURISTIC_NONE)
      dmd_bitset_add(&w->inside, i->edge);
  }
}

/* All blocks count as lost until they are reached. */
static void begin(work_t *w, dmd_leaks_rule_t rule) {
  const dmd_heapgraph_t *graph = w->leaks->graph;
  for (uint32_t node = w->first_block; node < w->edges->n_nodes; node++)
    *state_of(w, node) = DMD_LEAK_DEFINITELY;
  if (rule == DMD_LEAKS_OF_ALL_NODES)
    return;
  for (uint32_t node = w->first_block; node < w->edges->n_nodes; node++)
    if (dmd_heapgraph_block(graph, node)->outer != DMD_NONE)
      *state_of(w, dmd_heapgraph_block(graph, node)->outer) = DMD_LEAK_OUTER;
}

/* ---- From roots. ---- */

/* Follows a node's pointers to blocks that still count as lost: all pointers, or only those to
 * starts. */
static void follow(work_t *w, uint32_t node, bool all, dmd_leak_state_t state) {
  for (uint32_t e = w->edges->first[node]; e < w->edges->first[node + 1]; e++) {
    uint32_t target = w->edges->target[e];
    if (target >= w->first_block && *state_of(w, target) == DMD_LEAK_DEFINITELY &&
        (all || !dmd_bitset_has(&w->inside, e)))
      push(w, target, state);
  }
}

static void follow_stack(work_t *w, bool all, dmd_leak_state_t state) {
  while (w->n_stack > 0)
    follow(w, w->stack[--w->n_stack], all, state);
}

static void mark_reachable(work_t *w) {
  for (uint32_t root = 1; root < w->first_block; root++)
    follow(w, root, false, DMD_LEAK_REACHABLE);
  follow_stack(w, false, DMD_LEAK_REACHABLE);
}

/* Skips possibly lost blocks: those were reached on such a path, and are on the stack or done. */
static void mark_possibly(work_t *w) {
  for (uint32_t node = 1; node < w->edges->n_nodes; node++)
    if (node < w->first_block || *state_of(w, node) == DMD_LEAK_REACHABLE)
      follow(w, node, true, DMD_LEAK_POSSIBLY);
  follow_stack(w, true, DMD_LEAK_POSSIBLY);
}

/* ---- From lost blocks. ---- */

/* Attaches all blocks that a lost block leads to to it as their leader. A block that leads others
 * keeps them: its pointers are followed, but its blocks have their leader already. */
static void hang_on(work_t *w, uint32_t leader) {
  w->stack[w->n_stack++] = leader;
  while (w->n_stack > 0) {
    uint32_t node = w->stack[--w->n_stack];
    for (uint32_t e = w->edges->first[node]; e < w->edges->first[node + 1]; e++) {
      uint32_t target = w->edges->target[e];
      if (target < w->first_block || target == leader ||
          *state_of(w, target) != DMD_LEAK_DEFINITELY)
        continue;
      push(w, target, DMD_LEAK_INDIRECTLY);
      w->leaks->leader[target - w->first_block] = leader;
    }
  }
}

/* The final leader: a leader may itself have become attached to a later one, and so on. */
static uint32_t last_leader(const work_t *w, uint32_t node) {
  uint32_t *leader = w->leaks->leader;
  while (*state_of(w, node) == DMD_LEAK_INDIRECTLY) {
    uint32_t next = leader[node - w->first_block];
    if (*state_of(w, next) == DMD_LEAK_INDIRECTLY)
      leader[node - w->first_block] = leader[next - w->first_block];
    node = next;
  }
  return node;
}

static void mark_indirectly(work_t *w) {
  for (uint32_t node = w->first_block; node < w->edges->n_nodes; node++)
    if (*state_of(w, node) == DMD_LEAK_DEFINITELY)
      hang_on(w, node);
  for (uint32_t node = w->edges->n_nodes; node-- > w->first_block;)
    if (*state_of(w, node) == DMD_LEAK_INDIRECTLY)
      w->leaks->leader[node - w->first_block] = last_leader(w, node);
}

void dmd_leaks_init(dmd_leaks_t *leaks, const dmd_heapgraph_t *graph, dmd_leaks_rule_t rule) {
  const dmd_env_t *env = graph->env;
  work_t w = {
      .leaks = leaks, .edges = &graph->graph, .first_block = dmd_heapgraph_first_block(graph)};
  size_t n = graph->graph.n_nodes - w.first_block + 1;
  *leaks = (dmd_leaks_t){.graph = graph,
                         .state = dmd_env_alloc(env, "dmd.leaks", n * sizeof *leaks->state),
                         .leader = dmd_env_alloc(env, "dmd.leaks", n * sizeof *leaks->leader)};
  w.stack = dmd_env_alloc(env, "dmd.leaks", n * sizeof *w.stack);
  find_inside(&w);
  begin(&w, rule);
  mark_reachable(&w);
  mark_possibly(&w);
  mark_indirectly(&w);
  dmd_bitset_destroy(&w.inside);
  dmd_env_free(env, w.stack);
}

void dmd_leaks_destroy(dmd_leaks_t *leaks) {
  dmd_env_free(leaks->graph->env, leaks->leader);
  dmd_env_free(leaks->graph->env, leaks->state);
}

uint32_t *dmd_leaks_starts(const dmd_heapgraph_t *graph, uint32_t *n) {
  dmd_leaks_t leaks;
  dmd_leaks_init(&leaks, graph, DMD_LEAKS_OF_ALL_NODES);
  uint32_t first = dmd_heapgraph_first_block(graph), n_nodes = graph->graph.n_nodes, n_starts = 0;
  for (uint32_t node = first; node < n_nodes; node++)
    n_starts += dmd_leak_state(&leaks, node) == DMD_LEAK_DEFINITELY;
  uint32_t *starts = dmd_env_alloc(graph->env, "dmd.leaks", (n_starts + 1) * sizeof *starts);
  *n = 0;
  for (uint32_t node = first; node < n_nodes; node++)
    if (dmd_leak_state(&leaks, node) == DMD_LEAK_DEFINITELY)
      starts[(*n)++] = node;
  dmd_leaks_destroy(&leaks);
  return starts;
}
