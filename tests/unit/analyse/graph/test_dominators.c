/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dominators against their definition: a node dominates all nodes that cannot be reached without
 * it.
 */
#include "host.h"

#include "analyse/graph/dominators.h"

enum { MAX_NODES = 24, GRAPHS = 10000, CHAIN = 1000000 };

/* A small graph as a matrix of edge counts. */
typedef struct {
  uint32_t n;
  uint8_t edges[MAX_NODES][MAX_NODES];
  uint64_t size[MAX_NODES];
  uint32_t starts[MAX_NODES], n_starts;
} matrix_t;

/* Some are trees with a few more edges, some dense, some in several pieces. */
static void throw_graph(dice_t *dice, matrix_t *m) {
  *m = (matrix_t){.n = 1 + (uint32_t)dice_below(dice, MAX_NODES)};
  for (uint32_t i = 0; i < m->n; i++)
    m->size[i] = dice_below(dice, 1000);
  for (uint32_t i = 1; i < m->n && dice_below(dice, 8) > 0; i++)
    m->edges[dice_below(dice, i)][i]++;
  uint64_t more = dice_below(dice, 3) * dice_below(dice, m->n + 1);
  for (uint64_t i = 0; i < more; i++)
    m->edges[dice_below(dice, m->n)][dice_below(dice, m->n)]++;
  if (dice_below(dice, 2) > 0)
    m->n_starts = (uint32_t)dice_below(dice, 5);
  for (uint32_t i = 0; i < m->n_starts; i++)
    m->starts[i] = (uint32_t)dice_below(dice, m->n);
}

static void build(dmd_graph_t *g, const dmd_env_t *env, const matrix_t *m) {
  uint32_t n_edges = 0;
  for (uint32_t i = 0; i < m->n; i++)
    for (uint32_t j = 0; j < m->n; j++)
      n_edges += m->edges[i][j];
  dmd_graph_init(g, env, m->n, n_edges, false);
  for (uint32_t i = 0; i < m->n; i++) {
    g->size[i] = m->size[i];
    for (uint32_t j = 0; j < m->n; j++)
      for (uint8_t k = 0; k < m->edges[i][j]; k++)
        dmd_graph_add_edge(g, j, 0);
    dmd_graph_end_node(g);
  }
}

/* The set of nodes that the root reaches without node `without`, as bits. */
static uint32_t reach(const matrix_t *m, uint32_t without) {
  uint32_t reached = without == 0 ? 0 : 1, before;
  for (uint32_t i = 0; i < m->n_starts && without != 0; i++)
    if (m->starts[i] != without)
      reached |= UINT32_C(1) << m->starts[i];
  do {
    before = reached;
    for (uint32_t i = 0; i < m->n; i++)
      for (uint32_t j = 0; j < m->n; j++)
        if ((reached >> i & 1) && m->edges[i][j] > 0 && j != without)
          reached |= UINT32_C(1) << j;
  } while (reached != before);
  return reached;
}

static uint64_t size_of(const matrix_t *m, uint32_t nodes) {
  uint64_t szB = 0;
  for (uint32_t i = 0; i < m->n; i++)
    if (nodes >> i & 1)
      szB += m->size[i];
  return szB;
}

static void check_against_definition(const dmd_dominators_t *d, const matrix_t *m) {
  uint32_t all = reach(m, UINT32_MAX), dominated[MAX_NODES];
  assert_int_equal(d->n_reached, __builtin_popcount(all));
  for (uint32_t a = 0; a < m->n; a++) {
    dominated[a] = all >> a & 1 ? all & ~reach(m, a) : 0;
    assert_int_equal(d->retained[a], size_of(m, dominated[a]));
  }
  for (uint32_t b = 0; b < m->n; b++) {
    /* The nearest of b's dominators is the one that dominates the fewest nodes. */
    uint32_t nearest = DMD_NO_DOMINATOR;
    for (uint32_t a = 0; a < m->n; a++)
      if (a != b && (dominated[a] >> b & 1) &&
          (nearest == DMD_NO_DOMINATOR ||
           __builtin_popcount(dominated[a]) < __builtin_popcount(dominated[nearest])))
        nearest = a;
    assert_int_equal(d->idom[b], nearest);
  }
}

static void check_order(const dmd_dominators_t *d) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < d->n_reached; i++) {
    uint32_t node = d->order[i];
    assert_true(i == 0 ? node == 0 : (seen >> d->idom[node] & 1) != 0);
    seen |= UINT32_C(1) << node;
  }
  assert_int_equal(__builtin_popcount(seen), d->n_reached);
}

static void random_graphs_by_definition(void **state) {
  (void)state;
  dice_t dice = {12};
  host_t host;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    matrix_t m;
    dmd_graph_t g;
    dmd_dominators_t d;
    throw_graph(&dice, &m);
    build(&g, &host.env, &m);
    dmd_dominators_init(&d, &g, m.starts, m.n_starts);
    dmd_dominators_measure(&d, &g);
    check_against_definition(&d, &m);
    check_order(&d);
    dmd_dominators_destroy(&d);
    dmd_graph_destroy(&g);
  }
  host_done(&host);
}

/* Progress reports: each piece of work goes forward, and never beyond its end. */
static struct {
  const char *what;
  uint64_t done;
  int n;
} g_heard;

static void hear(void *ctx, const char *what, uint64_t done, uint64_t total) {
  (void)ctx;
  assert_true(done <= total);
  assert_true(g_heard.n == 0 || strcmp(what, g_heard.what) != 0 || done > g_heard.done);
  g_heard.what = what;
  g_heard.done = done;
  g_heard.n++;
}

/* Every node points to the next, and back to the one before: each dominates all that follow. */
static void long_chain_needs_no_deep_stack(void **state) {
  (void)state;
  host_t host;
  dmd_graph_t g;
  dmd_dominators_t d;
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
  host.env.tell = hear;
  g_heard.n = 0;
  dmd_dominators_init(&d, &g, NULL, 0);
  assert_in_range(g_heard.n, 30, 1000);
  dmd_dominators_sum(&d, g.size);
  for (uint32_t i = 1; i < CHAIN; i++) {
    assert_int_equal(d.idom[i], i - 1);
    assert_int_equal(g.size[i], CHAIN - i);
  }
  dmd_dominators_destroy(&d);
  dmd_graph_destroy(&g);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dmd_graph_t g;
  dmd_dominators_t d;
  build(&g, &host->env, arg);
  dmd_dominators_init(&d, &g, NULL, 0);
  dmd_dominators_destroy(&d);
  dmd_graph_destroy(&g);
}

static void out_of_memory(void **state) {
  (void)state;
  matrix_t m = {.n = 3, .edges = {{0, 1, 0}, {0, 0, 2}, {1, 0, 0}}};
  assert_true(host_fail_everywhere(use, &m) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_by_definition),
      cmocka_unit_test(long_chain_needs_no_deep_stack),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
