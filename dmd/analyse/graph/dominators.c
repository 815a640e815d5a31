/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/dominators.h"

#include "analyse/graph/leaks.h"
#include "base/bitset.h"
#include "base/mem.h"

/* Semi-NCA: nodes are numbered in depth-first order, and all work is done in these numbers, so that
 * nodes close in the search are close in memory. Only edges that lead back to a smaller number are
 * stored again, since only the smallest source matters among the others. Below, "number" is a
 * depth-first number, and "node" is a node of the graph. */

/* State of a node during the search; one struct, since its fields are read together. */
typedef struct {
  uint32_t number; /* DMD_NO_DOMINATOR: not visited yet */
  uint32_t first;  /* number of edges that lead back to it, later their start in `back` */
  uint32_t source; /* the smallest source number of forward edges to it */
} node_t;

/* State per number of the search for the least semidominator on a path. */
typedef struct {
  uint32_t up;    /* towards the root of its tree in the forest */
  uint32_t least; /* the least semidominator on the way to `up` */
} path_t;

typedef struct {
  const dmd_graph_t *graph;
  const dmd_env_t *env;
  const uint32_t *starts; /* the next start to search from */
  uint32_t n_starts;      /* number of starts left */
  uint32_t n;             /* nodes reached so far */
  node_t *nodes;
  uint32_t *node;      /* by number */
  uint32_t *idom;      /* by number: initially its parent in the depth-first tree */
  uint32_t *next_edge; /* by number: the next edge to follow */
  uint32_t *semi;      /* by number: the semidominator, as far as known */
  path_t *path;        /* by number */
  uint32_t *way;       /* scratch: numbers on the current path */
  uint32_t *back;      /* sources of the edges that lead back, by target */
  uint32_t n_back;
  dmd_bitset_t lists; /* per number a set bit, followed by a clear bit for each of its edges in
                         `back`: marks where the edges of one number end and the next one's begin */
} work_t;

static void *array(const work_t *w, uint64_t n, size_t element_szB) {
  return dmd_env_alloc(w->env, "dmd.dominators", (size_t)(n > 0 ? n : 1) * element_szB);
}

/* Progress: n numbers are done in one of the three long phases, 0 to 2. */
static inline void tell(const work_t *w, uint32_t n, uint32_t step) {
  static const char *const steps[] = {"dominators, 1 of 3", "dominators, 2 of 3",
                                      "dominators, 3 of 3"};
  dmd_env_tell(w->env, steps[step], n, w->graph->n_nodes);
}

/* ---- The depth-first search. ---- */

/* How many edges or nodes ahead to prefetch. */
enum { AHEAD = 16 };

static void fetch_targets(const work_t *w, uint32_t node) {
  const dmd_graph_t *g = w->graph;
  uint32_t first = g->first[node], end = g->first[node + 1];
  for (uint32_t e = first; e < end && e < first + AHEAD; e++)
    __builtin_prefetch(&w->nodes[g->target[e]]);
}

/* Assigns the next number to a node that is visited for the first time. */
static void number_node(work_t *w, uint32_t node, uint32_t parent) {
  uint32_t number = w->n++;
  tell(w, number, 0);
  w->nodes[node] = (node_t){.number = number, .source = parent};
  w->node[number] = node;
  w->idom[number] = parent;
  w->next_edge[number] = w->graph->first[node];
  fetch_targets(w, node);
}

/* Records an edge to a node that was visited before. */
static void note_edge(node_t *to, uint32_t from) {
  if (to->number < from)
    to->first++;
  else if (from < to->source)
    to->source = from;
}

/* Follows an additional edge from the root. Returns the number to continue from. */
static uint32_t follow_next_start(work_t *w) {
  uint32_t start = *w->starts++;
  w->n_starts--;
  if (w->nodes[start].number == DMD_NO_DOMINATOR) {
    number_node(w, start, 0);
    return w->n - 1;
  }
  note_edge(&w->nodes[start], 0);
  return 0;
}

static void search(work_t *w) {
  const dmd_graph_t *g = w->graph;
  for (uint32_t node = 0; node < g->n_nodes; node++)
    w->nodes[node].number = DMD_NO_DOMINATOR;
  number_node(w, 0, 0);
  for (uint32_t here = 0;;) {
    uint32_t end = g->first[w->node[here] + 1], e = w->next_edge[here];
    for (; e < end && w->nodes[g->target[e]].number != DMD_NO_DOMINATOR; e++)
      note_edge(&w->nodes[g->target[e]], here);
    w->next_edge[here] = e + 1;
    if (e < end) {
      number_node(w, g->target[e], here);
      here = w->n - 1;
    } else if (here > 0) {
      here = w->idom[here];
    } else if (w->n_starts > 0) {
      here = follow_next_start(w);
    } else {
      break;
    }
  }
}

