/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A made-up program: `app` with the functions work, wrap and main, which calls the allocator
 * through the engine's own part, by itself and through the C library, and the libraries box and
 * hoard.
 */
#include "enginehost.h"
#include "record/engine/rules.h"

enum {
  MALLOC = 0x10,   /* in the engine's own part */
  STRDUP = 0x20,   /* in the C library */
  WORK = 0x30,     /* in app */
  WRAP = 0x40,     /* the same */
  MAIN = 0x50,     /* the same */
  IN_BOX = 0x60,   /* in a library */
  INLINED = 0x70,  /* app's outer, with inner inlined */
  NAMELESS = 0x80, /* app, without a symbol */
  NOWHERE = 0x90,  /* in no file */
  HOARD = 0xa0,    /* in a library of an allocator */
  METHOD = 0xb0    /* gfx::Canvas::resize(int) const */
};

typedef struct {
  enginehost_t h;
  dmd_options_t options;
  dmd_live_t live;
  dmd_rules_t rules;
} fixture_t;

static void give(fixture_t *f, const char *argument) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f->h.host.env);
  const dmd_option_t *option = dmd_option_of(&dmd_engine_options, argument);
  assert_non_null(option);
  assert_true(dmd_option_set(option, &f->options, argument, &why));
  dmd_strbuf_destroy(&why);
}

/* Options in one string, with a blank between them. */
static void begin(fixture_t *f, const char *given) {
  enginehost_init(&f->h);
  enginehost_t *h = &f->h;
  enginehost_code(h, MALLOC, "/vg/vgpreload_dmd.so", "", "malloc")->is_engine = true;
  enginehost_code(h, STRDUP, "/usr/lib/libc.so.6", "libc.so.6", "strdup");
  enginehost_code(h, WORK, "/home/me/app", "", "work (app.c:1)");
  enginehost_code(h, WRAP, "/home/me/app", "", "wrap (app.c:2)");
  enginehost_code(h, MAIN, "/home/me/app", "", "main (app.c:3)");
  enginehost_code(h, IN_BOX, "/opt/box", "libbox.so.1", "in_box (box.c:1)");
  enginehost_code(h, INLINED, "/home/me/app", "", "inner (app.h:1)|outer (app.c:4)");
  enginehost_code(h, NAMELESS, "/home/me/app", "", "");
  enginehost_code(h, NOWHERE, NULL, "", "");
  enginehost_code(h, HOARD, "/opt/libhoard.so", "libhoard.so", "hoard_alloc");
  enginehost_code(h, METHOD, "/home/me/app", "", "gfx::Canvas::resize(int) const (app.cc:9)");
  dmd_options_init(&f->options, &h->host.env);
  char text[256];
  assert_true(strlen(given) < sizeof text);
  strcpy(text, given);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
    give(f, word);
  dmd_live_config_t config = dmd_options_live(&f->options);
  config.word_szB = 8;
  dmd_live_init(&f->live, &h->host.env, &config);
  dmd_rules_init(&f->rules, &h->host.env, &h->engine_host, &f->options, &f->live);
}

static void end(fixture_t *f) {
  dmd_rules_destroy(&f->rules);
  dmd_live_destroy(&f->live);
  dmd_options_destroy(&f->options);
  enginehost_done(&f->h);
}

/* A stack that begins in malloc, followed by one or two places (0: none). */
static uint32_t stack(fixture_t *f, uint64_t caller, uint64_t outer) {
  return outer == 0 ? enginehost_stack(&f->h, 2, (uint64_t)MALLOC, caller)
                    : enginehost_stack(&f->h, 3, (uint64_t)MALLOC, caller, outer);
}

/* The tag of blocks allocated there, or "". */
static const char *tag(fixture_t *f, uint64_t caller, uint64_t outer) {
  uint32_t id = dmd_rules_tag(&f->rules, stack(f, caller, outer));
  return id == DMD_NONE ? "" : dmd_intern_get_str(&f->live.tag_names, id);
}

/* The reporter if malloc_usable_size is called there, or "". */
static const char *reporter(fixture_t *f, uint64_t caller, uint64_t outer, uint32_t alloc_stack) {
  uint32_t id;
  bool reports = dmd_rules_reports(&f->rules, stack(f, caller, outer), alloc_stack, &id);
  return reports ? dmd_intern_get_str(&f->live.reporter_names, id) : "";
}

