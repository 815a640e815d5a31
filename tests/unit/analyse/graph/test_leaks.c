/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap_matrix.h"

#include "analyse/graph/leaks.h"

enum { GRAPHS = 10000, CHAIN = 1000000 };

#define BIT(node) (UINT32_C(1) << (node))

/* The blocks that have others in them. */
static uint32_t outer_of(const heap_matrix_t *m) {
  uint32_t outer = 0;
  for (uint32_t i = 0; i < m->n; i++)
    if (m->outer[i] != 0)
      outer |= BIT(m->outer[i]);
  return outer;
}

typedef struct {
  uint32_t state[MATRIX_MAX], leader[MATRIX_MAX];
} expected_t;

/* Whether one block of the clique has a pointer to this one. */
static bool leads(const heap_matrix_t *m, uint32_t clique, uint32_t to) {
  for (uint32_t from = 0; from < m->n; from++)
    if ((clique >> from & 1) && m->edges[from][to] != EDGE_NONE)
      return true;
  return false;
}

/* Collects the clique of a lost block as Memcheck does: blocks that it points to join it if they
 * are lost and have no leader yet, until no block is left to join. */
static void gather(const heap_matrix_t *m, expected_t *e, uint32_t leader) {
  uint32_t clique = BIT(leader), before;
  do {
    before = clique;
    for (uint32_t i = m->n_roots + 1; i < m->n; i++) {
      if (i == leader || e->state[i] != DMD_LEAK_DEFINITELY || !leads(m, clique, i))
        continue;
      e->state[i] = DMD_LEAK_INDIRECTLY;
      e->leader[i] = leader;
      clique |= BIT(i);
    }
  } while (clique != before);
}

static void work_out(const heap_matrix_t *m, dmd_leaks_rule_t rule, expected_t *e) {
  uint32_t outer = rule == DMD_LEAKS_AS_MEMCHECK ? outer_of(m) : 0;
  uint32_t reachable = heap_matrix_reach(m, BIT(0), 1 << EDGE_START | 1 << EDGE_USUAL, outer);
  uint32_t possibly = heap_matrix_reach(m, BIT(0), EDGES_ALL, outer);
  for (uint32_t i = m->n_roots + 1; i < m->n; i++)
    e->state[i] = outer >> i & 1       ? DMD_LEAK_OUTER
                  : reachable >> i & 1 ? DMD_LEAK_REACHABLE
                  : possibly >> i & 1  ? DMD_LEAK_POSSIBLY
                                       : DMD_LEAK_DEFINITELY;
  for (uint32_t i = m->n_roots + 1; i < m->n; i++)
    e->leader[i] = i;
  for (uint32_t i = m->n_roots + 1; i < m->n; i++)
    if (e->state[i] == DMD_LEAK_DEFINITELY)
      gather(m, e, i);
  for (uint32_t i = m->n_roots + 1; i < m->n; i++)
    while (e->state[e->leader[i]] == DMD_LEAK_INDIRECTLY)
      e->leader[i] = e->leader[e->leader[i]];
}

static void random_graphs_by_definition(void **state) {
  (void)state;
  dice_t dice = {21};
  host_t host;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    heap_matrix_t m;
    dmd_heapgraph_t graph;
    dmd_leaks_t leaks;
    expected_t expected;
    dmd_leaks_rule_t rule = i % 2 == 0 ? DMD_LEAKS_AS_MEMCHECK : DMD_LEAKS_OF_ALL_NODES;
    heap_matrix_throw(&m, &dice);
    heap_matrix_build(&m, &graph, &host.env);
    work_out(&m, rule, &expected);
    dmd_leaks_init(&leaks, &graph, rule);
    for (uint32_t node = m.n_roots + 1; node < m.n; node++) {
      assert_int_equal(dmd_leak_state(&leaks, node), expected.state[node]);
      assert_int_equal(dmd_leak_leader(&leaks, node), expected.leader[node]);
    }
    dmd_leaks_destroy(&leaks);
    dmd_heapgraph_destroy(&graph);
  }
  host_done(&host);
}

/* In reverse order, so that each leader becomes part of the next one's clique. */
static void long_chain_needs_no_deep_stack(void **state) {
  (void)state;
  host_t host;
  dmd_heapgraph_t graph;
  dmd_leaks_t leaks;
  host_init(&host);
  dmd_heapgraph_init(&graph, &host.env, 0, CHAIN, CHAIN);
  for (uint32_t i = 1; i <= CHAIN; i++) {
    dmd_heapgraph_add_block(&graph, &(dmd_graph_block_t){.addr = 64 * (uint64_t)i}, 32);
    if (i > 1)
      dmd_heapgraph_add_edge(&graph, i - 1, 0);
    dmd_heapgraph_end_node(&graph);
  }
  dmd_leaks_init(&leaks, &graph, DMD_LEAKS_AS_MEMCHECK);
  for (uint32_t i = 1; i < CHAIN; i++)
    assert_int_equal(dmd_leak_leader(&leaks, i), CHAIN);
  assert_int_equal(dmd_leak_state(&leaks, CHAIN), DMD_LEAK_DEFINITELY);
  dmd_leaks_destroy(&leaks);
  dmd_heapgraph_destroy(&graph);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dmd_heapgraph_t graph;
  dmd_leaks_t leaks;
  heap_matrix_build(arg, &graph, &host->env);
  dmd_leaks_init(&leaks, &graph, DMD_LEAKS_AS_MEMCHECK);
  dmd_leaks_destroy(&leaks);
  dmd_heapgraph_destroy(&graph);
}

static void out_of_memory(void **state) {
  (void)state;
  heap_matrix_t m = {.n = 3, .n_roots = 1, .edges = {{0, 1}, {0, 0, EDGE_INSIDE}}};
  assert_true(host_fail_everywhere(use, &m) >= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_by_definition),
      cmocka_unit_test(long_chain_needs_no_deep_stack),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
