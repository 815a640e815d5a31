/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core of dmd-derive, with models made by hand. tests/tool/test_derive.py checks what the
 * generated code measures in programs.
 */
#include "derive/check.h"
#include "derive/model.h"
#include "derive/reach.h"
#include "derive/write.h"
#include "host.h"

static const dmd_derive_type_t integer = {.kind = DMD_DERIVE_INTEGER, .spelling = "int"};
static const dmd_derive_type_t text_type = {
    .kind = DMD_DERIVE_POINTER, .spelling = "char *", .of = &integer};

static dmd_derive_type_t pointer_to(const dmd_derive_type_t *of) {
  return (dmd_derive_type_t){.kind = DMD_DERIVE_POINTER, .spelling = "pointer", .of = of};
}
static dmd_derive_type_t type_of(const dmd_derive_record_t *record) {
  return (dmd_derive_type_t){
      .kind = DMD_DERIVE_RECORD, .spelling = record->spelling, .record = record};
}

static dmd_derive_word_t measured = {.kind = DMD_DERIVE_MEASURED, .text = ""};
static dmd_derive_word_t owns = {.kind = DMD_DERIVE_OWNS, .text = ""};

static dmd_derive_record_t record_of(const char *name, const char *spelling,
                                     const dmd_derive_member_t *members) {
  return (dmd_derive_record_t){.name = name,
                               .spelling = spelling,
                               .words = &measured,
                               .members = members,
                               .place = {"a.h", 1, 1},
                               .is_complete = true,
                               .is_wanted = true};
}

/* ---- Words ---- */

static void words_are_made_of_annotations(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_derive_model_t model;
  dmd_derive_model_init(&model, &host.env);
  assert_null(dmd_derive_word_of(&model, "of others"));
  assert_int_equal(dmd_derive_word_of(&model, "dmd:owns")->kind, DMD_DERIVE_OWNS);
  assert_string_equal(dmd_derive_word_of(&model, "dmd:owns")->text, "");
  const dmd_derive_word_t *word = dmd_derive_word_of(&model, "dmd:ignores:it: is \"theirs\"");
  assert_int_equal(word->kind, DMD_DERIVE_IGNORES);
  assert_string_equal(word->text, "it: is \"theirs\"");
  assert_int_equal(dmd_derive_word_of(&model, "dmd:owns_arr:n")->kind, DMD_DERIVE_UNKNOWN);
  assert_int_equal(dmd_derive_word_of(&model, "dmd:")->kind, DMD_DERIVE_UNKNOWN);
  for (unsigned kind = 0; kind < DMD_DERIVE_UNKNOWN; kind++)
    assert_memory_equal(dmd_derive_word_name(kind), "DMD_", 4);
  dmd_derive_model_destroy(&model);
  host_done(&host);
}

static void levels_take_the_words_about_pointers_alone(void **state) {
  (void)state;
  dmd_derive_word_t ignores = {.kind = DMD_DERIVE_IGNORES, .text = "why"};
  dmd_derive_word_t array = {.kind = DMD_DERIVE_OWNS_ARRAY, .text = "n", .next = &ignores};
  dmd_derive_word_t when = {.kind = DMD_DERIVE_WHEN, .text = "n", .next = &array};
  const dmd_derive_member_t member = {.name = "p", .words = &when};
  assert_ptr_equal(dmd_derive_level(&member, 0), &array);
  assert_ptr_equal(dmd_derive_level(&member, 1), &ignores);
  assert_null(dmd_derive_level(&member, 2));
}

/* ---- Expressions ---- */