static void what_is_given(void **state) {
  (void)state;
  static const struct {
    const char *given;
    bool tag, report;
  } cases[] = {{"", false, false},
               {"--tag-fn=a=b", true, false},
               {"--tag-library=a=b", true, false},
               {"--report-fn=a", false, true},
               {"--report-usable-size=yes", false, true},
               {"--report-fn=a --tag-fn=a=b", true, true}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f, cases[i].given);
    assert_int_equal(f.rules.tag, cases[i].tag);
    assert_int_equal(f.rules.report, cases[i].report);
    end(&f);
  }
}

static void the_innermost_that_is_not_the_allocators_allocated(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-fn=work=w --tag-fn=main=m --tag-fn=malloc=no --tag-fn=strdup=no "
            "--tag-fn=hoard_alloc=no");
  assert_string_equal(tag(&f, WORK, MAIN), "w");
  assert_string_equal(tag(&f, STRDUP, WORK), "w");
  assert_string_equal(tag(&f, HOARD, WORK), "w");
  assert_string_equal(tag(&f, MAIN, WORK), "m");
  assert_string_equal(tag(&f, WRAP, WORK), ""); /* wrap is the innermost */
  assert_string_equal(tag(&f, STRDUP, 0), "");  /* no function is */
  end(&f);
}

static void stars_look_at_every_frame(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-fn=**work=w --tag-fn=**strdup=s");
  assert_string_equal(tag(&f, WORK, MAIN), "w");
  assert_string_equal(tag(&f, WRAP, WORK), "w");
  assert_string_equal(tag(&f, STRDUP, MAIN), "s"); /* even the allocator's */
  assert_string_equal(tag(&f, STRDUP, WORK), "w"); /* the first rule, not the innermost frame */
  end(&f);
}

static void inlined_functions_are_functions(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-fn=outer=o --tag-fn=inner=i");
  assert_string_equal(tag(&f, INLINED, 0), "i");
  end(&f);
  begin(&f, "--tag-fn=outer=o");
  assert_string_equal(tag(&f, INLINED, 0), "");
  end(&f);
  begin(&f, "--tag-fn=**outer=o");
  assert_string_equal(tag(&f, INLINED, 0), "o");
  end(&f);
}

static void libraries_by_path_base_and_soname(void **state) {
  (void)state;
  static const char *const match[] = {"box", "/opt/box", "libbox.so.?", "/opt/*"};
  static const char *const do_not[] = {"bo", "/box", "libbox", "app"};
  for (size_t i = 0; i < COUNT_OF(match) + COUNT_OF(do_not); i++) {
    char option[64] = "--tag-library=";
    bool expected = i < COUNT_OF(match);
    strcat(option, expected ? match[i] : do_not[i - COUNT_OF(match)]);
    strcat(option, "=b");
    fixture_t f;
    begin(&f, option);
    assert_string_equal(tag(&f, IN_BOX, WORK), expected ? "b" : "");
    end(&f);
  }
}

static void the_first_rule_wins(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-library=app=library --report-fn=x --tag-fn=work=function --tag-fn=**main=any");
  assert_string_equal(tag(&f, WORK, MAIN), "library");
  end(&f);
  begin(&f, "--tag-fn=work=function --tag-library=app=library --tag-fn=**main=any");
  assert_string_equal(tag(&f, WORK, MAIN), "function");
  assert_string_equal(tag(&f, WRAP, MAIN), "library");
  end(&f);
  begin(&f, "--tag-fn=work=function --tag-fn=**malloc=any");
  assert_string_equal(tag(&f, WORK, MAIN), "function");
  assert_string_equal(tag(&f, WRAP, MAIN), "any");
  end(&f);
  begin(&f, "--tag-fn=**main=any --tag-fn=work=function");
  assert_string_equal(tag(&f, WORK, MAIN), "any");
  end(&f);
}

static void plain_names_match_too(void **state) {
  (void)state;
  static const char *const match[] = {"gfx::Canvas::resize", "gfx::Canvas::resize(int)*const",
                                      "*resize"};
  for (size_t i = 0; i < COUNT_OF(match); i++) {
    char option[64] = "--tag-fn=";
    strcat(strcat(option, match[i]), "=m");
    fixture_t f;
    begin(&f, option);
    assert_string_equal(tag(&f, METHOD, 0), "m");
    end(&f);
  }
}

static void code_in_no_file_is_the_programs(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-library=*=l --tag-fn=*=f --report-usable-size=yes");
  assert_string_equal(tag(&f, NOWHERE, WORK), "");   /* it has no name to match */
  assert_string_equal(tag(&f, NAMELESS, WORK), "l"); /* this one's file has */
  assert_string_equal(reporter(&f, NOWHERE, WORK, DMD_NONE), "explicit/");
  end(&f);
}

