/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "base/fnname.h"

#define TEXT "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static void expect(const char *name, const char *expected) {
  host_t host;
  dmd_strbuf_t buf;
  host_init(&host);
  dmd_strbuf_init(&buf, &host.env);
  dmd_strbuf_str(&buf, "in ");
  dmd_typename_short(&buf, name);
  assert_memory_equal(buf.text, "in ", 3);
  assert_string_equal(buf.text + 3, expected);
  dmd_strbuf_destroy(&buf);
  host_done(&host);
}

static void what_nobody_writes_goes(void **state) {
  (void)state;
  expect("posting[]", "posting[]");
  expect(TEXT, "std::string");
  expect(TEXT "[] from text(int)", "std::string[] from text(int)");
  expect("std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
         "std::wstring");
  expect("std::basic_string<char8_t, std::char_traits<char8_t>, std::allocator<char8_t> >",
         "std::basic_string<char8_t>");
  expect("std::vector<" TEXT ", std::allocator<" TEXT " > >", "std::vector<std::string>");
  expect("std::_Rb_tree_node<std::pair<const " TEXT
         ", std::vector<double, std::allocator<double> > > >",
         "std::_Rb_tree_node<std::pair<const std::string, std::vector<double>>>");
  expect("std::__1::__list_node<int, void*>", "std::__list_node<int, void*>");
  expect("std::unique_ptr<Shape, std::default_delete<Shape> >", "std::unique_ptr<Shape>");
  expect("std::_Sp_counted_ptr<Square*, (__gnu_cxx::_Lock_policy)2>",
         "std::_Sp_counted_ptr<Square*>");
  expect("std::function<int(int, long)>[]", "std::function<int(int, long)>[]");
  /* The program's own types stay, and so does a first argument. */
  expect("Pool<std::allocator<int>, Arena<int> >", "Pool<std::allocator<int>, Arena<int>>");
  expect("shop::Shelf<>", "shop::Shelf<>");
  expect("mine::__cxx11::Jar<int>", "mine::__cxx11::Jar<int>");
}

static void what_is_long_even_so(void **state) {
  (void)state;
  expect("std::_Rb_tree_node<std::pair<const shop::stock::VeryLongNameOfSomething, "
         "shop::stock::AnotherVeryLongName> >[] from fill",
         "std::_Rb_tree_node<...>[] from fill");
  expect("shop::stock::VeryLongNameOfSomething<int>::AnotherVeryLongNameOfSomethingElse<int>::Last<"
         "int>",
         "shop::stock::VeryLongNameOfSomething<...>::AnotherVeryLongNameOfSomethingElse<...>::Last<"
         "...>");
}

static void what_is_not_understood_stays(void **state) {
  (void)state;
  static const char *const names[] = {
      "<lambda()>",      "less<a",
      "Jar<int",         "Jar<(int>",
      "a>b>c",           "Jar<int)>",
      "Jar<,",           "operator<(Jar)::Local<std::allocator<int> >",
      "Jar<int, Lid<x>", "f()::{lambda(int)#1}"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    expect(names[i], names[i]);
}

/* For any text the loop ends soon, and the result is not longer than the text. */
static void any_text(void **state) {
  (void)state;
  static const char *const parts[] = {"<",
                                      ">",
                                      ",",
                                      "(",
                                      ")",
                                      "std::",
                                      "__cxx11::",
                                      " ",
                                      "Jar",
                                      "->",
                                      "std::allocator<",
                                      "std::basic_string<char>",
                                      "[",
                                      "]"};
  host_t host;
  dice_t dice = {7};
  host_init(&host);
  for (int i = 0; i < 20000; i++) {
    dmd_strbuf_t text, found;
    dmd_strbuf_init(&text, &host.env);
    dmd_strbuf_init(&found, &host.env);
    for (uint64_t n = dice_below(&dice, 40); n > 0; n--)
      dmd_strbuf_str(&text, parts[dice_below(&dice, sizeof parts / sizeof *parts)]);
    dmd_typename_short(&found, text.text);
    /* An argument begins behind a comma and a blank. */
    assert_true(found.n <= 2 * text.n);
    dmd_strbuf_destroy(&found);
    dmd_strbuf_destroy(&text);
  }
  for (char c = '<'; c <= '>'; c += 2) {
    dmd_strbuf_t text, found;
    dmd_strbuf_init(&text, &host.env);
    dmd_strbuf_init(&found, &host.env);
    for (int i = 0; i < 1 << 20; i++)
      dmd_strbuf_bytes(&text, &c, 1);
    dmd_typename_short(&found, text.text);
    dmd_strbuf_destroy(&found);
    dmd_strbuf_destroy(&text);
  }
  host_done(&host);
}

static void shorten(host_t *host, void *arg) {
  (void)arg;
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, &host->env);
  dmd_typename_short(&buf,
                     "std::_Rb_tree_node<std::pair<const shop::stock::VeryLongNameOfSomething, "
                     "shop::stock::AnotherVeryLongName> >");
  dmd_strbuf_destroy(&buf);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(shorten, NULL) >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_nobody_writes_goes),
                                     cmocka_unit_test(what_is_long_even_so),
                                     cmocka_unit_test(what_is_not_understood_stays),
                                     cmocka_unit_test(any_text), cmocka_unit_test(out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
