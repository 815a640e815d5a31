/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols are those of rustc 1.63 and 1.95, names those of c++filt (binutils 2.40) without hashes
 * and lifetimes.
 */
#include "host.h"

#include "base/rustname.h"

/* name: NULL: it is not a Rust symbol. */
static void expect(const char *symbol, const char *name) {
  host_t host;
  host_init(&host);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host.env);
  dmd_strbuf_str(&text, "before ");
  bool good = dmd_rust_name(&text, symbol);
  assert_int_equal(good, name != NULL);
  if (strcmp(text.text + 7, good ? name : "") != 0)
    fail_msg("%s is '%s', not '%s'", symbol, text.text, name);
  if (good)
    assert_true(dmd_is_rust_symbol(symbol));
  dmd_strbuf_destroy(&text);
  host_done(&host);
}

static void what_is_not_of_rust(void **state) {
  (void)state;
  expect("main", NULL);
  expect("", NULL);
  expect("_R", NULL);
  expect("_RNv", NULL);
  expect("_ZN", NULL);
  expect("_ZN3jar3Jar7measureEi", NULL);
  expect("_ZN3jar17h0123456789abcdeE", NULL);
  expect("_ZN3jar17h0123456789abcdegE", NULL);
  expect("_ZN99999999999999999999999jarE", NULL);
  expect("_RNvC3std9999999999999999999x", NULL);
}

static void legacy(void **state) {
  (void)state;
  expect("_ZN5alloc5alloc5alloc17h0123456789abcdefE", "alloc::alloc::alloc");
  expect("_ZN63_$LT$alloc..alloc..Global$u20$as$u20$core..alloc..Allocator$GT$"
         "8allocate17h0aea24d8e1158eceE",
         "<alloc::alloc::Global as core::alloc::Allocator>::allocate");
  expect("_ZN5first4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
         "first::main::{{closure}}");
  expect("_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$16reserve_for_push17h0123456789abcdefE",
         "alloc::raw_vec::RawVec<T,A>::reserve_for_push");
  expect("_ZN4main7$u41$$_17h0123456789abcdefE", "main::A$_");
  expect("_ZN3std4sync4once4Once4call17h0123456789abcdefE.llvm.12705490928058775097",
         "std::sync::once::Once::call");
}

static void v0(void **state) {
  (void)state;
  expect("_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt", "core::panicking::panic_fmt");
  expect("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
  expect("_RNCNvC5first4mains_0", "first::main::{closure#1}");
  expect("_RINvMs10_NtNtNtCslNYArtu3iFV_5alloc11collections5btree4nodeINtB7_"
         "16BalancingContextjNtNtNtNtNtNtCsjrHSEGnQ3l9_"
         "3std3sys3pal4unix14stack_overflow11thread_info10ThreadInfoE25merge_tracking_child_"
         "edgeNtNtBd_5alloc6GlobalEB1w_",
         "<alloc::collections::btree::node::BalancingContext<usize, "
         "std::sys::pal::unix::stack_overflow::thread_info::"
         "ThreadInfo>>::merge_tracking_child_edge::<alloc::alloc::Global>");
}

/* Each reference doubles the output, or leads to itself. */
static void made_up_symbols_end(void **state) {
  (void)state;
  expect("_RNvB_1x", NULL);
  expect("_RIC1xTTTTTTTTTTTTTTTThhEB4_EB3_EB2_EB1_EB0_E", NULL);
  char deep[400] = "_RIC1x";
  memset(deep + 6, 'S', 300);
  strcpy(deep + 306, "hE");
  expect(deep, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_of_rust),
      cmocka_unit_test(legacy),
      cmocka_unit_test(v0),
      cmocka_unit_test(made_up_symbols_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
