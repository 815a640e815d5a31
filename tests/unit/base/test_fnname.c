/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/fnname.h"

/* The plain name is what stands before the bar, or between the first two of three. */
static void expect(const char *with_bars) {
  char *name = malloc(strlen(with_bars) + 1);
  assert_non_null(name);
  size_t n = 0, bar[2] = {0, 0}, n_bars = 0;
  for (const char *s = with_bars; *s != '\0'; s++) {
    if (*s != '|')
      name[n++] = *s;
    else
      bar[n_bars++] = n;
  }
  assert_in_range(n_bars, 1, 2);
  size_t start = n_bars == 2 ? bar[0] : 0, end = bar[n_bars - 1];
  /* On the heap and no longer than needed, so that the sanitiser sees a step beyond. */
  char *tight = malloc(n);
  assert_non_null(tight);
  memcpy(tight, name, n);
  dmd_fnname_t got = dmd_fnname_plain(tight, n);
  if (got.at != tight + start || got.n != end - start)
    fail_msg("'%.*s' of '%.*s'", (int)got.n, got.at, (int)n, tight);
  free(tight);
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
  expect("void |sort<int>|(int*, int*)");
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

static void return_types_go(void **state) {
  (void)state;
  expect("std::vector<int, std::allocator<int> > |foo<int>|(int)");
  expect("unsigned long |ns::measure<Jar>|(Jar const&)");
  expect("char const* |Jar::name<int>|() const");
  expect("auto |f<int>(int)::{lambda(auto:1, int)#1}::operator()<int>|(int, int) const");
  expect("decltype (a+b) |sum<int>|(int, int)");
  expect("std::enable_if<((3)>(2)), int>::type |pick<3>|()");
  expect("bool |operator< <int>|(Box<int> const&, Box<int> const&)");
  expect("std::ostream& |operator<< <char>|(std::ostream&, char)");
  expect("void |Jar::operator()<int>|(int) [clone .isra.0]");
  expect("non-virtual thunk to |Jar::fill|()");
  /* Blanks of names. */
  expect("operator new|(unsigned long)");
  expect("Jar::operator unsigned long|() const");
  expect("Jar::fill() const::{lambda()#1}::operator()|() const");
  expect("(anonymous namespace)::fill<int, char>|");
  expect("Jar::operator->|()");
  expect("f<(Kind)1, a b>|");
}

static void assert_made(const char *name, const char *bare, const char *shortened) {
  host_t host;
  host_init(&host);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host.env);
  dmd_fnname_bare(&text, name, strlen(name));
  assert_string_equal(text.text, bare);
  dmd_strbuf_cut(&text, 0);
  dmd_fnname_short(&text, name, strlen(name));
  assert_string_equal(text.text, shortened);
  dmd_strbuf_destroy(&text);
  host_done(&host);
}

static void without_template_arguments(void **state) {
  (void)state;
  assert_made("main", "main", "main");
  assert_made("int fill<int>(int*)", "fill", "fill<int>(int*)");
  assert_made("void std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
              "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char> > "
              ">::_M_realloc_insert<int const&>(int const&)",
              "std::vector::_M_realloc_insert",
              "std::vector<...>::_M_realloc_insert<...>(int const&)");
  assert_made("Box<a, b>::operator<< <x>(std::map<std::string, std::vector<Some::Long::Name, "
              "std::allocator<Some::Long::Name> > >&) const",
              "Box::operator<< ", "Box<...>::operator<< <...>(std::map<...>&) const");
  assert_made("<lambda()>", "<lambda()>", "<lambda()>");
  assert_made("f<(a<b), ((c)>(d))>::g", "f::g", "f<(a<b), ((c)>(d))>::g");
  assert_made("broken>::name<", "broken>::name", "broken>::name<");
}

/* The result is a part of the name, whatever brackets the name has. */
static void random_names(void **state) {
  (void)state;
  static const char *const pieces[] = {"a",      "operator", "<",          ">", "(",  ")",
                                       " ",      "::",       "[",          "]", "{",  "}",
                                       " const", "->",       "operator()", ",", "<<", "."};
  dice_t dice = {5};
  for (int round = 0; round < 20000; round++) {
    host_t host;
    host_init(&host);
    char name[200] = "";
    for (uint64_t k = dice_below(&dice, 16); k > 0; k--)
      strcat(name, pieces[dice_below(&dice, COUNT_OF(pieces))]);
    size_t n = strlen(name);
    char *tight = malloc(n + 1);
    assert_non_null(tight);
    memcpy(tight, name, n);
    dmd_fnname_t plain = dmd_fnname_plain(tight, n);
    assert_true(plain.at >= tight && plain.at + plain.n <= tight + n);
    assert_int_equal(plain.n == 0, n == 0);
    dmd_strbuf_t text;
    dmd_strbuf_init(&text, &host.env);
    dmd_fnname_bare(&text, tight, n);
    assert_true(text.n <= plain.n);
    dmd_strbuf_cut(&text, 0);
    dmd_fnname_short(&text, tight, n);
    assert_true(text.n <= n);
    dmd_strbuf_destroy(&text);
    free(tight);
    host_done(&host);
  }
}

static void of_nothing_nothing(void **state) {
  (void)state;
  assert_int_equal(dmd_fnname_plain("", 0).n, 0);
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

static void coroutines(void **state) {
  (void)state;
  static const char actor[] = "walk(walk(int)::_Z4walki.Frame*)";
  assert_int_equal(dmd_fnname_coroutine("walk(walk(int)::_Z4walki.Frame*) [clone .actor]"),
                   sizeof actor - 1);
  assert_int_equal(dmd_fnname_coroutine("walk(walk(int)::_Z4walki.Frame*) [clone .destroy]"),
                   sizeof actor - 1);
  assert_int_equal(dmd_fnname_coroutine("walk(int) [clone .resume]"), 9);
  assert_int_equal(dmd_fnname_coroutine("walk(int) [clone .cleanup]"), 9);
  assert_int_equal(dmd_fnname_coroutine("walk(int) [clone .resume] [clone .cold]"), 9);
  assert_int_equal(dmd_fnname_coroutine("walk(int)"), 0);
  assert_int_equal(dmd_fnname_coroutine("actor(int) [clone .part.0]"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_c_are_plain),
      cmocka_unit_test(clones_go),
      cmocka_unit_test(parameters_go),
      cmocka_unit_test(what_only_looks_like_parameters_stays),
      cmocka_unit_test(return_types_go),
      cmocka_unit_test(without_template_arguments),
      cmocka_unit_test(random_names),
      cmocka_unit_test(of_nothing_nothing),
      cmocka_unit_test(constructors),
      cmocka_unit_test(coroutines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
