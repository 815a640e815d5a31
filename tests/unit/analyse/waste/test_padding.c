/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types_fixture.h"

#include "analyse/waste/padding.h"

#include <stdio.h>

typedef struct {
  host_t own;
  host_t *host;
  dmd_types_t types;
  uint32_t c, s, i, l, p; /* char, short, int, long, void * */
} some_t;

static void begin_with(some_t *t, uint64_t pointer_szB) {
  dmd_types_init(&t->types, &t->host->env, pointer_szB);
  t->c = base_of(&t->types, DMD_TYPE_CHARACTER, "char", 1);
  t->s = base_of(&t->types, DMD_TYPE_BASE, "short", 2);
  t->i = base_of(&t->types, DMD_TYPE_BASE, "int", 4);
  t->l = base_of(&t->types, DMD_TYPE_BASE, "long long", 8);
  t->p = dmd_types_pointer_to(&t->types, DMD_NONE);
}

static void begin(some_t *t) {
  host_init(&t->own);
  t->host = &t->own;
  begin_with(t, 8);
}

static void end(some_t *t) {
  dmd_types_destroy(&t->types);
  host_done(t->host);
}

static void add_name(void *ctx, const char *name) {
  dmd_strbuf_t *to = ctx;
  dmd_strbuf_str(to, to->n == 0 ? "" : " ");
  dmd_strbuf_str(to, name);
}

/* "40: 2 holes of 14, 6 behind; 24 as rate next", without the end if no order is better. */
static const char *padding_text(some_t *t, uint32_t type) {
  static char text[1000];
  dmd_strbuf_t order;
  dmd_strbuf_init(&order, &t->host->env);
  dmd_padding_t p = dmd_padding_of(&t->types, type);
  dmd_padding_order(&t->types, type, add_name, &order);
  int n = snprintf(text, sizeof text, "%d: %u holes of %d, %d behind", (int)p.szB, p.n_holes,
                   (int)p.holes_szB, (int)p.tail_szB);
  assert_int_equal(p.best_szB<p.szB, order.n> 0);
  if (order.n > 0)
    snprintf(text + n, sizeof text - (size_t)n, "; %d as %s", (int)p.best_szB, order.text);
  dmd_strbuf_destroy(&order);
  return text;
}

/* A struct of these members, each at an offset that is given. */
static uint32_t made(some_t *t, const char *name, uint64_t szB, const member_t *members,
                     uint32_t n) {
  uint32_t type = struct_of(&t->types, name, szB);
  members_of(&t->types, type, members, n);
  return type;
}
#define MADE(t, szB, ...)                                                                          \
  made(t, "made", szB, (const member_t[]){__VA_ARGS__},                                            \
       sizeof((const member_t[]){__VA_ARGS__}) / sizeof(member_t))

static void holes_and_an_order_without(void **state) {
  (void)state;
  some_t t;
  begin(&t);
  uint32_t session = MADE(&t, 40, {"state", t.c, 0}, {"rate", t.l, 8}, {"kind", t.c, 16},
                          {"next", t.p, 24}, {"id", t.s, 32});
  assert_string_equal(padding_text(&t, session),
                      "40: 2 holes of 14, 6 behind; 24 as rate next id state kind");
  uint32_t full = MADE(&t, 16, {"a", t.l, 0}, {"b", t.i, 8}, {"c", t.i, 12});
  assert_string_equal(padding_text(&t, full), "16: 0 holes of 0, 0 behind");
  /* The hole moves to the end: nothing is saved. */
  uint32_t equal = MADE(&t, 8, {"a", t.c, 0}, {"b", t.i, 4});
  assert_string_equal(padding_text(&t, equal), "8: 1 holes of 3, 0 behind");
  assert_string_equal(padding_text(&t, t.i), "0: 0 holes of 0, 0 behind");
  assert_string_equal(padding_text(&t, struct_of(&t.types, "opaque", 24)),
                      "0: 0 holes of 0, 0 behind");
  end(&t);
}

