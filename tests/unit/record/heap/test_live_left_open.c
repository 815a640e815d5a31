/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Scopes that never ended. */
#include "live_fixture.h"

static const dmd_live_config_t dark_matter = {.mode = DMD_MODE_DARK_MATTER};

/* outer() calls middle(), which calls inner(); each begins a scope, and outer() ends one. */
enum { OUTER = 0x1010, OUTER_END = 0x1020, MIDDLE = 0x2010, INNER = 0x3010 };

static void begin_nested(live_fixture_t *f, const char *const names[3], bool tags) {
  static const uint64_t ips[] = {OUTER, MIDDLE, INNER}, sps[] = {900, 700, 500};
  for (int i = 0; i < 3; i++) {
    if (tags)
      dmd_live_push_tag(&f->live, 1, names[i], at(ips[i], sps[i]));
    else
      dmd_live_begin_reporter(&f->live, 1, names[i], false, at(ips[i], sps[i]));
  }
}

static void reporters_left_by_a_jump(void **state) {
  (void)state;
  static const char *const names[] = {"explicit/a", "explicit/b", "explicit/c"};
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  alloc_sized(&f, A, 100, 104, 1);
  begin_nested(&f, names, false);
  report(&f, A, 10); /* the innermost's */
  assert_true(
      dmd_live_end_reporter(&f.live, 1, 0, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + INNER},
                         .scope = "explicit/c"};
  expect(&f, 1, 2, &expected);
  expected.fault.stack = 1000 + MIDDLE;
  expected.scope = "explicit/b";
  expect(&f, 2, 2, &expected);
  assert_false(
      dmd_live_end_reporter(&f.live, 1, 0, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  /* The claim of the reporter that ends is judged. It may include what the scopes that were left
   * had measured. */
  begin_nested(&f, names, false);
  report(&f, A, 10);
  assert_true(
      dmd_live_end_reporter(&f.live, 1, 104, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  assert_int_equal(n_faults(&f), 2);
  begin_nested(&f, names, false);
  assert_true(
      dmd_live_end_reporter(&f.live, 1, 7, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  assert_int_equal(n_faults(&f), 3);
  assert_string_equal(name_of(&f, fault_at(&f, 3)->reporter), "explicit/a");
  live_end(&f);
}

static void tags_left_by_a_jump(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c"};
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  dmd_live_begin_reporter(&f.live, 1, "explicit/open", false, nowhere);
  begin_nested(&f, names, true);
  assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + INNER},
                         .reporter = "explicit/open",
                         .scope = "c"};
  expect(&f, 1, 2, &expected);
  expected.fault.stack = 1000 + MIDDLE;
  expected.scope = "b";
  expect(&f, 2, 2, &expected);
  assert_false(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  live_end(&f);
}

/* Neither the function of an address nor a frame's place is known: an end ends the innermost
 * scope. */
static void hosts_that_know_less(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c"};
  live_fixture_t f;
  dmd_live_config_t config = {.mode = DMD_MODE_DARK_MATTER, .host = live_host(&f)};
  config.host.same_function = NULL;
  live_begin_as(&f, config);
  begin_nested(&f, names, true);
  for (int i = 0; i < 3; i++)
    assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  assert_false(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  expect_none(&f);
  live_end(&f);
}

/* A million of them, which would take many minutes if each search began at the first one. */
static void many_at_a_dump(void **state) {
  (void)state;
  enum { SCOPES = 1000000 };
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  for (int i = 0; i < SCOPES; i++)
    dmd_live_begin_reporter(&f.live, 1, "explicit/deep", false, at(OUTER, 900));
  expected_t expected = {
      .fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .num = SCOPES, .stack = 1000 + OUTER},
      .scope = "explicit/deep"};
  for (int dump = 0; dump < 2; dump++) {
    dmd_live_check_open(&f.live, 1, DMD_NONE);
    expect(&f, 1, 1, &expected);
  }
  dmd_live_begin_reporter(&f.live, 1, "explicit/deep", false, at(OUTER, 900));
  dmd_live_check_open(&f.live, 1, DMD_NONE);
  expected.fault.num++;
  expect(&f, 1, 1, &expected);
  dmd_live_end_all(&f.live);
  expect(&f, 1, 1, &expected);
  live_end(&f);
}

/* A reporter is a fault; a tag may be the thread's for life. */
static void left_at_the_end_of_a_thread(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  dmd_live_begin_reporter(&f.live, 2, "explicit/a", false, at(OUTER, 900));
  dmd_live_push_tag(&f.live, 2, "lua", at(MIDDLE, 800));
  dmd_live_begin_reporter(&f.live, 3, "explicit/b", false, at(INNER, 900));
  dmd_live_end_thread(&f.live, 2);
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + OUTER},
                         .scope = "explicit/a"};
  expect(&f, 1, 1, &expected);
  dmd_live_end_thread(&f.live, 2);
  assert_int_equal(n_faults(&f), 1);
  live_end(&f);
}

/* At the end of the program a tag may be open; reporters should not be, in any thread. */
static void left_at_the_end(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  dmd_live_push_tag(&f.live, 1, "program", at(OUTER, 900));
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, at(OUTER, 900));
  dmd_live_begin_reporter(&f.live, 1, "explicit/b", false, at(MIDDLE, 800));
  dmd_live_begin_reporter(&f.live, 40, "explicit/c", false, at(INNER, 700));
  dmd_live_end_all(&f.live);
  static const char *const scopes[] = {"explicit/b", "explicit/a", "explicit/c"};
  static const uint32_t ips[] = {MIDDLE, OUTER, INNER};
  for (uint32_t i = 0; i < 3; i++) {
    expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + ips[i]},
                           .scope = scopes[i]};
    expect(&f, i + 1, 3, &expected);
  }
  assert_true(dmd_live_pop_tag(&f.live, 1, innermost));
  assert_false(dmd_live_abandon_reporter(&f.live, 40, innermost));
  dmd_live_end_all(&f.live);
  assert_int_equal(n_faults(&f), 3);
  live_end(&f);
}