static void named_reporters(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--report-fn=w* --report-fn=main");
  /* The innermost of the matching functions, whatever else is on the stack. */
  assert_string_equal(reporter(&f, WORK, MAIN, DMD_NONE), "explicit/work");
  assert_string_equal(reporter(&f, IN_BOX, WRAP, DMD_NONE), "explicit/wrap");
  assert_string_equal(reporter(&f, STRDUP, MAIN, DMD_NONE), "explicit/main");
  assert_string_equal(reporter(&f, IN_BOX, METHOD, DMD_NONE), "");
  /* A named function reports even a block that it allocated itself. */
  assert_string_equal(reporter(&f, WORK, MAIN, stack(&f, WORK, MAIN)), "explicit/work");
  end(&f);
  begin(&f, "--report-fn=*resize");
  assert_string_equal(reporter(&f, METHOD, 0, DMD_NONE), "explicit/gfx::Canvas::resize");
  end(&f);
}

static void all_calls_are_reports(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--report-usable-size=yes --report-fn=main");
  assert_string_equal(reporter(&f, WORK, 0, DMD_NONE), "explicit/work");
  assert_string_equal(reporter(&f, WORK, MAIN, DMD_NONE),
                      "explicit/main"); /* named functions first */
  assert_string_equal(reporter(&f, INLINED, 0, DMD_NONE), "explicit/inner");
  assert_string_equal(reporter(&f, NAMELESS, 0, DMD_NONE), "explicit/app");
  /* Calls that the C library and allocators make for themselves. */
  assert_string_equal(reporter(&f, STRDUP, WORK, DMD_NONE), "");
  assert_string_equal(reporter(&f, HOARD, WORK, DMD_NONE), "");
  end(&f);
}

static void wrappers_do_not_report(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--report-usable-size=yes");
  uint32_t by_wrap = stack(&f, WRAP, WORK), by_main = stack(&f, MAIN, 0);
  uint32_t by_nameless = stack(&f, NAMELESS, 0);
  assert_string_equal(reporter(&f, WRAP, MAIN, by_wrap), ""); /* it counts its own allocations */
  assert_string_equal(reporter(&f, WORK, 0, by_wrap), "explicit/work");
  assert_string_equal(reporter(&f, WRAP, 0, DMD_NONE), "explicit/wrap");
  assert_string_equal(reporter(&f, MAIN, 0, by_main), "explicit/main"); /* main is not a wrapper */
  /* Two functions without names need not be the same. */
  assert_string_equal(reporter(&f, NAMELESS, 0, by_nameless), "explicit/app");
  end(&f);
}

/* The innermost named function decides. */
static void questions_of_capacity_are_no_reports(void **state) {
  (void)state;
  fixture_t f;
  begin(&f,
        "--report-usable-size=yes --no-report-fn=wr?p --report-fn=in_box --no-report-fn=unused");
  assert_string_equal(reporter(&f, WORK, 0, DMD_NONE), "explicit/work");
  assert_string_equal(reporter(&f, WORK, WRAP, DMD_NONE), "");
  assert_string_equal(reporter(&f, IN_BOX, WRAP, DMD_NONE), "explicit/in_box");
  assert_string_equal(reporter(&f, WRAP, IN_BOX, DMD_NONE), "");
  /* Rules that are built into dmd, for redis and RocksDB; the user's rules override them. */
  enginehost_code(&f.h, 0xc0, "/usr/bin/redis-server", "", "lpInsert.part.0 (listpack.c:700)");
  enginehost_code(&f.h, 0xd0, "/lib/librocksdb.so", "",
                  "rocksdb::lru_cache::LRUHandle::GetCharge(int) const (lru_cache.h:1)");
  assert_string_equal(reporter(&f, WORK, 0xc0, DMD_NONE), "");
  assert_string_equal(reporter(&f, 0xd0, WORK, DMD_NONE), "");
  dmd_rules_say_unused(&f.rules);
  assert_string_equal(sink_text(&f.h.said),
                      "dmd: --no-report-fn=unused: it never prevented a report\n");
  end(&f);
  begin(&f, "--report-fn=lp*");
  enginehost_code(&f.h, 0xc0, "/usr/bin/redis-server", "", "lpInsert (listpack.c:700)");
  assert_string_equal(reporter(&f, WORK, 0xc0, DMD_NONE), "explicit/lpInsert");
  end(&f);
}

