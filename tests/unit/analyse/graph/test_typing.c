/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"
#include "types_fixture.h"

#include "analyse/graph/kinds.h"
#include "analyse/graph/typing.h"
#include "model/graph/heapgraph.h"

/* A shop: the variable `shop` has a shelf of jars, each with a label.
 *   1 shop (root, 16 bytes)   2 stack (root)   3 shelf: jar *[2]   4, 5: jar[3] and jar   6: a
 * label
 */
enum { SHOP = 1, STACK, SHELF, JARS, JAR, LABEL };

typedef struct {
  host_t host;
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  uint32_t shop, jar, to_jar, text, letter;
} shop_t;

static uint32_t add_stack(dmd_heapgraph_t *graph, const char *inner, const char *outer) {
  uint32_t frames[] = {dmd_frames_read_text(&graph->profile.frames, inner),
                       dmd_frames_read_text(&graph->profile.frames, outer)};
  uint32_t codes[] = {dmd_heapgraph_add_code(graph, DMD_NONE, 16, &frames[0], 1),
                      dmd_heapgraph_add_code(graph, DMD_NONE, 32, &frames[1], 1)};
  return dmd_heapgraph_add_stack(graph, codes, 2);
}

static void add_block(shop_t *s, uint64_t addr, uint64_t requested, uint32_t stack) {
  dmd_graph_block_t block = {.addr = addr, .slop = 8, .stack = stack};
  dmd_heapgraph_add_block(&s->graph, &block, requested + 8);
}

static void build_graph(shop_t *s, const dmd_env_t *env) {
  dmd_heapgraph_t *g = &s->graph;
  dmd_heapgraph_init(g, env, 2, 4, 8);
  uint32_t frame = dmd_frames_read_text(&g->profile.frames, "main (shop.c:9)");
  uint32_t code = dmd_heapgraph_add_code(g, DMD_NONE, 64, &frame, 1);
  dmd_graph_root_t data = {.kind = DMD_ROOT_DATA, .addr = 64, .szB = 16, .name = "shop"};
  dmd_graph_root_t stack = {.kind = DMD_ROOT_STACK, .szB = 64, .thread = 1, .code = code};
  dmd_heapgraph_add_root(g, &data);
  dmd_heapgraph_add_edge(g, SHELF, 8);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_root(g, &stack);
  dmd_heapgraph_add_interior(g, LABEL, 24, 5, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(g);
  uint32_t from_shelf = add_stack(g, "malloc (vg.c:1)", "shelf_new (shop.c:1)");
  uint32_t from_label = add_stack(g, "xmalloc (x.c:1)", "label_new (shop.c:2)");
  add_block(s, 0x1000, 16, from_shelf);
  dmd_heapgraph_add_edge(g, JARS, 0);
  dmd_heapgraph_add_edge(g, JAR, 8);
  dmd_heapgraph_end_node(g);
  add_block(s, 0x2000, 48, DMD_NONE);
  dmd_heapgraph_add_edge(g, LABEL, 8);
  dmd_heapgraph_add_interior(g, LABEL, 16 + 8, 3, DMD_HEURISTIC_NONE);
  dmd_heapgraph_add_interior(g, LABEL, 32, 3, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(g);
  add_block(s, 0x3000, 16, DMD_NONE);
  dmd_heapgraph_end_node(g);
  add_block(s, 0x4000, 10, from_label);
  dmd_heapgraph_end_node(g);
}

/* struct jar { int weight; char *label; }; struct { int n; struct jar **jars; } shop; */
static void build_types(shop_t *s, const dmd_env_t *env) {
  dmd_types_t *t = &s->types;
  dmd_types_init(t, env, 8);
  s->letter = base_of(t, DMD_TYPE_CHARACTER, "char", 1);
  s->text = dmd_types_pointer_to(t, s->letter);
  uint32_t number = base_of(t, DMD_TYPE_BASE, "int", 4);
  s->jar = struct_of(t, "jar", 16);
  members_of(t, s->jar, (const member_t[]){{"weight", number, 0}, {"label", s->text, 8}}, 2);
  s->to_jar = dmd_types_pointer_to(t, s->jar);
  s->shop = struct_of(t, NULL, 16);
  members_of(t, s->shop,
             (const member_t[]){{"n", number, 0}, {"jars", dmd_types_pointer_to(t, s->to_jar), 8}},
             2);
}

static void begin_on(shop_t *s, const dmd_env_t *env) {
  build_graph(s, env);
  build_types(s, env);
  dmd_typing_init(&s->typing, &s->graph, &s->types);
}

static void begin(shop_t *s) {
  host_init(&s->host);
  begin_on(s, &s->host.env);
}

static void end(shop_t *s) {
  dmd_typing_destroy(&s->typing);
  dmd_types_destroy(&s->types);
  dmd_heapgraph_destroy(&s->graph);
}

static void set_all(shop_t *s) {
  dmd_typing_set(&s->typing, SHOP, s->shop, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&s->typing, SHELF, s->to_jar, 0, DMD_EVIDENCE_POINTER);
  dmd_typing_set(&s->typing, JARS, s->jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, JAR, s->jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, LABEL, s->letter, 0, DMD_EVIDENCE_SITE);
}

static void assert_name(shop_t *s, uint32_t node, const char *expected) {
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, s->graph.env);
  dmd_typing_name(&s->typing, node, &buf);
  assert_string_equal(buf.text, expected);
  dmd_strbuf_destroy(&buf);
}

/* The node's i-th edge, followed from `before`; NULL: by itself. */
static void assert_edge(shop_t *s, uint32_t node, uint32_t i, const char *before,
                        const char *expected) {
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, s->graph.env);
  uint32_t edge = s->graph.graph.first[node] + i;
  if (before == NULL)
    dmd_edge_name(&s->typing, node, edge, &buf);
  else {
    dmd_strbuf_str(&buf, before);
    dmd_edge_follow(&s->typing, node, edge, &buf);
  }
  assert_string_equal(buf.text, expected);
  dmd_strbuf_destroy(&buf);
}

