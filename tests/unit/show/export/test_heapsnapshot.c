/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heap graphs for browsers' memory tools: retained sizes in these tools equal those in the graph.
 * tests/reader/test_snapshot.py checks whole files.
 */
#include "fixture.h"
#include "types_fixture.h"

#include "analyse/graph/retained.h"
#include "show/export/heapsnapshot.h"

#include "profiles/randomgraph.h"

enum { GRAPHS = 400, MAX_NODES = 200, MAX_EDGES = 2000 };

static uint64_t throw(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

/* The numbers of a list of the document; returns how many. */
static size_t numbers_of(const char *text, const char *key, uint64_t *numbers, size_t max) {
  const char *at = strstr(text, key);
  size_t n = 0;
  assert_non_null(at);
  at = strchr(at + strlen(key), '[') + 1;
  while (*at != ']') {
    char *end;
    assert_true(n < max);
    numbers[n++] = strtoull(at, &end, 10);
    at = end + strspn(end, ",\n");
  }
  return n;
}

/* The document as a tool reads it: its nodes with their edges. */
static void read_document(dmd_graph_t *g, const dmd_env_t *env, const char *text) {
  static uint64_t nodes[7 * MAX_NODES], edges[3 * MAX_EDGES];
  size_t n = numbers_of(text, "\"nodes\":", nodes, COUNT_OF(nodes)) / 7;
  size_t n_edges = numbers_of(text, "\"edges\":", edges, COUNT_OF(edges)) / 3, e = 0;
  dmd_graph_init(g, env, (uint32_t)n, (uint32_t)n_edges, false);
  for (size_t i = 0; i < n; i++) {
    g->size[i] = nodes[7 * i + 3];
    for (uint64_t k = nodes[7 * i + 4]; k > 0; k--, e++) {
      assert_int_equal(edges[3 * e + 2] % 7, 0);
      dmd_graph_add_edge(g, (uint32_t)(edges[3 * e + 2] / 7), 0);
    }
    dmd_graph_end_node(g);
  }
  assert_int_equal(e, n_edges);
}

/* Node i of the snapshot is node i + 1 of the document, whose node 0 is one more root. */
static void check_document(const dmd_heapsnapshot_t *s, dmd_heapgraph_t *g, const char *text) {
  dmd_graph_t read;
  dmd_dominators_t theirs;
  dmd_retained_t ours;
  read_document(&read, g->env, text);
  assert_int_equal(read.n_nodes, s->shown.n_nodes + 1);
  dmd_dominators_init(&theirs, &read, NULL, 0);
  dmd_dominators_measure(&theirs, &read);
  dmd_retained_init(&ours, g, s->typing);
  assert_int_equal(theirs.n_reached, read.n_nodes);
  for (uint32_t i = 0; i < s->shown.n_nodes; i++)
    if (!dmd_condensed_is_many(&s->shown, i))
      assert_int_equal(theirs.retained[i + 1], ours.bytes[s->shown.node[i]]);
  dmd_retained_destroy(&ours);
  dmd_dominators_destroy(&theirs);
  dmd_graph_destroy(&read);
}

static void retained_sizes_are_ours(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {21};
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    dmd_heapgraph_t g;
    dmd_types_t types;
    dmd_typing_t typing;
    dmd_heapsnapshot_t s;
    sink_t sink;
    random_graph(&g, &host.env, &(random_dice_t){throw, &dice});
    dmd_types_init(&types, &host.env, 8);
    dmd_typing_init(&typing, &g, &types);
    dmd_heapsnapshot_init(&s, &g, &typing, i % 3 == 0 ? 1 + dice_below(&dice, 20) : UINT32_MAX);
    sink_init(&sink);
    dmd_export_heapsnapshot(&s, &sink.out);
    assert_int_equal(s.n_too_large, 0);
    check_document(&s, &g, sink_text(&sink));
    sink_free(&sink);
    dmd_heapsnapshot_destroy(&s);
    dmd_typing_destroy(&typing);
    dmd_types_destroy(&types);
    dmd_heapgraph_destroy(&g);
  }
  host_done(&host);
}

/* The variable `jars`, an array of two pointers, one of which leads to a jar of 6 GiB, which leads
 * to itself and to the middle of a block without a type; and a block that nothing leads to. */
typedef struct {
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_heapsnapshot_t snapshot;
} jars_t;

static uint32_t stack_of_jars(dmd_heapgraph_t *g) {
  uint32_t frames[] = {dmd_frames_read_text(&g->profile.frames, "jar_new (jar.c:12)"),
                       dmd_frames_read_text(&g->profile.frames, "main (app.c:3)")};
  uint32_t codes[] = {dmd_heapgraph_add_code(g, DMD_NONE, 1, &frames[0], 1),
                      dmd_heapgraph_add_code(g, DMD_NONE, 2, &frames[1], 1)};
  return dmd_heapgraph_add_stack(g, codes, 2);
}

