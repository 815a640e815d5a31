/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Condensed graphs: the nodes that remain have the dominators and retained sizes of the whole
 * graph.
 */
#include "host.h"

#include "analyse/graph/condense.h"

enum { GRAPHS = 3000, MAX_NODES = 60, CHAIN = 200000 };

static const dmd_reader_limits_t no_limits = {.max_nodes = UINT32_MAX,
                                              .max_szB = UINT64_MAX,
                                              .node_szB = 1,
                                              .edge_szB = 1,
                                              .max_node_size = UINT64_MAX};

/* Trees with extra edges and some unreachable nodes; many nodes are of equal size. */
static void throw_graph(dice_t *dice, dmd_graph_t *g, const dmd_env_t *env) {
  uint32_t n = 1 + (uint32_t)dice_below(dice, MAX_NODES), parent[MAX_NODES] = {0};
  uint64_t shape = dice_below(dice, 3), more = dice_below(dice, 3);
  dmd_graph_init(g, env, n, n * 4, false);
  for (uint32_t i = 1; i < n; i++)
    parent[i] = dice_below(dice, 12) == 0 ? n
                : shape == 0              ? i - 1
                : shape == 1              ? (uint32_t)dice_below(dice, i)
                                          : (uint32_t)dice_below(dice, (i + 3) / 4);
  for (uint32_t i = 0; i < n; i++) {
    g->size[i] = dice_below(dice, 3) == 0 ? dice_below(dice, 1000) : 16;
    for (uint32_t j = i + 1; j < n; j++)
      if (parent[j] == i)
        dmd_graph_add_edge(g, j, 0);
    for (uint64_t k = dice_below(dice, more + 1); k > 0; k--)
      dmd_graph_add_edge(g, (uint32_t)dice_below(dice, n), 0);
    dmd_graph_end_node(g);
  }
}

/* The graph that a reader builds from the condensed one. */
static void build_condensed(dmd_graph_t *shown, dmd_condensed_t *c) {
  const dmd_graph_t *g = c->graph;
  dmd_edge_walk_t walk;
  dmd_graph_init(shown, g->env, c->n_nodes, dmd_graph_n_edges(g) + c->n_starts, false);
  for (uint32_t i = 0; i < c->n_nodes; i++) {
    shown->size[i] = dmd_condensed_size(c, i);
    dmd_condensed_walk(c, i, &walk);
    while (dmd_condensed_next(c, &walk))
      dmd_graph_add_edge(shown, walk.target, 0);
    dmd_graph_end_node(shown);
  }
}

/* Each node that stays by itself retains as much as before. Its dominator is unchanged, or is a
 * merged group of siblings below it that no path bypasses. */
static void check_retained(const dmd_condensed_t *c, const dmd_dominators_t *d,
                           const dmd_dominators_t *shown) {
  assert_int_equal(shown->n_reached, c->n_nodes);
  for (uint32_t i = 0; i < c->n_nodes; i++) {
    bool is_single = dmd_condensed_n(c, i) == 1;
    if (is_single)
      assert_int_equal(shown->retained[i], d->retained[c->node[i]]);
    else
      assert_true(shown->retained[i] >= dmd_condensed_size(c, i));
    if (i == 0)
      continue;
    uint32_t dominator = shown->idom[i];
    while (dmd_condensed_n(c, dominator) > 1)
      dominator = shown->idom[dominator];
    assert_int_equal(dominator, c->number[d->idom[c->node[i]]]);
  }
}

/* Every reachable node is shown once: by itself, or as part of a merged node. */
static void check_all_there(const dmd_condensed_t *c, const dmd_dominators_t *d) {
  uint32_t n = 0;
  uint64_t size = 0;
  for (uint32_t i = 0; i < c->n_nodes; i++) {
    n += dmd_condensed_n(c, i);
    size += dmd_condensed_size(c, i);
  }
  assert_int_equal(n, d->n_reached);
  assert_int_equal(size, d->retained[0]);
  for (uint32_t node = 0; node < c->graph->n_nodes; node++)
    assert_int_equal(c->number[node] == DMD_LEFT_OUT,
                     node > 0 && d->idom[node] == DMD_NO_DOMINATOR);
}

static void check_limits(const dmd_condensed_t *c, const dmd_dominators_t *d,
                         const dmd_graph_t *shown, const dmd_reader_limits_t *limits) {
  uint64_t szB = (uint64_t)c->n_nodes * limits->node_szB +
                 (uint64_t)dmd_graph_n_edges(shown) * limits->edge_szB;
  if (c->fits)
    assert_true(c->n_nodes <= limits->max_nodes && szB <= limits->max_szB);
  for (uint32_t i = 1; i < c->n_nodes; i++)
    if (dmd_condensed_n(c, i) > 1)
      assert_true(dmd_condensed_size(c, i) <= limits->max_node_size);
    else if (d->retained[c->node[i]] > c->up_to && c->up_to > 0)
      assert_int_equal(c->number[c->node[i]], i);
}