static void without_types_functions_name_blocks(void **state) {
  (void)state;
  shop_t s;
  begin(&s);
  assert_name(&s, SHELF, "from shelf_new");
  assert_name(&s, LABEL, "from label_new");
  assert_name(&s, JAR, "from an unknown place");
  assert_name(&s, SHOP, "shop");
  assert_name(&s, STACK, "stack of thread 1 in main");
  assert_name(&s, DMD_GRAPH_ALL, "roots");
  assert_int_equal(dmd_typing_evidence(&s.typing, SHELF), DMD_EVIDENCE_FUNCTION);
  assert_int_equal(dmd_typing_evidence(&s.typing, JAR), DMD_EVIDENCE_NONE);
  assert_int_equal(dmd_typing_evidence(&s.typing, STACK), DMD_EVIDENCE_NONE);
  assert_edge(&s, SHOP, 0, NULL, "shop+0x8");
  assert_edge(&s, JARS, 1, NULL, "+0x18");
  assert_edge(&s, STACK, 0, NULL, "+0x18");
  assert_edge(&s, DMD_GRAPH_ALL, 1, NULL, "stack of thread 1 in main");
  end(&s);
  host_done(&s.host);
}

static void variables_say_whose_they_are(void **state) {
  (void)state;
  shop_t s;
  begin(&s);
  dmd_graph_root_t *root = DMD_POOL_AT(&s.graph.roots, dmd_graph_root_t, STACK);
  root->name = "counter";
  assert_name(&s, STACK, "counter in main");
  assert_edge(&s, STACK, 0, NULL, "counter+0x18");
  assert_edge(&s, DMD_GRAPH_ALL, 1, NULL, "counter in main");
  root->kind = DMD_ROOT_THREAD;
  assert_name(&s, STACK, "counter of thread 1");
  assert_edge(&s, STACK, 0, NULL, "counter+0x18");
  root->kind = DMD_ROOT_DATA;
  assert_name(&s, STACK, "counter");
  end(&s);
  host_done(&s.host);
}

static void with_types(void **state) {
  (void)state;
  shop_t s;
  begin(&s);
  set_all(&s);
  assert_name(&s, SHELF, "jar *[]");
  assert_name(&s, JARS, "jar[]");
  assert_name(&s, JAR, "jar");
  assert_name(&s, LABEL, "char[] from label_new");
  assert_int_equal(dmd_typing_evidence(&s.typing, SHELF), DMD_EVIDENCE_POINTER);
  assert_int_equal(dmd_typing_count(&s.typing, JARS), 3);
  assert_int_equal(dmd_typing_count(&s.typing, JAR), 1);
  assert_int_equal(dmd_typing_count(&s.typing, LABEL), 10);
  assert_int_equal(dmd_typing_count(&s.typing, SHOP), 1);
  assert_int_equal(dmd_typing_count(&s.typing, STACK), 0);
  assert_edge(&s, SHOP, 0, NULL, "shop.jars");
  assert_edge(&s, SHOP, 0, "", "shop.jars");
  assert_edge(&s, SHELF, 1, "shop.jars", "shop.jars[1]");
  assert_edge(&s, JARS, 1, "shop.jars[0]", "shop.jars[0][1].label");
  assert_edge(&s, JARS, 2, NULL, "[2].weight");
  end(&s);
  host_done(&s.host);
}

