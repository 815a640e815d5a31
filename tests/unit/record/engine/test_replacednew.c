/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"
#include "record/engine/description.h"

enum { MAX_LIBRARIES = 2 };

typedef struct {
  const char *program, *libraries[MAX_LIBRARIES]; /* their functions */
  const char *expected;                           /* the object's path; NULL: none */
} case_t;

/* source: of the program's operator, as enginehost_code expects it; NULL: unknown. */
static void expect_of(const case_t *c, const char *replaces, uint64_t word_szB,
                      const char *source) {
  static const char *const paths[MAX_LIBRARIES] = {"/lib/liba.so.1.0", "/lib/libb.so.2.0"};
  static const char *const sonames[MAX_LIBRARIES] = {"liba.so.1", "libb.so.2"};
  enginehost_t h;
  enginehost_init(&h);
  h.replaces = replaces;
  h.engine_host.word_szB = word_szB;
  for (int i = 0; i < MAX_LIBRARIES && c->libraries[i] != NULL; i++)
    enginehost_object(&h, paths[i], sonames[i], c->libraries[i]);
  enginehost_code_t *own = enginehost_object(&h, "/home/me/app", NULL, c->program);
  if (source != NULL)
    own->functions = source;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &h.host.env);
  const char *found = dmd_engine_find_replaced_new(&h.engine_host, &profile);
  if (c->expected == NULL)
    assert_null(found);
  else
    assert_string_equal(found, c->expected);
  dmd_profile_destroy(&profile);
  enginehost_done(&h);
}

static void expect(const case_t *c, const char *replaces, uint64_t word_szB) {
  expect_of(c, replaces, word_szB, NULL);
}

#define CXX_LIBRARY "|_Znwm|__cxa_allocate_exception|"

static void where_it_is(void **state) {
  (void)state;
  static const case_t cases[] = {
      {"|main|_Znwm|", {CXX_LIBRARY}, "/home/me/app"},
      {"|main|", {CXX_LIBRARY, "|_Znwm|f|"}, "/lib/libb.so.2.0"},
      {"|main|_Znwm|", {"|_Znwm|f|", CXX_LIBRARY}, "/home/me/app"}, /* the program first */
      {"|main|", {"|_Znwm|f|", "|_Znwm|g|"}, "/lib/liba.so.1.0"},
      {"|main|", {CXX_LIBRARY, "|f|"}, NULL},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    expect(&cases[i], "_Znwm", 8);
}

/* Operators of a C++ library linked into the program, and those of allocators, are not reported. */
static void as_a_matter_of_course(void **state) {
  (void)state;
  static const case_t cases[] = {
      {"|main|_Znwm|__cxa_allocate_exception|", {NULL}, NULL},
      {"|main|_Znwm|malloc|realloc|", {CXX_LIBRARY}, NULL},
      {"|main|", {CXX_LIBRARY, "|malloc|realloc|_Znwm|"}, NULL},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    expect(&cases[i], "_Znwm", 8);
}

/* If the C++ library is linked into the program, too, the operator's source shows whose it is. */
static void beside_the_library(void **state) {
  (void)state;
  static const struct {
    const char *source;
    bool is_own;
  } cases[] = {{"operator new(unsigned long) (mine.cc:3)", true},
               {"inlined (mine.h:9)|operator new(unsigned long) (mine.cc:3)", true},
               {"operator new(unsigned long)", false},
               {"operator new(unsigned long) (/build/libsupc++/new_op.cc:43)", false},
               {"operator new[](unsigned long) (new_opv.cc:30)", false},
               {"operator new(unsigned long) (libcxx/src/new.cpp:60)", false},
               {"operator new(unsigned long) (stdlib_new_delete.cpp:60)", false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *path = cases[i].is_own ? "/home/me/app" : NULL;
    const case_t both = {"|main|_Znwm|__cxa_allocate_exception|", {NULL}, path};
    expect_of(&both, "_Znwm", 8, cases[i].source);
  }
  static const case_t allocator = {"|main|_Znwm|realloc|", {NULL}, NULL};
  expect_of(&allocator, "_Znwm", 8, "operator new(unsigned long) (mine.cc:3)");
}

static void of_arrays_only(void **state) {
  (void)state;
  static const case_t c = {"|main|_Znam|", {CXX_LIBRARY}, "/home/me/app"};
  expect(&c, "_Znam", 8);
  static const case_t of_32 = {"|main|_Znaj|", {CXX_LIBRARY}, "/home/me/app"};
  expect(&of_32, "_Znaj", 4);
}

static void it_runs(void **state) {
  (void)state;
  static const case_t c = {"|main|_Znwm|", {CXX_LIBRARY, "|_Znwm|f|"}, NULL};
  expect(&c, NULL, 8);
}

/* Where size_t is unsigned int, the function has another name. */
static void of_32_bits(void **state) {
  (void)state;
  static const case_t c = {"|main|_Znwj|", {NULL}, "/home/me/app"};
  expect(&c, "_Znwj", 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(where_it_is),
      cmocka_unit_test(as_a_matter_of_course),
      cmocka_unit_test(beside_the_library),
      cmocka_unit_test(of_arrays_only),
      cmocka_unit_test(it_runs),
      cmocka_unit_test(of_32_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
