/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Paths of random graphs, in which each block is of a kind of its own, against their distances; and
 * on the shelf as text and JSON.
 */
#include "heap_matrix.h"
#include "shelf_fixture.h"

#include "analyse/graph/select.h"
#include "show/text/text_graph.h"

enum { GRAPHS = 10000, CHAIN = 1000000 };

#define BIT(node) (UINT32_C(1) << (node))

/* Distances from DMD_GRAPH_ALL over edges of these kinds; 0: not reached. `from`: nodes that were
 * reached before, with their distances. */
static void measure(const heap_matrix_t *m, unsigned kinds, uint32_t distance[MATRIX_MAX]) {
  for (uint32_t round = 0; round < m->n; round++)
    for (uint32_t i = 0; i < m->n; i++)
      for (uint32_t j = 1; j < m->n; j++)
        if ((i == 0 || distance[i] != 0) && (kinds >> m->edges[i][j] & 1) &&
            (distance[j] == 0 || distance[j] > distance[i] + 1))
          distance[j] = distance[i] + 1;
}

/* The node with this kind; its blocks were made by make_N. */
static uint32_t node_of(const dmd_paths_t *paths, uint32_t kind) {
  uint32_t node = 0;
  while (node < paths->graph->graph.n_nodes && paths->kinds->of[node] != kind)
    node++;
  return node;
}

static void check_shape(const dmd_paths_t *paths, const heap_matrix_t *m, uint32_t shape,
                        const uint32_t sure[MATRIX_MAX]) {
  uint32_t n, *steps = dmd_path_steps(paths, shape, &n);
  uint32_t last = node_of(paths, dmd_paths_at(paths, shape)->kind);
  bool doubtful = false;
  for (uint32_t i = 1; i < n; i++) {
    const dmd_path_shape_t *step = dmd_paths_at(paths, steps[i]);
    uint32_t to = node_of(paths, step->kind);
    assert_int_equal(paths->graph->graph.target[step->edge], to);
    assert_int_equal(paths->graph->graph.offset[step->edge], 8 * to);
    if (i > 1) /* roots have one name, and are no blocks */
      assert_int_not_equal(m->edges[node_of(paths, dmd_paths_at(paths, steps[i - 1])->kind)][to],
                           EDGE_NONE);
    doubtful |= step->is_doubtful;
  }
  assert_int_equal(doubtful, sure[last] == 0);
  if (!doubtful)
    assert_int_equal(n, sure[last]);
  dmd_env_free(paths->graph->env, steps);
}

static void check(const dmd_paths_t *paths, const heap_matrix_t *m) {
  uint32_t sure[MATRIX_MAX] = {0};
  measure(m, 1 << EDGE_START, sure);
  uint32_t blocks = ~(BIT(m->n_roots + 1) - 1) & (uint32_t)((UINT64_C(1) << m->n) - 1);
  uint32_t reached = heap_matrix_reach(m, BIT(0), EDGES_ALL, 0) & blocks;
  assert_int_equal(paths->blocks, __builtin_popcount(blocks));
  assert_int_equal(paths->lost_blocks, __builtin_popcount(blocks & ~reached));
  uint64_t counted = 0;
  for (uint32_t i = 0; i < paths->n_order; i++) {
    check_shape(paths, m, paths->order[i], sure);
    counted += dmd_paths_at(paths, paths->order[i])->blocks;
  }
  assert_int_equal(counted, __builtin_popcount(reached));
}

static void find_paths(dmd_paths_t *paths, dmd_kinds_t *kinds, const char *to) {
  dmd_bitset_t nodes;
  const char *why;
  dmd_bitset_init(&nodes, kinds->names.env, "test", kinds->typing->graph->graph.n_nodes);
  dmd_select(&nodes, kinds, NULL, to, &why);
  assert_null(why);
  dmd_paths_init(paths, kinds, &nodes);
  dmd_bitset_destroy(&nodes);
}

static void random_graphs_by_distance(void **state) {
  (void)state;
  dice_t dice = {44};
  host_t host;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    heap_matrix_t m;
    shelf_t s;
    dmd_paths_t paths;
    heap_matrix_throw(&m, &dice);
    heap_matrix_build(&m, &s.graph, &host.env);
    dmd_types_init(&s.types, &host.env, 8);
    dmd_typing_init(&s.typing, &s.graph, &s.types);
    dmd_kinds_init(&s.kinds, &s.typing);
    find_paths(&paths, &s.kinds, "unreported");
    check(&paths, &m);
    dmd_paths_destroy(&paths);
    shelf_destroy(&s);
  }
  host_done(&host);
}

