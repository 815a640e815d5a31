/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/leaks.h"

#include "base/bitset.h"
#include "base/sort.h"
#include "model/profile/translate.h"

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

/* ---- Lost blocks. ---- */

void dmd_lost_init(dmd_lost_t *lost, const dmd_heapgraph_t *graph) {
  lost->env = graph->env;
  lost->nodes = dmd_leaks_starts(graph, &lost->n);
}

void dmd_lost_destroy(dmd_lost_t *lost) {
  dmd_env_free(lost->env, lost->nodes);
}

bool dmd_lost_has(const dmd_lost_t *lost, uint32_t node) {
  uint32_t place;
  DMD_SEARCH(place, 0, lost->n, lost->nodes[place] < node);
  return place < lost->n && lost->nodes[place] == node;
}

/* ---- Rows. ---- */

const char *dmd_leak_state_name(dmd_leak_state_t state) {
  static const char *const names[DMD_N_LEAK_STATES] = {"definitely", "indirectly", "possibly",
                                                       "reachable", "outer"};
  return names[state];
}

static dmd_leak_row_t *row_at(const dmd_leakrows_t *rows, uint32_t id) {
  return DMD_POOL_AT(&rows->rows, dmd_leak_row_t, id);
}

static bool row_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_leak_row_t *a = row_at(owner, id), *b = key;
  return a->state == b->state && a->kind == b->kind && a->stack == b->stack;
}

static dmd_leak_row_t *row_of(dmd_leakrows_t *rows, dmd_leak_row_t key) {
  uint64_t hash = dmd_table_hash(&rows->index, key.state ^ (uint64_t)key.kind << 32);
  hash = dmd_hash_u64(hash ^ key.stack);
  uint32_t id = dmd_table_find_or_add(&rows->index, &rows->rows, hash, &key);
  return row_at(rows, id);
}

typedef struct {
  dmd_leakrows_t *rows;
  const dmd_leaks_t *leaks;
  const dmd_kinds_t *kinds;
  const uint32_t *ignored_by;
} counting_t;

static uint32_t stack_of(const counting_t *w, uint32_t node) {
  const dmd_heapgraph_t *graph = w->leaks->graph;
  return dmd_heapgraph_profile_stack(graph, dmd_heapgraph_block(graph, node)->stack);
}

static bool is_ignored(const counting_t *w, uint32_t node) {
  return w->ignored_by != NULL && w->ignored_by[stack_of(w, node)] != 0;
}

static dmd_leak_row_t *row_of_node(const counting_t *w, uint32_t node) {
  return row_of(w->rows, (dmd_leak_row_t){.state = dmd_leak_state(w->leaks, node),
                                          .kind = w->kinds->of[node],
                                          .stack = w->rows->records->cut[stack_of(w, node)]});
}

static void count(dmd_leak_sum_t *sum, uint64_t bytes) {
  sum->blocks++;
  sum->bytes += bytes;
}

static void add_block(const counting_t *w, uint32_t node) {
  uint64_t bytes = dmd_heapgraph_requested(w->leaks->graph, node);
  dmd_leak_state_t state = dmd_leak_state(w->leaks, node);
  if (state == DMD_LEAK_OUTER)
    return;
  if (is_ignored(w, node)) {
    count(&w->rows->ignored, bytes);
    return;
  }
  count(&w->rows->total[state], bytes);
  count(&row_of_node(w, node)->own, bytes);
  uint32_t leader = dmd_leak_leader(w->leaks, node);
  if (leader != node && !is_ignored(w, leader))
    count(&row_of_node(w, leader)->hanging, bytes);
}

static int rank(uint32_t state) {
  static const int ranks[DMD_N_LEAK_STATES] = {[DMD_LEAK_DEFINITELY] = 0,
                                               [DMD_LEAK_POSSIBLY] = 1,
                                               [DMD_LEAK_INDIRECTLY] = 2,
                                               [DMD_LEAK_REACHABLE] = 3};
  return ranks[state];
}

static int compare_rows(const void *rows, uint32_t x, uint32_t y) {
  const dmd_leak_row_t *a = row_at(rows, x), *b = row_at(rows, y);
  if (a->state != b->state)
    return rank(a->state) - rank(b->state);
  uint64_t in_a = a->own.bytes + a->hanging.bytes, in_b = b->own.bytes + b->hanging.bytes;
  if (in_a != in_b)
    return in_a > in_b ? -1 : 1;
  return (a->own.blocks < b->own.blocks) - (a->own.blocks > b->own.blocks);
}

void dmd_leakrows_init(dmd_leakrows_t *rows, const dmd_leaks_t *leaks, const dmd_kinds_t *kinds,
                       const dmd_records_t *records, const uint32_t *ignored_by,
                       const bool *picks) {
  const dmd_env_t *env = leaks->graph->env;
  *rows = (dmd_leakrows_t){.records = records};
  dmd_pool_init(&rows->rows, env, "dmd.leakrows", sizeof(dmd_leak_row_t));
  dmd_table_init(&rows->index, env, "dmd.leakrows", row_equal, rows);
  counting_t w = {.rows = rows, .leaks = leaks, .kinds = kinds, .ignored_by = ignored_by};
  for (uint32_t node = dmd_heapgraph_first_block(leaks->graph); node < leaks->graph->graph.n_nodes;
       node++)
    if (picks == NULL || picks[node])
      add_block(&w, node);
  rows->order = dmd_sorted_ids(env, rows->rows.last, compare_rows, rows);
}

void dmd_leakrows_destroy(dmd_leakrows_t *rows) {
  dmd_env_free(rows->rows.env, rows->order);
  dmd_table_destroy(&rows->index);
  dmd_pool_destroy(&rows->rows);
}

/* ---- Lost blocks as a profile. ---- */

void dmd_leaks_add_lost(dmd_profile_t *profile, const dmd_leaks_t *leaks) {
  const dmd_heapgraph_t *graph = leaks->graph;
  dmd_translation_t ids;
  dmd_translation_init_profile(&ids, profile, &graph->profile, NULL, NULL);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++) {
    const dmd_graph_block_t *block = dmd_heapgraph_block(graph, node);
    if (!dmd_leak_is_lost(dmd_leak_state(leaks, node)))
      continue;
    dmd_group_t group = {.req = dmd_heapgraph_requested(graph, node),
                         .num = 1,
                         .stack = dmd_heapgraph_profile_stack(graph, block->stack)};
    group = dmd_translation_group(&ids, &group);
    dmd_groups_add(&profile->groups, &group);
  }
  dmd_translation_destroy(&ids);
}
