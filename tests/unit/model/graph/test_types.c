/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types_fixture.h"

typedef struct {
  host_t host;
  dmd_types_t types;
  uint32_t number, text, link; /* int; char *; link, of which there may be two in a row */
} types_fixture_t;

static void begin_on(types_fixture_t *f, const dmd_env_t *env) {
  dmd_types_init(&f->types, env, 8);
  f->number = base_of(&f->types, DMD_TYPE_BASE, "int", 4);
  f->text = dmd_types_pointer_to(&f->types, base_of(&f->types, DMD_TYPE_CHARACTER, "char", 1));
  f->link = struct_of(&f->types, "link", 16);
  uint32_t to_link = dmd_types_pointer_to(&f->types, f->link);
  members_of(&f->types, f->link, (const member_t[]){{"next", to_link, 0}, {"n", f->number, 8}}, 2);
}

static void begin(types_fixture_t *f) {
  host_init(&f->host);
  begin_on(f, &f->host.env);
}

static void end(types_fixture_t *f) {
  dmd_types_destroy(&f->types);
  host_done(&f->host);
}

static void equal_types_are_one(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  assert_int_equal(struct_of(&f.types, "link", 16), f.link);
  assert_int_not_equal(struct_of(&f.types, "link", 24), f.link);
  assert_int_not_equal(union_of(&f.types, "link", 16), f.link);
  dmd_type_t other = {.kind = DMD_TYPE_STRUCT,
                      .name = dmd_intern_str(&f.types.names, "link"),
                      .szB = 16,
                      .layout = 1};
  assert_int_not_equal(dmd_types_add(&f.types, &other), f.link);
  assert_int_equal(dmd_types_pointer_to(&f.types, f.link), dmd_types_pointer_to(&f.types, f.link));
  assert_int_equal(array_of(&f.types, f.link, 3), array_of(&f.types, f.link, 3));
  assert_int_equal(dmd_type_at(&f.types, array_of(&f.types, f.link, 3))->szB, 48);
  end(&f);
}

static void names_are_those_of_c(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  dmd_types_t *t = &f.types;
  uint32_t to_link = dmd_types_pointer_to(t, f.link);
  assert_string_equal(type_text(t, f.link), "link");
  assert_string_equal(type_text(t, to_link), "link *");
  assert_string_equal(type_text(t, dmd_types_pointer_to(t, to_link)), "link **");
  assert_string_equal(type_text(t, array_of(t, to_link, 2)), "link *[2]");
  assert_string_equal(type_text(t, array_of(t, f.number, 0)), "int[]");
  assert_string_equal(type_text(t, dmd_types_pointer_to(t, DMD_NONE)), "void *");
  uint32_t function = base_of(t, DMD_TYPE_FUNCTION, NULL, 0);
  assert_string_equal(type_text(t, dmd_types_pointer_to(t, function)), "void (*)()");
  assert_string_equal(type_text(t, array_of(t, dmd_types_pointer_to(t, function), 4)),
                      "void (*[4])()");
  assert_string_equal(type_text(t, struct_of(t, NULL, 8)), "struct {...}");
  assert_string_equal(type_text(t, DMD_NONE), "void");
  end(&f);
}

/* struct { int id; struct { link heads[2]; }; char *name; } */
static void members_are_found_by_offset(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  dmd_types_t *t = &f.types;
  uint32_t inner = struct_of(t, NULL, 32), all = struct_of(t, "all", 48);
  members_of(t, inner, (const member_t[]){{"heads", array_of(t, f.link, 2), 0}}, 1);
  members_of(t, all,
             (const member_t[]){{"id", f.number, 0}, {NULL, inner, 8}, {"name", f.text, 40}}, 3);
  assert_string_equal(found_at(t, all, 0), "id: int");
  assert_string_equal(found_at(t, all, 8), "heads[0].next: link *");
  assert_string_equal(found_at(t, all, 24), "heads[1].next: link *");
  assert_string_equal(found_at(t, all, 32), "heads[1].n: int");
  assert_string_equal(found_at(t, all, 40), "name: char *");
  assert_string_equal(found_at(t, all, 4), "nothing");
  assert_string_equal(found_at(t, all, 36), "nothing"); /* padding of heads[1] */
  assert_string_equal(found_at(t, all, 48), "nothing");
  assert_string_equal(found_at(t, f.text, 0), ": char *");
  assert_string_equal(found_at(t, DMD_NONE, 0), "nothing");
  end(&f);
}

