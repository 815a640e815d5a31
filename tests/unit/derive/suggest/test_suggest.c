/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What dmd-derive proposes for a model and a heap graph made by hand. tests/tool/test_suggest.py
 * compares its proposals for whole programs with code that people wrote.
 */
#include "fixture.h"
#include "types_fixture.h"

#include "derive/suggest/suggest.h"

/*   struct jar { char *label; struct jar *next; struct theme *theme; };
 *   struct theme { int colour; };
 *   struct shelf { struct jar *head, *tail; struct jar **all; int n_all; } shelf;
 *
 * A shelf has two jars of one theme:
 *   1 shelf (root)   2, 3: jars   4, 5: their labels   6: room for three pointers, two in use
 *   7: the theme
 */
enum { SHELF = 1, JAR, NEXT_JAR, LABEL, NEXT_LABEL, ALL, THEME };

typedef struct {
  dmd_derive_type_t number, letter, text, jar_type, to_jar, to_jars, theme_type, to_theme;
  dmd_derive_member_t label, next, theme_of, colour, head, tail, all, n_all;
  dmd_derive_record_t jar, theme, shelf;
  dmd_derive_model_t model;
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
} shop_t;

/* ---- The model ---- */

static dmd_derive_type_t value(dmd_derive_type_kind_t kind, const char *spelling, uint64_t szB) {
  return (dmd_derive_type_t){.kind = kind, .spelling = spelling, .szB = szB};
}

static dmd_derive_type_t pointer_to(const dmd_derive_type_t *of) {
  return (dmd_derive_type_t){.kind = DMD_DERIVE_POINTER, .spelling = "pointer", .of = of, .szB = 8};
}

static dmd_derive_member_t member(const char *name, const dmd_derive_type_t *type, uint64_t offset,
                                  dmd_derive_member_t *next) {
  return (dmd_derive_member_t){.name = name, .type = type, .offset = offset, .next = next};
}

static dmd_derive_record_t record(const char *spelling, const dmd_derive_member_t *members,
                                  uint64_t szB, dmd_derive_record_t *next) {
  return (dmd_derive_record_t){.name = spelling + strlen("struct "),
                               .spelling = spelling,
                               .members = members,
                               .szB = szB,
                               .is_complete = true,
                               .is_wanted = true,
                               .next = next};
}

static void build_model(shop_t *s, const dmd_env_t *env) {
  s->number = value(DMD_DERIVE_INTEGER, "int", 4);
  s->letter = value(DMD_DERIVE_INTEGER, "char", 1);
  s->jar_type = value(DMD_DERIVE_RECORD, "struct jar", 24);
  s->jar_type.record = &s->jar;
  s->theme_type = value(DMD_DERIVE_RECORD, "struct theme", 4);
  s->theme_type.record = &s->theme;
  s->text = pointer_to(&s->letter);
  s->to_jar = pointer_to(&s->jar_type);
  s->to_jars = pointer_to(&s->to_jar);
  s->to_theme = pointer_to(&s->theme_type);
  s->theme_of = member("theme", &s->to_theme, 16, NULL);
  s->next = member("next", &s->to_jar, 8, &s->theme_of);
  s->label = member("label", &s->text, 0, &s->next);
  s->colour = member("colour", &s->number, 0, NULL);
  s->n_all = member("n_all", &s->number, 24, NULL);
  s->all = member("all", &s->to_jars, 16, &s->n_all);
  s->tail = member("tail", &s->to_jar, 8, &s->all);
  s->head = member("head", &s->to_jar, 0, &s->tail);
  s->shelf = record("struct shelf", &s->head, 32, NULL);
  s->theme = record("struct theme", &s->colour, 4, &s->shelf);
  s->jar = record("struct jar", &s->label, 24, &s->theme);
  dmd_derive_model_init(&s->model, env);
  s->model.records = &s->jar;
}

/* ---- The graph ---- */

static void add_block(dmd_heapgraph_t *g, uint64_t requested) {
  dmd_graph_block_t block = {.addr = 0x1000 * (g->graph.n_nodes + 1), .slop = 8};
  dmd_heapgraph_add_block(g, &block, requested + 8);
}

