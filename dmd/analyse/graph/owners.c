/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/owners.h"

#include "analyse/graph/dominators.h"
#include "analyse/graph/edgemask.h"
#include "analyse/graph/kinds.h"
#include "analyse/graph/leaks.h"
#include "analyse/graph/stale.h"
#include "base/str.h"
#include "model/graph/nesting.h"

/* ---- Back edges. ---- */

/* Finds members that point back to the owner of their block: `parent`, `prev`,
 * `container`.
 *
 * An edge label (kinds.h) is a back edge if at least nine tenths of its pointers lead to a node
 * that dominates their source. Labels of roots never are, nor is DMD_WAY_OF_MANY.
 *
 * Time: proportional to the edges, after dominators; memory: 8 bytes a node and an entry per label.
 */

/* Edges with one label from nodes of one kind. */
typedef struct {
  uint32_t kind, way;
  uint32_t n, back;
} flow_t;

typedef struct {
  const dmd_heapgraph_t *graph;
  dmd_kinds_t *kinds;
  dmd_dominance_t dominance;
  dmd_pool_t flows;
  dmd_table_t index;
} search_t;

static flow_t *flow_at(const search_t *w, uint32_t id) {
  return DMD_POOL_AT(&w->flows, flow_t, id);
}

static bool flow_equal(const void *owner, uint32_t id, const void *key) {
  const flow_t *a = flow_at(owner, id), *b = key;
  return a->kind == b->kind && a->way == b->way;
}

static flow_t *flow_of(search_t *w, uint32_t node, uint32_t edge) {
  flow_t key = {.kind = w->kinds->of[node], .way = dmd_kinds_way(w->kinds, node, edge)};
  uint64_t hash = dmd_table_hash(&w->index, key.kind ^ (uint64_t)key.way << 32);
  uint32_t id = dmd_table_find_or_add(&w->index, &w->flows, hash, &key);
  return flow_at(w, id);
}

static void count_edges(search_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < g->n_nodes; node++)
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
      if (g->target[e] == node)
        continue;
      flow_t *flow = flow_of(w, node, e);
      flow->n++;
      flow->back += dmd_dominance_is(&w->dominance, g->target[e], node);
    }
}

static bool is_back(const search_t *w, const flow_t *flow) {
  return flow->back > 0 && flow->back >= flow->n - flow->n / 10 &&
         !dmd_str_equal(dmd_kinds_name(w->kinds, flow->way), DMD_WAY_OF_MANY);
}

static void take_edges(search_t *w, dmd_edgemask_t *mask) {
  const dmd_graph_t *g = &w->graph->graph;
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < g->n_nodes; node++)
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
      if (g->target[e] != node && is_back(w, flow_of(w, node, e)))
        dmd_edgemask_take(mask, node, e);
}

/* Takes all edges with such labels out of the graph. Returns their number. */
static uint32_t backedges_take(dmd_edgemask_t *mask, const dmd_heapgraph_t *graph,
                               dmd_kinds_t *kinds) {
  search_t w = {.graph = graph, .kinds = kinds};
  uint32_t before = mask->taken.last;
  dmd_dominance_init(&w.dominance, graph, mask->graph);
  dmd_pool_init(&w.flows, graph->env, "dmd.backedges", sizeof(flow_t));
  dmd_table_init(&w.index, graph->env, "dmd.backedges", flow_equal, &w);
  count_edges(&w);
  take_edges(&w, mask);
  dmd_table_destroy(&w.index);
  dmd_pool_destroy(&w.flows);
  dmd_dominance_destroy(&w.dominance);
  return mask->taken.last - before;
}

/* ---- Owners. ---- */

/* Back edges, such as `parent`, `prev` or `container`, would make a block's container look like its
 * property, so they are ignored: edge labels (kinds.h) of which nine tenths of the pointers lead to
 * a node that dominates their source. Doubtful edges, which may not be pointers
 * (dmd_typing_doubts), are ignored, too, if they are interior or stale (stale.h). Unreachable
 * blocks are handled as in retained.h. Blocks to which only ignored edges lead are unreachable
 * here, but not lost: the leak check of all edges decides. */

#define NO_EDGE UINT32_MAX

