/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Owners of random graphs, in which each block is a record of its own, against their definition;
 * and on the shelf as text and JSON.
 */
#include "heap_matrix.h"
#include "shelf_fixture.h"

#include "analyse/transform/anonymize.h"
#include "profiles/build.h"
#include "show/text/text_graph.h"

#include <stdio.h>

enum { GRAPHS = 10000 };

#define BIT(node) (UINT32_C(1) << (node))

typedef struct {
  shelf_t s;
  dmd_records_t records;
  dmd_owners_t owners;
} owning_t;

static void begin_on(owning_t *o) {
  o->s.graph.profile.mode = DMD_MODE_DARK_MATTER;
  dmd_heapgraph_add_groups(&o->s.graph, NULL);
  dmd_records_init(&o->records, &o->s.graph.profile, 8, DMD_SORT_USABLE);
  dmd_owners_init(&o->owners, &o->s.graph, &o->s.kinds, &o->records, NULL);
}

static void end(owning_t *o) {
  dmd_owners_destroy(&o->owners);
  dmd_records_destroy(&o->records);
}

static void type_nothing(shelf_t *s, const dmd_env_t *env) {
  dmd_types_init(&s->types, env, 8);
  dmd_typing_init(&s->typing, &s->graph, &s->types);
  dmd_kinds_init(&s->kinds, &s->typing);
}

/* ---- Random graphs. ---- */

static void report(dmd_heapgraph_t *graph, uint32_t node) {
  char name[16];
  snprintf(name, sizeof name, "r%u", node);
  DMD_POOL_AT(&graph->blocks, dmd_graph_block_t, node - graph->n_roots)->reports =
      build_reports(&graph->profile, 1, "size_of|measure", name, NULL, NULL);
}

/* Reports about a third of the blocks, each by a reporter of its own. */
static uint32_t report_some(dmd_heapgraph_t *graph, dice_t *dice) {
  uint32_t reported = 0;
  for (uint32_t node = graph->n_roots + 1; node < graph->graph.n_nodes; node++)
    if (dice_below(dice, 3) == 0) {
      report(graph, node);
      reported |= BIT(node);
    }
  return reported;
}

/* Nodes that are reachable without some nodes; without types, only edges to starts of blocks count.
 * From the roots, and from everything that the roots do not reach. */
static uint32_t reach_without(const heap_matrix_t *m, uint32_t without) {
  uint32_t all = (uint32_t)((UINT64_C(1) << m->n) - 1);
  uint32_t lost = all & ~heap_matrix_reach(m, BIT(0), 1 << EDGE_START, 0);
  return heap_matrix_reach(m, BIT(0) | lost, 1 << EDGE_START, without);
}

static bool dominates(const heap_matrix_t *m, uint32_t a, uint32_t b) {
  return a != b && !(reach_without(m, BIT(a)) >> b & 1);
}

/* The reported dominator of a node that most of its other reported dominators dominate; 0: none. */
static uint32_t nearest_owner(const heap_matrix_t *m, uint32_t reported, uint32_t block) {
  uint32_t nearest = 0;
  int most = -1;
  for (uint32_t i = m->n_roots + 1; i < m->n; i++) {
    if (!(reported >> i & 1) || !dominates(m, i, block))
      continue;
    int above = 0;
    for (uint32_t j = m->n_roots + 1; j < m->n; j++)
      above += (reported >> j & 1) && dominates(m, j, i);
    if (above > most) {
      most = above;
      nearest = i;
    }
  }
  return nearest;
}

static const dmd_ownership_t *ownership_of(const owning_t *o, uint32_t node) {
  uint32_t stack = dmd_heapgraph_block(&o->s.graph, node)->stack;
  uint32_t cut = o->records.cut[dmd_heapgraph_profile_stack(&o->s.graph, stack)];
  return DMD_POOL_AT(&o->owners.pool, const dmd_ownership_t, o->owners.best[cut]);
}