static void members_that_do_not_move(void **state) {
  (void)state;
  some_t t;
  begin(&t);
  uint32_t base = made(&t, "base", 12, (const member_t[]){{"x", t.i, 0}, {"y", t.l, 4}}, 2);
  assert_string_equal(padding_text(&t, base), "12: 0 holes of 0, 0 behind"); /* packed */
  uint32_t head = made(&t, "head", 16, (const member_t[]){{"a", t.p, 0}, {"b", t.i, 8}}, 2);
  uint32_t derived = MADE(&t, 40, {NULL, head, 0}, {"c", t.c, 16}, {"d", t.l, 24}, {"e", t.c, 32});
  assert_string_equal(padding_text(&t, derived),
                      "40: 1 holes of 7, 7 behind; 32 as (base class) d c e");
  /* Its first member is in the padding of the base class. */
  uint32_t reuses = MADE(&t, 32, {NULL, head, 0}, {"c", t.c, 12}, {"d", t.l, 16}, {"e", t.c, 24});
  assert_string_equal(padding_text(&t, reuses),
                      "32: 1 holes of 3, 7 behind; 24 as (base class) c e d");
  uint32_t in_c = MADE(&t, 40, {"head", head, 0}, {"c", t.c, 16}, {"d", t.l, 24}, {"e", t.c, 32});
  assert_string_equal(padding_text(&t, in_c), "40: 1 holes of 7, 7 behind; 32 as head d c e");
  uint32_t wide = base_of(&t.types, DMD_TYPE_BASE, "long double", 16);
  uint32_t virtual = MADE(&t, 48, {"_vptr.jar", t.p, 0}, {"x", wide, 16}, {"c", t.c, 32});
  assert_string_equal(padding_text(&t, virtual),
                      "48: 1 holes of 8, 15 behind; 32 as _vptr.jar c x");
  uint32_t open = MADE(&t, 24, {"c", t.c, 0}, {"l", t.l, 8}, {"d", t.c, 16},
                       {"text", array_of(&t.types, t.c, 0), 17});
  assert_string_equal(padding_text(&t, open), "24: 1 holes of 7, 7 behind; 16 as l c d text");
  end(&t);
}

static void layouts_that_somebody_chose(void **state) {
  (void)state;
  some_t t;
  begin(&t);
  uint32_t packed = MADE(&t, 14, {"c", t.c, 0}, {"l", t.l, 1}, {"d", t.c, 9}, {"i", t.i, 10});
  assert_string_equal(padding_text(&t, packed), "14: 0 holes of 0, 0 behind");
  uint32_t aligned = MADE(&t, 128, {"a", t.l, 0}, {"b", t.c, 64}, {"c", t.l, 72});
  assert_string_equal(padding_text(&t, aligned), "128: 2 holes of 63, 48 behind");
  uint32_t library = made(&t, "std::pair<char, long>", 24,
                          (const member_t[]){{"a", t.c, 0}, {"b", t.l, 8}, {"c", t.c, 16}}, 3);
  assert_string_equal(padding_text(&t, library), "24: 1 holes of 7, 7 behind");
  uint32_t node = MADE(&t, 24, {"_M_color", t.c, 0}, {"_M_next", t.p, 8}, {"_M_c", t.c, 16});
  assert_string_equal(padding_text(&t, node), "24: 1 holes of 7, 7 behind");
  end(&t);
}

static void bit_fields(void **state) {
  (void)state;
  some_t t;
  begin(&t);
  /* struct { char c; unsigned a:4, b:4, lru:24; char d; long l; char e; }, as GCC lays it out: lru
   * fits into no unit with a and b that begins at 1, so it begins at 4. */
  uint32_t type = struct_of(&t.types, "bits", 24);
  const char *names[] = {"c", "a", "b", "lru", "d", "l", "e"};
  const uint64_t offsets[] = {0, 1, 1, 4, 7, 8, 16};
  const uint32_t bits[] = {0, 1, 1, 3, 0, 0, 0};
  const uint32_t types[] = {t.c, t.i, t.i, t.i, t.c, t.l, t.c};
  dmd_type_member_t members[7];
  for (uint32_t i = 0; i < 7; i++)
    members[i] = (dmd_type_member_t){.name = dmd_intern_str(&t.types.names, names[i]),
                                     .type = types[i],
                                     .offset = offsets[i],
                                     .bits_szB = bits[i]};
  dmd_types_set_members(&t.types, type, members, 7);
  assert_string_equal(padding_text(&t, type), "24: 1 holes of 2, 7 behind; 16 as l a b c d e lru");
  end(&t);
}

/* Members of a 32-bit program are aligned to 4 bytes at most. */
static void words_of_4_bytes(void **state) {
  (void)state;
  some_t t;
  host_init(&t.own);
  t.host = &t.own;
  begin_with(&t, 4);
  uint32_t type = MADE(&t, 16, {"c", t.c, 0}, {"l", t.l, 4}, {"d", t.c, 12});
  assert_string_equal(padding_text(&t, type), "16: 1 holes of 3, 3 behind; 12 as l c d");
  end(&t);
}

/* ---- Against all orders. ---- */