void dmd_heapgraph_add_groups(dmd_heapgraph_t *graph, const bool *picks) {
  dmd_nesting_sizes_t sizes;
  dmd_nesting_init(&sizes, graph);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    if (picks != NULL && !picks[node])
      continue;
    dmd_group_t group = dmd_nesting_group(&sizes, node);
    dmd_groups_add(&graph->profile.groups, &group);
  }
  dmd_groups_finish(&graph->profile.groups);
  dmd_nesting_destroy(&sizes);
}

static dmd_ownership_t *at(const dmd_owners_t *owners, uint32_t id) {
  return DMD_POOL_AT(&owners->pool, dmd_ownership_t, id);
}

static bool ownership_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_ownership_t *a = at(owner, id), *b = key;
  return a->owned == b->owned && a->cut == b->cut && a->reporter == b->reporter &&
         a->stack == b->stack && a->kind == b->kind && a->way == b->way && a->through == b->through;
}

static uint64_t ownership_hash(const dmd_table_t *index, const dmd_ownership_t *key) {
  uint64_t h = dmd_table_hash(index, key->cut ^ (uint64_t)key->owned << 32);
  h = dmd_hash_u64(h ^ key->reporter ^ (uint64_t)key->stack << 32);
  h = dmd_hash_u64(h ^ key->kind ^ (uint64_t)key->way << 32);
  return dmd_hash_u64(h ^ key->through);
}

/* ---- Pointers and dominators. ---- */

typedef struct {
  dmd_owners_t *owners;
  const dmd_heapgraph_t *graph;
  dmd_dominators_t dominators;
  dmd_nesting_sizes_t sizes;
  dmd_leaks_t leaks; /* over all edges, as is nearest */
  uint32_t *nearest; /* by node: a root */
  dmd_lost_t begins; /* where the part begins to which no edges lead but ignored ones */
  uint32_t *via;     /* by node: an edge to it from a reported block, preferably its dominator */
  uint32_t *source;  /* by node: the source of that edge */
  uint32_t *top;     /* by node: the topmost unreported block, possibly itself, on the path from an
                        owner; or 0 */
  uint32_t *base;    /* by node without a top: the block, possibly itself, that roots dominate */
} work_t;

static bool is_block(const work_t *w, uint32_t node) {
  return dmd_heapgraph_is_block(w->graph, node);
}

static bool is_reported(const work_t *w, uint32_t node) {
  return is_block(w, node) && dmd_heapgraph_block(w->graph, node)->reports != DMD_NONE;
}

static bool is_unreported(const work_t *w, uint32_t node) {
  return is_block(w, node) && dmd_heapgraph_block(w->graph, node)->reports == DMD_NONE;
}

static uint32_t *array(const work_t *w, uint32_t filled_with) {
  uint32_t n = w->graph->graph.n_nodes;
  uint32_t *a = dmd_env_alloc(w->graph->env, "dmd.owners", n * sizeof *a);
  for (uint32_t i = 0; i < n; i++)
    a[i] = filled_with;
  return a;
}

/* The strength of evidence, 0 for none, that a node's pointer to an unreported block makes it the
 * owner. A pointer into the middle from a node that does not dominate the block only shows that the
 * node uses a piece of it, as from a pool; it need not own the whole. A dominator's pointer to the
 * start is what the owner would report. */
static int weight(const work_t *w, uint32_t node, uint32_t edge, uint32_t target) {
  bool dominates = w->dominators.idom[target] == node;
  if (node == DMD_GRAPH_ALL || !is_reported(w, node))
    return node != DMD_GRAPH_ALL && dominates;
  const dmd_graph_interior_t *interior = dmd_heapgraph_interior(w->graph, edge);
  bool is_start = interior == NULL || interior->heuristic != DMD_HEURISTIC_NONE;
  return dominates ? 3 + (interior == NULL) : is_start ? 2 : 0;
}

static void note_pointer(work_t *w, uint32_t node, uint32_t edge) {
  uint32_t target = w->graph->graph.target[edge];
  if (!is_unreported(w, target) ||
      weight(w, node, edge, target) <= weight(w, w->source[target], w->via[target], target))
    return;
  w->via[target] = edge;
  w->source[target] = node;
}

