/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Retained sizes against their definition: the bytes that are unreachable without the node.
 */
#include "heap_matrix.h"

#include "analyse/graph/retained.h"

enum { GRAPHS = 10000 };

#define BIT(node) (UINT32_C(1) << (node))

/* Without types, any edge into the middle of a block is doubtful, the usual kind included. */
enum { EDGES_SURE = 1 << EDGE_START };

static uint64_t own(const heap_matrix_t *m, uint32_t node) {
  uint64_t szB = m->requested[node] + m->slop[node], inner = 0;
  for (uint32_t i = 1; i < m->n; i++)
    if (m->outer[i] == node)
      inner += m->requested[i] + m->slop[i];
  return szB - inner;
}

static uint64_t bytes_of(const heap_matrix_t *m, uint32_t nodes) {
  uint64_t szB = 0;
  for (uint32_t i = m->n_roots + 1; i < m->n; i++)
    if (nodes >> i & 1)
      szB += own(m, i);
  return szB;
}

/* The bytes that become unreachable from `starts` without these nodes; DMD_GRAPH_ALL stands for
 * everything that `starts` reach.
 */
static uint64_t bytes_without(const heap_matrix_t *m, uint32_t starts, unsigned kinds,
                              uint32_t without) {
  uint32_t all = heap_matrix_reach(m, starts, kinds, 0);
  return bytes_of(m, without == BIT(0) ? all : all & ~heap_matrix_reach(m, starts, kinds, without));
}

static uint32_t starts_of(const dmd_retained_t *r) {
  uint32_t starts = BIT(0);
  for (uint32_t i = 0; i < r->lost.n; i++)
    starts |= BIT(r->lost.nodes[i]);
  return starts;
}

static void check(const dmd_retained_t *r, const heap_matrix_t *m, dice_t *dice) {
  uint32_t starts = starts_of(r), every = (uint32_t)(UINT64_C(1) << m->n) - 1;
  assert_int_equal(heap_matrix_reach(m, starts, EDGES_ALL, 0), every);
  assert_int_equal(starts & heap_matrix_reach(m, BIT(0), EDGES_ALL, 0), BIT(0));
  for (uint32_t node = 0; node < m->n; node++) {
    uint64_t all = bytes_without(m, starts, EDGES_ALL, BIT(node));
    uint64_t sure = bytes_without(m, starts, EDGES_SURE, BIT(node));
    dmd_bounds_t bounds = dmd_retained_of(r, node);
    assert_int_equal(bounds.least, all < sure ? all : sure);
    assert_int_equal(bounds.all, all);
  }
  dmd_bitset_t set;
  uint32_t nodes = (uint32_t)dice_u64(dice) & every & ~BIT(0);
  dmd_bitset_init(&set, r->graph->env, "test", m->n);
  for (uint32_t node = 0; node < m->n; node++)
    if (nodes >> node & 1)
      dmd_bitset_add(&set, node);
  assert_int_equal(dmd_retained_by_all(r, &set), bytes_without(m, starts, EDGES_ALL, nodes));
  dmd_bitset_destroy(&set);
}

static void random_graphs_by_definition(void **state) {
  (void)state;
  dice_t dice = {33};
  host_t host;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    heap_matrix_t m;
    dmd_heapgraph_t graph;
    dmd_types_t types;
    dmd_typing_t typing;
    dmd_retained_t retained;
    heap_matrix_throw(&m, &dice);
    heap_matrix_build(&m, &graph, &host.env);
    dmd_types_init(&types, &host.env, 8);
    dmd_typing_init(&typing, &graph, &types);
    dmd_retained_init(&retained, &graph, &typing);
    check(&retained, &m, &dice);
    dmd_retained_destroy(&retained);
    dmd_typing_destroy(&typing);
    dmd_types_destroy(&types);
    dmd_heapgraph_destroy(&graph);
  }
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_retained_t retained;
  heap_matrix_build(arg, &graph, &host->env);
  dmd_types_init(&types, &host->env, 8);
  dmd_typing_init(&typing, &graph, &types);
  dmd_retained_init(&retained, &graph, &typing);
  dmd_retained_destroy(&retained);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
  dmd_heapgraph_destroy(&graph);
}

static void out_of_memory(void **state) {
  (void)state;
  heap_matrix_t m = {.n = 4, .n_roots = 1, .edges = {{0, 1}, {0, 0, EDGE_INSIDE}}};
  m.outer[3] = 2;
  assert_true(host_fail_everywhere(use, &m) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_by_definition),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
