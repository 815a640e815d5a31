/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/leakrows.h"

#include "base/sort.h"

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
} work_t;

static uint32_t stack_of(const work_t *w, uint32_t node) {
  const dmd_heapgraph_t *graph = w->leaks->graph;
  return dmd_heapgraph_profile_stack(graph, dmd_heapgraph_block(graph, node)->stack);
}

static bool is_ignored(const work_t *w, uint32_t node) {
  return w->ignored_by != NULL && w->ignored_by[stack_of(w, node)] != 0;
}

static dmd_leak_row_t *row_of_node(const work_t *w, uint32_t node) {
  return row_of(w->rows, (dmd_leak_row_t){.state = dmd_leak_state(w->leaks, node),
                                          .kind = w->kinds->of[node],
                                          .stack = w->rows->records->cut[stack_of(w, node)]});
}

static void count(dmd_leak_sum_t *sum, uint64_t bytes) {
  sum->blocks++;
  sum->bytes += bytes;
}

static void add_block(const work_t *w, uint32_t node) {
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
  work_t w = {.rows = rows, .leaks = leaks, .kinds = kinds, .ignored_by = ignored_by};
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
