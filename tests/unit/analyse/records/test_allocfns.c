/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The function that allocated: frames that only allocate for their callers are skipped.
 */
#include "fixture.h"

#include "analyse/records/allocfns.h"
#include "analyse/records/allocsite.h"

#include <stdio.h>

#define M "malloc (vg_replace_malloc.c:0)@/v/vgpreload_dmd-amd64-linux.so|"

/* The first own frame of the stack is marked by a second bar before it: "a|b||c". */
static void expect(const char *stack, const char *const *patterns, size_t n_patterns) {
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  f.profile.frame_view.alloc_fns = patterns;
  f.profile.frame_view.n_alloc_fns = n_patterns;
  char without_mark[1024];
  const char *mark = strstr(stack, "||");
  assert_non_null(mark);
  snprintf(without_mark, sizeof without_mark, "%.*s%s", (int)(mark - stack), stack, mark + 1);
  size_t expected = 1, n;
  for (const char *s = stack; s < mark; s++)
    expected += *s == '|';
  const uint32_t *frames =
      dmd_profile_frames(&f.profile, build_stack(&f.profile, without_mark), &n);
  dmd_allocfns_t fns;
  dmd_allocfns_init(&fns, &f.profile);
  size_t got = dmd_first_own_frame(&fns, frames, n);
  assert_true(dmd_has_own_frame(&fns, frames, n));
  if (got != expected)
    fail_msg("%s: frame %zu", stack, got);
  dmd_allocfns_destroy(&fns);
  fixture_end(&f);
}

static void wrappers_of_malloc(void **state) {
  (void)state;
  expect(M "ztrymalloc_usable_internal (zmalloc.c:110)|zmalloc (zmalloc.c:130)||sdsnew (sds.c:1)|"
           "main (s.c:1)",
         NULL, 0);
  expect(M "g_malloc0_n[/l/libglib-2.0.so.0 +0x1]||app_new (app.c:1)|main (s.c:1)", NULL, 0);
  expect(M "xmlMalloc (x.c:1)|xmlMallocLoc (x.c:2)||parse (x.c:3)", NULL, 0);
  expect(M "isc__mem_get[/l/libisc.so +0x1]||dns_name_new (n.c:3)", NULL, 0);
  expect(M
         "ngx_alloc[/b/nginx +0x1]|ngx_create_pool[/b/nginx +0x2]||ngx_event_accept[/b/nginx +0x3]",
         NULL, 0);
  expect(M "xstrdup (x.c:1)||parse (x.c:3)", NULL, 0);
  expect(M "strdup[/l/libc.so.6 +0x1]|??\?[/l/libc.so.6 +0x2]||parse (x.c:3)", NULL, 0);
}

/* Only the exported functions of a stripped library have names. */
static void static_functions_of_a_wrapper(void **state) {
  (void)state;
#define IN_SQLITE "[/l/libsqlite3.so.0 +0x"
  expect(M "??\?" IN_SQLITE "1]|sqlite3Malloc" IN_SQLITE "2]||??\?" IN_SQLITE "3]|main (s.c:1)",
         NULL, 0);
  expect(M "|??\?[/usr/bin/app +0x1]|sqlite3Malloc" IN_SQLITE "2]|main (s.c:1)", NULL, 0);
}

static void allocators_with_names_of_their_own(void **state) {
  (void)state;
  static const char *const functions[] = {"_rjem_rallocx", "je_mallocx", "mi_zalloc_aligned",
                                          "mi_zalloc", "_rjem_realloc"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    char stack[200];
    snprintf(stack, sizeof stack, "%s (libdmd.so:0)@/l/libdmd.so||grow (g.c:1)|main (g.c:2)",
             functions[i]);
    expect(stack, NULL, 0);
  }
}