static void build_jars(jars_t *j, const dmd_env_t *env) {
  dmd_heapgraph_t *g = &j->graph;
  dmd_heapgraph_init(g, env, 1, 3, 4);
  dmd_heapgraph_add_root(
      g, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .addr = 64, .szB = 16, .name = "jars"});
  dmd_heapgraph_add_edge(g, 2, 8);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_block(g, &(dmd_graph_block_t){.addr = 0x1000, .stack = 1}, UINT64_C(6) << 30);
  dmd_heapgraph_add_edge(g, 2, 0);
  dmd_heapgraph_add_interior(g, 3, 8, 5, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_block(g, &(dmd_graph_block_t){.addr = UINT64_C(9) << 30}, 24);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_block(g, &(dmd_graph_block_t){.addr = UINT64_C(10) << 30}, 100);
  dmd_heapgraph_end_node(g);
  assert_int_equal(stack_of_jars(g), 1);
  dmd_types_init(&j->types, env, 8);
  uint32_t jar = struct_of(&j->types, "jar", UINT64_C(6) << 30);
  uint32_t to_jar = dmd_types_pointer_to(&j->types, jar);
  members_of(&j->types, jar, (const member_t[]){{"next", to_jar, 0}}, 1);
  dmd_typing_init(&j->typing, g, &j->types);
  dmd_typing_set(&j->typing, 1, array_of(&j->types, to_jar, 2), 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&j->typing, 2, jar, 0, DMD_EVIDENCE_SITE);
  dmd_heapsnapshot_init(&j->snapshot, g, &j->typing, DMD_HEAPSNAPSHOT_MAX_NODES);
}

static void destroy_jars(jars_t *j) {
  dmd_heapsnapshot_destroy(&j->snapshot);
  dmd_typing_destroy(&j->typing);
  dmd_types_destroy(&j->types);
  dmd_heapgraph_destroy(&j->graph);
}

/* Lines after the first one, which names the columns. */
static const char jars_document[] =
    "\"nodes\":[9,0,1,0,1,0,0\n"
    ",9,1,3,0,2,0,0\n"
    ",8,2,5,0,1,0,0\n"
    ",8,3,7,4294967295,2,3,0\n"
    ",8,4,9,24,0,0,0\n"
    ",8,4,11,100,0,0,0],\n"
    "\"edges\":[1,1,7\n"
    ",2,5,14,2,6,35\n"
    ",2,7,21\n"
    ",2,8,21,2,9,28\n"
    "\n"
    "],\n"
    "\"trace_function_infos\":[0,10,0,0,0,0,1,11,12,0,12,0,2,13,14,0,3,0],\n"
    "\"trace_tree\":[1,0,0,0,[2,2,0,0,[3,1,1,6442450944,[]]]],\n"
    "\"samples\":[],\n"
    "\"locations\":[],\n"
    "\"strings\":[\n"
    " \"\",\n"
    " \"(GC roots)\",\n"
    " \"jar *[2]\",\n"
    " \"jar\",\n"
    " \"from an unknown place\",\n"
    " \"jars\",\n"
    " \"(lost)\",\n"
    " \"jars[1]\",\n"
    " \"next\",\n"
    " \"+0x8\",\n"
    " \"(root)\",\n"
    " \"jar_new\",\n"
    " \"jar.c\",\n"
    " \"main\",\n"
    " \"app.c\"\n"
    "]\n"
    "}\n";

static void types_members_and_stacks(void **state) {
  (void)state;
  host_t host;
  jars_t j;
  sink_t sink;
  host_init(&host);
  build_jars(&j, &host.env);
  sink_init(&sink);
  dmd_export_heapsnapshot(&j.snapshot, &sink.out);
  assert_int_equal(j.snapshot.n_too_large, 1); /* the jar: its size exceeds 32 bits */
  assert_text_equal(strstr(sink_text(&sink), "\"nodes\":"), jars_document);
  assert_non_null(strstr(sink_text(&sink), "\"node_count\":6,\"edge_count\":6,"));
  sink_free(&sink);
  destroy_jars(&j);
  host_done(&host);
}

/* Stacks that share outer frames; a long one is cut to its inner frames. */
static void calls_are_there_once(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  uint32_t a[] = {1, 2, 3}, b[] = {4, 2, 3}, c[] = {2, 3}, d[] = {1, 2, 3, 4, 5};
  uint32_t stacks[] = {dmd_profile_stack(&f.profile, a, 3), dmd_profile_stack(&f.profile, b, 3),
                       dmd_profile_stack(&f.profile, c, 2), dmd_profile_stack(&f.profile, d, 5)};
  dmd_calltree_t tree;
  dmd_calltree_init(&tree, &f.profile, 3);
  uint32_t first = dmd_calltree_stack(&tree, stacks[0]);
  uint32_t second = dmd_calltree_stack(&tree, stacks[1]);
  assert_int_equal(dmd_calltree_at(&tree, first)->frame, 1);
  assert_int_equal(dmd_calltree_at(&tree, second)->frame, 4);
  assert_int_equal(dmd_calltree_at(&tree, first)->caller, dmd_calltree_at(&tree, second)->caller);
  assert_int_equal(dmd_calltree_stack(&tree, stacks[2]), dmd_calltree_at(&tree, first)->caller);
  assert_int_equal(dmd_calltree_stack(&tree, stacks[3]), first);
  assert_int_equal(dmd_calltree_stack(&tree, DMD_NONE), DMD_NONE);
  assert_int_equal(dmd_calltree_count(&tree), 4);
  dmd_calltree_destroy(&tree);
  fixture_end(&f);
}

static void use(host_t *host, void *arg) {
  jars_t j;
  sink_t *sink = arg;
  build_jars(&j, &host->env);
  dmd_export_heapsnapshot(&j.snapshot, &sink->out);
  dmd_export_fxsnapshot(&j.snapshot, &sink->out);
  destroy_jars(&j);
}

static void out_of_memory(void **state) {
  (void)state;
  sink_t sink;
  sink_init(&sink);
  assert_true(host_fail_everywhere(use, &sink) >= 1);
  sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(retained_sizes_are_ours),
      cmocka_unit_test(types_members_and_stacks),
      cmocka_unit_test(calls_are_there_once),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
