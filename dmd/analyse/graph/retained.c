/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/retained.h"

#include "analyse/graph/edgemask.h"
#include "base/sort.h"

static void *array(const dmd_heapgraph_t *graph, size_t element_szB) {
  return dmd_env_alloc(graph->env, "dmd.retained", graph->graph.n_nodes * element_szB);
}

/* By node: the total of its subtree. */
static uint64_t *sum(const dmd_retained_t *r, const dmd_dominators_t *dominators) {
  uint64_t *bytes = array(r->graph, sizeof *bytes);
  dmd_mem_zero(bytes, r->graph->graph.n_nodes * sizeof *bytes);
  for (uint32_t i = 0; i < dominators->n_reached; i++)
    bytes[dominators->order[i]] = dmd_retained_own(r, dominators->order[i]);
  dmd_dominators_sum(dominators, bytes);
  return bytes;
}

static void find_sure(dmd_retained_t *r, dmd_heapgraph_t *graph, const dmd_typing_t *typing) {
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &graph->graph);
  if (dmd_edgemask_take_doubtful(&mask, typing) > 0) {
    dmd_dominators_t dominators;
    dmd_dominators_init_packed(&dominators, &graph->graph, r->lost.nodes, r->lost.n);
    r->sure = sum(r, &dominators);
    dmd_dominators_destroy(&dominators);
  }
  dmd_edgemask_destroy(&mask);
}

void dmd_retained_init(dmd_retained_t *retained, dmd_heapgraph_t *graph,
                       const dmd_typing_t *typing) {
  *retained = (dmd_retained_t){.graph = graph};
  dmd_lost_init(&retained->lost, graph);
  dmd_nesting_init(&retained->sizes, graph);
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &graph->graph);
  dmd_stale_init(&retained->stale, typing);
  dmd_stale_take(&retained->stale, &mask);
  find_sure(retained, graph, typing);
  dmd_dominators_init_packed(&retained->dominators, &graph->graph, retained->lost.nodes,
                             retained->lost.n);
  retained->bytes = sum(retained, &retained->dominators);
  dmd_edgemask_destroy(&mask);
}

void dmd_retained_destroy(dmd_retained_t *retained) {
  const dmd_env_t *env = retained->graph->env;
  dmd_dominators_destroy(&retained->dominators);
  dmd_env_free(env, retained->bytes);
  dmd_env_free(env, retained->sure);
  dmd_nesting_destroy(&retained->sizes);
  dmd_lost_destroy(&retained->lost);
  dmd_stale_destroy(&retained->stale);
}

/* ---- Several nodes together. ---- */

typedef struct {
  const dmd_graph_t *graph;
  const dmd_bitset_t *without;
  dmd_bitset_t met;
  uint32_t *queue;
  uint32_t n;
} walk_t;

static void meet(walk_t *w, uint32_t node) {
  if (dmd_bitset_has(w->without, node) || dmd_bitset_has(&w->met, node))
    return;
  dmd_bitset_add(&w->met, node);
  w->queue[w->n++] = node;
}

uint64_t dmd_retained_by_all(const dmd_retained_t *retained, const dmd_bitset_t *nodes) {
  const dmd_env_t *env = retained->graph->env;
  dmd_edgemask_t mask;
  dmd_edgemask_init(&mask, &retained->graph->graph);
  dmd_stale_take(&retained->stale, &mask);
  walk_t w = {.graph = &retained->graph->graph, .without = nodes};
  dmd_bitset_init(&w.met, env, "dmd.retained", w.graph->n_nodes);
  w.queue = array(retained->graph, sizeof *w.queue);
  meet(&w, DMD_GRAPH_ALL);
  for (uint32_t i = 0; i < retained->lost.n; i++)
    meet(&w, retained->lost.nodes[i]);
  uint64_t left = 0;
  for (uint32_t i = 0; i < w.n; i++) {
    uint32_t node = w.queue[i];
    left += dmd_retained_own(retained, node);
    for (uint32_t e = w.graph->first[node]; e < w.graph->first[node + 1]; e++)
      meet(&w, w.graph->target[e]);
  }
  dmd_env_free(env, w.queue);
  dmd_bitset_destroy(&w.met);
  dmd_edgemask_destroy(&mask);
  return retained->bytes[DMD_GRAPH_ALL] - left;
}

/* ---- Rows. ---- */

static dmd_retained_row_t *row_at(const dmd_retainedrows_t *rows, uint32_t id) {
  return DMD_POOL_AT(&rows->rows, dmd_retained_row_t, id);
}

static bool row_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_retained_row_t *a = row_at(owner, id), *b = key;
  return a->parent == b->parent && a->kind == b->kind && a->way == b->way && a->held == b->held;
}

static dmd_retained_row_t *row_of(dmd_retainedrows_t *rows, const dmd_retained_row_t *key) {
  uint64_t hash = dmd_table_hash(&rows->index, key->kind ^ (uint64_t)key->way << 32);
  hash = dmd_hash_u64(hash ^ key->parent ^ (uint64_t)key->held << 32);
  uint32_t id = dmd_table_find_or_add(&rows->index, &rows->rows, hash, key);
  return row_at(rows, id);
}

