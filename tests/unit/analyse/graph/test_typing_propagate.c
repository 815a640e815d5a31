/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types_fixture.h"

#include "analyse/graph/typing.h"

/* struct link { struct link *next; char *text; }; the root is one, and all blocks may be links,
 * too. */
typedef struct {
  host_t host;
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  uint32_t letter, number, link, other;
} chain_t;

enum { ROOT = 1, A, B, C, D };

static void begin(chain_t *c, const dmd_env_t *env, uint32_t n_blocks, uint32_t n_edges) {
  dmd_heapgraph_init(&c->graph, env, 1, n_blocks, n_edges);
  dmd_types_t *t = &c->types;
  dmd_types_init(t, env, 8);
  c->letter = base_of(t, DMD_TYPE_CHARACTER, "char", 1);
  c->number = base_of(t, DMD_TYPE_BASE, "long", 8);
  c->link = struct_of(t, "link", 16);
  c->other = struct_of(t, "other", 16);
  uint32_t to_link = dmd_types_pointer_to(t, c->link), text = dmd_types_pointer_to(t, c->letter);
  uint32_t to_other = dmd_types_pointer_to(t, c->other), opaque = dmd_types_pointer_to(t, DMD_NONE);
  members_of(t, c->link, (const member_t[]){{"next", to_link, 0}, {"text", text, 8}}, 2);
  members_of(t, c->other, (const member_t[]){{"it", to_other, 0}, {"any", opaque, 8}}, 2);
}

static void add_root(chain_t *c) {
  dmd_heapgraph_add_root(&c->graph, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .szB = 16});
}

static void add_block(chain_t *c, uint64_t requested) {
  dmd_heapgraph_end_node(&c->graph); /* the one before */
  uint64_t addr = 0x1000 * (1 + (uint64_t)c->graph.blocks.last);
  dmd_heapgraph_add_block(&c->graph, &(dmd_graph_block_t){.addr = addr}, requested);
}

static void finish(chain_t *c) {
  dmd_heapgraph_end_node(&c->graph);
  dmd_typing_init(&c->typing, &c->graph, &c->types);
}

static void end(chain_t *c) {
  dmd_typing_destroy(&c->typing);
  dmd_types_destroy(&c->types);
  dmd_heapgraph_destroy(&c->graph);
}

static void assert_typed(const chain_t *c, uint32_t node, uint32_t type,
                         dmd_type_evidence_t evidence) {
  assert_int_equal(dmd_typing_type(&c->typing, node), type);
  assert_int_equal(c->typing.nodes[node].evidence, evidence);
}