static void names_in_expressions_are_members(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_derive_member_t in_unnamed = {.name = "deep", .type = &integer};
  const dmd_derive_record_t unnamed = record_of("", "struct (unnamed)", &in_unnamed);
  const dmd_derive_type_t unnamed_type = type_of(&unnamed);
  dmd_derive_member_t c = {.name = "", .type = &unnamed_type};
  dmd_derive_member_t b = {.name = "bb", .type = &integer, .next = &c};
  dmd_derive_member_t a = {.name = "a", .type = &integer, .next = &b};
  const dmd_derive_record_t record = record_of("r", "struct r", &a);
  dmd_derive_member_t inner_b = {.name = "bb", .type = &integer};
  const dmd_derive_record_t inner = record_of("", "struct (unnamed)", &inner_b);
  const dmd_derive_scope_t outside = {&record, "self->", NULL};
  const dmd_derive_scope_t scope = {&inner, "self->u.", &outside};
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"a", "self->a"},
      {"bb", "self->u.bb"},
      {"deep*2", "self->deep*2"},
      {"aa + a1 + _a", "aa + a1 + _a"},
      {"a.a + p->a - a", "self->a.a + p->a - self->a"},
      {"a . a->bb", "self->a . a->bb"},
      {"a>bb", "self->a>self->u.bb"},
      {"f(a, \"a \\\" a\", 'a', 0xa, 1.a)", "f(self->a, \"a \\\" a\", 'a', 0xa, 1.a)"},
      {"x[DMD_INDEX]", "x[i1]"},
      {"\"a", "\"a"},
      {"", ""},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_strbuf_t out;
    dmd_strbuf_init(&out, &host.env);
    dmd_derive_expression(&scope, cases[i].text, "i1", &out);
    assert_string_equal(out.text, cases[i].expected);
    dmd_strbuf_destroy(&out);
  }
  assert_true(dmd_derive_is_name("_a1"));
  assert_false(dmd_derive_is_name("1a"));
  assert_false(dmd_derive_is_name("a b"));
  assert_false(dmd_derive_is_name(""));
  host_done(&host);
}

/* ---- Ways ---- */

/* list -> list; a -> b -> a, and b holds a part; the part leads nowhere. */
typedef struct world {
  dmd_derive_record_t list, a, b, part;
  dmd_derive_type_t list_type, list_pointer, a_type, a_pointer, b_type, b_pointer, part_type;
  dmd_derive_member_t list_next, a_b, b_a, b_part, part_text;
  dmd_derive_model_t model;
} world_t;

static void make_world(world_t *w, const dmd_env_t *env) {
  w->list = record_of("list", "struct list", &w->list_next);
  w->a = record_of("a", "struct a", &w->a_b);
  w->b = record_of("b", "struct b", &w->b_a);
  w->part = record_of("part", "part", &w->part_text);
  w->list_type = type_of(&w->list), w->list_pointer = pointer_to(&w->list_type);
  w->a_type = type_of(&w->a), w->a_pointer = pointer_to(&w->a_type);
  w->b_type = type_of(&w->b), w->b_pointer = pointer_to(&w->b_type);
  w->part_type = type_of(&w->part);
  const dmd_derive_place_t place = {"a.h", 2, 3};
  w->list_next = (dmd_derive_member_t){"next", &w->list_pointer, &owns, place, 0, NULL};
  w->a_b = (dmd_derive_member_t){"b", &w->b_pointer, &owns, place, 0, NULL};
  w->b_part = (dmd_derive_member_t){"part", &w->part_type, NULL, place, 8, NULL};
  w->b_a = (dmd_derive_member_t){"a", &w->a_pointer, &owns, place, 0, &w->b_part};
  w->part_text = (dmd_derive_member_t){"text", &text_type, &owns, place, 0, NULL};
  w->list.next = &w->a, w->a.next = &w->b, w->b.next = &w->part;
  dmd_derive_model_init(&w->model, env);
  w->model.records = &w->list;
}

static void some_records_lead_back(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  world_t w;
  make_world(&w, &host.env);
  dmd_derive_reach_t reach;
  dmd_derive_reach_init(&reach, &w.model);
  assert_true(dmd_derive_leads(&reach, &w.list, &w.list));
  assert_true(dmd_derive_leads(&reach, &w.a, &w.a));
  assert_true(dmd_derive_leads(&reach, &w.a, &w.part));
  assert_true(dmd_derive_leads(&reach, &w.b, &w.a));
  assert_false(dmd_derive_leads(&reach, &w.part, &w.a));
  assert_false(dmd_derive_leads(&reach, &w.part, &w.part));
  assert_false(dmd_derive_leads(&reach, &w.list, &w.a));
  dmd_derive_reach_destroy(&reach);
  host_done(&host);
}

/* ---- Casts ---- */

static void count_fault(void *ctx, const dmd_derive_place_t *place, const char *fault) {
  (void)fault;
  *(unsigned *)ctx += place->line;
}