static void find_pointers(work_t *w) {
  const dmd_graph_t *g = &w->graph->graph;
  w->via = array(w, NO_EDGE);
  w->source = array(w, DMD_GRAPH_ALL);
  for (uint32_t node = 1; node < g->n_nodes; node++)
    for (uint32_t e = g->first[node]; !is_unreported(w, node) && e < g->first[node + 1]; e++)
      note_pointer(w, node, e);
}

/* Goes in tree order, so that the results of parents are known. */
static void find_tops(work_t *w) {
  const dmd_dominators_t *d = &w->dominators;
  w->top = array(w, 0);
  w->base = array(w, 0);
  for (uint32_t i = 1; i < d->n_reached; i++) {
    uint32_t node = d->order[i], up = d->idom[node];
    if (!is_unreported(w, node))
      continue;
    if (is_unreported(w, up))
      w->top[node] = w->top[up];
    if (is_reported(w, up) || (w->top[node] == 0 && is_reported(w, w->source[node])))
      w->top[node] = node;
    w->base[node] = is_block(w, up) ? w->base[up] : node;
  }
}

/* ---- Ownership of each block. ---- */

static void set_report(const work_t *w, dmd_ownership_t *o, uint32_t reported) {
  dmd_report_walk_t walk = dmd_reports_walk(&w->graph->profile.reports,
                                            dmd_heapgraph_block(w->graph, reported)->reports);
  while (dmd_reports_next(&walk))
    if (walk.is_first) {
      o->reporter = walk.report->reporter;
      o->stack = walk.report->stack;
    }
}

/* Sets the owner of a block that a reported block dominates or points to. */
static void set_owner(const work_t *w, dmd_ownership_t *o, uint32_t top) {
  uint32_t up = w->dominators.idom[top];
  bool points = is_reported(w, w->source[top]);
  o->owned = is_reported(w, up) ? DMD_OWNED_BY_DOMINANCE : DMD_OWNED_BY_POINTER;
  o->referrer = points ? w->source[top] : up;
  o->edge = points ? w->via[top] : NO_EDGE;
  o->through = top == o->block ? DMD_NONE : w->owners->kinds->of[top];
  set_report(w, o, o->referrer);
}

/* Sets the state of a block that no single node dominates; node: the topmost block above it. */
static void set_state(const work_t *w, dmd_ownership_t *o, uint32_t node) {
  dmd_leak_state_t state = dmd_leak_state(&w->leaks, o->block);
  if (dmd_leak_is_lost(state)) {
    o->owned = DMD_LOST;
  } else if (!dmd_lost_has(&w->begins, node)) {
    o->owned = DMD_OWNED_BY_SEVERAL;
  } else {
    o->owned = state == DMD_LEAK_POSSIBLY ? DMD_POSSIBLY_LOST : DMD_OWNED_BY_ROOT;
    o->referrer = w->nearest[o->block];
  }
}

/* Sets the root of a block that no reported block dominates, if a single root does. */
static void set_root(const work_t *w, dmd_ownership_t *o) {
  uint32_t node = w->base[o->block], up = w->dominators.idom[node];
  o->referrer = up;
  if (up != DMD_GRAPH_ALL) {
    o->owned = DMD_OWNED_BY_ROOT;
    o->through = node == o->block ? DMD_NONE : w->owners->kinds->of[node];
    /* A position within a stack would carry no information. */
    if (w->source[node] == up && dmd_typing_type(w->owners->kinds->typing, up) != DMD_NONE)
      o->edge = w->via[node];
  } else {
    set_state(w, o, node);
  }
}

static void find_above(const work_t *w, dmd_ownership_t *o) {
  const dmd_graph_t *g = &w->graph->graph;
  uint32_t up = w->dominators.idom[o->referrer];
  for (uint32_t e = g->first[up]; up != DMD_GRAPH_ALL && e < g->first[up + 1]; e++)
    if (g->target[e] == o->referrer) {
      o->above = up;
      o->above_edge = e;
      return;
    }
}

static void add(work_t *w, const dmd_ownership_t *key, uint64_t bytes) {
  dmd_owners_t *owners = w->owners;
  uint64_t hash = ownership_hash(&owners->index, key);
  uint32_t id = dmd_table_find(&owners->index, hash, key);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&owners->pool);
    *at(owners, id) = *key;
    dmd_table_add(&owners->index, hash, id);
    if (key->referrer != DMD_GRAPH_ALL)
      find_above(w, at(owners, id));
  }
  at(owners, id)->blocks++;
  at(owners, id)->bytes += bytes;
}