static void the_library_of_rust(void **state) {
  (void)state;
  expect(M "alloc::alloc::alloc (alloc.rs:89)|<alloc::alloc::Global as "
           "core::alloc::Allocator>::allocate (alloc.rs:231)|"
           "alloc::raw_vec::RawVec<T,A>::allocate_in "
           "(raw_vec.rs:185)|alloc::vec::Vec<T,A>::with_capacity_in (mod.rs:641)|"
           "<T as alloc::slice::hack::ConvertVec>::to_vec (slice.rs:229)||jar::Jar::new "
           "(jar.rs:5)|jar::main (jar.rs:9)",
         NULL, 0);
  expect(M "alloc (alloc.rs:89)|with_capacity_in<u8, alloc::alloc::Global> (mod.rs:641)|new<u32> "
           "(boxed.rs:215)||"
           "jar::main::{{closure}} (jar.rs:9)",
         NULL, 0);
  expect(M "<alloc::vec::Vec<u8> as core::clone::Clone>::clone (mod.rs:2)||<jar::Jar as "
           "core::clone::Clone>::clone (jar.rs:9)",
         NULL, 0);
  expect(M "|core::Engine::make(int) (engine.cc:5)|main (jar.cc:9)", NULL, 0);
  expect(M "<u8 as alloc::vec::spec_from_elem::SpecFromElem>::from_elem (s.rs:42)||"
           "<jar::Jar as alloc::string::ToString>::to_string (jar.rs:9)",
         NULL, 0);
}

/* A name with malloc elsewhere in it is not a wrapper's, nor is a frame further out. */
static void functions_of_their_own(void **state) {
  (void)state;
  expect(M "|new_node(malloc_state*) (n.cc:3)|main (s.c:1)", NULL, 0);
  expect(M "|jemalloc_bench::run() (n.cc:3)|main (s.c:1)", NULL, 0);
  expect(M "|run (n.cc:3)|test_malloc (s.c:1)|main (s.c:1)", NULL, 0);
  expect(M "xmalloc (x.c:1)||main (s.c:1)", NULL, 0);
  expect(M "|??\?[/usr/bin/app +0x1]|xmalloc (x.c:1)", NULL, 0);
}

static void the_cxx_library(void **state) {
  (void)state;
  expect(
      "operator new(unsigned long) (vg_replace_malloc.c:0)@/v/vgpreload_dmd.so|"
      "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*) (new_allocator.h:127)|"
      "std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned "
      "long) (alloc_traits.h:464)|"
      "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&) "
      "(vector.tcc:440)|"
      "std::vector<int, std::allocator<int> >::push_back(int const&) (stl_vector.h:1198)||"
      "Jar::fill(int) (jar.cc:12)|std::thread::_Invoker<int>::operator()() (std_thread.h:9)",
      NULL, 0);
  expect("operator new(unsigned long) "
         "(vg_replace_malloc.c:0)|std::string::_M_create[/l/libstdc++.so.6 "
         "+0x1]||Jar::name() (jar.cc:12)",
         NULL, 0);
  expect(M "__cxa_allocate_exception[/l/libstdc++.so.6 +0x1]||Jar::fail() (jar.cc:12)", NULL, 0);
  /* Inlined: the last part of the name, the header, and no offset. */
  expect(
      "operator new(unsigned long) (vg_replace_malloc.c:0)|allocate (new_allocator.h:127)@/b/app|"
      "_M_insert_node (hashtable.h:2)@/b/app|push_back (stl_vector.h:1198)@/b/app||"
      "fill (jar.cc:12)@/b/app",
      NULL, 0);
  /* A program's own header of another name, and what only begins like std. */
  expect(M "|allocate (pool.h:127)@/b/app|main (a.cc:1)@/b/app", NULL, 0);
  expect(M "|stdx::make() (a.cc:12)", NULL, 0);
}

static void those_that_the_user_names(void **state) {
  (void)state;
  static const char *const patterns[] = {"arena_get", "Pool::*"};
  expect(M "Handle<int> Pool<Jar>::take<int>(int) (p.h:1)|arena_get (a.c:1)||fill (j.c:1)",
         patterns, 2);
  expect(M "|arena_get (a.c:1)|fill (j.c:1)", NULL, 0);
}

/* ---- Records. ---- */

static const char internals[] = "malloc (m.c:1)|zmalloc (z.c:1)|std::make() (a.h:1)|";

static uint32_t stack_of(fixture_t *f, const char *rest) {
  char text[256];
  snprintf(text, sizeof text, "%s%s", internals, rest);
  return build_stack(&f->profile, text);
}

static void add(fixture_t *f, uint64_t req, const char *rest) {
  dmd_groups_add(&f->profile.groups,
                 &(dmd_group_t){.req = req, .num = 1, .stack = stack_of(f, rest)});
}

