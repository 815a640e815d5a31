/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "analyse/records/plain.h"

#define UNKNOWN DMD_OFFSET_UNKNOWN

/* ---- Taking texts apart. ---- */

static const char *or_none(const char *s) {
  return s != NULL ? s : "(none)";
}

static void check(const char *frame, const char *function, const char *file, uint64_t line,
                  const char *object, uint64_t offset) {
  host_t host;
  host_init(&host);
  dmd_frames_t frames;
  dmd_frames_init(&frames, &host.env);
  uint32_t id = dmd_frames_read_text(&frames, frame);
  dmd_location_t location = dmd_frames_location(&frames, id);
  assert_string_equal(dmd_frames_text(&frames, id), frame);
  assert_string_equal(or_none(location.function), or_none(function));
  assert_string_equal(or_none(location.file), or_none(file));
  assert_int_equal(location.line, line);
  assert_string_equal(or_none(location.object), or_none(object));
  assert_int_equal(location.offset, offset);
  dmd_frames_destroy(&frames);
  host_done(&host);
}

static void file_and_line(void **state) {
  (void)state;
  check("main (app.c:30)", "main", "app.c", 30, NULL, UNKNOWN);
  check("malloc (vg_replace_malloc.c:0)", "malloc", "vg_replace_malloc.c", 0, NULL, UNKNOWN);
  check("f (C:\\a.c:1)", "f", "C:\\a.c", 1, NULL, UNKNOWN);
  check("f (a.c)", "f", "a.c", 0, NULL, UNKNOWN);
  check("f (a.c:?\?\?)", "f", "a.c", 0, NULL, UNKNOWN);
  check("f (a.c:12x)", "f", "a.c:12x", 0, NULL, UNKNOWN);
  check("f (a.c:18446744073709551615)", "f", "a.c", UINT64_MAX, NULL, UNKNOWN);
  check("f (a.c:18446744073709551616)", "f", "a.c:18446744073709551616", 0, NULL, UNKNOWN);
}

static void object_and_offset(void **state) {
  (void)state;
  check("sq[libsq.so.0 +0xa6]", "sq", NULL, 0, "libsq.so.0", 0xa6);
  check("???[/usr/lib/a b.so +0xFf]", NULL, NULL, 0, "/usr/lib/a b.so", 0xff);
  check("f[a +0xffffffffffffffff]", "f", NULL, 0, "a", UINT64_MAX);
  check("f[ +0x1]", "f", NULL, 0, NULL, 1);
}

static void names_like_those_of_cxx(void **state) {
  (void)state;
  check("std::map<int, char>::operator[](int const&) (stl_map.h:5)",
        "std::map<int, char>::operator[](int const&)", "stl_map.h", 5, NULL, UNKNOWN);
  check("a::(anonymous namespace)::f(int) (a.cc:7)", "a::(anonymous namespace)::f(int)", "a.cc", 7,
        NULL, UNKNOWN);
  check("operator new[](unsigned long)[libc++.so +0x10]", "operator new[](unsigned long)", NULL, 0,
        "libc++.so", 0x10);
}

static void anything_else_is_a_function(void **state) {
  (void)state;
  static const char *const frames[] = {
      "main", "operator[]", "f()", "f[a +0x]", ")", "]", "f[a +0xg]", "f[a +0x10000000000000000]",
      "[",    "x 12"};
  for (size_t i = 0; i < COUNT_OF(frames); i++)
    check(frames[i], frames[i], NULL, 0, NULL, UNKNOWN);
}

static void nothing_is_known(void **state) {
  (void)state;
  check("??? (???:?\?\?)", NULL, NULL, 0, NULL, UNKNOWN);
  check("", NULL, NULL, 0, NULL, UNKNOWN);
  check(" (a.c:1)", NULL, "a.c", 1, NULL, UNKNOWN);
  check(" ()", NULL, NULL, 0, NULL, UNKNOWN);
}

/* ---- Making them. ---- */

static void begin(host_t *host, dmd_frames_t *frames) {
  host_init(host);
  dmd_frames_init(frames, &host->env);
}

static void end(host_t *host, dmd_frames_t *frames) {
  dmd_frames_destroy(frames);
  host_done(host);
}

static uint32_t add(dmd_frames_t *frames, const char *function, const char *file, uint64_t line,
                    const char *object, uint64_t offset) {
  const dmd_location_t location = {
      .function = function, .file = file, .line = line, .object = object, .offset = offset};
  return dmd_frames_add(frames, &location);
}