static void check_block(const owning_t *o, const heap_matrix_t *m, uint32_t reported,
                        uint32_t block) {
  const dmd_ownership_t *own = ownership_of(o, block);
  uint32_t owner = nearest_owner(m, reported, block);
  assert_int_equal(own->block, block);
  assert_int_equal(own->owned == DMD_OWNED_BY_DOMINANCE, owner != 0);
  if (own->owned == DMD_OWNED_BY_DOMINANCE) {
    assert_true(own->referrer == owner || dominates(m, owner, own->referrer));
    assert_true(reported >> own->referrer & 1);
  }
  if (own->owned == DMD_OWNED_BY_ROOT)
    assert_true(dominates(m, own->referrer, block));
  if (own->way != DMD_NONE) {
    uint32_t to = o->s.graph.graph.target[own->edge];
    assert_true(m->edges[own->referrer][to] != EDGE_NONE);
    assert_true(to == block || dominates(m, to, block));
  }
}

/* Only what no root reaches over any edge is lost; only what roots do not reach without an edge
 * into the middle is possibly lost. */
static void check_lost(const owning_t *o, const heap_matrix_t *m, uint32_t block) {
  const dmd_ownership_t *own = ownership_of(o, block);
  bool reached = heap_matrix_reach(m, BIT(0), EDGES_ALL, 0) >> block & 1;
  bool surely = heap_matrix_reach(m, BIT(0), 1 << EDGE_START | 1 << EDGE_USUAL, 0) >> block & 1;
  if (own->owned <= DMD_OWNED_BY_POINTER)
    return;
  assert_int_equal(own->owned == DMD_LOST, !reached);
  if (own->owned == DMD_POSSIBLY_LOST) {
    assert_true(reached && !surely);
    assert_false(dmd_heapgraph_is_block(&o->s.graph, own->referrer));
    assert_true(heap_matrix_reach(m, BIT(own->referrer), EDGES_ALL, 0) >> block & 1);
  }
}

static void random_graphs_by_definition(void **state) {
  (void)state;
  dice_t dice = {55};
  host_t host;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    heap_matrix_t m;
    owning_t o;
    heap_matrix_throw(&m, &dice);
    heap_matrix_build(&m, &o.s.graph, &host.env);
    uint32_t reported = report_some(&o.s.graph, &dice);
    type_nothing(&o.s, &host.env);
    begin_on(&o);
    uint32_t reached = heap_matrix_reach(&m, BIT(0), 1 << EDGE_START, 0);
    for (uint32_t block = m.n_roots + 1; block < m.n; block++) {
      if ((reached >> block & 1) && !(reported >> block & 1))
        check_block(&o, &m, reported, block);
      if (!(reported >> block & 1))
        check_lost(&o, &m, block);
    }
    end(&o);
    shelf_destroy(&o.s);
  }
  host_done(&host);
}

/* ---- Members that lead back. ---- */

enum { LIST = 3, N_ITEMS = 20, FIRST_ITEM = LIST + 1, FIRST_KID = FIRST_ITEM + N_ITEMS };

static uint32_t stack_of(dmd_heapgraph_t *graph, const char *function) {
  uint32_t frame = dmd_frames_read_text(&graph->profile.frames, function);
  uint32_t code = dmd_heapgraph_add_code(graph, DMD_NONE, 16, &frame, 1);
  return dmd_heapgraph_add_stack(graph, &code, 1);
}

static void add_node(dmd_heapgraph_t *g, uint32_t node, uint32_t stack, uint32_t to) {
  dmd_graph_block_t block = {.addr = 0x1000 * (uint64_t)node, .stack = stack};
  dmd_heapgraph_add_block(g, &block, 32);
  dmd_heapgraph_add_edge(g, to, 8);
  dmd_heapgraph_end_node(g);
}

/* A reported list has items. Each item has a child with a pointer back to the item. A second root
 * points to one of these children: without the back pointer, it holds no item. */