static void an_edge_is_doubtful(void **state) {
  (void)state;
  shop_t s;
  begin(&s);
  uint32_t first = s.graph.graph.first[JARS];
  assert_false(dmd_typing_doubts(&s.typing, JARS, first)); /* to a start */
  assert_true(dmd_typing_doubts(&s.typing, JARS, first + 1));
  set_all(&s);
  assert_false(dmd_typing_doubts(&s.typing, JARS, first + 1)); /* [1].label */
  assert_true(dmd_typing_doubts(&s.typing, JARS, first + 2));  /* [2].weight */
  assert_true(dmd_typing_doubts(&s.typing, STACK, s.graph.graph.first[STACK]));
  end(&s);
  host_done(&s.host);
}

static void better_evidence_wins(void **state) {
  (void)state;
  shop_t s;
  begin(&s);
  assert_true(dmd_typing_set(&s.typing, JAR, s.letter, 0, DMD_EVIDENCE_POINTER));
  assert_true(dmd_typing_set(&s.typing, JAR, s.jar, 0, DMD_EVIDENCE_SITE));
  assert_false(dmd_typing_set(&s.typing, JAR, s.text, 0, DMD_EVIDENCE_SITE));
  assert_false(dmd_typing_set(&s.typing, JAR, s.text, 0, DMD_EVIDENCE_POINTER));
  assert_int_equal(dmd_typing_type(&s.typing, JAR), s.jar);
  end(&s);
  host_done(&s.host);
}

static void sizes_must_fit(void **state) {
  (void)state;
  shop_t s;
  begin(&s);
  assert_true(dmd_typing_fits(&s.typing, JAR, s.jar, 0));
  assert_true(dmd_typing_fits(&s.typing, JARS, s.jar, 0));
  assert_true(dmd_typing_fits(&s.typing, JARS, s.jar, 16));
  assert_false(dmd_typing_fits(&s.typing, JARS, s.jar, 8));
  assert_false(dmd_typing_fits(&s.typing, JARS, s.jar, 48)); /* nothing is left */
  assert_false(dmd_typing_fits(&s.typing, LABEL, s.jar, 0));
  assert_true(dmd_typing_fits(&s.typing, LABEL, s.letter, 0));
  assert_true(dmd_typing_fits(&s.typing, LABEL, struct_of(&s.types, "declared", 0), 0));
  uint32_t named = struct_of(&s.types, "named", 4);
  members_of(&s.types, named, (const member_t[]){{"name", array_of(&s.types, s.letter, 0), 4}}, 1);
  assert_true(dmd_typing_fits(&s.typing, LABEL, named, 0));
  dmd_typing_set(&s.typing, LABEL, named, 0, DMD_EVIDENCE_SITE);
  assert_int_equal(dmd_typing_count(&s.typing, LABEL), 1);
  /* Behind the number of elements that C++ keeps. */
  dmd_typing_set(&s.typing, JARS, s.jar, 16, DMD_EVIDENCE_SITE);
  assert_int_equal(dmd_typing_count(&s.typing, JARS), 2);
  assert_edge(&s, JARS, 1, NULL, "[0].label");
  assert_edge(&s, JARS, 0, NULL, "+0x8");
  end(&s);
  host_done(&s.host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  shop_t s;
  begin_on(&s, &host->env);
  set_all(&s);
  assert_name(&s, LABEL, "char[] from label_new");
  assert_edge(&s, JARS, 1, NULL, "[1].label");
  end(&s);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_types_functions_name_blocks),
      cmocka_unit_test(variables_say_whose_they_are),
      cmocka_unit_test(with_types),
      cmocka_unit_test(an_edge_is_doubtful),
      cmocka_unit_test(better_evidence_wins),
      cmocka_unit_test(sizes_must_fit),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