static void a_text_is_made_of_what_is_known(void **state) {
  (void)state;
  static const struct {
    const char *function, *file;
    uint64_t line;
    const char *object;
    uint64_t offset;
    const char *text;
  } cases[] = {
      {"f", "a.c", 12, "/l/x.so", 0x10, "f (a.c:12)"},
      {"f", "a.c", 12, NULL, UNKNOWN, "f (a.c:12)"},
      {"f", NULL, 0, "/l/x.so", 0xa6, "f[/l/x.so +0xa6]"},
      {NULL, NULL, 0, "/l/x.so", 0xa6, "?\?\?[/l/x.so +0xa6]"},
      {"", "a.c", 3, "/l/x.so", 1, "?\?\? (a.c:3)"},
      {NULL, NULL, 0, NULL, UNKNOWN, "?\?\? (?\?\?:?\?\?)"},
      {"made_at_run_time", NULL, 0, NULL, UNKNOWN, "?\?\? (?\?\?:?\?\?)"},
      {"f\xff", "\xff.c", 1, NULL, UNKNOWN, "f\xef\xbf\xbd (\xef\xbf\xbd.c:1)"},
  };
  host_t host;
  dmd_frames_t frames;
  begin(&host, &frames);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint32_t id = add(&frames, cases[i].function, cases[i].file, cases[i].line, cases[i].object,
                      cases[i].offset);
    assert_string_equal(dmd_frames_text(&frames, id), cases[i].text);
  }
  end(&host, &frames);
}

/* The first of several calls in a line says where; the same line of another object is another frame
 * with equal text. */
static void frames_of_a_line_and_object_are_one(void **state) {
  (void)state;
  host_t host;
  dmd_frames_t frames;
  begin(&host, &frames);
  uint32_t a = add(&frames, "f", "a.h", 1, "/l/a.so", 0x10);
  assert_int_equal(add(&frames, "f", "a.h", 1, "/l/a.so", 0x20), a);
  assert_int_equal(dmd_frames_at(&frames, a)->offset, 0x10);
  assert_false(frames.any_alike);
  uint32_t b = add(&frames, "f", "a.h", 1, "/l/b.so", 0x10);
  assert_int_not_equal(a, b);
  assert_true(frames.any_alike);
  assert_int_equal(dmd_frames_at(&frames, a)->alike, a);
  assert_int_equal(dmd_frames_at(&frames, b)->alike, a);
  assert_string_equal(dmd_frames_text(&frames, b), "f (a.h:1)");
  uint32_t c = add(&frames, "f", "a.h", 2, "/l/b.so", 0x10);
  assert_int_equal(dmd_frames_at(&frames, c)->alike, c);
  assert_int_equal(add(&frames, "g", NULL, 0, "/l/b.so", 0x10),
                   dmd_frames_read_text(&frames, "g[/l/b.so +0x10]"));
  end(&host, &frames);
}

/* Names that look like another part of the text. With the fields that a file adds to such a text,
 * they are read back unchanged.
 */