static void build_list(owning_t *o, const dmd_env_t *env) {
  dmd_heapgraph_t *g = &o->s.graph;
  dmd_heapgraph_init(g, env, 2, 1 + 2 * N_ITEMS, 2 + 3 * N_ITEMS);
  for (uint32_t root = 1; root <= 2; root++) {
    dmd_heapgraph_add_root(g, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .szB = 8});
    dmd_heapgraph_add_edge(g, root == 1 ? LIST : FIRST_KID, 0);
    dmd_heapgraph_end_node(g);
  }
  dmd_graph_block_t list = {.addr = 0x1000 * LIST, .stack = stack_of(g, "list_new (a.c:1)")};
  dmd_heapgraph_add_block(g, &list, 8 * N_ITEMS);
  for (uint32_t i = 0; i < N_ITEMS; i++)
    dmd_heapgraph_add_edge(g, FIRST_ITEM + i, 8 * i);
  dmd_heapgraph_end_node(g);
  uint32_t items = stack_of(g, "item_new (a.c:2)"), kids = stack_of(g, "kid_new (a.c:3)");
  for (uint32_t i = 0; i < N_ITEMS; i++)
    add_node(g, FIRST_ITEM + i, items, FIRST_KID + i);
  for (uint32_t i = 0; i < N_ITEMS; i++)
    add_node(g, FIRST_KID + i, kids, FIRST_ITEM + i);
  report(g, LIST);
  type_nothing(&o->s, env);
}

static void back_pointers_own_nothing(void **state) {
  (void)state;
  owning_t o;
  host_init(&o.s.host);
  build_list(&o, &o.s.host.env);
  uint32_t before = o.s.graph.graph.target[o.s.graph.graph.first[FIRST_KID]];
  begin_on(&o);
  const dmd_ownership_t *items = ownership_of(&o, FIRST_ITEM);
  assert_int_equal(items->owned, DMD_OWNED_BY_DOMINANCE);
  assert_int_equal(items->blocks, N_ITEMS);
  assert_int_equal(items->referrer, LIST);
  /* The child that the second root points to belongs to the root. */
  assert_int_equal(ownership_of(&o, FIRST_KID)->blocks, N_ITEMS - 1);
  assert_int_equal(o.s.graph.graph.target[o.s.graph.graph.first[FIRST_KID]], before);
  end(&o);
  shelf_done(&o.s);
}

/* ---- Pointers from nodes that do not dominate. ---- */

/* A variable holds a chunk of memory, and a user, which is reported and points to the chunk. */
static uint32_t owned_chunk(uint64_t into, dmd_heuristic_t heuristic) {
  owning_t o;
  host_init(&o.s.host);
  dmd_heapgraph_t *g = &o.s.graph;
  dmd_heapgraph_init(g, &o.s.host.env, 1, 2, 3);
  dmd_heapgraph_add_root(g, &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .szB = 16});
  dmd_heapgraph_add_edge(g, 2, 0);
  dmd_heapgraph_add_edge(g, 3, 8);
  dmd_heapgraph_end_node(g);
  dmd_graph_block_t user = {.addr = 0x1000, .stack = stack_of(g, "user_new (a.c:1)")};
  dmd_graph_block_t chunk = {.addr = 0x2000, .stack = stack_of(g, "chunk_new (a.c:2)")};
  dmd_heapgraph_add_block(g, &user, 8);
  if (into == 0)
    dmd_heapgraph_add_edge(g, 3, 0);
  else
    dmd_heapgraph_add_interior(g, 3, 0, into, heuristic);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_block(g, &chunk, 4000);
  dmd_heapgraph_end_node(g);
  report(g, 2);
  type_nothing(&o.s, &o.s.host.env);
  dmd_types_t *t = &o.s.types;
  uint32_t letter = dmd_types_add(t, &(dmd_type_t){.kind = DMD_TYPE_CHARACTER, .szB = 1});
  dmd_typing_set(&o.s.typing, 2, dmd_types_pointer_to(t, letter), 0, DMD_EVIDENCE_SITE);
  begin_on(&o);
  uint32_t owned = ownership_of(&o, 3)->owned;
  end(&o);
  shelf_done(&o.s);
  return owned;
}

static void who_points_into_a_block_uses_it(void **state) {
  (void)state;
  assert_int_equal(owned_chunk(0, DMD_HEURISTIC_NONE), DMD_OWNED_BY_POINTER);
  assert_int_equal(owned_chunk(16, DMD_HEURISTIC_NONE), DMD_OWNED_BY_ROOT);
  assert_int_equal(owned_chunk(8, DMD_HEURISTIC_LENGTH), DMD_OWNED_BY_POINTER);
}