/* ---- Dominated nodes. ---- */

static uint32_t *array_of(const dmd_retainedrows_t *rows, uint64_t n) {
  return dmd_env_alloc(rows->kinds->names.env, "dmd.retainedrows", (size_t)n * sizeof(uint32_t));
}

static void list_kids(dmd_retainedrows_t *rows) {
  const dmd_dominators_t *d = &rows->retained->dominators;
  uint32_t n = rows->retained->graph->graph.n_nodes;
  rows->first_kid = array_of(rows, (uint64_t)n + 1);
  rows->kids = array_of(rows, n);
  dmd_mem_zero(rows->first_kid, ((size_t)n + 1) * sizeof *rows->first_kid);
  for (uint32_t i = 1; i < d->n_reached; i++)
    rows->first_kid[d->idom[d->order[i]]]++;
  uint32_t end = 0;
  for (uint32_t node = 0; node <= n; node++)
    end = rows->first_kid[node] += end;
  for (uint32_t i = d->n_reached; i-- > 1;)
    rows->kids[--rows->first_kid[d->idom[d->order[i]]]] = d->order[i];
}

/* ---- Rows. ---- */

static void append(dmd_retainedrows_t *rows, dmd_retained_row_t *row, uint32_t node) {
  rows->next_node[node] = DMD_GRAPH_ALL;
  if (row->first_node == DMD_GRAPH_ALL)
    row->first_node = node;
  else
    rows->next_node[row->last_node] = node;
  row->last_node = node;
}

/* Puts a node whose dominator is in a row into the same row if the two are alike, else into a row
 * below. */
static void place(dmd_retainedrows_t *rows, uint32_t parent, uint32_t node, dmd_held_t held,
                  uint32_t way) {
  if (dmd_bitset_has(&rows->placed, node))
    return;
  dmd_bitset_add(&rows->placed, node);
  dmd_retained_row_t *above = row_at(rows, parent);
  dmd_retained_row_t key = {.kind = rows->kinds->of[node],
                            .way = way,
                            .held = held,
                            .depth = above->depth + 1,
                            .parent = parent};
  uint32_t referrer = rows->retained->dominators.idom[node];
  if (above->first_node != DMD_GRAPH_ALL && dmd_kinds_alike(rows->kinds, referrer, node)) {
    append(rows, above, node);
    return;
  }
  dmd_retained_row_t *row = row_of(rows, &key);
  dmd_bounds_t retained = dmd_retained_of(rows->retained, node);
  row->retained.least += retained.least;
  row->retained.all += retained.all;
  append(rows, row, node);
}

static void place_kids(dmd_retainedrows_t *rows, uint32_t id, uint32_t node) {
  const dmd_graph_t *g = &rows->retained->graph->graph;
  const uint32_t *idom = rows->retained->dominators.idom;
  for (uint32_t e = g->first[node]; node != DMD_GRAPH_ALL && e < g->first[node + 1]; e++)
    if (idom[g->target[e]] == node)
      place(rows, id, g->target[e], DMD_HELD_BY_MEMBER, dmd_kinds_way(rows->kinds, node, e));
  for (uint32_t i = rows->first_kid[node]; i < rows->first_kid[node + 1]; i++) {
    uint32_t kid = rows->kids[i];
    bool is_root = !dmd_heapgraph_is_block(rows->retained->graph, kid);
    place(rows, id, kid,
          is_root                                    ? DMD_HELD_ROOT
          : dmd_lost_has(&rows->retained->lost, kid) ? DMD_HELD_LOST
                                                     : DMD_HELD_BY_SEVERAL,
          DMD_NONE);
  }
}

static int compare_rows(const void *rows, uint32_t x, uint32_t y) {
  const dmd_retained_row_t *a = row_at(rows, x), *b = row_at(rows, y);
  return (a->retained.all < b->retained.all) - (a->retained.all > b->retained.all);
}

/* Sorts the new rows, from `first` to the last, and links those that are large enough below this
 * one. */
static void link_kids(dmd_retainedrows_t *rows, uint32_t id, uint32_t first) {
  dmd_retained_row_t *row = row_at(rows, id);
  uint32_t n = rows->rows.last - first + 1, *ids = array_of(rows, (uint64_t)n + 1);
  double least = rows->limits.min_share * (double)rows->retained->bytes[DMD_GRAPH_ALL];
  for (uint32_t i = 0; i < n; i++)
    ids[i] = first + i;
  dmd_sort(rows->kinds->names.env, ids, n, compare_rows, rows);
  bool too_deep = row->depth >= rows->limits.max_depth;
  for (uint32_t i = n; i-- > 0;) {
    dmd_retained_row_t *kid = row_at(rows, ids[i]);
    if (too_deep || (double)kid->retained.all < least) {
      row->n_left_out += !too_deep;
      kid->first_node = DMD_GRAPH_ALL; /* it is not visited any more */
      continue;
    }
    kid->next = row->first_kid;
    row->first_kid = ids[i];
  }
  dmd_env_free(rows->kinds->names.env, ids);
}

