/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "analysis/location.h"

static void check(const char *frame, const char *function, const char *file, uint64_t line,
                  const char *object, uint64_t offset) {
  host_t host;
  host_init(&host);
  dmd_location_t location;
  dmd_location_init(&location, &host.env, frame);
  assert_string_equal(location.function, function);
  assert_string_equal(location.file != NULL ? location.file : "(none)",
                      file != NULL ? file : "(none)");
  assert_int_equal(location.line, line);
  assert_string_equal(location.object != NULL ? location.object : "(none)",
                      object != NULL ? object : "(none)");
  assert_int_equal(location.offset, offset);
  dmd_location_destroy(&location);
  host_done(&host);
}

static void file_and_line(void **state) {
  (void)state;
  check("main (app.c:30)", "main", "app.c", 30, NULL, 0);
  check("malloc (vg_replace_malloc.c:0)", "malloc", "vg_replace_malloc.c", 0, NULL, 0);
  check("f (C:\\a.c:1)", "f", "C:\\a.c", 1, NULL, 0);
  check("f (a.c)", "f", "a.c", 0, NULL, 0);
  check("f (a.c:?\?\?)", "f", "a.c", 0, NULL, 0);
  check("f (a.c:12x)", "f", "a.c:12x", 0, NULL, 0);
  check("f (a.c:18446744073709551615)", "f", "a.c", UINT64_MAX, NULL, 0);
  check("f (a.c:18446744073709551616)", "f", "a.c:18446744073709551616", 0, NULL, 0);
}

static void object_and_offset(void **state) {
  (void)state;
  check("sq[libsq.so.0 +0xa6]", "sq", NULL, 0, "libsq.so.0", 0xa6);
  check("???[/usr/lib/a b.so +0xFf]", "???", NULL, 0, "/usr/lib/a b.so", 0xff);
  check("f[a +0xffffffffffffffff]", "f", NULL, 0, "a", UINT64_MAX);
  check("f[ +0x1]", "f", NULL, 0, NULL, 1);
}

static void names_like_those_of_cxx(void **state) {
  (void)state;
  check("std::map<int, char>::operator[](int const&) (stl_map.h:5)",
        "std::map<int, char>::operator[](int const&)", "stl_map.h", 5, NULL, 0);
  check("a::(anonymous namespace)::f(int) (a.cc:7)", "a::(anonymous namespace)::f(int)", "a.cc", 7,
        NULL, 0);
  check("operator new[](unsigned long)[libc++.so +0x10]", "operator new[](unsigned long)", NULL, 0,
        "libc++.so", 0x10);
}

static void anything_else_is_a_function(void **state) {
  (void)state;
  static const char *const frames[] = {
      "main", "operator[]", "f()", "f[a +0x]", ")", "]", "f[a +0xg]", "f[a +0x10000000000000000]",
      "[",    "x 12"};
  for (size_t i = 0; i < COUNT_OF(frames); i++)
    check(frames[i], frames[i], NULL, 0, NULL, 0);
}

static void nothing_is_known(void **state) {
  (void)state;
  check("??? (???:?\?\?)", "???", NULL, 0, NULL, 0);
  check("", "???", NULL, 0, NULL, 0);
  check(" (a.c:1)", "???", "a.c", 1, NULL, 0);
  check(" ()", "???", NULL, 0, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_and_line),           cmocka_unit_test(object_and_offset),
      cmocka_unit_test(names_like_those_of_cxx), cmocka_unit_test(anything_else_is_a_function),
      cmocka_unit_test(nothing_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