static void build_graph(dmd_heapgraph_t *g, const dmd_env_t *env) {
  dmd_heapgraph_init(g, env, 1, 6, 10);
  dmd_graph_root_t root = {.kind = DMD_ROOT_DATA, .addr = 64, .szB = 32, .name = "shelf"};
  dmd_heapgraph_add_root(g, &root);
  dmd_heapgraph_add_edge(g, JAR, 0);
  dmd_heapgraph_add_edge(g, NEXT_JAR, 8);
  dmd_heapgraph_add_edge(g, ALL, 16);
  dmd_heapgraph_end_node(g);
  add_block(g, 24);
  dmd_heapgraph_add_edge(g, LABEL, 0);
  dmd_heapgraph_add_edge(g, NEXT_JAR, 8);
  dmd_heapgraph_add_edge(g, THEME, 16);
  dmd_heapgraph_end_node(g);
  add_block(g, 24);
  dmd_heapgraph_add_edge(g, NEXT_LABEL, 0);
  dmd_heapgraph_add_edge(g, THEME, 16);
  dmd_heapgraph_end_node(g);
  for (int i = 0; i < 2; i++) { /* the labels */
    add_block(g, 5);
    dmd_heapgraph_end_node(g);
  }
  add_block(g, 24);
  dmd_heapgraph_add_edge(g, JAR, 0);
  dmd_heapgraph_add_edge(g, NEXT_JAR, 8);
  dmd_heapgraph_end_node(g);
  add_block(g, 4);
  dmd_heapgraph_end_node(g);
}

static void build_types(shop_t *s, const dmd_env_t *env) {
  dmd_types_t *t = &s->types;
  dmd_types_init(t, env, 8);
  uint32_t letter = base_of(t, DMD_TYPE_CHARACTER, "char", 1);
  uint32_t number = base_of(t, DMD_TYPE_BASE, "int", 4);
  uint32_t jar = struct_of(t, "jar", 24), theme = struct_of(t, "theme", 4);
  uint32_t shelf = struct_of(t, "shelf", 32), to_jar = dmd_types_pointer_to(t, jar);
  members_of(t, theme, (const member_t[]){{"colour", number, 0}}, 1);
  members_of(t, jar,
             (const member_t[]){{"label", dmd_types_pointer_to(t, letter), 0},
                                {"next", to_jar, 8},
                                {"theme", dmd_types_pointer_to(t, theme), 16}},
             3);
  members_of(t, shelf,
             (const member_t[]){{"head", to_jar, 0},
                                {"tail", to_jar, 8},
                                {"all", dmd_types_pointer_to(t, to_jar), 16},
                                {"n_all", number, 24}},
             4);
  dmd_typing_init(&s->typing, &s->graph, t);
  dmd_typing_set(&s->typing, SHELF, shelf, 0, DMD_EVIDENCE_VARIABLE);
  dmd_typing_set(&s->typing, JAR, jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, NEXT_JAR, jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, ALL, to_jar, 0, DMD_EVIDENCE_SITE);
  dmd_typing_set(&s->typing, THEME, theme, 0, DMD_EVIDENCE_SITE);
}

static void begin(shop_t *s, const dmd_env_t *env) {
  build_model(s, env);
  build_graph(&s->graph, env);
  build_types(s, env);
}

static void end(shop_t *s) {
  dmd_typing_destroy(&s->typing);
  dmd_types_destroy(&s->types);
  dmd_heapgraph_destroy(&s->graph);
  dmd_derive_model_destroy(&s->model);
}

/* ---- Proposals ---- */

static void write_down(void *ctx, const dmd_derive_proposal_t *proposal) {
  dmd_strbuf_t *to = ctx;
  dmd_strbuf_str(to,
                 proposal->member != NULL ? proposal->member->name : proposal->record->spelling);
  dmd_strbuf_str(to, ": ");
  dmd_strbuf_str(to, proposal->words);
  dmd_strbuf_str(to, ": ");
  dmd_strbuf_str(to, proposal->evidence);
  dmd_strbuf_str(to, "\n");
}

static void assert_proposals(shop_t *s, const char *expected) {
  dmd_strbuf_t all;
  dmd_strbuf_init(&all, s->model.env);
  dmd_derive_suggest(&s->model, &s->typing, &s->graph, write_down, &all);
  assert_text_equal(all.text, expected);
  dmd_strbuf_destroy(&all);
}

/* By the rules of suggest.h. The labels and the block of pointers have one referrer each. Each jar
 * has several: `next` and `head` have names of owners, `tail` has the name of a plain reference,
 * and the pointers in the block are not owners, since the jars have owners already. Both jars hold
 * the theme. */
