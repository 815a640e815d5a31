/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine_fixture.h"
#include "record/engine/monitor.h"

#include <stdio.h>

enum { BLOCK = 0x100000 };

static void begin(engine_fixture_t *f) {
  engine_begin(f);
  f->options.out_file = "out.json";
  engine_start(f);
  engine_add_block(f, BLOCK);
  ask(f, DMD_REQUEST_REPORT, BLOCK);
}

/* A dump keeps the reports. A label begins with its first letter, and may hold blanks. */
static void dump(void **state) {
  (void)state;
  static const struct {
    const char *command, *label;
  } cases[] = {{"dump", "null"},
               {"dump   ", "null"},
               {"dump a label ", "\"a label \""},
               {"  d   while  it waits", "\"while  it waits\""}};
  engine_fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char name[32], label[64];
    assert_true(dmd_engine_monitor(&f.engine, cases[i].command));
    snprintf(name, sizeof name, "/start/out.%zu.json", i + 1);
    snprintf(label, sizeof label, "\"label\": %s", cases[i].label);
    const char *text = enginehost_file(&f.h, name);
    assert_non_null(strstr(text, label));
    assert_non_null(strstr(text, "\"trigger\": \"monitor\""));
    assert_int_equal(engine_times_reported(&f, BLOCK), 1);
  }
  assert_string_equal(sink_text(&f.h.replied), "dump 1 written to /start/out.1.json\n"
                                               "dump 2 written to /start/out.2.json\n"
                                               "dump 3 written to /start/out.3.json\n"
                                               "dump 4 written to /start/out.4.json\n");
  engine_end(&f);
}

static void a_dump_that_is_lost(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  f.h.write_error = 1;
  assert_true(dmd_engine_monitor(&f.engine, "dump"));
  assert_string_equal(sink_text(&f.h.replied), "the dump could not be written; see the log\n");
  engine_end(&f);
}

static void clear(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  assert_true(dmd_engine_monitor(&f.engine, "clear"));
  assert_int_equal(engine_times_reported(&f, BLOCK), 0);
  assert_string_equal(sink_text(&f.h.replied), "reports cleared\n");
  engine_end(&f);
}

static void status(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  engine_add_block(&f, BLOCK + 4096);
  dmd_live_remove(&f.engine.live, BLOCK, DMD_NONE);
  ask_name(&f, DMD_REQUEST_TAG_PUSH, "t");
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/b");
  ask(&f, DMD_REQUEST_REPORT, 1);
  assert_true(dmd_engine_monitor(&f.engine, "status"));
  assert_string_equal(sink_text(&f.h.replied),
                      "mode dark-matter, 100 bytes in 1 blocks live, 2 allocs, 1 frees, "
                      "2 reporters, 1 tags, 1 kinds and places of faults\n");
  engine_end(&f);
}

/* Functions that rules look for are not reporters before they report, and a rule that has not
 * matched has no tag. */
static void status_with_rules(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  static const char *const given[] = {"--report-usable-size=yes", "--tag-fn=no_such=x",
                                      "--tag-fn=make=y"};
  for (size_t i = 0; i < COUNT_OF(given); i++)
    engine_give(&f, given[i]);
  engine_start(&f);
  assert_int_not_equal(dmd_rules_tag(&f.engine.rules, f.make), DMD_NONE);
  assert_true(dmd_engine_monitor(&f.engine, "status"));
  assert_non_null(strstr(sink_text(&f.h.replied), ", 0 reporters, 1 tags, "));
  engine_end(&f);
}

static void help(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  assert_true(dmd_engine_monitor(&f.engine, "h"));
  const char *text = sink_text(&f.h.replied);
  static const char *const parts[] = {"\ndmd monitor commands:\n", "\n  dump [<label>]\n        ",
                                      "\n  clear\n        ", "\n  status\n        "};
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    assert_non_null(strstr(text, parts[i]));
  assert_null(strstr(text, "  help"));
  engine_end(&f);
}

static void what_is_no_command(void **state) {
  (void)state;
  static const char *const cases[] = {"", " ", "dumps", "dumpx", "no-such-command", "v.info"};
  engine_fixture_t f;
  begin(&f);
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    assert_false(dmd_engine_monitor(&f.engine, cases[i]));
  assert_string_equal(sink_text(&f.h.replied), "");
  assert_int_equal(f.h.n_files, 0);
  engine_end(&f);
}

static void use(dmd_engine_t *engine) {
  assert_true(dmd_engine_monitor(engine, "help"));
  assert_true(dmd_engine_monitor(engine, "status"));
}

static void out_of_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_true(engine_fail_everywhere(&f, use) > 3);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dump),
      cmocka_unit_test(a_dump_that_is_lost),
      cmocka_unit_test(clear),
      cmocka_unit_test(status),
      cmocka_unit_test(status_with_rules),
      cmocka_unit_test(help),
      cmocka_unit_test(what_is_no_command),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