static void slashes_begin_no_branch(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--report-fn=operator*");
  enginehost_code(&f.h, 0xc0, "/home/me/app", "", "operator/ (app.cc:1)");
  assert_string_equal(reporter(&f, 0xc0, 0, DMD_NONE), "explicit/operator\\");
  end(&f);
}

static void names_end_somewhere(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--report-fn=x*");
  char *name = malloc(5001);
  memset(name, 'x', 5000);
  name[5000] = '\0';
  enginehost_code(&f.h, 0xc0, "/home/me/app", "", name);
  assert_int_equal(strlen(reporter(&f, 0xc0, 0, DMD_NONE)), DMD_MAX_NAME);
  free(name);
  end(&f);
}

/* A rule that is hidden by an earlier one is unused, too. */
static void rules_that_did_nothing_are_said(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-fn=work=w --tag-library=no_such*=x --tag-fn=**m??n=m --tag-fn=wor*=late "
            "--report-fn=wrap --report-fn=main");
  assert_string_equal(tag(&f, WORK, MAIN), "w");
  assert_string_equal(tag(&f, WRAP, MAIN), "m");
  assert_string_equal(reporter(&f, WRAP, MAIN, DMD_NONE), "explicit/wrap");
  dmd_rules_say_unused(&f.rules);
  assert_string_equal(sink_text(&f.h.said), "dmd: --tag-library=no_such*=x: no block got its tag\n"
                                            "dmd: --tag-fn=wor*=late: no block got its tag\n"
                                            "dmd: --report-fn=main: it never made a report\n");
  assert_int_equal(dmd_intern_count(&f.live.reporter_names),
                   1); /* it did not report, so it is not a reporter */
  end(&f);
}

static void each_address_is_judged_once(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, "--tag-fn=work=w");
  uint32_t first = stack(&f, WORK, MAIN), second = stack(&f, WRAP, MAIN);
  for (int i = 0; i < 3; i++) {
    dmd_rules_tag(&f.rules, first);
    dmd_rules_tag(&f.rules, second);
  }
  for (uint32_t i = 0; i < f.h.n_codes; i++)
    assert_true(f.h.codes[i].n_asked <= 1);
  assert_int_equal(f.h.codes[0].n_asked, 1); /* malloc, which is in both */
  end(&f);
}

static void use(host_t *host, void *arg) {
  enginehost_t *h = arg;
  dmd_options_t options;
  dmd_live_t live;
  dmd_rules_t rules;
  dmd_strbuf_t why;
  uint32_t id;
  dmd_options_init(&options, &host->env);
  dmd_strbuf_init(&why, &host->env);
  dmd_option_set(dmd_option_of(&dmd_engine_options, "--tag-fn=a=b"), &options, "--tag-fn=a=b",
                 &why);
  dmd_strbuf_destroy(&why);
  options.report_usable_size = true;
  dmd_live_config_t config = dmd_options_live(&options);
  config.word_szB = 8;
  dmd_live_init(&live, &host->env, &config);
  dmd_rules_init(&rules, &host->env, &h->engine_host, &options, &live);
  dmd_rules_tag(&rules, 1);
  dmd_rules_reports(&rules, 1, 1, &id);
  dmd_rules_destroy(&rules);
  dmd_live_destroy(&live);
  dmd_options_destroy(&options);
}

static void out_of_memory(void **state) {
  (void)state;
  enginehost_t h;
  enginehost_init(&h);
  enginehost_code(&h, 0x10, "/bin/app", "", "work (a.c:1)");
  enginehost_stack(&h, 1, UINT64_C(0x10));
  assert_true(host_fail_everywhere(use, &h) > 10);
  enginehost_done(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_given),
      cmocka_unit_test(the_innermost_that_is_not_the_allocators_allocated),
      cmocka_unit_test(stars_look_at_every_frame),
      cmocka_unit_test(inlined_functions_are_functions),
      cmocka_unit_test(libraries_by_path_base_and_soname),
      cmocka_unit_test(the_first_rule_wins),
      cmocka_unit_test(plain_names_match_too),
      cmocka_unit_test(code_in_no_file_is_the_programs),
      cmocka_unit_test(named_reporters),
      cmocka_unit_test(all_calls_are_reports),
      cmocka_unit_test(wrappers_do_not_report),
      cmocka_unit_test(questions_of_capacity_are_no_reports),
      cmocka_unit_test(slashes_begin_no_branch),
      cmocka_unit_test(names_end_somewhere),
      cmocka_unit_test(rules_that_did_nothing_are_said),
      cmocka_unit_test(each_address_is_judged_once),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
