/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/filename.h"
#include "enginehost.h"

typedef struct {
  enginehost_t h;
  dmd_strbuf_t name, why;
} fixture_t;

static void begin(fixture_t *f) {
  enginehost_init(&f->h);
  f->h.variables[0] = "JOB=nightly";
  f->h.variables[1] = "EMPTY=";
  dmd_strbuf_init(&f->name, &f->h.host.env);
  dmd_strbuf_init(&f->why, &f->h.host.env);
}

static void end(fixture_t *f) {
  dmd_strbuf_destroy(&f->why);
  dmd_strbuf_destroy(&f->name);
  enginehost_done(&f->h);
}

static void patterns(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *name;
  } cases[] = {
      {"out.json", "/start/out.json"},
      {"/tmp/out.json", "/tmp/out.json"},
      {"dmd.out.%p.json.gz", "/start/dmd.out.4711.json.gz"},
      {"%p%p", "/start/47114711"},
      {"100%%", "/start/100%"},
      {"%%p", "/start/%p"},
      {"%q{JOB}-%p", "/start/nightly-4711"},
      {"%q{EMPTY}/x", "/x"},
      {"%q{JOB}%q{JOB}", "/start/nightlynightly"},
      {"a~b", "/start/a~b"},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_strbuf_cut(&f.name, 0);
    assert_true(dmd_filename_expand(&f.name, cases[i].pattern, &f.h.engine_host, &f.why));
    assert_string_equal(f.name.text, cases[i].name);
    assert_true(dmd_filename_check(cases[i].pattern, &f.h.host.env, &f.h.engine_host, &f.why));
    assert_string_equal(f.why.text, "");
  }
  end(&f);
}

static void wrong_patterns(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *why;
  } cases[] = {
      {"%", "after % there must be p, q{VARIABLE} or another %"},
      {"a%z", "after % there must be p, q{VARIABLE} or another %"},
      {"%n", "after % there must be p, q{VARIABLE} or another %"},
      {"%q", "there is no {VARIABLE} after %q"},
      {"%qJOB", "there is no {VARIABLE} after %q"},
      {"%q{JOB", "there is no {VARIABLE} after %q"},
      {"%q{}", "the environment variable '' is not set"},
      {"%q{OTHER}", "the environment variable 'OTHER' is not set"},
      {"~/x", "a '~' at the start is for the shell, which did not expand it here: $HOME may help"},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_strbuf_cut(&f.why, 0);
    assert_false(dmd_filename_check(cases[i].pattern, &f.h.host.env, &f.h.engine_host, &f.why));
    assert_string_equal(f.why.text, cases[i].why);
  }
  f.h.folder = NULL;
  dmd_strbuf_cut(&f.why, 0);
  assert_false(dmd_filename_check("x", &f.h.host.env, &f.h.engine_host, &f.why));
  assert_string_equal(f.why.text,
                      "the current folder does not exist: the name must begin with '/'");
  assert_true(dmd_filename_check("/x", &f.h.host.env, &f.h.engine_host, &f.why));
  end(&f);
}

static void numbers(void **state) {
  (void)state;
  static const struct {
    const char *name, *numbered;
  } cases[] = {
      {"/a/out.json.gz", "/a/out.12.json.gz"},
      {"/a/out.json", "/a/out.12.json"},
      {"/a/out.gz", "/a/out.12.gz"},
      {"/a/out", "/a/out.12"},
      {"/a/out.json.b", "/a/out.json.b.12"},
      {"/a.json/out", "/a.json/out.12"},
      {"/.json", "/.12.json"},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_strbuf_cut(&f.name, 0);
    dmd_strbuf_str(&f.name, cases[i].name);
    dmd_filename_number(&f.name, 12);
    assert_string_equal(f.name.text, cases[i].numbered);
  }
  end(&f);
}

static void graphs(void **state) {
  (void)state;
  static const struct {
    const char *name, *graph;
  } cases[] = {
      {"/a/out.json.gz", "/a/out.graph.gz"},   {"/a/out.3.json", "/a/out.3.graph.gz"},
      {"/a/out.gz", "/a/out.graph.gz"},        {"/a/out", "/a/out.graph.gz"},
      {"/a.json/out", "/a.json/out.graph.gz"},
  };
  fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_strbuf_cut(&f.name, 0);
    dmd_strbuf_str(&f.name, cases[i].name);
    dmd_filename_make_graph(&f.name);
    assert_string_equal(f.name.text, cases[i].graph);
  }
  end(&f);
}

static void use(host_t *host, void *arg) {
  dmd_strbuf_t name, why;
  dmd_strbuf_init(&name, &host->env);
  dmd_strbuf_init(&why, &host->env);
  dmd_filename_expand(&name, "%q{JOB}.%p.json", arg, &why);
  dmd_filename_number(&name, 3);
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&name);
}

static void out_of_memory(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  assert_true(host_fail_everywhere(use, &f.h.engine_host) >= 4);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns), cmocka_unit_test(wrong_patterns), cmocka_unit_test(numbers),
      cmocka_unit_test(graphs),   cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