/* A list without types is one shape. */
static void long_chain_is_one_shape(void **state) {
  (void)state;
  shelf_t s;
  dmd_paths_t paths;
  host_init(&s.host);
  dmd_heapgraph_init(&s.graph, &s.host.env, 1, CHAIN, CHAIN);
  dmd_heapgraph_add_root(&s.graph, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .name = "list"});
  for (uint32_t i = 1; i <= CHAIN; i++) {
    dmd_heapgraph_add_edge(&s.graph, i + 1, 0);
    dmd_heapgraph_end_node(&s.graph);
    dmd_heapgraph_add_block(&s.graph, &(dmd_graph_block_t){.addr = 64 * (uint64_t)i}, 32);
  }
  dmd_heapgraph_end_node(&s.graph);
  dmd_types_init(&s.types, &s.host.env, 8);
  dmd_typing_init(&s.typing, &s.graph, &s.types);
  dmd_kinds_init(&s.kinds, &s.typing);
  find_paths(&paths, &s.kinds, "unreported");
  assert_int_equal(paths.n_order, 1);
  assert_int_equal(dmd_paths_at(&paths, paths.order[0])->blocks, CHAIN);
  dmd_paths_destroy(&paths);
  shelf_done(&s);
}

static void assert_printed(const char *to, bool json, uint32_t max, const char *expected) {
  shelf_t s;
  dmd_paths_t paths;
  sink_t sink;
  shelf_init(&s);
  sink_init(&sink);
  find_paths(&paths, &s.kinds, to);
  if (json)
    dmd_paths_json(&sink.out, &paths);
  else
    dmd_paths_print(&sink.out, &paths, max);
  assert_text_equal(sink_text(&sink), expected);
  sink_free(&sink);
  dmd_paths_destroy(&paths);
  shelf_done(&s);
}

static void text_of_paths(void **state) {
  (void)state;
  assert_printed("char", false, 0,
                 "Path {\n"
                 "  3 blocks, 72 bytes\n"
                 "  shelf\n"
                 "    shelf[]: jar, then more through next\n"
                 "      label: char[] from label_new\n"
                 "}\n\n"
                 "4 blocks, 96 bytes; lost: 1 block, 24 bytes\n");
  assert_printed("unreported", false, 1,
                 "Path {\n"
                 "  18 blocks, 576 bytes\n"
                 "  stack of thread 1 in main\n"
                 "    +0x8: from box_new\n"
                 "      +...: from pen_new\n"
                 "}\n\n"
                 "# and 2 more paths (--max-records=all shows them)\n"
                 "24 blocks, 840 bytes; lost: 3 blocks, 72 bytes\n");
}

static void json_of_paths(void **state) {
  (void)state;
  assert_printed("0x7001", true, 0,
                 "{\n"
                 " \"blocks\": 1,\n"
                 " \"bytes\": 24,\n"
                 " \"lost\": {\"blocks\": 0, \"bytes\": 0},\n"
                 " \"paths\": [\n"
                 "  {\"count\": 1, \"bytes\": 24, \"steps\": [\n"
                 "    {\"root\": \"shelf\"},\n"
                 "    {\"type\": \"jar\", \"evidence\": \"site\", \"member\": \"shelf[]\", "
                 "\"offset\": 0, \"repeats\": true, \"through\": [\"next\"]},\n"
                 "    {\"type\": \"char[] from label_new\", \"evidence\": \"pointer\", "
                 "\"member\": \"label\", \"offset\": 8}\n"
                 "   ]}\n"
                 " ]\n"
                 "}\n");
}

static void use(host_t *host, void *arg) {
  (void)arg;
  shelf_t s;
  dmd_paths_t paths;
  dmd_bitset_t to;
  shelf_build(&s, &host->env);
  dmd_bitset_init(&to, &host->env, "test", N_SHELF_NODES);
  dmd_bitset_add(&to, LABEL_B);
  dmd_paths_init(&paths, &s.kinds, &to);
  uint32_t n, *steps = dmd_path_steps(&paths, paths.order[0], &n);
  assert_int_equal(n, 3);
  dmd_env_free(&host->env, steps);
  dmd_paths_destroy(&paths);
  dmd_bitset_destroy(&to);
  shelf_destroy(&s);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_by_distance),
      cmocka_unit_test(long_chain_is_one_shape),
      cmocka_unit_test(text_of_paths),
      cmocka_unit_test(json_of_paths),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
