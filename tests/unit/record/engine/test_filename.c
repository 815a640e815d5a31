/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"
#include "record/engine/filename.h"

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
      {"%", "% must be followed by p, q{VARIABLE} or another %"},
      {"a%z", "% must be followed by p, q{VARIABLE} or another %"},
      {"%n", "% must be followed by p, q{VARIABLE} or another %"},
      {"%q", "%q must be followed by {VARIABLE}"},
      {"%qJOB", "%q must be followed by {VARIABLE}"},
      {"%q{JOB", "%q must be followed by {VARIABLE}"},
      {"%q{}", "the environment variable '' is not set"},
      {"%q{OTHER}", "the environment variable 'OTHER' is not set"},
      {"~/x", "the shell did not expand the '~' at the start here: use $HOME instead"},
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

/* A user's name is used as it is. */
static void names_that_a_pattern_can_mean(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *name;
    bool is_one;
  } cases[] = {
      {"out.json", "out.json", true},
      {"out.json", "out.jso", false},
      {"out.json", "out.jsonx", false},
      {"out.json", "/start/out.json", false},
      {"out.json", "./out.json", false},
      {"out.json", "", false},
      {"/tmp/%p.json", "/tmp/4711.json", true},
      {"/tmp/%p.json", "/tmp/4712.json", false},
      {"100%%", "100%", true},
      {"%q{JOB}-%p", "nightly-4711", true},
      {"%q{JOB}-%p", "other-4711", true},
      {"%q{JOB}-%p", "a-4711-4711", true},
      {"%q{JOB}-%p", "-4711", true},
      {"%q{JOB}-%p", "a/b-4711", false},
      {"%q{JOB}-%p", "../x-4711", false},
      {"%q{JOB}-%p", "/x-4711", false},
      {"%q{NOT_SET}.json", "x.json", true},
      {"d/%q{JOB}/x", "d/a/x", true},
      {"d/%q{JOB}/x", "d/../x", false},
      {"d/%q{JOB}%q{JOB}/x", "d/../x", false},
      {"d/.%q{JOB}/x", "d/../x", false},
      {"d/.%q{JOB}/x", "d/.../x", true},
      {"../%q{JOB}", "../x", true},
      {"../%q{JOB}", "../..", false},
      {"%q{EMPTY}/x", "/x", false},
      {"%q{WAY}/x", "a/b/x", true},
      {"%q{WAY}/x", "a/c/x", false},
      {"%q{JOB}%q{JOB}%q{JOB}b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
      {"a%", "a%", false},
      {"a%z", "a%z", false},
      {"%q", "x", false},
      {"a\x01", "ab", false},
  };
  fixture_t f;
  begin(&f);
  f.h.variables[2] = "WAY=a/b";
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    if (dmd_filename_matches(cases[i].name, cases[i].pattern, &f.h.engine_host, &f.h.host.env) !=
        cases[i].is_one)
      fail_msg("%s, %s", cases[i].pattern, cases[i].name);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns),      cmocka_unit_test(wrong_patterns),
      cmocka_unit_test(numbers),       cmocka_unit_test(graphs),
      cmocka_unit_test(out_of_memory), cmocka_unit_test(names_that_a_pattern_can_mean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
