/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "census_fixture.h"

#include <stdio.h>

enum { GRAPHS = 200, MAX_NODES = 100 };

/* Which nodes the root of all reaches without one of them (DMD_GRAPH_ALL: with all of them). */
static void find_reached(const dmd_graph_t *g, uint32_t without, bool *reached) {
  bool changed = true;
  memset(reached, 0, MAX_NODES * sizeof *reached);
  reached[DMD_GRAPH_ALL] = true;
  while (changed) {
    changed = false;
    for (uint32_t node = 0; node < g->n_nodes; node++)
      for (uint32_t e = g->first[node]; reached[node] && e < g->first[node + 1]; e++)
        if (g->target[e] != without && !reached[g->target[e]])
          changed = reached[g->target[e]] = true;
  }
}

/* The immediate dominator: the nearest of the nodes without which this one is unreachable. */
static uint32_t nearest_of(const dmd_graph_t *g, bool needed[MAX_NODES][MAX_NODES], uint32_t node) {
  for (uint32_t by = 1; by < g->n_nodes; by++) {
    bool is_nearest = by != node && needed[by][node];
    for (uint32_t other = 1; is_nearest && other < g->n_nodes; other++)
      is_nearest = other == node || other == by || !needed[other][node] || needed[other][by];
    if (is_nearest)
      return by;
  }
  return DMD_GRAPH_ALL;
}

/* The name of a referrer: the node and its first edge to the block. */
static void assert_referrer(keyed_t *keyed, uint32_t by, uint32_t node) {
  const dmd_graph_t *g = &keyed->graph.graph;
  char expected[256];
  const char *kind = dmd_kinds_name(&keyed->kinds, keyed->kinds.of[by]);
  uint32_t edge = g->first[by];
  while (edge < g->first[by + 1] && g->target[edge] != node)
    edge++;
  if (edge == g->first[by + 1]) {
    snprintf(expected, sizeof expected, "%s (in several ways)", kind);
  } else if (dmd_heapgraph_is_block(&keyed->graph, by)) {
    snprintf(expected, sizeof expected, "%s +0x%x", kind, (unsigned)g->offset[edge]);
  } else {
    const char *variable = dmd_heapgraph_root(&keyed->graph, by)->name;
    snprintf(expected, sizeof expected, "%s%s+0x%x", variable != NULL ? variable : kind,
             variable != NULL ? "" : " ", (unsigned)g->offset[edge]);
  }
  assert_string_equal(keyed_name(keyed, DMD_KEY_REFERRER, node), expected);
}

static void random_against_taking_nodes_away(void **state) {
  (void)state;
  static bool reached[MAX_NODES], needed[MAX_NODES][MAX_NODES];
  host_t host;
  dice_t dice = {8};
  uint32_t n_held = 0;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    keyed_t keyed;
    keyed_random(&keyed, &host.env, &dice);
    const dmd_graph_t *g = &keyed.graph.graph;
    find_reached(g, DMD_GRAPH_ALL, reached);
    for (uint32_t by = 1; by < g->n_nodes; by++) {
      find_reached(g, by, needed[by]);
      for (uint32_t node = 0; node < g->n_nodes; node++)
        needed[by][node] = reached[node] && !needed[by][node];
    }
    for (uint32_t node = dmd_heapgraph_first_block(&keyed.graph); node < g->n_nodes; node++) {
      uint32_t by = nearest_of(g, needed, node);
      if (!reached[node])
        assert_string_equal(keyed_name(&keyed, DMD_KEY_REFERRER, node), "(lost)");
      else if (by == DMD_GRAPH_ALL)
        assert_string_equal(keyed_name(&keyed, DMD_KEY_REFERRER, node), "(several roots)");
      else
        assert_referrer(&keyed, by, node);
      n_held += by != DMD_GRAPH_ALL;
    }
    keyed_end(&keyed);
  }
  assert_true(n_held > GRAPHS);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_taking_nodes_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
