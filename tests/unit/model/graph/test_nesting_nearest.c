/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "model/graph/nesting.h"
#include "profiles/randomgraph.h"

enum { GRAPHS = 300, FAR = 1000 };

/* The number of pointers on the shortest path from a root to each node, by trying each edge until
 * nothing changes. */
static void find_distances(const dmd_graph_t *g, uint32_t root, uint32_t *distance) {
  bool changed = true;
  for (uint32_t node = 0; node < g->n_nodes; node++)
    distance[node] = node == root ? 0 : FAR;
  while (changed) {
    changed = false;
    for (uint32_t node = 1; node < g->n_nodes; node++)
      for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        if (distance[node] + 1 < distance[g->target[e]]) {
          distance[g->target[e]] = distance[node] + 1;
          changed = true;
        }
  }
}

/* In the order of the header: data, thread-local storage, stacks, registers, the rest. */
static uint32_t rank_of(dmd_root_kind_t kind) {
  static const uint32_t ranks[DMD_N_ROOT_KINDS] = {[DMD_ROOT_DATA] = 0,
                                                   [DMD_ROOT_THREAD] = 1,
                                                   [DMD_ROOT_STACK] = 2,
                                                   [DMD_ROOT_REGISTERS] = 3,
                                                   [DMD_ROOT_OTHER] = 4};
  return ranks[kind];
}

static void check_nearest(const dmd_heapgraph_t *graph, const uint32_t *nearest,
                          uint32_t *n_reached) {
  uint32_t n = graph->graph.n_nodes;
  uint32_t *best = calloc(n, sizeof *best), *distance = calloc(n, sizeof *distance);
  uint32_t *least = calloc(n, sizeof *least);
  for (uint32_t root = 1; root <= graph->n_roots; root++) {
    uint32_t rank = rank_of(dmd_heapgraph_root(graph, root)->kind);
    find_distances(&graph->graph, root, distance);
    for (uint32_t node = 1; node < n; node++) {
      uint32_t order = distance[node] * DMD_N_ROOT_KINDS + rank;
      if (distance[node] < FAR && (best[node] == 0 || order < least[node])) {
        best[node] = root;
        least[node] = order;
      }
    }
  }
  for (uint32_t node = 1; node < n; node++) {
    assert_int_equal(nearest[node], best[node]);
    *n_reached += node > graph->n_roots && best[node] != 0;
  }
  free(least);
  free(distance);
  free(best);
}

static uint64_t throw_below(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

static void random_against_all_ways(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {15};
  random_dice_t random = {.below = throw_below, .ctx = &dice};
  uint32_t n_reached = 0;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    dmd_heapgraph_t graph;
    random_graph(&graph, &host.env, &random);
    uint32_t *nearest = dmd_nearest_roots(&graph);
    check_nearest(&graph, nearest, &n_reached);
    dmd_env_free(&host.env, nearest);
    dmd_heapgraph_destroy(&graph);
  }
  assert_true(n_reached > GRAPHS);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_all_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