/* A guard names the scope that it ends: those within it were left open, wherever they lie. */
static void ends_by_depth(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER, .inherit_tags = true});
  uint32_t outer = dmd_live_begin_reporter(&f.live, 1, "explicit/outer", false, at(OUTER, 700));
  uint32_t guard = dmd_live_begin_reporter(&f.live, 1, "explicit/guard", false, at(OUTER, 700));
  dmd_live_begin_reporter(&f.live, 1, "explicit/left", false, at(OUTER, 900));
  dmd_scope_end_t which = {.place = at(OUTER_END, 900), .depth = guard};
  assert_true(dmd_live_end_reporter(&f.live, 1, 0, 11, which));
  assert_int_equal(open_reporters(&f, 1), 1);
  assert_int_equal(n_faults(&f), 1);
  assert_int_equal(fault_at(&f, 1)->kind, DMD_FAULT_SCOPE_LEFT_OPEN);
  assert_false(dmd_live_end_reporter(&f.live, 1, 0, 11, which)); /* it is no longer open */
  assert_int_equal(open_reporters(&f, 1), 1);
  which.depth = outer;
  assert_true(dmd_live_abandon_reporter(&f.live, 1, which));
  assert_false(dmd_live_abandon_reporter(&f.live, 1, which));
  /* A tag's depth counts the thread's base and the tags that were set. */
  dmd_live_push_tag(&f.live, 1, "base", nowhere);
  dmd_live_start_thread(&f.live, 1, 2);
  dmd_live_set_tag(&f.live, 2, "set");
  which.depth = dmd_live_push_tag(&f.live, 2, "guard", nowhere);
  assert_int_equal(which.depth, 3);
  dmd_live_set_tag(&f.live, 2, "set again");
  dmd_live_push_tag(&f.live, 2, "left", nowhere);
  dmd_live_set_tag(&f.live, 2, "and again");
  assert_true(dmd_live_pop_tag(&f.live, 2, which));
  assert_int_equal(open_tags(&f, 2), 2);
  assert_int_equal(n_faults(&f), 2);
  which.depth = 1; /* the base, which is not a scope of its own */
  assert_false(dmd_live_pop_tag(&f.live, 2, which));
  live_end(&f);
}

/* Scopes that are open when the program reports completion are faults, but only once. */
static void open_at_a_dump(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, nowhere);
  dmd_live_begin_reporter(&f.live, 2, "explicit/elsewhere", false, nowhere);
  dmd_live_check_open(&f.live, 1, DMD_NONE);
  assert_int_equal(n_faults(&f), 1);
  dmd_live_begin_reporter(&f.live, 1, "explicit/b", false, nowhere);
  dmd_live_check_open(&f.live, 1, DMD_NONE);
  dmd_live_check_open(&f.live, 1, DMD_NONE);
  assert_int_equal(n_faults(&f), 2);
  assert_true(dmd_live_end_reporter(&f.live, 1, 0, 11, innermost));
  dmd_live_end_all(&f.live);
  assert_int_equal(n_faults(&f), 3);
  for (uint32_t id = 1; id <= 3; id++)
    assert_int_equal(fault_at(&f, id)->num, 1);
  live_end(&f);
}

