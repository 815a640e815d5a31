/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/engine/nativeoptions.h"

/* The options in a text, separated by bars. */
static void expect_options(const host_t *host, const char *text, const char *expected) {
  dmd_strbuf_t option, all;
  dmd_strbuf_init(&option, &host->env);
  dmd_strbuf_init(&all, &host->env);
  while (dmd_native_next_option(&text, &option)) {
    dmd_strbuf_str(&all, "|");
    dmd_strbuf_str(&all, option.text);
    dmd_strbuf_cut(&option, 0);
  }
  assert_string_equal(all.text, expected);
  dmd_strbuf_destroy(&all);
  dmd_strbuf_destroy(&option);
}

static void options_in_one_text(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  expect_options(&host, "", "");
  expect_options(&host, "   ", "");
  expect_options(&host, "--a", "|--a");
  expect_options(&host, " --a=1  --b ", "|--a=1|--b");
  expect_options(&host, "--f=a\\ b\\\\c -q", "|--f=a b\\c|-q");
  expect_options(&host, "--f=\\", "|--f=\\");
  host_done(&host);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &host.env);
  dmd_native_add_option(&text, "--tag-fn=operator new(unsigned long)=a\\b");
  dmd_native_add_option(&text, "-q");
  expect_options(&host, text.text, "|--tag-fn=operator new(unsigned long)=a\\b|-q");
  dmd_strbuf_destroy(&text);
  host_done(&host);
}

static void defaults(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_native_options_t options = {0};
  dmd_options_set_defaults(&dmd_native_option_table, &options, &host.env);
  assert_int_equal(options.num_callers, 12); /* as Valgrind's */
  assert_null(options.log_file);
  assert_false(options.quiet);
  assert_false(options.trace_children);
  assert_true(options.run_libc_freeres);
  assert_true(options.run_cxx_freeres);
  assert_false(options.child_silent);
  assert_false(options.stats);
  assert_false(options.check_stacks);
  assert_false(options.show_below_main);
  host_done(&host);
}

static void arguments(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_native_options_t options = {0};
  bool is_one;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &host.env);
  assert_true(dmd_native_take(&options, "-q", &is_one, &why));
  assert_true(is_one && options.quiet);
  options.quiet = false;
  assert_true(dmd_native_take(&options, "--quiet", &is_one, &why));
  assert_true(is_one && options.quiet);
  assert_true(dmd_native_take(&options, "--num-callers=40", &is_one, &why));
  assert_true(is_one);
  assert_int_equal(options.num_callers, 40);
  assert_true(dmd_native_take(&options, "--mode=live", &is_one, &why));
  assert_false(is_one);
  assert_false(dmd_native_take(&options, "--num-callers=0", &is_one, &why));
  assert_true(is_one);
  assert_true(why.n > 0);
  assert_int_equal(options.num_callers, 40);
  dmd_strbuf_destroy(&why);
  assert_false(options.show_below_main);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_strbuf_t text, option;
  dmd_strbuf_init(&text, &host->env);
  dmd_strbuf_init(&option, &host->env);
  for (int i = 0; i < 100; i++)
    dmd_native_add_option(&text, "--an-option=of some length");
  const char *at = text.text;
  while (dmd_native_next_option(&at, &option)) {
  }
  dmd_strbuf_destroy(&option);
  dmd_strbuf_destroy(&text);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_in_one_text),
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(defaults),
      cmocka_unit_test(arguments),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