static void a_word_gives_a_pointer_its_type(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  world_t w;
  make_world(&w, &host.env);
  const dmd_derive_type_t nothing = {.kind = DMD_DERIVE_VOID, .spelling = "void"};
  dmd_derive_type_t pointer = pointer_to(&nothing);
  const dmd_derive_type_t pointers = pointer_to(&pointer);
  dmd_derive_word_t as = {.kind = DMD_DERIVE_OWNS_AS, .text = "struct a"};
  dmd_derive_word_t list = {.kind = DMD_DERIVE_OWNS_LIST, .text = "", .next = &as};
  w.b_part.next = &(dmd_derive_member_t){.name = "void", .type = &pointers, .words = &list};
  dmd_derive_cast(&w.model);
  const dmd_derive_type_t *type = w.b_part.next->type;
  assert_int_equal(as.kind, DMD_DERIVE_OWNS);
  assert_ptr_equal(type->of->of->record, &w.a);
  assert_false(type->is_cast);
  assert_true(type->of->is_cast);
  assert_false(pointer.is_cast); /* other objects may have this type, too */
  unsigned lines = 0;
  as = (dmd_derive_word_t){.kind = DMD_DERIVE_OWNS_AS, .text = "nobody"};
  dmd_derive_cast(&w.model);
  assert_ptr_equal(w.b_part.next->type, type);
  assert_int_equal(dmd_derive_check(&w.model, count_fault, &lines), 1);
  dmd_derive_model_destroy(&w.model);
  host_done(&host);
}

/* ---- Faults ---- */

static void a_pointer_needs_a_word(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  world_t w;
  unsigned lines = 0;
  make_world(&w, &host.env);
  assert_int_equal(dmd_derive_check(&w.model, count_fault, &lines), 0);
  w.part_text.words = NULL;
  w.part_text.place.line = 77;
  assert_int_equal(dmd_derive_check(&w.model, count_fault, &lines), 1);
  assert_int_equal(lines, 77);
  w.part.is_wanted = false; /* another reporter measures it */
  assert_int_equal(dmd_derive_check(&w.model, count_fault, &lines), 0);
  host_done(&host);
}

/* ---- Text ---- */

static void nothing_ends_a_comment_or_a_string(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t out;
  dmd_strbuf_init(&out, &host.env);
  dmd_derive_write_in_comment(&out, "/a*/b/*c//d**/\n\x1b");
  assert_string_equal(out.text, " /a* /b/ *c//d** /\\012\\033");
  dmd_strbuf_cut(&out, 0);
  dmd_derive_write_string(&out, "a\"b\\c\n?\?/\xc3");
  assert_string_equal(out.text, "\"a\\042b\\134c\\012\\077\\077/\\303\"");
  dmd_strbuf_destroy(&out);
  host_done(&host);
}

static void write_world(host_t *host, void *arg) {
  static const char *const includes[] = {"a.h"};
  const dmd_derive_written_t written = {"dmd-derive a.h", includes, 1};
  world_t w;
  unsigned lines = 0;
  dmd_strbuf_t *out = arg, own;
  make_world(&w, &host->env);
  w.model.chunks = NULL;
  dmd_derive_word_of(&w.model, "dmd:holds:n");
  dmd_strbuf_init(&own, &host->env);
  assert_int_equal(dmd_derive_check(&w.model, count_fault, &lines), 0);
  dmd_derive_write(&w.model, &written, &own);
  dmd_derive_write_header(&w.model, &written, "some/a.h", &own);
  if (out != NULL)
    dmd_strbuf_str(out, own.text);
  dmd_strbuf_destroy(&own);
  dmd_derive_model_destroy(&w.model);
}

/* Recursion is put on the work list, or becomes a loop; all else is called. */
static void what_leads_back_is_not_called(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t out;
  dmd_strbuf_init(&out, &host.env);
  write_world(&host, &out);
  assert_non_null(strstr(out.text, "next = self->next;"));
  assert_non_null(strstr(out.text, "dmd_walk_later_(walk, self->b, dmd_walk_b, "));
  assert_non_null(strstr(out.text, "dmd_walk_later_(walk, self->a, dmd_walk_a, "));
  assert_non_null(strstr(out.text, "dmd_walk_part(&self->part, walk);"));
  assert_non_null(strstr(out.text, "#ifndef DMD_DERIVED_some_a_h\n#define DMD_DERIVED_some_a_h\n"));
  dmd_strbuf_destroy(&out);
  host_done(&host);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(write_world, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_made_of_annotations),
      cmocka_unit_test(levels_take_the_words_about_pointers_alone),
      cmocka_unit_test(names_in_expressions_are_members),
      cmocka_unit_test(some_records_lead_back),
      cmocka_unit_test(a_word_gives_a_pointer_its_type),
      cmocka_unit_test(a_pointer_needs_a_word),
      cmocka_unit_test(nothing_ends_a_comment_or_a_string),
      cmocka_unit_test(what_leads_back_is_not_called),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