/* Three frames of each stack are shown, and all of these allocate for their callers. */
static void a_record_names_who_is_further_out(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  add(&f, 100, "fill (j.c:1)|main (a.c:1)");
  add(&f, 60, "eat (j.c:2)|main (a.c:1)");
  add(&f, 70, "eat (j.c:2)|again (a.c:3)");
  const char *text = fixture_text(&f, 3, DMD_SORT_USABLE, NULL);
  assert_has(text, "  Allocated by eat (j.c:2) and 1 other, further out\n");
  text = fixture_text(&f, 4, DMD_SORT_USABLE, NULL);
  assert_lacks(text, "further out");
  fixture_end(&f);
}

static void nothing_further_out(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 8, 0, "malloc (m.c:1)|zmalloc (z.c:1)|xmalloc (z.c:1)", DMD_NONE);
  build_blocks(&f.profile, 1, 8, 0, NULL, DMD_NONE);
  assert_lacks(fixture_text(&f, 2, DMD_SORT_USABLE, NULL), "further out");
  fixture_end(&f);
}

/* An unreported referrer is named by the function that allocated it, whether its stack was cut or
 * not. */
static void an_hint_names_who_allocated(void **state) {
  (void)state;
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  uint32_t held = build_stack(&f.profile, "malloc (m.c:1)|leaf (l.c:1)");
  dmd_groups_add(&f.profile.groups, &(dmd_group_t){.req = 100, .num = 1, .stack = held});
  dmd_hints_add(
      &f.profile.hints,
      &(dmd_hint_t){.alloc = held,
                    .stack = stack_of(&f, "std::map<int, Some::Long::Name, std::less<int>, "
                                          "Some::Other::Long::Name>::at(int) (m.h:1)|"
                                          "void grow<int>(int) (g.c:7)"),
                    .blocks = 1,
                    .bytes = 100,
                    .offset = 8,
                    .referrer_kind = DMD_REFERRER_UNREPORTED});
  assert_has(fixture_text(&f, 2, DMD_SORT_USABLE, NULL),
             " of unreported blocks allocated at grow<int>(int) (g.c:7)");
  fixture_end(&f);
}

/* The C++ library's pool is named; a block of another size, or one that the library allocates for
 * the program, is not. */
static void the_emergency_pool_has_a_name(void **state) {
  (void)state;
  static const char pool[] = M "??\?[/l/libstdc++.so.6.0.30 +0xa5]|call_init (dl-init.c:70)|"
                               "_dl_init (dl-init.c:117)";
  static const char text[] = "  Known: the C++ library's memory for exceptions";
  static const struct {
    uint64_t num, req;
    const char *stack;
    bool is_known;
  } cases[] = {
      {1, 72704, pool, true},
      {1, 73728, pool, true},
      {1, 73728,
       M "(anonymous namespace)::pool::pool() (eh_alloc.cc:123)|call_init.part.0[/l/ld.so +0x1]",
       true},
      {2, 72704, pool, false},
      {1, 1000, pool, false},
      {1, 72704, M "??\?[/l/libother.so +0xa5]|call_init (dl-init.c:70)", false},
      {1, 72704, M "??\?[/l/libstdc++.so.6.0.30 +0xa5]|main (a.cc:1)", false},
      {1, 72704,
       M "std::string::_M_create[/l/libstdc++.so.6 +0x1]|init (a.cc:1)|call_init (dl-init.c:70)",
       false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    build_blocks(&f.profile, cases[i].num, cases[i].req, 8, cases[i].stack, DMD_NONE);
    if (cases[i].is_known)
      assert_prints(&f, text);
    else
      assert_prints_no(&f, text);
    fixture_end(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrappers_of_malloc),
      cmocka_unit_test(static_functions_of_a_wrapper),
      cmocka_unit_test(allocators_with_names_of_their_own),
      cmocka_unit_test(the_library_of_rust),
      cmocka_unit_test(functions_of_their_own),
      cmocka_unit_test(the_cxx_library),
      cmocka_unit_test(those_that_the_user_names),
      cmocka_unit_test(a_record_names_who_is_further_out),
      cmocka_unit_test(nothing_further_out),
      cmocka_unit_test(the_emergency_pool_has_a_name),
      cmocka_unit_test(an_hint_names_who_allocated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