static void of_a_union_what_says_most(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  dmd_types_t *t = &f.types;
  uint32_t opaque = dmd_types_pointer_to(t, DMD_NONE), to_link = dmd_types_pointer_to(t, f.link);
  uint32_t value = union_of(t, NULL, 8), entry = struct_of(t, "entry", 16);
  members_of(t, value,
             (const member_t[]){{"u", f.number, 0}, {"val", opaque, 0}, {"link", to_link, 0}}, 3);
  members_of(t, entry, (const member_t[]){{"key", opaque, 0}, {"v", value, 8}}, 2);
  assert_string_equal(found_at(t, entry, 8), "v.link: link *");
  assert_string_equal(found_at(t, entry, 0), "key: void *");
  uint32_t less = union_of(t, "less", 8);
  members_of(t, less, (const member_t[]){{"u", f.number, 0}, {"val", opaque, 0}}, 2);
  assert_string_equal(found_at(t, less, 0), "val: void *");
  end(&f);
}

static void flexible_arrays_have_no_end(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  dmd_types_t *t = &f.types;
  for (uint64_t count = 0; count <= 2; count++) {
    uint32_t node = struct_of(t, count == 0 ? "none" : count == 1 ? "one" : "two", 8 + 16 * count);
    members_of(t, node,
               (const member_t[]){{"n", f.number, 0}, {"at", array_of(t, f.link, count), 8}}, 2);
    uint64_t start = 0, one = 0;
    assert_int_equal(dmd_type_is_flexible(t, node, &start, &one), count < 2);
    if (count < 2) {
      assert_int_equal(start, 8);
      assert_int_equal(one, 16);
    }
    assert_string_equal(found_at(t, node, 8 + 16 * 5),
                        count < 2 ? "at[5].next: link *" : "nothing");
  }
  uint32_t last = struct_of(t, "last", 16);
  members_of(t, last, (const member_t[]){{"n", f.number, 0}, {"in", struct_of(t, "none", 8), 8}},
             2);
  uint64_t start = 0;
  assert_true(dmd_type_is_flexible(t, last, &start, NULL));
  assert_int_equal(start, 16);
  assert_string_equal(found_at(t, last, 16 + 24), "in.at[1].n: int");
  assert_false(dmd_type_is_flexible(t, f.link, NULL, NULL));
  assert_false(dmd_type_is_flexible(t, f.number, NULL, NULL));
  end(&f);
}

/* Types that only a hostile file has: a struct that contains itself, arrays larger than any
 * memory. */
static void circles_come_to_an_end(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  dmd_types_t *t = &f.types;
  uint32_t self = struct_of(t, "self", 64);
  members_of(t, self, (const member_t[]){{"a", self, 0}, {"b", self, 0}}, 2);
  assert_string_equal(found_at(t, self, 0), "nothing");
  assert_false(dmd_type_is_flexible(t, self, NULL, NULL));
  uint32_t huge = array_of(t, array_of(t, f.link, UINT64_C(1) << 40), UINT64_C(1) << 40);
  assert_false(dmd_type_has_size(t, huge));
  assert_string_equal(found_at(t, huge, 16), "[0][1].next: link *");
  uint32_t deep = f.number;
  for (int i = 0; i < 3 * DMD_TYPES_MAX_DEPTH; i++)
    deep = array_of(t, deep, 1);
  assert_string_equal(found_at(t, deep, 0), "nothing");
  assert_true(strlen(type_text(t, deep)) < 150);
  end(&f);
}

static void read_link(void *ctx, dmd_types_t *types, uint32_t type) {
  ++*(int *)ctx;
  uint32_t to_self = dmd_types_pointer_to(types, type);
  members_of(types, type, (const member_t[]){{"self", to_self, 0}}, 1);
}

static void read_nothing(void *ctx, dmd_types_t *types, uint32_t type) {
  (void)types;
  (void)type;
  ++*(int *)ctx;
}

static void members_are_read_when_asked_for(void **state) {
  (void)state;
  types_fixture_t f;
  begin(&f);
  int n = 0;
  f.types.source = (dmd_type_source_t){read_link, &n};
  uint32_t late = struct_of(&f.types, "late", 8);
  assert_int_equal(n, 0);
  assert_int_equal(dmd_types_n_members(&f.types, late), 1);
  assert_string_equal(found_at(&f.types, late, 0), "self: late *");
  assert_int_equal(n, 1);
  f.types.source.read_members = read_nothing;
  uint32_t never = struct_of(&f.types, "never", 8);
  assert_int_equal(dmd_types_n_members(&f.types, never), 0);
  assert_int_equal(dmd_types_n_members(&f.types, never), 0);
  assert_int_equal(n, 2);
  end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  types_fixture_t f;
  begin_on(&f, &host->env);
  found_at(&f.types, array_of(&f.types, f.link, 2), 16);
  dmd_types_destroy(&f.types);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_types_are_one),
      cmocka_unit_test(names_are_those_of_c),
      cmocka_unit_test(members_are_found_by_offset),
      cmocka_unit_test(of_a_union_what_says_most),
      cmocka_unit_test(flexible_arrays_have_no_end),
      cmocka_unit_test(circles_come_to_an_end),
      cmocka_unit_test(members_are_read_when_asked_for),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