static const char PROPOSALS[] =
    "struct jar: DMD_MEASURED: 2 in the graph\n"
    "label: DMD_OWNS: all 2 point to blocks that only this member reaches\n"
    "next: DMD_OWNS: it points to blocks that are also reached from shelf.all[]\n"
    "theme: DMD_SHARES: all 2 point to blocks that other such objects hold, too\n"
    "struct shelf: DMD_MEASURED: 1 in the graph\n"
    "head: DMD_OWNS: it points to blocks that are also reached from shelf.all[]\n"
    "tail: DMD_IGNORES(\"owned by jar.next\"): it points to blocks that are also reached from "
    "jar.next\n"
    "all: DMD_OWNS_ARRAY(n_all) DMD_IGNORES(\"owned by jar.next\"): it points to blocks that only "
    "this member reaches, with room for 3 elements; of the pointers there, all 2 point to blocks "
    "that are also reached from jar.next\n";

static void owners_are_found(void **state) {
  (void)state;
  host_t host;
  shop_t s;
  host_init(&host);
  begin(&s, &host.env);
  assert_proposals(&s, PROPOSALS);
  end(&s);
  host_done(&host);
}

static void words_are_left_alone(void **state) {
  (void)state;
  host_t host;
  shop_t s;
  dmd_derive_word_t measured = {.kind = DMD_DERIVE_MEASURED, .text = ""};
  dmd_derive_word_t owns = {.kind = DMD_DERIVE_OWNS, .text = ""};
  host_init(&host);
  begin(&s, &host.env);
  s.jar.words = &measured;
  s.label.words = s.next.words = s.theme_of.words = &owns;
  s.shelf.is_wanted = false; /* of a header that was not named */
  assert_proposals(&s, "");
  s.theme_of.words = NULL;
  assert_proposals(&s, "theme: DMD_SHARES: all 2 point to blocks that other such objects hold, "
                       "too\n");
  end(&s);
  host_done(&host);
}

/* ---- Counts ---- */

/* The members of a struct, in their order, with an array `jars` whose blocks have room for so many;
 * expected is the first of the members whose names are the best evidence. */
static void names_say_how_many(void **state) {
  (void)state;
  static const struct {
    const char *names[2];
    uint64_t least, most;
    const char *expected;
  } cases[] = {
      {{"weight", "colour"}, 4, 4, NULL},         /* no evidence, and there is no constant of 4 */
      {{"weight", "count"}, 1, 9, "count"},       /* count of something */
      {{"capacity", "count"}, 1, 9, "count"},     /* the number in use, rather than the capacity */
      {{"weight", "capacity"}, 1, 9, "capacity"}, /* for lack of a better one */
      {{"count", "n_jars"}, 1, 9, "n_jars"},      /* count of this array */
      {{"length", "jar_count"}, 1, 9, "jar_count"},
      {{"njars", "size"}, 1, 9, "njars"},
      {{"n_lids", "lidCount"}, 1, 9, NULL}, /* count of another */
      {{"weight", "colour"}, 16, 16, "SIXTEEN"},
      {{"count", "colour"}, 16, 16, "SIXTEEN"}, /* fits better than the count of something */
      {{"n_jars", "colour"}, 16, 16, "n_jars"},
      {{"weight", "colour"}, 8, 16, NULL}, /* not all have room for so many */
  };
  static const dmd_derive_type_t integer = {.kind = DMD_DERIVE_INTEGER, .szB = 4};
  const dmd_derive_type_t array = pointer_to(&integer);
  const dmd_derive_global_t variable = {.name = "four", .value = 4, .is_wanted = true};
  const dmd_derive_global_t elsewhere = {"FOUR", 4, true, false, &variable};
  const dmd_derive_global_t sixteen = {"SIXTEEN", 16, true, true, &elsewhere};
  const dmd_derive_model_t model = {.globals = &sixteen};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_derive_member_t jars = member("jars", &array, 16, NULL);
    dmd_derive_member_t second = member(cases[i].names[1], &integer, 4, &jars);
    dmd_derive_member_t first = member(cases[i].names[0], &integer, 0, &second);
    const dmd_derive_record_t of = record("struct shelf", &first, 24, NULL);
    const char *count = dmd_derive_guess_count(&model, &of, &jars, cases[i].least, cases[i].most);
    assert_string_equal(count != NULL ? count : "none",
                        cases[i].expected != NULL ? cases[i].expected : "none");
  }
}

static void use(host_t *host, void *arg) {
  shop_t s;
  (void)arg;
  begin(&s, &host->env);
  assert_proposals(&s, PROPOSALS);
  end(&s);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(owners_are_found),
      cmocka_unit_test(words_are_left_alone),
      cmocka_unit_test(names_say_how_many),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
