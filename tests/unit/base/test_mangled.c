/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols are those that GCC made of the declarations beside them.
 */
#include "host.h"

#include "base/fnname.h"
#include "base/mangled.h"

static void expect(const char *symbol, const char *name) {
  host_t host;
  host_init(&host);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host.env);
  dmd_mangled_name(&text, symbol);
  if (strcmp(text.text, name) != 0)
    fail_msg("%s is '%s', not '%s'", symbol, text.text, name);
  dmd_strbuf_destroy(&text);
  host_done(&host);
}

static void what_is_not_mangled(void **state) {
  (void)state;
  expect("main", "main");
  expect("", "");
  expect("_Z", "_Z");
  expect("_ZN", "_ZN");
  expect("_Z9short", "_Z9short");
  expect("_Z99999999999999999999x", "_Z99999999999999999999x");
  expect("_ZN3JarplERKS_", "_ZN3JarplERKS_"); /* an operator */
}

static void functions(void **state) {
  (void)state;
  expect("_Z8jar_findi", "jar_find(i)");
  expect("_ZL8jar_findi", "jar_find(i)");
  expect("_ZN3jar3Jar7measureEi", "jar::Jar::measure(i)");
  expect("_ZNK3jar3Jar7measureEv", "jar::Jar::measure(v)");
  expect("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back(RKi)");
  expect("_Z4fillIiEvPT_", "fill(vPT_)");
  expect("_ZN12_GLOBAL__N_16hiddenEv", "_GLOBAL__N_1::hidden(v)");
  expect("_ZN5OuterIXadL_Z1fvEEE1gEv", "_ZN5OuterIXadL_Z1fvEEE1gEv"); /* a function's address */
  expect("_ZN5ArrayIiLm4EE2atEm", "Array::at(m)");
  expect("_ZN3Jar4nameB5cxx11Ev", "Jar::name(v)");
  expect("_Znwm", "operator new(m)");
  expect("_ZdaPvm", "operator delete[](Pvm)");
}

static void constructors(void **state) {
  (void)state;
  static const char name[] = "dmd::TagScope::TagScope(PKc)";
  expect("_ZN3dmd8TagScopeC1EPKc", name);
  expect("_ZN3dmd8TagScopeC2EPKc", name);
  expect("_ZN3dmd8TagScopeD1Ev", "dmd::TagScope::~TagScope(v)");
  expect("_ZN4GridIiEC2Ev", "Grid::Grid(v)");
  assert_true(dmd_fnname_is_constructor(name, strlen(name)));
}

static void copies_of_compilers(void **state) {
  (void)state;
  expect("_Z4walki.actor", "walk(i) [clone .actor]");
  expect("_ZN3Jar4findEi.part.0", "Jar::find(i) [clone .part.0]");
  assert_int_equal(dmd_fnname_coroutine("walk(i) [clone .actor]"), strlen("walk(i)"));
}

/* Of GCC 12, of "static task fonts()", and of functions of classes and namespaces. */
static void parts_of_coroutines(void **state) {
  (void)state;
  expect("_Z5fontsPZL5fontsvE16_ZL5fontsv.Frame.actor", "fonts(v) [clone .actor]");
  expect("_Z5fontsPZL5fontsvE16_ZL5fontsv.Frame.destroy", "fonts(v) [clone .destroy]");
  expect("_ZL5fontsv", "fonts(v)");
  expect("_ZN4deep3Jar4walkEPZNS0_4walkEiE25_ZN4deep3Jar4walkEi.Frame.actor",
         "deep::Jar::walk(i) [clone .actor]");
  expect("_ZN4deep3Jar4fillEPZNS0_4fillIiEE4taskT_E34_ZN4deep3Jar4fillIiEE4taskT_.Frame.actor",
         "deep::Jar::fill(4taskT_) [clone .actor]");
  /* A class of another's, and one whose name has another length. */
  expect("_Z4walkPZ4walkiE7x.Frame.actor", "walk(PZ4walkiE7x) [clone .Frame.actor]");
  expect("_Z4walkPZ4walkiE13_Z4walki.Frame.actor",
         "walk(PZ4walkiE13_Z4walki) [clone .Frame.actor]");
  expect("_ZL5fontsv.resume", "fonts(v) [clone .resume]"); /* Clang's */
}

/* Reads any symbol to its end, and no further. */
static void anything(void **state) {
  (void)state;
  static const char letters[] = "_ZN3IJaELS0TtC1DKib.";
  dice_t dice = {1};
  for (int i = 0; i < 20000; i++) {
    host_t host;
    host_init(&host);
    dmd_strbuf_t text;
    dmd_strbuf_init(&text, &host.env);
    size_t n = (size_t)dice_below(&dice, 24);
    char *symbol = malloc(n + 3);
    memcpy(symbol, "_Z", 2);
    for (size_t k = 0; k < n; k++)
      symbol[2 + k] = letters[dice_below(&dice, sizeof letters - 1)];
    symbol[2 + n] = '\0';
    dmd_mangled_name(&text, symbol);
    assert_true(text.n > 0);
    free(symbol);
    dmd_strbuf_destroy(&text);
    host_done(&host);
  }
}

/* As Valgrind chooses: the shorter one, and then the first by its letters. */
static void one_of_several_names(void **state) {
  (void)state;
  static const char *const better[][2] = {
      {"strdup", "__strdup"}, {"read", "read@@GLIBC_2.2.5"}, {"b", "aa@V1"}, {"a", "b"}};
  for (size_t i = 0; i < COUNT_OF(better); i++) {
    assert_true(dmd_symbol_compare(better[i][0], better[i][1]) != 0);
    assert_int_equal(dmd_symbol_compare(better[i][0], better[i][1]) < 0,
                     dmd_symbol_compare(better[i][1], better[i][0]) > 0);
  }
  assert_true(dmd_symbol_compare("strdup", "__strdup") < 0);
  assert_true(dmd_symbol_compare("b", "aa@V1") < 0);
  assert_int_equal(dmd_symbol_compare("a", "a"), 0);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host->env);
  dmd_mangled_name(&text, "_ZN31a_class_whose_name_is_very_longC1Ev");
  dmd_mangled_name(&text, "_ZN31a_class_whose_name_is_very_longD1Ev");
  dmd_strbuf_destroy(&text);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_mangled),  cmocka_unit_test(functions),
      cmocka_unit_test(constructors),         cmocka_unit_test(copies_of_compilers),
      cmocka_unit_test(parts_of_coroutines),  cmocka_unit_test(anything),
      cmocka_unit_test(one_of_several_names), cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