/* Processes a row's nodes; the row may grow meanwhile. */
static void fill(dmd_retainedrows_t *rows, uint32_t id) {
  dmd_retained_row_t *row = row_at(rows, id);
  uint32_t first_kid = rows->rows.last + 1;
  for (uint32_t node = row->first_node; node != DMD_GRAPH_ALL; node = rows->next_node[node]) {
    dmd_env_tell(rows->kinds->names.env, "rows", rows->n_filled++,
                 rows->retained->graph->graph.n_nodes);
    row->blocks += dmd_heapgraph_is_block(rows->retained->graph, node);
    row->bytes += dmd_retained_own(rows->retained, node);
    place_kids(rows, id, node);
  }
  link_kids(rows, id, first_kid);
}

/* Places the topmost chosen nodes: those that no other chosen node dominates. */
static void choose(dmd_retainedrows_t *rows, const dmd_bitset_t *chosen) {
  const dmd_retained_t *r = rows->retained;
  const dmd_dominators_t *d = &r->dominators;
  dmd_retained_row_t *top = row_at(rows, DMD_RETAINED_TOP);
  dmd_bitset_t below;
  dmd_bitset_init(&below, rows->kinds->names.env, "dmd.retainedrows", r->graph->graph.n_nodes);
  for (uint32_t i = 1; i < d->n_reached; i++) {
    uint32_t node = d->order[i], up = d->idom[node];
    bool is_chosen = dmd_bitset_has(chosen, node);
    top->blocks += is_chosen && dmd_heapgraph_is_block(r->graph, node);
    top->bytes += is_chosen ? dmd_retained_own(r, node) : 0;
    if (dmd_bitset_has(chosen, up) || dmd_bitset_has(&below, up))
      dmd_bitset_add(&below, node);
    else if (is_chosen)
      place(rows, DMD_RETAINED_TOP, node, DMD_HELD_CHOSEN, DMD_NONE);
  }
  dmd_bitset_destroy(&below);
  for (uint32_t id = DMD_RETAINED_TOP + 1; id <= rows->rows.last; id++) {
    top->retained.least += row_at(rows, id)->retained.least;
    top->retained.all += row_at(rows, id)->retained.all;
  }
  rows->joint = dmd_retained_by_all(r, chosen);
  link_kids(rows, DMD_RETAINED_TOP, DMD_RETAINED_TOP + 1);
}

/* Everything is below DMD_GRAPH_ALL, whose row counts every block. */
static void take_all(dmd_retainedrows_t *rows) {
  const dmd_retained_t *r = rows->retained;
  dmd_retained_row_t *top = row_at(rows, DMD_RETAINED_TOP);
  place_kids(rows, DMD_RETAINED_TOP, DMD_GRAPH_ALL);
  top->blocks = r->graph->graph.n_nodes - dmd_heapgraph_first_block(r->graph);
  top->bytes = r->bytes[DMD_GRAPH_ALL];
  top->retained = (dmd_bounds_t){.all = top->bytes, .least = top->bytes};
  rows->joint = top->bytes;
  link_kids(rows, DMD_RETAINED_TOP, DMD_RETAINED_TOP + 1);
}

void dmd_retainedrows_init(dmd_retainedrows_t *rows, const dmd_retained_t *retained,
                           dmd_kinds_t *kinds, dmd_retained_limits_t limits,
                           const dmd_bitset_t *chosen) {
  const dmd_env_t *env = kinds->names.env;
  uint32_t n = retained->graph->graph.n_nodes;
  *rows = (dmd_retainedrows_t){.retained = retained, .kinds = kinds, .limits = limits};
  rows->is_whole = chosen == NULL;
  dmd_pool_init(&rows->rows, env, "dmd.retainedrows", sizeof(dmd_retained_row_t));
  dmd_table_init(&rows->index, env, "dmd.retainedrows", row_equal, rows);
  dmd_bitset_init(&rows->placed, env, "dmd.retainedrows", n);
  rows->next_node = array_of(rows, n);
  list_kids(rows);
  *row_at(rows, dmd_pool_add(&rows->rows)) = (dmd_retained_row_t){0};
  if (chosen != NULL)
    choose(rows, chosen);
  else
    take_all(rows);
  for (uint32_t id = DMD_RETAINED_TOP + 1; id <= rows->rows.last; id++)
    fill(rows, id);
}

void dmd_retainedrows_destroy(dmd_retainedrows_t *rows) {
  const dmd_env_t *env = rows->kinds->names.env;
  dmd_env_free(env, rows->kids);
  dmd_env_free(env, rows->first_kid);
  dmd_env_free(env, rows->next_node);
  dmd_bitset_destroy(&rows->placed);
  dmd_table_destroy(&rows->index);
  dmd_pool_destroy(&rows->rows);
}

uint32_t dmd_retainedrows_after(const dmd_retainedrows_t *rows, uint32_t id) {
  const dmd_retained_row_t *row = row_at(rows, id);
  if (row->first_kid != DMD_NONE)
    return row->first_kid;
  while (row->next == DMD_NONE && row->parent != DMD_NONE)
    row = row_at(rows, row->parent);
  return row->next;
}