/* ---- Edges that lead back, by target. ---- */

static void make_room(work_t *w) {
  uint32_t end = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    if (i + AHEAD < w->n)
      __builtin_prefetch(&w->nodes[w->node[i + AHEAD]]);
    end = w->nodes[w->node[i]].first += end;
  }
  w->back = array(w, end, sizeof *w->back);
  w->n_back = end;
}

static void collect_edges(work_t *w) {
  const dmd_graph_t *g = w->graph;
  for (uint32_t from = 0; from < w->n; from++) {
    tell(w, from, 1);
    if (from + 2 * AHEAD < w->n)
      __builtin_prefetch(&g->target[g->first[w->node[from + 2 * AHEAD]]]);
    if (from + AHEAD / 2 < w->n)
      fetch_targets(w, w->node[from + AHEAD / 2]);
    uint32_t node = w->node[from];
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
      node_t *to = &w->nodes[g->target[e]];
      if (to->number < from)
        w->back[--to->first] = from;
    }
  }
}

/* Keeps what later phases need of the nodes, by number. */
static void note_lists(work_t *w) {
  dmd_bitset_init(&w->lists, w->env, "dmd.dominators", (uint64_t)w->n + w->n_back);
  for (uint32_t i = 0; i < w->n; i++) {
    if (i + AHEAD < w->n)
      __builtin_prefetch(&w->nodes[w->node[i + AHEAD]]);
    const node_t *node = &w->nodes[w->node[i]];
    dmd_bitset_add(&w->lists, (uint64_t)node->first + i);
    w->semi[i] = node->source;
  }
}

/* ---- Semidominators. ---- */

/* The least semidominator on the path from v up to, but excluding, the first number <= last; v is
 * above last. Compresses the path. */
static uint32_t least_on_path(work_t *w, uint32_t v, uint32_t last) {
  path_t *path = w->path;
  uint32_t depth = 0;
  while (path[v].up > last) {
    w->way[depth++] = v;
    v = path[v].up;
  }
  uint32_t root = path[v].up, least = path[v].least;
  while (depth > 0) {
    path_t *p = &path[w->way[--depth]];
    p->up = root;
    if (least < p->least)
      p->least = least;
    else
      least = p->least;
  }
  return least;
}

static void find_semidominators(work_t *w) {
  uint64_t at = (uint64_t)w->n + w->n_back; /* in `lists` */
  for (uint32_t i = 0; i < w->n; i++)
    w->path[i] = (path_t){.up = w->idom[i], .least = i};
  for (uint32_t i = w->n - 1; i > 0; i--) {
    uint32_t semi = w->semi[i];
    tell(w, w->n - i, 2);
    while (!dmd_bitset_has(&w->lists, --at)) {
      uint64_t e = at - i - 1; /* after i + 1 set bits */
      if (e >= 2 * AHEAD)
        __builtin_prefetch(&w->path[w->back[e - 2 * AHEAD]]);
      uint32_t least = least_on_path(w, w->back[e], i);
      if (least < semi)
        semi = least;
    }
    w->semi[i] = semi;
    w->path[i].least = semi;
  }
}

/* The immediate dominator is the nearest ancestor whose number is at most the semidominator's. */
static void find_dominators(work_t *w) {
  for (uint32_t i = 1; i < w->n; i++) {
    uint32_t up = w->idom[i];
    while (up > w->semi[i])
      up = w->idom[up];
    w->idom[i] = up;
  }
}

/* ---- Results, by node. ---- */

static void hand_over(work_t *w, dmd_dominators_t *d) {
  d->n_reached = w->n;
  d->order = w->node;
  for (uint32_t i = 1; i < w->n; i++)
    d->idom[w->node[i]] = w->node[w->idom[i]];
}

