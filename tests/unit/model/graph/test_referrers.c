/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What points to each node of random graphs, and the chains that lead to it, against the matrix of
 * their edges; and on the shelf as text and JSON.
 */
#include "heap_matrix.h"
#include "shelf_fixture.h"

#include "show/text/text_graph.h"

enum { GRAPHS = 3000 };

/* ---- Pointers. ---- */

static void check_node(const dmd_referrers_t *r, const heap_matrix_t *m, uint32_t node,
                       const bool *picks) {
  dmd_referrer_t referrer = {0};
  uint32_t n = 0;
  for (uint32_t from = 1; from < m->n; from++) {
    if (m->edges[from][node] == EDGE_NONE)
      continue;
    n++;
    if (picks != NULL && !picks[from])
      continue;
    assert_true(dmd_referrers_next(r, node, picks, &referrer));
    assert_int_equal(referrer.node, from);
    assert_int_equal(referrer.n, 1);
    uint32_t edge = dmd_referrers_edge(r, node, referrer.first);
    assert_int_equal(r->graph->target[edge], node);
    assert_int_equal(r->graph->offset[edge], 8 * node);
    assert_true(edge >= r->graph->first[from] && edge < r->graph->first[from + 1]);
  }
  assert_false(dmd_referrers_next(r, node, picks, &referrer));
  assert_int_equal(dmd_referrers_count(r, node), n);
}

/* The selected nodes with a pointer to this one, as bits. */
static uint32_t referrers(const heap_matrix_t *m, uint32_t node, const bool *picks) {
  uint32_t bits = 0;
  for (uint32_t from = 1; from < m->n; from++)
    if (m->edges[from][node] != EDGE_NONE && (picks == NULL || picks[from]))
      bits |= UINT32_C(1) << from;
  return bits;
}

static void check_chain(const dmd_heapgraph_t *graph, const dmd_referrers_t *r,
                        const heap_matrix_t *m, uint32_t node, const bool *picks) {
  dmd_refchain_t chain;
  uint32_t seen = 0, bits, step = 0;
  dmd_refchain_init(&chain, graph, r, node, picks, true);
  for (;;) {
    step++;
    assert_int_equal(*DMD_POOL_AT(&chain.nodes, uint32_t, step), node);
    seen |= UINT32_C(1) << node;
    bits = referrers(m, node, picks);
    if (__builtin_popcount(bits) != 1)
      break;
    node = (uint32_t)__builtin_ctz(bits);
    if (node <= m->n_roots || (seen & bits))
      break;
  }
  assert_int_equal(chain.nodes.last, step);
  assert_int_equal(chain.end, bits == 0                      ? DMD_CHAIN_NOTHING
                              : __builtin_popcount(bits) > 1 ? DMD_CHAIN_SEVERAL
                              : node <= m->n_roots           ? DMD_CHAIN_ROOT
                                                             : DMD_CHAIN_LOOP);
  dmd_refchain_destroy(&chain);
}

static void random_graphs_against_a_matrix(void **state) {
  (void)state;
  dice_t dice = {3};
  uint32_t n_long = 0;
  for (int i = 0; i < GRAPHS; i++) {
    host_t host;
    heap_matrix_t m;
    dmd_heapgraph_t graph;
    dmd_referrers_t r;
    bool picks[MATRIX_MAX];
    host_init(&host);
    heap_matrix_throw(&m, &dice);
    heap_matrix_build(&m, &graph, &host.env);
    dmd_referrers_init(&r, &graph.graph);
    for (uint32_t node = 0; node < m.n; node++)
      picks[node] = dice_below(&dice, 3) > 0;
    for (uint32_t node = m.n_roots + 1; node < m.n; node++) {
      check_node(&r, &m, node, NULL);
      check_node(&r, &m, node, picks);
      check_chain(&graph, &r, &m, node, NULL);
      check_chain(&graph, &r, &m, node, picks);
      n_long += __builtin_popcount(referrers(&m, node, NULL)) == 1;
    }
    for (uint32_t node = 0; node <= m.n_roots; node++)
      assert_int_equal(dmd_referrers_count(&r, node), 0);
    dmd_referrers_destroy(&r);
    dmd_heapgraph_destroy(&graph);
    host_done(&host);
  }
  assert_true(n_long > GRAPHS); /* only chains were followed */
}

/* Several pointers out of one node come one after the other. */
static void pointers_of_one_node(void **state) {
  (void)state;
  host_t host;
  dmd_graph_t graph;
  dmd_referrers_t r;
  dmd_referrer_t referrer = {0};
  host_init(&host);
  dmd_graph_init(&graph, &host.env, 3, 8, true);
  dmd_graph_end_node(&graph);
  for (uint32_t i = 0; i < 4; i++)
    dmd_graph_add_edge(&graph, i == 2 ? 1 : 2, 8 * i);
  dmd_graph_end_node(&graph);
  dmd_graph_add_edge(&graph, 2, 0);
  dmd_graph_end_node(&graph);
  dmd_referrers_init(&r, &graph);
  assert_true(dmd_referrers_next(&r, 2, NULL, &referrer));
  assert_true(referrer.node == 1 && referrer.first == 0 && referrer.n == 3);
  assert_true(dmd_referrers_next(&r, 2, NULL, &referrer));
  assert_true(referrer.node == 2 && referrer.first == 3 && referrer.n == 1);
  assert_false(dmd_referrers_next(&r, 2, NULL, &referrer));
  dmd_referrers_destroy(&r);
  dmd_graph_destroy(&graph);
  host_done(&host);
}