/* ---- The shelf. ---- */

static void assert_printed(const owning_t *o, bool json, const dmd_variable_namer_t *namer,
                           uint32_t max, const char *expected) {
  sink_t sink;
  sink_init(&sink);
  dmd_owners_view_t view = {.owners = &o->owners, .namer = namer, .max_records = max};
  (json ? dmd_owners_json : dmd_owners_print)(&sink.out, &view);
  if (strstr(sink_text(&sink), expected) == NULL)
    fail_msg("not in\n%s", sink_text(&sink));
  sink_free(&sink);
}

static void text_names_owner_and_line(void **state) {
  (void)state;
  owning_t o;
  shelf_init(&o.s);
  begin_on(&o);
  assert_printed(
      &o, false, NULL, 1,
      "Unreported {\n"
      "  18 blocks in record 1 of 4: from pen_new\n"
      "  576 bytes\n"
      "  Allocated at {\n"
      "    #01: malloc (vg.c:1)\n"
      "    #02: pen_new (shelf.c:40)\n"
      "    #03: main (shelf.c:90)\n"
      "  }\n"
      "  No reported block leads to it; held by stack of thread 1 in main, through from box_new\n"
      "}\n\n"
      "# and 3 more records (--max-records=all shows them)\n"
      "Unreported: 840 bytes in 24 blocks\n");
  assert_printed(&o, false, NULL, 0,
                 "  Owner: explicit/jars, by label of jar (48 bytes of these)\n"
                 "  Proposal: size += jar_size_of(jar->label);\n"
                 "    in jars_measure (shelf.c:60)\n");
  assert_printed(&o, false, NULL, 0,
                 "    #03: main (shelf.c:90)\n"
                 "  }\n"
                 "  Lost: no variable leads to it\n");
  end(&o);
  shelf_done(&o.s);
}

/* The function of the second code, at 0x200, has a variable for jars. */
static bool name_jar(void *ctx, uint32_t object, uint64_t addr, uint32_t type, dmd_strbuf_t *to) {
  const shelf_t *s = ctx;
  assert_int_equal(object, DMD_NONE);
  assert_int_equal(addr, 0x200);
  if (type != dmd_typing_type(&s->typing, JAR_A))
    return false;
  dmd_strbuf_str(to, "entry");
  return true;
}

static void variables_of_the_measuring_function(void **state) {
  (void)state;
  owning_t o;
  shelf_init(&o.s);
  dmd_heapgraph_t *g = &o.s.graph;
  uint32_t frames[] = {dmd_frames_read_text(&g->profile.frames, "jar_size_of (shelf.c:50)"),
                       dmd_frames_read_text(&g->profile.frames, "jars_measure (shelf.c:60)")};
  uint32_t codes[] = {dmd_heapgraph_add_code(g, DMD_NONE, 0x100, &frames[0], 1),
                      dmd_heapgraph_add_code(g, DMD_NONE, 0x200, &frames[1], 1)};
  dmd_heapgraph_add_stack(g, codes, 2);
  begin_on(&o);
  dmd_variable_namer_t namer = {.name = name_jar, .ctx = &o.s};
  assert_printed(&o, false, &namer, 0, "  Proposal: size += jar_size_of(entry->label);\n");
  end(&o);
  shelf_done(&o.s);
}

static void json_of_owners(void **state) {
  (void)state;
  owning_t o;
  shelf_init(&o.s);
  begin_on(&o);
  assert_printed(
      &o, true, NULL, 0,
      "  {\"record\": 3, \"type\": \"char[] from label_new\", \"evidence\": \"pointer\", "
      "\"blocks\": 3, \"bytes\": 72, \"allocatedAt\": [\"malloc (vg.c:1)\", \"label_new "
      "(shelf.c:20)\", \"main (shelf.c:90)\"], \"owner\": {\"owned\": \"dominance\", \"blocks\": "
      "2, \"bytes\": 48, \"reporter\": \"explicit/jars\", \"reportedAt\": [\"jar_size_of "
      "(shelf.c:50)\", \"jars_measure (shelf.c:60)\"], \"type\": \"jar\", \"member\": \"label\"}, "
      "\"proposal\": {\"line\": \"size += jar_size_of(jar->label);\", \"function\": "
      "\"jars_measure\", \"file\": \"shelf.c\", \"at\": 60}},\n");
  end(&o);
  shelf_done(&o.s);
}