enum { MEMBERS = 6, STRUCTS = 300 };

static uint64_t laid_out(const uint64_t *sizes, uint32_t n, uint64_t *offsets) {
  uint64_t at = 0, align = 1;
  for (uint32_t i = 0; i < n; i++) {
    at = (at + sizes[i] - 1) / sizes[i] * sizes[i];
    if (offsets != NULL)
      offsets[i] = at;
    at += sizes[i];
    align = sizes[i] > align ? sizes[i] : align;
  }
  return (at + align - 1) / align * align;
}

static uint64_t smallest(uint64_t *sizes, uint32_t fixed, uint32_t n) {
  uint64_t best = UINT64_MAX;
  if (fixed == n)
    return laid_out(sizes, n, NULL);
  for (uint32_t i = fixed; i < n; i++) {
    uint64_t kept = sizes[fixed];
    sizes[fixed] = sizes[i];
    sizes[i] = kept;
    uint64_t here = smallest(sizes, fixed + 1, n);
    best = here < best ? here : best;
    sizes[i] = sizes[fixed];
    sizes[fixed] = kept;
  }
  return best;
}

static void random_against_all_orders(void **state) {
  (void)state;
  some_t t;
  dice_t dice = {23};
  uint32_t n_better = 0;
  begin(&t);
  for (int k = 0; k < STRUCTS; k++) {
    uint32_t n = 1 + (uint32_t)dice_below(&dice, MEMBERS), of[] = {t.c, t.s, t.i, t.l};
    uint64_t sizes[MEMBERS], offsets[MEMBERS];
    member_t members[MEMBERS];
    char names[MEMBERS][8], name[20];
    for (uint32_t i = 0; i < n; i++)
      sizes[i] = UINT64_C(1) << dice_below(&dice, 4);
    uint64_t szB = laid_out(sizes, n, offsets), covered = 0;
    for (uint32_t i = 0; i < n; i++) {
      snprintf(names[i], sizeof names[i], "m%u", i);
      members[i] = (member_t){names[i], of[__builtin_ctzll(sizes[i])], offsets[i]};
      covered += sizes[i];
    }
    snprintf(name, sizeof name, "random%d", k);
    dmd_padding_t p = dmd_padding_of(&t.types, made(&t, name, szB, members, n));
    assert_int_equal(p.szB, szB);
    assert_int_equal(p.holes_szB + p.tail_szB, szB - covered);
    assert_int_equal(p.best_szB, smallest(sizes, 0, n));
    n_better += p.best_szB < szB;
  }
  assert_true(n_better > STRUCTS / 10);
  end(&t);
}

/* ---- Hostile types. ---- */

static void impossible_types(void **state) {
  (void)state;
  some_t t;
  begin(&t);
  uint32_t itself = struct_of(&t.types, "itself", 24);
  members_of(&t.types, itself, (const member_t[]){{"a", itself, 0}, {"b", itself, 8}}, 2);
  dmd_padding_of(&t.types, itself);
  uint32_t far = MADE(&t, 24, {"a", t.l, UINT64_MAX - 3}, {"b", t.c, 8}, {"c", DMD_NONE, 1});
  assert_int_equal(dmd_padding_of(&t.types, far).best_szB, 24);
  uint32_t overlap =
      made(&t, "overlap", 24, (const member_t[]){{"a", t.l, 0}, {"b", t.l, 4}, {"c", t.c, 20}}, 3);
  assert_int_equal(dmd_padding_of(&t.types, overlap).best_szB, 24);
  /* Each contains the next one twice: 2^60 of the last. */
  uint32_t inner = t.c;
  for (int i = 0; i < 60; i++) {
    char name[20];
    snprintf(name, sizeof name, "deep%d", i);
    inner =
        made(&t, name, 8 + (uint64_t)i, (const member_t[]){{"a", inner, 0}, {"b", inner, 4}}, 2);
  }
  dmd_padding_of(&t.types, inner);
  end(&t);
}

static void use(host_t *host, void *arg) {
  some_t t = {.host = host};
  (void)arg;
  begin_with(&t, 8);
  padding_text(&t, MADE(&t, 24, {"a", t.c, 0}, {"b", t.l, 8}, {"c", t.c, 16}));
  dmd_types_destroy(&t.types);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holes_and_an_order_without),
      cmocka_unit_test(members_that_do_not_move),
      cmocka_unit_test(layouts_that_somebody_chose),
      cmocka_unit_test(bit_fields),
      cmocka_unit_test(words_of_4_bytes),
      cmocka_unit_test(random_against_all_orders),
      cmocka_unit_test(impossible_types),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
