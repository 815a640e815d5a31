/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"
#include "record/engine/loaded.h"

typedef struct {
  enginehost_t h;
  dmd_options_t options;
  dmd_engine_t engine;
} fixture_t;

static void begin(fixture_t *f, uint32_t allocator) {
  enginehost_init(&f->h);
  dmd_options_init(&f->options, &f->h.host.env);
  f->options.allocator = allocator;
  enginehost_object(&f->h, "/home/me/app", NULL, "|main|malloc|");
  enginehost_object(&f->h, "/lib/libc.so.6", "libc.so.6", "|malloc|realloc|free|");
}

static void end(fixture_t *f) {
  dmd_engine_destroy(&f->engine);
  dmd_options_destroy(&f->options);
  enginehost_done(&f->h);
}

static dmd_allocator_t found(fixture_t *f) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f->h.host.env);
  assert_true(dmd_engine_init(&f->engine, &f->h.host.env, &f->h.engine_host, &f->options, &why));
  dmd_strbuf_destroy(&why);
  dmd_engine_settle_allocator(&f->engine);
  return f->engine.live.config.allocator;
}

static void the_c_librarys_by_default(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, 0);
  assert_int_equal(found(&f), DMD_ALLOCATOR_GLIBC);
  assert_false(f.engine.new_rounds_up);
  end(&f);
}

static void libraries(void **state) {
  (void)state;
  static const struct {
    const char *path, *soname;
    dmd_allocator_t allocator;
  } cases[] = {
      {"/usr/lib/libjemalloc.so.2", "libjemalloc.so.2", DMD_ALLOCATOR_JEMALLOC},
      {"/usr/lib/libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so.4", DMD_ALLOCATOR_TCMALLOC},
      {"/usr/lib/libtcmalloc_debug.so.4", "libtcmalloc_debug.so.4", DMD_ALLOCATOR_EXACT},
      {"/usr/lib/libmimalloc.so.2.0", "libmimalloc.so.2", DMD_ALLOCATOR_MIMALLOC},
      {"/opt/firefox/libmozglue.so", "libmozglue.so", DMD_ALLOCATOR_MOZJEMALLOC},
      {"/opt/libother.so", "libother.so", DMD_ALLOCATOR_GLIBC},
      {"/opt/libjemalloc/plugin.so", "plugin.so",
       DMD_ALLOCATOR_GLIBC}, /* the folder alone decides nothing */
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f, 0);
    enginehost_object(&f.h, cases[i].path, cases[i].soname, "|malloc|realloc|");
    assert_int_equal(found(&f), cases[i].allocator);
    end(&f);
  }
}

/* With other names than malloc's: the program has two allocators. */
static void a_library_that_does_not_replace_malloc(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, 0);
  enginehost_object(&f.h, "/usr/lib/libjemalloc.so.2", "libjemalloc.so.2",
                    "|je_malloc|je_realloc|");
  assert_int_equal(found(&f), DMD_ALLOCATOR_GLIBC);
  end(&f);
}

/* Libraries are then recognised by their names; programs are not. */
static void a_host_that_cannot_look_symbols_up(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, 0);
  f.h.knows_no_symbols = true;
  enginehost_object(&f.h, "/usr/lib/libjemalloc.so.2", "libjemalloc.so.2", "||");
  assert_int_equal(found(&f), DMD_ALLOCATOR_JEMALLOC);
  end(&f);
  begin(&f, 0);
  f.h.knows_no_symbols = true;
  f.h.objects[0].functions = "|main|malloc|realloc|mallctl|";
  assert_int_equal(found(&f), DMD_ALLOCATOR_GLIBC);
  end(&f);
}

