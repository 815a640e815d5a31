/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stale words against their definition, and what they no longer decide.
 */
#include "heap_matrix.h"
#include "types_fixture.h"

#include "analyse/graph/nodekeys.h"
#include "analyse/graph/retained.h"
#include "analyse/graph/stale.h"

enum { GRAPHS = 5000 };

#define BIT(node) (UINT32_C(1) << (node))

typedef struct {
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
} typed_t;

static void type(typed_t *t, const dmd_env_t *env) {
  dmd_types_init(&t->types, env, 8);
  dmd_typing_init(&t->typing, &t->graph, &t->types);
}

static void untype(typed_t *t) {
  dmd_typing_destroy(&t->typing);
  dmd_types_destroy(&t->types);
  dmd_heapgraph_destroy(&t->graph);
}

/* ---- The definition. ---- */

/* Nodes that are reachable without the edges of some nodes. */
static uint32_t reach_without(const dmd_graph_t *g, uint32_t blank) {
  uint32_t reached = BIT(0), before;
  do {
    before = reached;
    for (uint32_t node = 0; node < g->n_nodes; node++)
      for (uint32_t e = g->first[node]; (reached & ~blank) >> node & 1 && e < g->first[node + 1];
           e++)
        reached |= BIT(g->target[e]);
  } while (reached != before);
  return reached;
}

static void check(const typed_t *t, uint32_t blank) {
  const dmd_graph_t *g = &t->graph.graph;
  uint32_t reached = reach_without(g, blank), id = 0;
  dmd_stale_t stale;
  dmd_stale_init(&stale, &t->typing);
  for (uint32_t node = 1; node < g->n_nodes; node++)
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
      if (!(blank >> node & 1) || !(reached >> g->target[e] & 1))
        continue;
      assert_true(++id <= stale.edges.last);
      const dmd_stale_edge_t *at = DMD_POOL_AT(&stale.edges, const dmd_stale_edge_t, id);
      assert_int_equal(at->node, node);
      assert_int_equal(at->edge, e);
    }
  assert_int_equal(stale.edges.last, id);
  dmd_edgemask_t mask;
  uint32_t all = reach_without(g, 0);
  dmd_edgemask_init(&mask, &t->typing.graph->graph);
  dmd_stale_take(&stale, &mask);
  assert_int_equal(reach_without(g, 0), all);
  dmd_edgemask_destroy(&mask);
  dmd_stale_destroy(&stale);
}

static void random_graphs_by_definition(void **state) {
  (void)state;
  dice_t dice = {14};
  host_t host;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    heap_matrix_t m;
    typed_t t;
    heap_matrix_throw(&m, &dice);
    heap_matrix_build(&m, &t.graph, &host.env);
    type(&t, &host.env);
    uint32_t letter = base_of(&t.types, DMD_TYPE_CHARACTER, "char", 1), blank = 0;
    for (uint32_t node = 1; node < m.n; node++)
      if (dice_below(&dice, 3) == 0) {
        blank |= BIT(node);
        if (dmd_heapgraph_is_block(&t.graph, node))
          dmd_typing_set(&t.typing, node, letter, 0, DMD_EVIDENCE_SITE);
        else
          dmd_typing_set(&t.typing, node, array_of(&t.types, letter, 4096), 0,
                         DMD_EVIDENCE_VARIABLE);
      }
    check(&t, blank);
    untype(&t);
  }
  host_done(&host);
}

/* ---- A vector, a buffer of a stream and a line of text point to blocks that another variable
 * owns. ---- */

enum { VECTOR = 1, LINE, OWNER, ARRAY, BUFFER, FIRST, SECOND, PAGE, ONLY, N_NODES };

static void add_root(dmd_heapgraph_t *g, const char *name, uint64_t szB) {
  dmd_heapgraph_add_root(g, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .szB = szB, .name = name});
}

static void add_block(dmd_heapgraph_t *g, uint32_t node, const char *function, uint64_t szB) {
  uint32_t frame = dmd_frames_read_text(&g->profile.frames, function);
  uint32_t code = dmd_heapgraph_add_code(g, DMD_NONE, 16 * node, &frame, 1);
  dmd_graph_block_t block = {.addr = 0x1000 * (uint64_t)node,
                             .stack = dmd_heapgraph_add_stack(g, &code, 1)};
  dmd_heapgraph_add_block(g, &block, szB);
}