static void what_a_text_does_not_tell(void **state) {
  (void)state;
  static const struct {
    dmd_location_t location;
    bool object, function;
  } cases[] = {
      {{"f", "a.c", 12, NULL, UNKNOWN, NULL}, false, false},
      {{"f", "a.c", 12, "/l/x.so", 0x10, NULL}, true, false},
      {{"f", NULL, 0, "/l/x.so", 0x10, NULL}, false, false},
      {{"f", "a (copy).c", 12, "/l/x.so", 0x10, NULL}, true, true},
      {{NULL, "a (copy).c", 12, NULL, UNKNOWN, NULL}, false, true},
      {{"f", NULL, 0, "/l/[x].so", 0x10, NULL}, true, true},
      {{"f", NULL, 0, "/l/x +0x1.so", 0x10, NULL}, false, false},
      {{"operator[](int)", "a.c", 7, NULL, UNKNOWN, NULL}, false, false},
      {{"operator[]", NULL, 0, "x", 1, NULL}, false, false},
      {{"f", NULL, 0, "/l/x.so", 0x10, "0a1b"}, true, false},
      {{NULL, NULL, 0, "/l/x.so", 0x10, ""}, true, false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    host_t host;
    dmd_frames_t from, to;
    begin(&host, &from);
    dmd_frames_init(&to, &host.env);
    uint32_t id = dmd_frames_add(&from, &cases[i].location);
    dmd_location_t l = dmd_frames_location(&from, id);
    dmd_frame_rest_t rest = dmd_frames_rest(&from, id);
    assert_int_equal(rest.object, cases[i].object);
    assert_int_equal(rest.function, cases[i].function);
    const char *text = dmd_frames_text(&from, id);
    const dmd_frame_words_t words = {.text = dmd_frames_keep_text(&to, text, strlen(text)),
                                     .function = !rest.function       ? NULL
                                                 : l.function != NULL ? l.function
                                                                      : "?\?\?",
                                     .object = rest.object ? l.object : NULL,
                                     .build_id = rest.object ? l.build_id : NULL,
                                     .offset = l.offset};
    dmd_location_t read = dmd_frames_location(&to, dmd_frames_read(&to, &words));
    assert_string_equal(or_none(read.function), or_none(l.function));
    assert_string_equal(or_none(read.file), or_none(l.file));
    assert_string_equal(or_none(read.object), or_none(l.object));
    assert_string_equal(or_none(read.build_id), or_none(l.build_id));
    assert_int_equal(read.line, l.line);
    assert_int_equal(read.offset, l.offset);
    uint32_t copy = dmd_frames_copy(&to, &from, id);
    assert_string_equal(dmd_frames_text(&to, copy), text);
    assert_int_equal(dmd_frames_count(&to), 1);
    dmd_frames_destroy(&to);
    end(&host, &from);
  }
}

static void without_lines(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"f (a.c:12)", "f (a.c)"},
                                         {"f[/l/x.so +0x10]", "f[/l/x.so]"},
                                         {"?\?\?[/l/x.so +0x10]", "?\?\?[/l/x.so]"},
                                         {"f (a.c)", "f (a.c)"},
                                         {"main", "main"},
                                         {"?\?\? (?\?\?:?\?\?)", "?\?\? (?\?\?:?\?\?)"}};
  host_t host;
  dmd_frames_t frames;
  begin(&host, &frames);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = dmd_frame_without_line(&frames, dmd_frames_read_text(&frames, cases[i][0]));
    assert_string_equal(text, cases[i][1]);
    dmd_env_free(&host.env, text);
  }
  end(&host, &frames);
}

/* Only a frame without a name is shorter: the object's folders are left out. */
static void in_brief(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"?\?\?[/usr/bin/python3.11 +0x4fea69]", "python3.11+0x4fea69"},
      {"?\?\?[lib.so +0x0]", "lib.so+0x0"},
      {"sq[/usr/lib/libsq.so.0 +0xa6]", "sq[/usr/lib/libsq.so.0 +0xa6]"},
      {"f (a.c:1)", "f (a.c:1)"},
      {"?\?\?", "?\?\?"},
      {"?\?\? (?\?\?:?\?\?)", "?\?\? (?\?\?:?\?\?)"},
      {"?\?\?[a +0xffffffffffffffff]", "?\?\?[a +0xffffffffffffffff]"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    host_t host;
    dmd_frames_t frames;
    dmd_strbuf_t text;
    begin(&host, &frames);
    dmd_strbuf_init(&text, &host.env);
    dmd_frame_brief(&text, &frames, dmd_frames_read_text(&frames, cases[i][0]));
    assert_string_equal(text.text, cases[i][1]);
    dmd_strbuf_destroy(&text);
    end(&host, &frames);
  }
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_frames_t frames, to;
  dmd_frames_init(&frames, &host->env);
  dmd_frames_init(&to, &host->env);
  add(&frames, "f\xff", "a.c", 1, "/l/x.so", 2);
  dmd_frames_copy(&to, &frames, dmd_frames_read_text(&frames, "g[/l/x.so +0x1]"));
  dmd_frames_destroy(&to);
  dmd_frames_destroy(&frames);
}

static void out_of_memory(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  assert_true(host_fail_everywhere(use, NULL) > 10);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_and_line),
      cmocka_unit_test(object_and_offset),
      cmocka_unit_test(names_like_those_of_cxx),
      cmocka_unit_test(anything_else_is_a_function),
      cmocka_unit_test(nothing_is_known),
      cmocka_unit_test(a_text_is_made_of_what_is_known),
      cmocka_unit_test(frames_of_a_line_and_object_are_one),
      cmocka_unit_test(what_a_text_does_not_tell),
      cmocka_unit_test(without_lines),
      cmocka_unit_test(in_brief),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