void dmd_dominators_init(dmd_dominators_t *dominators, const dmd_graph_t *graph,
                         const uint32_t *starts, uint32_t n_starts) {
  work_t w = {.graph = graph, .env = graph->env, .starts = starts, .n_starts = n_starts};
  uint32_t n = graph->n_nodes;
  w.nodes = array(&w, n, sizeof *w.nodes);
  w.node = array(&w, n, sizeof *w.node);
  w.idom = array(&w, n, sizeof *w.idom);
  w.next_edge = array(&w, n, sizeof *w.next_edge);
  search(&w);
  dmd_env_free(w.env, w.next_edge);
  make_room(&w);
  collect_edges(&w);
  w.semi = array(&w, w.n, sizeof *w.semi);
  note_lists(&w);
  dmd_env_free(w.env, w.nodes);
  w.path = array(&w, w.n, sizeof *w.path);
  w.way = array(&w, w.n, sizeof *w.way);
  find_semidominators(&w);
  dmd_env_free(w.env, w.way);
  dmd_env_free(w.env, w.path);
  dmd_bitset_destroy(&w.lists);
  dmd_env_free(w.env, w.back);
  find_dominators(&w);
  dmd_env_free(w.env, w.semi);
  *dominators = (dmd_dominators_t){.env = w.env};
  dominators->idom = array(&w, n, sizeof *dominators->idom);
  for (uint32_t node = 0; node < n; node++)
    dominators->idom[node] = DMD_NO_DOMINATOR;
  hand_over(&w, dominators);
  dmd_env_free(w.env, w.idom);
}

void dmd_dominators_init_packed(dmd_dominators_t *dominators, dmd_graph_t *graph,
                                const uint32_t *starts, uint32_t n_starts) {
  dmd_packed_offsets_t offsets;
  dmd_graph_pack_offsets(graph, &offsets);
  dmd_dominators_init(dominators, graph, starts, n_starts);
  dmd_graph_unpack_offsets(&offsets);
}

void dmd_dominators_measure(dmd_dominators_t *dominators, const dmd_graph_t *graph) {
  size_t szB = graph->n_nodes * sizeof *dominators->retained;
  dominators->retained = dmd_env_alloc(dominators->env, "dmd.dominators", szB);
  dmd_mem_zero(dominators->retained, szB);
  for (uint32_t i = 0; i < dominators->n_reached; i++)
    dominators->retained[dominators->order[i]] = graph->size[dominators->order[i]];
  dmd_dominators_sum(dominators, dominators->retained);
}

void dmd_dominators_sum(const dmd_dominators_t *dominators, uint64_t *sizes) {
  for (uint32_t i = dominators->n_reached; i-- > 1;) {
    uint32_t node = dominators->order[i];
    sizes[dominators->idom[node]] += sizes[node];
  }
}

void dmd_dominators_destroy(dmd_dominators_t *dominators) {
  dmd_env_free(dominators->env, dominators->retained);
  dmd_env_free(dominators->env, dominators->idom);
  dmd_env_free(dominators->env, dominators->order);
}

/* ---- Dominance. ---- */

/* Numbers nodes so that those that a node dominates directly follow it. */
static void number_nodes(dmd_dominance_t *dominance, const dmd_dominators_t *d) {
  uint32_t *begin = dominance->begin, *count = dominance->count;
  for (uint32_t i = d->n_reached; i-- > 0;) {
    uint32_t node = d->order[i];
    count[node]++;
    if (i > 0)
      count[d->idom[node]] += count[node];
  }
  /* While the numbers in a node's range are assigned, begin is the end of the range for the next
   * child; finally it is the node's own number. */
  begin[DMD_GRAPH_ALL] = count[DMD_GRAPH_ALL];
  for (uint32_t i = 1; i < d->n_reached; i++) {
    uint32_t node = d->order[i], up = d->idom[node];
    uint32_t end = begin[up];
    begin[up] -= count[node];
    begin[node] = end;
  }
  for (uint32_t i = 0; i < d->n_reached; i++)
    begin[d->order[i]]--;
}

void dmd_dominance_init(dmd_dominance_t *dominance, const dmd_heapgraph_t *graph,
                        dmd_graph_t *edges) {
  size_t szB = edges->n_nodes * sizeof *dominance->begin;
  dmd_lost_t lost;
  dmd_dominators_t dominators;
  dmd_lost_init(&lost, graph);
  dmd_dominators_init_packed(&dominators, edges, lost.nodes, lost.n);
  dmd_lost_destroy(&lost);
  *dominance = (dmd_dominance_t){.env = graph->env,
                                 .begin = dmd_env_alloc(graph->env, "dmd.dominance", szB),
                                 .count = dmd_env_alloc(graph->env, "dmd.dominance", szB)};
  dmd_mem_zero(dominance->count, szB);
  number_nodes(dominance, &dominators);
  dmd_dominators_destroy(&dominators);
}

void dmd_dominance_destroy(dmd_dominance_t *dominance) {
  dmd_env_free(dominance->env, dominance->count);
  dmd_env_free(dominance->env, dominance->begin);
}