/* ---- Text and JSON. ---- */

/* The text about a node of the shelf; valid until the next call. */
static const char *shown(sink_t *sink, uint32_t node, bool chain, bool info, uint32_t max_rows,
                         void (*print)(dmd_out_t *out, const dmd_referrers_view_t *view)) {
  shelf_t s;
  dmd_referrers_t r;
  dmd_refchain_t steps;
  shelf_init(&s);
  dmd_referrers_init(&r, &s.graph.graph);
  dmd_refchain_init(&steps, &s.graph, &r, node, NULL, chain);
  dmd_referrers_view_t view = {.kinds = &s.kinds,
                               .referrers = info ? NULL : &r,
                               .chain = &steps,
                               .max_frames = 8,
                               .max_rows = max_rows};
  sink_init(sink);
  print(&sink->out, &view);
  dmd_refchain_destroy(&steps);
  dmd_referrers_destroy(&r);
  shelf_done(&s);
  return sink_text(sink);
}

static void assert_part(const char *text, const char *part) {
  if (strstr(text, part) == NULL)
    fail_msg("no '%s' in:\n%s", part, text);
}

static void as_text(void **state) {
  (void)state;
  sink_t sink;
  const char *text = shown(&sink, LABEL_B, true, false, 0, dmd_referrers_print);
  /* Label B <- jar B <- jar A <- the shelf. */
  assert_part(text, "Block {\n  0x");
  assert_part(text, ": 24 bytes (10 requested / 14 slop), char[] from ");
  assert_part(text, ": 24 bytes (24 requested / 0 slop), jar\n  At label\n");
  assert_part(text, ": 24 bytes (24 requested / 0 slop), jar\n  At next\n");
  assert_part(text, "Referrer {\n  shelf\n  At shelf[0]\n}\n\n"
                    "The last one is pointed to by a root.\n");
  sink_free(&sink);
  text = shown(&sink, LABEL_B, false, false, 0, dmd_referrers_print);
  assert_part(text, "\n1 pointer in 1 place leads to it.\n");
  sink_free(&sink);
  text = shown(&sink, JAR_X, false, false, 0, dmd_referrers_print);
  assert_part(text, "}\n\nNo pointer leads to it.\n");
  sink_free(&sink);
  text = shown(&sink, BOX, false, true, 2, dmd_referrers_print);
  assert_part(text, "  Points to {\n    +0x0: 0x");
  assert_part(text, "# and 16 more (--max-records=all shows them)\n  }\n}\n");
  sink_free(&sink);
  text = shown(&sink, LABEL_C, true, false, 2, dmd_referrers_print);
  assert_part(text, "# and 2 more blocks in the chain (--max-records=all shows them)\n");
  sink_free(&sink);
}

static void as_json(void **state) {
  (void)state;
  sink_t sink;
  const char *text = shown(&sink, LABEL_A, true, false, 1, dmd_referrers_json);
  assert_part(text, "\"pointers\": [{\"member\": \"label\", \"offset\": 8}]}");
  assert_part(text,
              "{\"root\": \"shelf\", \"pointers\": [{\"member\": \"shelf[0]\", \"offset\": 0}]}");
  assert_part(text, "\"end\": \"root\"");
  sink_free(&sink);
  text = shown(&sink, JAR_X, true, false, 0, dmd_referrers_json);
  assert_part(text, "\"referrers\": []");
  assert_part(text, "\"end\": \"nothing\"");
  sink_free(&sink);
  text = shown(&sink, JAR_A, false, true, 0, dmd_referrers_json);
  assert_part(text, "{\"member\": \"label\", \"offset\": 8, \"to\": {\"address\": \"0x");
  assert_null(strstr(text, "\"end\""));
  sink_free(&sink);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  shelf_t s;
  dmd_referrers_t r;
  dmd_refchain_t chain;
  shelf_build(&s, &host->env);
  dmd_referrers_init(&r, &s.graph.graph);
  dmd_refchain_init(&chain, &s.graph, &r, LABEL_C, NULL, true);
  assert_int_equal(chain.nodes.last, 4);
  dmd_refchain_destroy(&chain);
  dmd_referrers_destroy(&r);
  shelf_destroy(&s);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_against_a_matrix),
      cmocka_unit_test(pointers_of_one_node),
      cmocka_unit_test(as_text),
      cmocka_unit_test(as_json),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