static void types_follow_from_types(void **state) {
  (void)state;
  chain_t c;
  host_init(&c.host);
  begin(&c, &c.host.env, 4, 4);
  add_root(&c);
  dmd_heapgraph_add_edge(&c.graph, C, 0);
  add_block(&c, 16); /* A */
  dmd_heapgraph_add_edge(&c.graph, D, 8);
  add_block(&c, 24); /* B: the size of neither one link nor two */
  add_block(&c, 32); /* C: two of them */
  dmd_heapgraph_add_edge(&c.graph, B, 0);
  dmd_heapgraph_add_edge(&c.graph, A, 16);
  add_block(&c, 9); /* D */
  finish(&c);
  dmd_typing_set(&c.typing, ROOT, c.link, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_propagate(&c.typing);
  assert_typed(&c, C, c.link, DMD_EVIDENCE_POINTER);
  assert_int_equal(dmd_typing_count(&c.typing, C), 2);
  assert_typed(&c, A, c.link, DMD_EVIDENCE_POINTER);
  assert_typed(&c, B, DMD_NONE, DMD_EVIDENCE_NONE);
  assert_typed(&c, D, c.letter, DMD_EVIDENCE_POINTER);
  end(&c);
  host_done(&c.host);
}

/* B and C point to D as a link, A as another type. */
static void the_majority_wins(void **state) {
  (void)state;
  for (int better = 0; better < 2; better++) {
    chain_t c;
    host_init(&c.host);
    begin(&c, &c.host.env, 4, 4);
    add_root(&c);
    for (int i = 0; i < 3; i++) {
      add_block(&c, 16);
      dmd_heapgraph_add_edge(&c.graph, D, 0);
    }
    add_block(&c, 16);
    finish(&c);
    dmd_typing_set(&c.typing, A, c.other, 0, DMD_EVIDENCE_SITE);
    dmd_typing_set(&c.typing, B, c.link, 0, DMD_EVIDENCE_SITE);
    dmd_typing_set(&c.typing, C, c.link, 0, DMD_EVIDENCE_SITE);
    if (better)
      dmd_typing_set(&c.typing, D, c.other, 0, DMD_EVIDENCE_SITE);
    dmd_typing_propagate(&c.typing);
    assert_typed(&c, D, better ? c.other : c.link,
                 better ? DMD_EVIDENCE_SITE : DMD_EVIDENCE_POINTER);
    end(&c);
    host_done(&c.host);
  }
}

/* One of A, B and C points to D as a link, the other two as a pointer, the link's first member. */
static void the_whole_wins_over_its_first_member(void **state) {
  (void)state;
  for (uint32_t whole = A; whole <= C; whole++) {
    chain_t c;
    host_init(&c.host);
    begin(&c, &c.host.env, 4, 4);
    uint32_t to_to_link = dmd_types_pointer_to(&c.types, dmd_types_pointer_to(&c.types, c.link));
    uint32_t place = struct_of(&c.types, "place", 16);
    members_of(&c.types, place, (const member_t[]){{"at", to_to_link, 0}}, 1);
    add_root(&c);
    for (int i = 0; i < 3; i++) {
      add_block(&c, 16);
      dmd_heapgraph_add_edge(&c.graph, D, 0);
    }
    add_block(&c, 16);
    finish(&c);
    for (uint32_t node = A; node <= C; node++)
      dmd_typing_set(&c.typing, node, node == whole ? c.link : place, 0, DMD_EVIDENCE_SITE);
    dmd_typing_propagate(&c.typing);
    assert_typed(&c, D, c.link, DMD_EVIDENCE_POINTER);
    end(&c);
    host_done(&c.host);
  }
}

/* The root points into A, and `times` blocks point into the last block. */
static void part_of(chain_t *c, int times, uint64_t requested, const uint64_t *into) {
  host_init(&c->host);
  begin(c, &c->host.env, (uint32_t)times + 1, (uint32_t)times);
  add_root(c);
  for (int i = 0; i < times; i++) {
    add_block(c, 16);
    dmd_heapgraph_add_interior(&c->graph, A + (uint32_t)times, 0, into[i], DMD_HEURISTIC_NONE);
  }
  add_block(c, requested);
  finish(c);
  for (int i = 0; i < times; i++)
    dmd_typing_set(&c->typing, A + (uint32_t)i, c->link, 0, DMD_EVIDENCE_SITE);
  dmd_typing_propagate(&c->typing);
}

/* 4,096 unknown bytes, one link, and more unknown bytes: the link is what is known of the block. A
 * block with several links gets no type from them. */
static void parts_of_blocks(void **state) {
  (void)state;
  static const struct {
    uint64_t requested, into[2];
    int times;
    bool is_part;
  } cases[] = {{4120, {4096}, 1, true},
               {4120, {4096, 4096}, 2, true},
               {4120, {4096, 1000}, 2, false},
               {4104, {4096}, 1, false}, /* it does not fit */
               {80008, {70000}, 1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    chain_t c;
    part_of(&c, cases[i].times, cases[i].requested, cases[i].into);
    uint32_t last = A + (uint32_t)cases[i].times;
    assert_typed(&c, last, cases[i].is_part ? c.link : DMD_NONE,
                 cases[i].is_part ? DMD_EVIDENCE_POINTER : DMD_EVIDENCE_NONE);
    assert_int_equal(c.typing.nodes[last].lead, cases[i].is_part ? 4096 : 0);
    if (cases[i].is_part) {
      dmd_strbuf_t name;
      dmd_strbuf_init(&name, &c.host.env);
      dmd_typing_name(&c.typing, last, &name);
      assert_string_equal(name.text, "link at +0x1000");
      dmd_strbuf_destroy(&name);
    }
    end(&c);
    host_done(&c.host);
  }
}

/* The pointer of a part leads to another part of the same block, and so there are two. */
static void parts_that_lead_to_parts(void **state) {
  (void)state;
  chain_t c;
  host_init(&c.host);
  begin(&c, &c.host.env, 2, 2);
  add_root(&c);
  add_block(&c, 16);
  dmd_heapgraph_add_interior(&c.graph, B, 0, 1000, DMD_HEURISTIC_NONE);
  add_block(&c, 4120);
  dmd_heapgraph_add_interior(&c.graph, B, 1000, 2000, DMD_HEURISTIC_NONE);
  finish(&c);
  dmd_typing_set(&c.typing, A, c.link, 0, DMD_EVIDENCE_SITE);
  dmd_typing_propagate(&c.typing);
  assert_typed(&c, B, DMD_NONE, DMD_EVIDENCE_NONE);
  end(&c);
  host_done(&c.host);
}

/* More specific evidence comes a round later. */
static void bytes_give_way(void **state) {
  (void)state;
  chain_t c;
  host_init(&c.host);
  begin(&c, &c.host.env, 4, 4);
  add_root(&c);
  dmd_heapgraph_add_edge(&c.graph, A, 0);
  dmd_heapgraph_add_edge(&c.graph, D, 8); /* as text */
  add_block(&c, 16);
  dmd_heapgraph_add_edge(&c.graph, D, 0); /* as a link */
  dmd_heapgraph_add_edge(&c.graph, B, 8);
  add_block(&c, 16); /* B: the site said that it is a number */
  add_block(&c, 16);
  add_block(&c, 16);
  finish(&c);
  dmd_typing_set(&c.typing, ROOT, c.link, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&c.typing, B, c.number, 0, DMD_EVIDENCE_SITE);
  dmd_typing_propagate(&c.typing);
  assert_typed(&c, D, c.link, DMD_EVIDENCE_POINTER);
  assert_typed(&c, B, c.number, DMD_EVIDENCE_SITE);
  end(&c);
  host_done(&c.host);
}

static void pointers_into_blocks(void **state) {
  (void)state;
  chain_t c;
  host_init(&c.host);
  begin(&c, &c.host.env, 4, 5);
  add_root(&c);
  dmd_heapgraph_add_interior(&c.graph, A, 0, 16, DMD_HEURISTIC_NONE);
  add_block(&c, 48); /* A: three links; from its first to the middle of another's text */
  dmd_heapgraph_add_interior(&c.graph, B, 0, 8, DMD_HEURISTIC_NONE);
  dmd_heapgraph_add_interior(&c.graph, C, 8, 3, DMD_HEURISTIC_NONE);
  dmd_heapgraph_add_interior(&c.graph, D, 16, 8, DMD_HEURISTIC_NEW_ARRAY);
  add_block(&c, 32);
  add_block(&c, 10);
  add_block(&c, 8 + 32); /* D: two links behind their number */
  finish(&c);
  dmd_typing_set(&c.typing, ROOT, c.link, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_propagate(&c.typing);
  assert_typed(&c, A, c.link, DMD_EVIDENCE_POINTER);
  assert_typed(&c, B, DMD_NONE, DMD_EVIDENCE_NONE);
  assert_typed(&c, C, c.letter, DMD_EVIDENCE_POINTER);
  assert_typed(&c, D, c.link, DMD_EVIDENCE_POINTER);
  assert_int_equal(c.typing.nodes[D].lead, 8);
  assert_int_equal(dmd_typing_count(&c.typing, D), 2);
  end(&c);
  host_done(&c.host);
}

/* Each block of a long chain is found from the one before it. */
static void chains_of_any_length(void **state) {
  (void)state;
  enum { LENGTH = 20000 };
  chain_t c;
  host_init(&c.host);
  begin(&c, &c.host.env, LENGTH, LENGTH);
  add_root(&c);
  dmd_heapgraph_add_edge(&c.graph, A, 0);
  for (uint32_t i = 0; i < LENGTH; i++) {
    add_block(&c, 16);
    if (i + 1 < LENGTH)
      dmd_heapgraph_add_edge(&c.graph, A + i + 1, 0);
  }
  finish(&c);
  dmd_typing_set(&c.typing, ROOT, c.link, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_propagate(&c.typing);
  for (uint32_t i = 0; i < LENGTH; i++)
    assert_typed(&c, A + i, c.link, DMD_EVIDENCE_POINTER);
  end(&c);
  host_done(&c.host);
}

/* A block that is one item with text after it, or, if `into` is not 0, one that items were carved
 * out of.
 */
static uint32_t type_of_items(uint64_t into, uint64_t requested, bool is_bytes) {
  chain_t c;
  host_t host;
  host_init(&host);
  begin(&c, &host.env, 1, 2);
  uint32_t item = struct_of(&c.types, "item", 16), place = struct_of(&c.types, "place", 16);
  uint32_t text = array_of(&c.types, c.letter, 0), to_item = dmd_types_pointer_to(&c.types, item);
  members_of(&c.types, item, (const member_t[]){{"next", to_item, 0}, {"text", text, 16}}, 2);
  members_of(&c.types, place, (const member_t[]){{"first", to_item, 0}, {"last", to_item, 8}}, 2);
  add_root(&c);
  dmd_heapgraph_add_edge(&c.graph, A, 0);
  if (into > 0)
    dmd_heapgraph_add_interior(&c.graph, A, 8, into, DMD_HEURISTIC_NONE);
  add_block(&c, requested);
  finish(&c);
  dmd_typing_set(&c.typing, ROOT, place, 0, DMD_EVIDENCE_VARIABLE);
  if (is_bytes)
    dmd_typing_set(&c.typing, A, c.letter, 0, DMD_EVIDENCE_SITE);
  dmd_typing_propagate(&c.typing);
  uint32_t type = dmd_typing_type(&c.typing, A);
  assert_true(type == DMD_NONE || type == item);
  end(&c);
  host_done(&host);
  return type;
}

static void pools_of_items(void **state) {
  (void)state;
  for (int is_bytes = 0; is_bytes < 2; is_bytes++) {
    assert_int_not_equal(type_of_items(0, 1000, is_bytes), DMD_NONE);
    assert_int_equal(type_of_items(40, 1000, is_bytes), DMD_NONE);
    assert_int_equal(type_of_items(160, 1000, is_bytes), DMD_NONE);
    assert_int_not_equal(type_of_items(160, 320, is_bytes), DMD_NONE); /* an array of them */
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  chain_t c;
  begin(&c, &host->env, 2, 2);
  add_root(&c);
  dmd_heapgraph_add_edge(&c.graph, A, 0);
  add_block(&c, 16);
  dmd_heapgraph_add_edge(&c.graph, B, 0);
  add_block(&c, 16);
  finish(&c);
  dmd_typing_set(&c.typing, ROOT, c.link, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_propagate(&c.typing);
  end(&c);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_follow_from_types),
      cmocka_unit_test(the_majority_wins),
      cmocka_unit_test(parts_of_blocks),
      cmocka_unit_test(parts_that_lead_to_parts),
      cmocka_unit_test(the_whole_wins_over_its_first_member),
      cmocka_unit_test(bytes_give_way),
      cmocka_unit_test(pointers_into_blocks),
      cmocka_unit_test(pools_of_items),
      cmocka_unit_test(chains_of_any_length),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