/* Only the dump's own thread is checked. An open tag is a fault if it was left. An open reporter is
 * one always: if it still runs, that is the reason given. */
static void begun_by_what_runs_or_was_left(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  f.runs = 1000 + OUTER;
  f.left = 1000 + INNER;
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, at(OUTER, 900));
  dmd_live_begin_reporter(&f.live, 1, "explicit/b", false, at(MIDDLE, 900));
  dmd_live_push_tag(&f.live, 1, "runs", at(OUTER, 900));
  dmd_live_push_tag(&f.live, 1, "left", at(INNER, 900));
  dmd_live_push_tag(&f.live, 1, "nobody knows", at(MIDDLE, 900));
  dmd_live_push_tag(&f.live, 2, "elsewhere", at(INNER, 900));
  for (int dump = 0; dump < 2; dump++) {
    dmd_live_check_open(&f.live, 1, 77);
    expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + MIDDLE},
                           .scope = "explicit/b"};
    expect(&f, 1, 3, &expected);
    expected.fault.stack = 1000 + OUTER;
    expected.fault.reason = DMD_REASON_STILL_RUNNING;
    expected.scope = "explicit/a";
    expect(&f, 2, 3, &expected);
    expected.fault.stack = 1000 + INNER;
    expected.fault.reason = DMD_REASON_NONE;
    expected.scope = "left";
    expected.reporter = "explicit/b";
    expect(&f, 3, 3, &expected);
  }
  /* The fault is reported once, even if the scope is left later; the reporters end as usual. */
  assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.depth = 1}));
  assert_int_equal(n_faults(&f), 4); /* the tag of which nobody knew */
  assert_true(dmd_live_end_reporter(&f.live, 1, 0, 11, innermost));
  assert_true(dmd_live_end_reporter(&f.live, 1, 0, 11, innermost));
  assert_int_equal(n_faults(&f), 4);
  live_end(&f);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static live_fixture_t f;
  f.memory = "mapped";
  dmd_live_config_t config = {
      .word_szB = 8, .freed_blocks = 4, .require_scope = true, .host = live_host(&f)};
  dmd_live_init(&f.live, &host->env, &config);
  alloc_sized(&f, A, 100, 104, 1);
  alloc_sized(&f, B, 100, 104, 1);
  report(&f, B, 10);
  free_at(&f, B, 30);
  report(&f, B, 10);
  report_shared(&f, A, 10);
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, at(OUTER, 900));
  dmd_live_push_tag(&f.live, 1, "tag", at(MIDDLE, 900));
  dmd_live_begin_reporter(&f.live, 1, "explicit/b", false, at(MIDDLE, 700));
  report(&f, A + 1, 10);
  report(&f, MAPPED, 10);
  dmd_live_end_reporter(&f.live, 1, 5, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)});
  dmd_live_end_thread(&f.live, 1);
  assert_int_equal(n_faults(&f), 6);
  dmd_live_destroy(&f.live);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

/* A forked child's other threads left nothing open there; the one that forked did. */
static void only_the_forking_thread_goes_on(void **state) {
  (void)state;
  live_fixture_t f;
  live_begin_knowing(&f, dark_matter);
  for (uint32_t thread = 1; thread <= 3; thread++) {
    dmd_live_begin_reporter(&f.live, thread, thread == 2 ? "explicit/kept" : "explicit/gone", false,
                            at(OUTER, 900));
    dmd_live_push_tag(&f.live, thread, "tag", at(MIDDLE, 700));
  }
  dmd_live_forked(&f.live, 2);
  alloc_in(&f, 1, A, 10, 5);
  alloc_in(&f, 2, B, 10, 5);
  alloc_in(&f, 3, C, 10, 5);
  assert_int_equal(block_at(&f, A)->tag, DMD_NONE);
  assert_string_equal(tag_of(&f, B), "tag");
  assert_int_equal(block_at(&f, C)->tag, DMD_NONE);
  dmd_live_end_all(&f.live);
  assert_int_equal(n_faults(&f), 1);
  assert_string_equal(name_of(&f, fault_at(&f, 1)->scope), "explicit/kept");
  live_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reporters_left_by_a_jump),
      cmocka_unit_test(tags_left_by_a_jump),
      cmocka_unit_test(hosts_that_know_less),
      cmocka_unit_test(many_at_a_dump),
      cmocka_unit_test(left_at_the_end_of_a_thread),
      cmocka_unit_test(left_at_the_end),
      cmocka_unit_test(ends_by_depth),
      cmocka_unit_test(open_at_a_dump),
      cmocka_unit_test(begun_by_what_runs_or_was_left),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(only_the_forking_thread_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