/* The vector has two elements and room for four; its third word is stale. */
static void build(typed_t *t, const dmd_env_t *env) {
  dmd_heapgraph_t *g = &t->graph;
  dmd_heapgraph_init(g, env, 3, N_NODES - ARRAY, 16);
  add_root(g, "names", 24);
  dmd_heapgraph_add_edge(g, ARRAY, 0);
  dmd_heapgraph_add_interior(g, ARRAY, 8, 16, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(g);
  add_root(g, "line", 64);
  dmd_heapgraph_add_edge(g, PAGE, 0);
  dmd_heapgraph_add_edge(g, ONLY, 8);
  dmd_heapgraph_end_node(g);
  add_root(g, "owner", 16);
  dmd_heapgraph_add_edge(g, BUFFER, 0);
  dmd_heapgraph_add_edge(g, SECOND, 8);
  dmd_heapgraph_end_node(g);
  add_block(g, ARRAY, "grow (a.cc:1)", 32);
  dmd_heapgraph_add_edge(g, FIRST, 0);
  dmd_heapgraph_add_edge(g, SECOND, 8);
  dmd_heapgraph_add_edge(g, PAGE, 16);
  dmd_heapgraph_end_node(g);
  add_block(g, BUFFER, "_IO_file_doallocate (filedoalloc.c:101)", 1024);
  dmd_heapgraph_add_edge(g, FIRST, 0);
  dmd_heapgraph_add_edge(g, PAGE, 512);
  dmd_heapgraph_end_node(g);
  for (uint32_t node = FIRST; node < N_NODES; node++) {
    add_block(g, node, "make (a.cc:2)", node == PAGE ? 4096 : 100);
    if (node == SECOND)
      dmd_heapgraph_add_edge(g, PAGE, 0);
    dmd_heapgraph_end_node(g);
  }
  type(t, env);
  dmd_types_t *types = &t->types;
  uint32_t letter = base_of(types, DMD_TYPE_CHARACTER, "char", 1), vector, pointer;
  pointer = dmd_types_pointer_to(types, dmd_types_pointer_to(types, struct_of(types, "name", 100)));
  vector = struct_of(types, "vector", 24);
  const member_t members[] = {
      {"_M_start", pointer, 0}, {"_M_finish", pointer, 8}, {"_M_end_of_storage", pointer, 16}};
  members_of(types, vector, members, 3);
  dmd_typing_set(&t->typing, VECTOR, vector, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&t->typing, LINE, array_of(types, letter, 64), 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&t->typing, ARRAY, dmd_type_at(types, pointer)->target, 0, DMD_EVIDENCE_POINTER);
  dmd_liveparts_find(&t->typing);
}

static void places_without_pointers(void **state) {
  (void)state;
  host_t host;
  typed_t t;
  host_init(&host);
  build(&t, &host.env);
  const dmd_graph_t *g = &t.graph.graph;
  const struct {
    uint32_t node, n;
    bool blank[3];
  } expected[] = {{VECTOR, 2, {false, false}}, {LINE, 2, {true, true}},
                  {OWNER, 2, {false, false}},  {ARRAY, 3, {false, false, true}},
                  {BUFFER, 2, {true, true}},   {SECOND, 1, {false}}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    for (uint32_t k = 0; k < expected[i].n; k++) {
      uint32_t edge = g->first[expected[i].node] + k;
      assert_int_equal(dmd_typing_is_blank(&t.typing, expected[i].node, edge),
                       expected[i].blank[k]);
      assert_int_equal(dmd_typing_doubts(&t.typing, expected[i].node, edge), expected[i].blank[k]);
    }
  untype(&t);
  host_done(&host);
}

static void stale_words_decide_nothing(void **state) {
  (void)state;
  host_t host;
  typed_t t;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
  dmd_retained_t retained;
  host_init(&host);
  build(&t, &host.env);
  dmd_kinds_init(&kinds, &t.typing);
  dmd_nodekeys_init(&keys, &kinds, 8);
  const char *const roots[] = {"names", "owner", "owner", "line"};
  const char *const referrers[] = {"name *[]", "(several roots)", "from make +0x0", "line[]"};
  for (uint32_t node = FIRST; node < N_NODES; node++) {
    uint32_t root = dmd_nodekeys_value(&keys, DMD_KEY_ROOT, node);
    uint32_t referrer = dmd_nodekeys_value(&keys, DMD_KEY_REFERRER, node);
    assert_string_equal(dmd_nodekeys_name(&keys, DMD_KEY_ROOT, root), roots[node - FIRST]);
    assert_string_equal(dmd_nodekeys_name(&keys, DMD_KEY_REFERRER, referrer),
                        referrers[node - FIRST]);
  }
  dmd_retained_init(&retained, &t.graph, &t.typing);
  assert_int_equal(dmd_retained_of(&retained, LINE).all, 100);
  assert_int_equal(dmd_retained_of(&retained, LINE).least, 0);
  assert_int_equal(dmd_retained_of(&retained, SECOND).all, 100 + 4096);
  assert_int_equal(dmd_retained_of(&retained, ARRAY).all, 32 + 100);
  assert_int_equal(dmd_retained_of(&retained, BUFFER).all, 1024);
  dmd_retained_destroy(&retained);
  dmd_nodekeys_destroy(&keys);
  dmd_kinds_destroy(&kinds);
  untype(&t);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  typed_t t;
  dmd_stale_t stale;
  build(&t, &host->env);
  dmd_stale_init(&stale, &t.typing);
  dmd_stale_destroy(&stale);
  untype(&t);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_by_definition),
      cmocka_unit_test(places_without_pointers),
      cmocka_unit_test(stale_words_decide_nothing),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