/* Without variable names dmdv proposes the same line at the same place. */
static void proposals_without_names(void **state) {
  (void)state;
  owning_t o;
  dmd_anonymizer_t a;
  shelf_init(&o.s);
  dmd_anonymizer_init(&a, &o.s.host.env);
  dmd_anonymize_graph(&a, &o.s.graph, &o.s.types);
  begin_on(&o);
  char expected[400];
  snprintf(expected, sizeof expected, "  Proposal: size += %s(%s->%s);\n    in %s (%s:60)\n",
           dmd_anonymous(&a, DMD_NAME_SIZE_FN, "jar_size_of"),
           dmd_anonymous(&a, DMD_NAME_TYPE, "jar"), dmd_anonymous(&a, DMD_NAME_MEMBER, "label"),
           dmd_anonymous(&a, DMD_NAME_FUNCTION, "jars_measure"),
           dmd_anonymous(&a, DMD_NAME_FILE, "shelf.c"));
  assert_printed(&o, false, NULL, 0, expected);
  end(&o);
  dmd_anonymizer_destroy(&a);
  shelf_done(&o.s);
}

/* ---- Proposals. ---- */

/* A variable holds a block, whose reporter does not measure what its member points to. */
typedef struct {
  const char *member;   /* NULL: the block is an array of pointers */
  uint64_t into;        /* the member leads so far into the other block */
  uint64_t count;       /* elements of the block */
  const char *pointer;  /* a variable of the measuring function that points to such an element */
  const char *variable; /* the variable that holds the block; NULL: it has no name */
  const char *function; /* in which it is local; NULL: in none */
  uint32_t type;        /* of an element; set by build_case */
} case_t;

static bool name_pointer(void *ctx, uint32_t object, uint64_t addr, uint32_t type,
                         dmd_strbuf_t *to) {
  (void)object, (void)addr;
  const case_t *c = ctx;
  bool is_known = c->pointer != NULL && type == c->type;
  if (is_known)
    dmd_strbuf_str(to, c->pointer);
  return is_known;
}