static void add_block(work_t *w, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(w->graph, node);
  dmd_ownership_t o = {.block = node, .edge = NO_EDGE};
  o.cut = w->owners->records->cut[dmd_heapgraph_profile_stack(w->graph, block->stack)];
  if (w->top[node] != 0)
    set_owner(w, &o, w->top[node]);
  else
    set_root(w, &o);
  o.kind = w->owners->kinds->of[o.referrer];
  if (o.edge != NO_EDGE)
    o.way = dmd_kinds_way(w->owners->kinds, o.referrer, o.edge);
  add(w, &o, dmd_nesting_own(&w->sizes, node).szB);
}

/* ---- The whole. ---- */

/* True if one is stronger evidence than the other. A pointer alone may be coincidence: it counts
 * half. */
static bool is_better(const dmd_ownership_t *a, const dmd_ownership_t *b) {
  uint64_t in_a = a->owned == DMD_OWNED_BY_DOMINANCE ? a->bytes : a->bytes / 2;
  uint64_t in_b = b->owned == DMD_OWNED_BY_DOMINANCE ? b->bytes : b->bytes / 2;
  return in_a > in_b || (in_a == in_b && a->owned < b->owned);
}

static void choose_best(dmd_owners_t *owners) {
  size_t n = dmd_records_last_stack(owners->records) + 1ul;
  owners->best = dmd_env_alloc(owners->graph->env, "dmd.owners", n * sizeof *owners->best);
  dmd_mem_zero(owners->best, n * sizeof *owners->best);
  for (uint32_t id = 1; id <= owners->pool.last; id++) {
    uint32_t *best = &owners->best[at(owners, id)->cut];
    if (*best == DMD_NONE || is_better(at(owners, id), at(owners, *best)))
      *best = id;
  }
}

static void find_owners(work_t *w, const bool *picks) {
  dmd_nesting_init(&w->sizes, w->graph);
  find_pointers(w);
  find_tops(w);
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < w->graph->graph.n_nodes;
       node++) {
    dmd_env_tell(w->graph->env, "owners", node, w->graph->graph.n_nodes);
    if (is_unreported(w, node) && (picks == NULL || picks[node]))
      add_block(w, node);
  }
  dmd_nesting_destroy(&w->sizes);
  dmd_env_free(w->graph->env, w->base);
  dmd_env_free(w->graph->env, w->top);
  dmd_env_free(w->graph->env, w->source);
  dmd_env_free(w->graph->env, w->via);
}

void dmd_owners_init(dmd_owners_t *owners, dmd_heapgraph_t *graph, dmd_kinds_t *kinds,
                     const dmd_records_t *records, const bool *picks) {
  *owners = (dmd_owners_t){.graph = graph, .kinds = kinds, .records = records};
  dmd_pool_init(&owners->pool, graph->env, "dmd.owners", sizeof(dmd_ownership_t));
  dmd_table_init(&owners->index, graph->env, "dmd.owners", ownership_equal, owners);
  work_t w = {.owners = owners, .graph = graph};
  dmd_leaks_init(&w.leaks, graph, DMD_LEAKS_OF_ALL_NODES);
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &graph->graph);
  dmd_edgemask_take_stale(&mask, kinds->typing);
  w.nearest = dmd_nearest_roots(graph);
  dmd_edgemask_take_doubtful_interior(&mask, kinds->typing);
  backedges_take(&mask, graph, kinds);
  dmd_lost_init(&w.begins, graph);
  dmd_dominators_init_packed(&w.dominators, &graph->graph, w.begins.nodes, w.begins.n);
  find_owners(&w, picks);
  dmd_dominators_destroy(&w.dominators);
  dmd_lost_destroy(&w.begins);
  dmd_edgemask_destroy(&mask);
  dmd_env_free(graph->env, w.nearest);
  dmd_leaks_destroy(&w.leaks);
  choose_best(owners);
}

void dmd_owners_destroy(dmd_owners_t *owners) {
  dmd_env_free(owners->graph->env, owners->best);
  dmd_table_destroy(&owners->index);
  dmd_pool_destroy(&owners->pool);
}