/* The root has edges to the last n_starts nodes, too. */
static void try_limits(const dmd_graph_t *g, uint32_t n_starts, const dmd_reader_limits_t *limits,
                       bool *was_cut) {
  dmd_dominators_t d, of_shown;
  dmd_condensed_t c;
  dmd_graph_t shown;
  uint32_t starts[MAX_NODES];
  for (uint32_t i = 0; i < n_starts; i++)
    starts[i] = g->n_nodes - 1 - i;
  dmd_condense_t what = {
      .graph = g, .starts = starts, .n_starts = n_starts, .sizes = g->size, .dominators = &d};
  dmd_dominators_init(&d, g, starts, n_starts);
  dmd_dominators_measure(&d, g);
  dmd_condensed_init(&c, &what, limits);
  build_condensed(&shown, &c);
  dmd_dominators_init(&of_shown, &shown, NULL, 0);
  dmd_dominators_measure(&of_shown, &shown);
  check_retained(&c, &d, &of_shown);
  check_all_there(&c, &d);
  check_limits(&c, &d, &shown, limits);
  *was_cut = c.up_to > 0;
  dmd_dominators_destroy(&of_shown);
  dmd_graph_destroy(&shown);
  dmd_condensed_destroy(&c);
  dmd_dominators_destroy(&d);
}

static void random_graphs_keep_retained_sizes(void **state) {
  (void)state;
  dice_t dice = {5};
  host_t host;
  host_init(&host);
  int n_cut = 0;
  for (int i = 0; i < GRAPHS; i++) {
    dmd_graph_t g;
    bool was_cut;
    throw_graph(&dice, &g, &host.env);
    uint32_t n_starts = (uint32_t)dice_below(&dice, 3) * (g.n_nodes / 8);
    try_limits(&g, n_starts, &no_limits, &was_cut);
    assert_false(was_cut);
    dmd_reader_limits_t limits = no_limits;
    limits.max_nodes = 1 + dice_below(&dice, g.n_nodes);
    if (dice_below(&dice, 2) > 0)
      limits.max_szB = 5 + dice_below(&dice, 4 * (uint64_t)g.n_nodes);
    if (dice_below(&dice, 4) == 0)
      limits.max_node_size = 40 + dice_below(&dice, 500);
    try_limits(&g, n_starts, &limits, &was_cut);
    n_cut += was_cut;
    dmd_graph_destroy(&g);
  }
  host_done(&host);
  assert_true(n_cut > GRAPHS / 3);
}

/* Nodes are merged from the smallest on, and no further than needed: the root has a hub, which has
 * three small children of 10 bytes and one of 100, which has one of 10. */
static void smallest_go_first(void **state) {
  (void)state;
  host_t host;
  dmd_graph_t g;
  dmd_dominators_t d;
  dmd_condensed_t c;
  host_init(&host);
  dmd_graph_init(&g, &host.env, 7, 8, false);
  static const uint64_t sizes[] = {0, 50, 10, 10, 10, 100, 10};
  static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {1, 3}, {1, 4},
                                      {1, 5}, {2, 5}, {4, 3}, {5, 6}};
  for (uint32_t node = 0, e = 0; node < 7; node++) {
    g.size[node] = sizes[node];
    for (; e < 8 && edges[e][0] == node; e++)
      dmd_graph_add_edge(&g, edges[e][1], 0);
    dmd_graph_end_node(&g);
  }
  dmd_dominators_init(&d, &g, NULL, 0);
  dmd_dominators_measure(&d, &g);
  dmd_reader_limits_t limits = no_limits;
  limits.max_nodes = 6;
  dmd_condense_t what = {.graph = &g, .sizes = g.size, .dominators = &d};
  dmd_condensed_init(&c, &what, &limits);
  assert_true(c.fits);
  assert_int_equal(c.up_to, 10);
  assert_int_equal(c.n_nodes, 5);
  assert_int_equal(c.number[2], c.number[3]);
  assert_int_equal(c.number[2], c.number[4]);
  assert_int_equal(dmd_condensed_n(&c, c.number[2]), 3);
  assert_int_equal(dmd_condensed_size(&c, c.number[2]), 30);
  assert_int_not_equal(c.number[5], c.number[6]);
  /* The three nodes keep only the edge that leads out of the group. */
  dmd_edge_walk_t walk;
  dmd_condensed_walk(&c, c.number[2], &walk);
  assert_true(dmd_condensed_next(&c, &walk));
  assert_int_equal(walk.target, c.number[5]);
  assert_false(dmd_condensed_next(&c, &walk));
  dmd_condensed_destroy(&c);
  dmd_dominators_destroy(&d);
  dmd_graph_destroy(&g);
  host_done(&host);
}

/* A list of which the reader takes ten elements: the rest becomes one node below the last of
 * them. */
static void end_of_a_chain(void **state) {
  (void)state;
  host_t host;
  dmd_graph_t g;
  bool was_cut;
  host_init(&host);
  dmd_graph_init(&g, &host.env, CHAIN, 2 * CHAIN, false);
  for (uint32_t i = 0; i < CHAIN; i++) {
    g.size[i] = 1;
    if (i + 1 < CHAIN)
      dmd_graph_add_edge(&g, i + 1, 0);
    if (i > 0)
      dmd_graph_add_edge(&g, i - 1, 0);
    dmd_graph_end_node(&g);
  }
  dmd_reader_limits_t limits = no_limits;
  limits.max_nodes = CHAIN / 2;
  try_limits(&g, 0, &limits, &was_cut);
  assert_true(was_cut);
  dmd_graph_destroy(&g);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dice_t dice = {9};
  dmd_graph_t g;
  bool was_cut;
  dmd_reader_limits_t limits = no_limits;
  limits.max_nodes = 3;
  throw_graph(&dice, &g, &host->env);
  try_limits(&g, g.n_nodes / 2, &limits, &was_cut);
  dmd_graph_destroy(&g);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_keep_retained_sizes),
      cmocka_unit_test(smallest_go_first),
      cmocka_unit_test(end_of_a_chain),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