static void build_case(shelf_t *s, case_t *c) {
  dmd_heapgraph_t *g = &s->graph;
  dmd_heapgraph_init(g, &s->host.env, 1, 2, 2);
  dmd_graph_root_t root = {.kind = DMD_ROOT_DATA, .szB = 8, .name = c->variable};
  if (c->function != NULL) {
    uint32_t frame = dmd_frames_read_text(&g->profile.frames, c->function);
    root.kind = DMD_ROOT_STACK;
    root.code = dmd_heapgraph_add_code(g, DMD_NONE, 64, &frame, 1);
  }
  dmd_heapgraph_add_root(g, &root);
  dmd_heapgraph_add_edge(g, 2, 0);
  dmd_heapgraph_end_node(g);
  dmd_graph_block_t user = {.addr = 0x1000, .stack = stack_of(g, "user_new (a.c:1)")};
  dmd_graph_block_t text = {.addr = 0x2000, .stack = stack_of(g, "text_new (a.c:2)")};
  dmd_heapgraph_add_block(g, &user, (c->member == NULL ? 8 : 16) * c->count);
  if (c->into == 0)
    dmd_heapgraph_add_edge(g, 3, 0);
  else
    dmd_heapgraph_add_interior(g, 3, 0, c->into, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(g);
  dmd_heapgraph_add_block(g, &text, 100);
  dmd_heapgraph_end_node(g);
  report(g, 2);
  uint32_t frames[] = {dmd_frames_read_text(&g->profile.frames, "size_of"),
                       dmd_frames_read_text(&g->profile.frames, "measure")};
  uint32_t codes[] = {dmd_heapgraph_add_code(g, DMD_NONE, 0x100, &frames[0], 1),
                      dmd_heapgraph_add_code(g, DMD_NONE, 0x200, &frames[1], 1)};
  dmd_heapgraph_add_stack(g, codes, 2);
  type_nothing(s, &s->host.env);
  dmd_types_t *t = &s->types;
  uint32_t to_letter = dmd_types_pointer_to(t, base_of(t, DMD_TYPE_CHARACTER, "char", 1));
  uint32_t type = to_letter;
  if (c->member != NULL) {
    type = struct_of(t, "user", 16);
    members_of(t, type, (const member_t[]){{c->member, to_letter, 0}}, 1);
  }
  dmd_typing_set(&s->typing, 1, dmd_types_pointer_to(t, type), 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&s->typing, 2, type, 0, DMD_EVIDENCE_SITE);
  c->type = type;
}

/* expected: NULL: none. */
static void assert_proposed(case_t c, const char *expected) {
  owning_t o;
  dmd_proposal_t proposal;
  dmd_variable_namer_t namer = {.name = name_pointer, .ctx = &c};
  host_init(&o.s.host);
  build_case(&o.s, &c);
  begin_on(&o);
  assert_int_equal(ownership_of(&o, 3)->owned, DMD_OWNED_BY_DOMINANCE);
  dmd_proposal_init(&proposal, &o.owners, ownership_of(&o, 3), &namer);
  if (expected == NULL)
    assert_int_equal(proposal.frame, DMD_NONE);
  else
    assert_string_equal(proposal.line.text, expected);
  dmd_proposal_destroy(&proposal);
  end(&o);
  shelf_done(&o.s);
}

static void proposals_are_not_wrong(void **state) {
  (void)state;
  assert_proposed((case_t){"text", 0, 1, "p", NULL, NULL, 0}, "size += size_of(p->text);");
  assert_proposed((case_t){"text", 0, 1, NULL, NULL, NULL, 0}, "size += size_of(user->text);");
  assert_proposed((case_t){"text", 0, 1, NULL, "_GUsers", NULL, 0},
                  "size += size_of(_GUsers->text);");
  /* Its report would be one of an interior pointer. */
  assert_proposed((case_t){"text", 16, 1, "p", NULL, NULL, 0}, NULL);
  /* Members that only the C++ library can use. */
  assert_proposed((case_t){"_M_start", 0, 1, "p", NULL, NULL, 0}, NULL);
  assert_proposed((case_t){"__begin_", 0, 1, NULL, NULL, NULL, 0}, NULL);
  /* The pointer may be to any element of the array. */
  assert_proposed((case_t){"text", 0, 3, "p", NULL, NULL, 0}, NULL);
  assert_proposed((case_t){"text", 0, 3, NULL, NULL, NULL, 0}, "size += size_of(user[i].text);");
  assert_proposed((case_t){"text", 0, 3, "p", "users", NULL, 0}, "size += size_of(users[i].text);");
  /* A block that is one pointer. */
  assert_proposed((case_t){NULL, 0, 1, "p", NULL, NULL, 0}, "size += size_of(*p);");
  assert_proposed((case_t){NULL, 0, 1, NULL, NULL, NULL, 0}, NULL);
  /* A local variable of another function. */
  assert_proposed((case_t){"text", 0, 1, NULL, "users", "main", 0}, "size += size_of(user->text);");
  assert_proposed((case_t){"text", 0, 1, NULL, "users", "measure", 0},
                  "size += size_of(users->text);");
}

static void use(host_t *host, void *arg) {
  (void)arg;
  owning_t o;
  shelf_build(&o.s, &host->env);
  begin_on(&o);
  dmd_proposal_t proposal;
  dmd_proposal_init(&proposal, &o.owners, ownership_of(&o, LABEL_B), NULL);
  dmd_proposal_destroy(&proposal);
  end(&o);
  shelf_destroy(&o.s);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_by_definition),
      cmocka_unit_test(back_pointers_own_nothing),
      cmocka_unit_test(who_points_into_a_block_uses_it),
      cmocka_unit_test(text_names_owner_and_line),
      cmocka_unit_test(variables_of_the_measuring_function),
      cmocka_unit_test(json_of_owners),
      cmocka_unit_test(proposals_without_names),
      cmocka_unit_test(proposals_are_not_wrong),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