static void preloaded_ones_come_first(void **state) {
  (void)state;
  static const struct {
    const char *variable;
    dmd_allocator_t allocator;
  } cases[] = {
      {"LD_PRELOAD=/usr/lib/libmimalloc.so.2.0", DMD_ALLOCATOR_MIMALLOC},
      {"LD_PRELOAD=libmimalloc.so.2.0", DMD_ALLOCATOR_MIMALLOC},
      {"LD_PRELOAD=/x/liba.so:/usr/lib/libmimalloc.so.2.0 /usr/lib/libjemalloc.so.2",
       DMD_ALLOCATOR_MIMALLOC},
      {"LD_PRELOAD=: libtcmalloc.so.4 :", DMD_ALLOCATOR_JEMALLOC}, /* it is not loaded */
      {"LD_PRELOAD=", DMD_ALLOCATOR_JEMALLOC},
      {"OTHER=libmimalloc.so.2.0", DMD_ALLOCATOR_JEMALLOC},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f, 0);
    f.h.variables[0] = cases[i].variable;
    enginehost_object(&f.h, "/usr/lib/libmimalloc.so.2.0", "libmimalloc.so.2", "|realloc|");
    enginehost_object(&f.h, "/usr/lib/libjemalloc.so.2", "libjemalloc.so.2", "|realloc|");
    assert_int_equal(found(&f), cases[i].allocator);
    end(&f);
  }
}

static void a_program_that_brings_its_own(void **state) {
  (void)state;
  static const struct {
    const char *functions;
    dmd_allocator_t allocator;
  } cases[] = {{"|main|malloc|realloc|mallctl|", DMD_ALLOCATOR_JEMALLOC},
               {"|main|realloc|tc_malloc|", DMD_ALLOCATOR_TCMALLOC},
               {"|main|realloc|mi_malloc|", DMD_ALLOCATOR_MIMALLOC},
               {"|main|realloc|moz_arena_malloc|mallctl|", DMD_ALLOCATOR_MOZJEMALLOC},
               {"|main|realloc|", DMD_ALLOCATOR_GLIBC},
               {"|main|mallctl|", DMD_ALLOCATOR_GLIBC}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f, 0);
    f.h.objects[0].functions = cases[i].functions;
    assert_int_equal(found(&f), cases[i].allocator);
    end(&f);
  }
}

static void the_user_knows_better(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, 1 + DMD_ALLOCATOR_EXACT);
  enginehost_object(&f.h, "/usr/lib/libjemalloc.so.2", "libjemalloc.so.2", "|realloc|");
  enginehost_object(&f.h, "/usr/lib/libstdc++.so.6.0.30", "libstdc++.so.6", "||");
  assert_int_equal(found(&f), DMD_ALLOCATOR_EXACT);
  assert_true(f.engine.new_rounds_up);
  end(&f);
}

/* GCC 7's is 6.0.24, GCC 12's 6.0.30, GCC 13's 6.0.31. */
static void cxx_libraries_that_round_up(void **state) {
  (void)state;
  static const struct {
    const char *path;
    bool rounds_up;
  } cases[] = {{"/lib/libstdc++.so.6.0.24", true},
               {"/lib/libstdc++.so.6.0.30", true},
               {"/lib/libstdc++.so.6.0.31", false},
               {"/lib/libstdc++.so.6.0.33", false},
               {"/lib/libc++.so.1", false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f, 0);
    enginehost_object(&f.h, cases[i].path, "libstdc++.so.6", "||");
    found(&f);
    assert_int_equal(f.engine.new_rounds_up, cases[i].rounds_up);
    end(&f);
  }
}

/* Libraries that are loaded later change nothing. */
static void once(void **state) {
  (void)state;
  fixture_t f;
  begin(&f, 0);
  assert_int_equal(found(&f), DMD_ALLOCATOR_GLIBC);
  enginehost_object(&f.h, "/usr/lib/libjemalloc.so.2", "libjemalloc.so.2", "|realloc|");
  dmd_engine_settle_allocator(&f.engine);
  assert_int_equal(f.engine.live.config.allocator, DMD_ALLOCATOR_GLIBC);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_c_librarys_by_default),
      cmocka_unit_test(libraries),
      cmocka_unit_test(a_library_that_does_not_replace_malloc),
      cmocka_unit_test(a_host_that_cannot_look_symbols_up),
      cmocka_unit_test(preloaded_ones_come_first),
      cmocka_unit_test(a_program_that_brings_its_own),
      cmocka_unit_test(the_user_knows_better),
      cmocka_unit_test(cxx_libraries_that_round_up),
      cmocka_unit_test(once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
