/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/fnname.h"

/* The plain name is what stands before the bar. */
static void expect(const char *with_bar) {
  const char *bar = strchr(with_bar, '|');
  size_t n = strlen(with_bar);
  assert_non_null(bar);
  size_t plain = (size_t)(bar - with_bar);
  /* On the heap and no longer than needed, so that the sanitiser sees a step beyond. */
  char *name = malloc(n);
  assert_non_null(name);
  memcpy(name, with_bar, plain);
  memcpy(name + plain, bar + 1, n - plain - 1);
  size_t got = dmd_fnname_plain(name, n - 1);
  if (got != plain)
    fail_msg("'%.*s' of '%.*s', expected '%.*s'", (int)got, name, (int)(n - 1), name, (int)plain,
             name);
  free(name);
}

static void names_of_c_are_plain(void **state) {
  (void)state;
  expect("main|");
  expect("x|");
  expect("operator|");
  expect("a.b|");
  expect("(below main)|");
  expect("\?\?\?|");
}

static void clones_go(void **state) {
  (void)state;
  expect("find|.part.0");
  expect("find|.constprop.0.isra.1");
  expect("find|.cold");
  expect("find|.lto_priv.12");
  expect("jar_find|(int) [clone .isra.0]");
  expect("Jar::find|(int) const [clone .part.1] [clone .cold]");
}

static void parameters_go(void **state) {
  (void)state;
  expect("Jar::measure|()");
  expect("Jar::measure|(int, std::vector<int>) const");
  expect("Jar::measure|() const volatile &");
  expect("Jar::measure|() &&");
  expect("call|(void (*)(int), int (*)())");
  expect("(anonymous namespace)::measure|(int)");
  expect("void sort<int>|(int*, int*)");
  expect("Jar::operator()|(int) const");
  expect("Jar::operator==|(Jar const&)");
}

static void what_only_looks_like_parameters_stays(void **state) {
  (void)state;
  expect("Jar::operator()|");
  expect("(anonymous namespace)::jar|");
  expect("main::{lambda(int)#1}|");
  expect("f(int)::{lambda(int)#1}::operator()|(int) const");
  expect("(whole)|");
  expect("no opening)|");
  expect("no closing(|");
  expect(".cold|"); /* nothing would be left */
}

static void of_nothing_nothing(void **state) {
  (void)state;
  assert_int_equal(dmd_fnname_plain("", 0), 0);
}

static void constructors(void **state) {
  (void)state;
  static const char *const names[] = {
      "Jar::Jar",        "dmd::TagScope::TagScope(char const*)", "Guard<int>::Guard",
      "a::b<c::d>::b()", "(anonymous namespace)::Jar::Jar(int)", "Jar::Jar(int) [clone .part.0]",
      "f(int)::Jar::Jar"};
  static const char *const others[] = {"",
                                       "Jar",
                                       "::",
                                       "Jar::",
                                       "::Jar",
                                       "Jar::~Jar()",
                                       "Jar::jar",
                                       "Jar::Jars",
                                       "Ajar::Jar()",
                                       "<::<",
                                       "a<b::c>::c",
                                       "main",
                                       "Jar Jar()",
                                       ":Jar",
                                       "Jar:Jar(int)",
                                       "a::b::a()",
                                       "Jar::operator Jar()"};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (!dmd_fnname_is_constructor(names[i], strlen(names[i])))
      fail_msg("'%s' is a constructor's name", names[i]);
  for (size_t i = 0; i < COUNT_OF(others); i++)
    if (dmd_fnname_is_constructor(others[i], strlen(others[i])))
      fail_msg("'%s' is no constructor's name", others[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_c_are_plain),
      cmocka_unit_test(clones_go),
      cmocka_unit_test(parameters_go),
      cmocka_unit_test(what_only_looks_like_parameters_stays),
      cmocka_unit_test(of_nothing_nothing),
      cmocka_unit_test(constructors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
