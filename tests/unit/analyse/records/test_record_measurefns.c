/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The function that measured: frames of measure.hpp on the top of a stack are skipped.
 */
#include "fixture.h"

#include "analyse/records/record.h"

#define WALK "dmd::Walk::block(void const*) (measure.hpp:170)|"

/* The last n frames of the stack are the program's. */
static void expect(const char *stack, size_t n_own) {
  fixture_t f;
  fixture_begin(&f, DMD_MODE_LIVE);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(&f.profile, build_stack(&f.profile, stack), &n);
  assert_int_equal(n - dmd_measuring_frames(&f.profile, frames, n), n_own);
  fixture_end(&f);
}

static void frames_of_the_header_are_passed_over(void **state) {
  (void)state;
  expect(WALK "void dmd::Walk::whole<Jar>(void const*, dmd::Walk&) (measure.hpp:260)|"
              "unsigned long dmd::size_of<Jar>(Jar const&) (measure.hpp:400)|"
              "jar_measure(Jar const&) (jar.cc:5)|main (jar.cc:9)",
         2);
  expect(WALK "Jar::dmd_members_(dmd::Chain_<Jar>&) const (jar.cc:20)|main (jar.cc:9)", 1);
  expect("dmd::Walk::finish()[jar +0x20]|main (jar.cc:9)", 1);
}

static void inlined_ones_have_no_namespace(void **state) {
  (void)state;
  expect("block (measure.hpp:170)|walk (measure_std.hpp:90)|owned_ (measure_list.hpp:90)|"
         "dmd_walk_ (jar.cc:20)|size_of<Jar> (measure.hpp:400)|main (jar.cc:9)",
         1);
}

static void functions_of_the_library_may_be_between_them(void **state) {
  (void)state;
  expect(WALK "decltype(auto) std::apply<F, T>(F&&, T&&) (tuple:1854)|"
              "dmd::size_of<T>(T const&) (measure.hpp:400)|main (jar.cc:9)",
         1);
}

static void its_own_scopes_are_passed_over(void **state) {
  (void)state;
  expect("dmd::ReporterScope::~ReporterScope() (dmd.h:465)|" WALK "main (jar.cc:9)", 1);
}

static void those_of_the_crate_for_rust_are_passed_over(void **state) {
  (void)state;
  expect("ask (dmd_request.rs:94)|block<u8> (dmd_ops.rs:62)|"
         "<jar::Jar as dmd::measure::DmdSizeOf<P>>::dmd_size_of (jar.rs:5)|jar::main (jar.rs:9)",
         2);
  expect("dmd::containers::<impl dmd::measure::DmdSizeOf<P> for [T]>::dmd_size_of[jar +0x20]|"
         "measured_field<P, T> (dmd_derived.rs:14)|jar::main (jar.rs:9)",
         1);
}

static void all_others_stay(void **state) {
  (void)state;
  expect("main (jar.cc:9)", 1);
  expect("std::vector<int>::reserve(unsigned long) (vector:3)|main (jar.cc:9)", 2);
  expect("jar_measure(Jar const&) (jar.cc:5)|" WALK "main (jar.cc:9)", 3);
  expect("dmd::ReporterScope::~ReporterScope() (dmd.h:500)|main (jar.cc:9)", 2);
  expect("dmd::JoinScope::JoinScope(unsigned long) (dmd.h:500)|main (jar.cc:9)", 2);
  expect("void dmdv::Walk::block(dmd::Walk&) (own.cc:3)|main (jar.cc:9)", 2);
}

static void a_stack_of_nothing_else_stays(void **state) {
  (void)state;
  expect(WALK "dmd::size_of<Jar>(Jar const&) (measure.hpp:400)", 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_of_the_header_are_passed_over),
      cmocka_unit_test(inlined_ones_have_no_namespace),
      cmocka_unit_test(functions_of_the_library_may_be_between_them),
      cmocka_unit_test(its_own_scopes_are_passed_over),
      cmocka_unit_test(those_of_the_crate_for_rust_are_passed_over),
      cmocka_unit_test(all_others_stay),
      cmocka_unit_test(a_stack_of_nothing_else_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
