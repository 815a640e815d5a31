/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Client requests: each one reaches the state with its arguments as dmd.h defines them. Also the
 * answers, the reads from the program's memory, and when a stack is captured. test_live_*.c test
 * the state's part.
 */
#include "engine_fixture.h"
#include "record/engine/requests.h"

enum { BLOCK = 0x100000, NO_BLOCK = 0x200000 };

static void begin(engine_fixture_t *f) {
  engine_begin(f);
  engine_start(f);
  engine_add_block(f, BLOCK);
}

static const char *reporter_named(const engine_fixture_t *f, uint32_t id) {
  return dmd_intern_get_str(&f->engine.live.reporter_names, id);
}

static void numbers(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  assert_int_equal(ask(&f, DMD_REQUEST_RUNNING, 0), 1);
  uint64_t answer = 4711;
  uint64_t wrong[] = {0, DMD_REQUEST_RUNNING - 1, DMD_REQUEST_END, UINT64_MAX,
                      DMD_REQUEST_REPORT + (UINT64_C(1) << 32)};
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    assert_false(dmd_engine_request(
        &f.engine, &(dmd_request_t){.number = wrong[i], .arg = {BLOCK}, .thread = 1}, &answer));
  assert_int_equal(answer, 4711);
  assert_int_equal(engine_times_reported(&f, BLOCK), 0);
  engine_end(&f);
}

/* ---- Reports. ---- */

static void reports(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  f.h.now = f.measure;
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK), 104);
  assert_int_equal(engine_times_reported(&f, BLOCK), 2);
  assert_int_equal(f.h.n_captured, 2);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, 0), 0);
  assert_int_equal(f.h.n_captured, 2);
  engine_expect_no_fault(&f);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, NO_BLOCK), 0);
  engine_expect_fault(&f, DMD_FAULT_REPORT_NO_ADDRESS, f.measure);
  engine_end(&f);
}

/* A report made on allocation outlives a clear; shared reports do not make a block
 * twice-reported. */
static void reports_of_all_kinds(void **state) {
  (void)state;
  static const struct {
    dmd_request_number_t number;
    uint32_t after_clear;
    bool is_shared;
  } cases[] = {{DMD_REQUEST_REPORT, 0, false},
               {DMD_REQUEST_REPORT_ON_ALLOC, 1, false},
               {DMD_REQUEST_REPORT_SHARED, 0, true}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    engine_fixture_t f;
    begin(&f);
    assert_int_equal(ask(&f, cases[i].number, BLOCK), 104);
    assert_int_equal(engine_times_reported(&f, BLOCK), 1);
    const dmd_live_t *live = &f.engine.live;
    assert_int_equal(dmd_reports_are_shared(&live->reports, dmd_live_find(live, BLOCK)->reports),
                     cases[i].is_shared);
    assert_int_equal(ask(&f, DMD_REQUEST_CLEAR_REPORTS, 0), 0);
    assert_int_equal(engine_times_reported(&f, BLOCK), cases[i].after_clear);
    engine_end(&f);
  }
}

/* In modes without reports, the requests return sizes and capture no stack. */
static void reports_that_are_not_kept(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  f.options.mode = DMD_MODE_LIVE;
  engine_start(&f);
  engine_add_block(&f, BLOCK);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK), 104);
  assert_int_equal(ask3(&f, DMD_REQUEST_REPORT_NAMED, BLOCK, 1, (uintptr_t) "x"), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_UNREPORT, NO_BLOCK), 0);
  assert_int_equal(f.h.n_captured, 0);
  engine_expect_no_fault(&f);
  engine_end(&f);
}

static void unreports(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  ask(&f, DMD_REQUEST_REPORT_ON_ALLOC, BLOCK);
  unsigned n_captured = f.h.n_captured;
  assert_int_equal(ask(&f, DMD_REQUEST_UNREPORT, BLOCK), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_UNREPORT, 0), 0);
  assert_int_equal(engine_times_reported(&f, BLOCK), 0);
  assert_int_equal(f.h.n_captured, n_captured);
  engine_expect_no_fault(&f);
  f.h.now = f.measure;
  assert_int_equal(ask(&f, DMD_REQUEST_UNREPORT, NO_BLOCK), 0);
  engine_expect_fault(&f, DMD_FAULT_UNREPORT_NO_BLOCK, f.measure);
  engine_end(&f);
}

/* With a name of its own, and a length that is the requested or the usable size. */
static void reports_with_a_name(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  f.h.now = f.measure;
  const uint64_t name = (uintptr_t) "an old reporter";
  assert_int_equal(ask3(&f, DMD_REQUEST_REPORT_NAMED, BLOCK, 100, name), 104);
  assert_string_equal(engine_reporter_of(&f, BLOCK), "an old reporter");
  assert_int_equal(ask3(&f, DMD_REQUEST_REPORT_NAMED, BLOCK, 104, 0), 104);
  assert_int_equal(ask3(&f, DMD_REQUEST_REPORT_NAMED, 0, 100, name), 0);
  engine_expect_no_fault(&f);
  assert_int_equal(ask3(&f, DMD_REQUEST_REPORT_NAMED, BLOCK, 103, name), 104);
  const dmd_fault_t *fault = engine_expect_fault(&f, DMD_FAULT_REPORT_LENGTH, f.measure);
  assert_int_equal(fault->length, 103);
  assert_int_equal(fault->size, 104);
  assert_string_equal(reporter_named(&f, fault->reporter), "an old reporter");
  engine_end(&f);
}

/* ---- Names. ---- */

/* The name of the tag that was pushed last. */
static const char *tag_now(const engine_fixture_t *f) {
  return dmd_intern_get_str(&f->engine.live.tag_names, dmd_scopes_top(&f->engine.live.tags, 1));
}

/* Each length up to some pieces, at any place in a page, and with a second page that cannot be
 * read: the bytes before that page count. */
static void names_of_every_length_and_place(void **state) {
  (void)state;
  static char pages[3 * 4096] __attribute__((aligned(4096)));
  engine_fixture_t f;
  begin(&f);
  char expected[300];
  for (size_t n = 1; n < 200; n++)
    for (size_t before = 0; before <= 130; before += 13) {
      bool is_cut = n % 2 == 1;
      memset(pages, 'x', sizeof pages);
      char *name = pages + 4096 - before;
      for (size_t i = 0; i < n; i++)
        name[i] = (char)('a' + (i + n) % 26);
      name[n] = '\0';
      f.h.unreadable = is_cut ? pages + 4096 : NULL;
      size_t kept = is_cut && before < n ? before : n;
      memcpy(expected, name, kept);
      expected[kept] = '\0';
      ask_name(&f, DMD_REQUEST_SET_TAG, name);
      assert_string_equal(tag_now(&f), kept == 0 ? "(no name)" : expected);
    }
  engine_end(&f);
}

static void names_that_are_none(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  ask_name(&f, DMD_REQUEST_SET_TAG, "");
  assert_string_equal(tag_now(&f), "(no name)");
  ask_name(&f, DMD_REQUEST_SET_TAG, NULL);
  assert_string_equal(tag_now(&f), "(no name)");
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, NULL);
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  assert_string_equal(engine_reporter_of(&f, BLOCK), "(no name)");
  engine_end(&f);
}

static void names_without_an_end(void **state) {
  (void)state;
  static char name[3 * DMD_MAX_NAME];
  engine_fixture_t f;
  begin(&f);
  memset(name, 'n', sizeof name);
  ask_name(&f, DMD_REQUEST_SET_TAG, name);
  assert_int_equal(strlen(tag_now(&f)), DMD_MAX_NAME);
  engine_end(&f);
}

/* ---- Dumps. ---- */

static void dumps(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  f.options.out_file = "out.json";
  engine_start(&f);
  engine_add_block(&f, BLOCK);
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/open");
  assert_int_equal(ask_name(&f, DMD_REQUEST_DUMP, "a label"), 1);
  const char *text = enginehost_file(&f.h, "/start/out.1.json");
  assert_non_null(strstr(text, "\"label\": \"a label\""));
  assert_non_null(strstr(text, "\"trigger\": \"request\""));
  assert_non_null(strstr(text, "\"reps\""));
  assert_non_null(strstr(text, "\"kind\": \"scope-left-open\""));
  /* Reports are cleared now, and an empty label is a label. */
  assert_int_equal(engine_times_reported(&f, BLOCK), 0);
  assert_int_equal(ask_name(&f, DMD_REQUEST_DUMP, NULL), 2);
  assert_non_null(strstr(enginehost_file(&f.h, "/start/out.2.json"), "\"label\": null"));
  f.h.write_error = 1;
  assert_int_equal(ask_name(&f, DMD_REQUEST_DUMP, ""), 0);
  engine_end(&f);
}

/* ---- Scopes. ---- */

static void reporters(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  assert_int_equal(ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a"), 1);
  assert_int_equal(ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a/b"), 2);
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  assert_string_equal(engine_reporter_of(&f, BLOCK), "explicit/a/b");
  assert_int_equal(ask(&f, DMD_REQUEST_REPORTER_END, 104), 1);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORTER_END, 104), 0);
  engine_expect_no_fault(&f);
  f.h.now = f.measure;
  assert_int_equal(ask(&f, DMD_REQUEST_REPORTER_END, 0), 0);
  engine_expect_fault(&f, DMD_FAULT_SCOPE_UNDERFLOW, f.measure);
  engine_end(&f);
}

/* The outer reporter does not get anything that the inner one measured. */
static void exclusive_reporters(void **state) {
  (void)state;
  for (uint64_t exclusive = 0; exclusive <= 1; exclusive++) {
    engine_fixture_t f;
    begin(&f);
    ask3(&f, DMD_REQUEST_REPORTER_BEGIN, (uintptr_t) "explicit/a", exclusive, 0);
    ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a/b");
    ask(&f, DMD_REQUEST_REPORT, BLOCK);
    ask(&f, DMD_REQUEST_REPORTER_END, 104);
    f.h.now = f.measure;
    ask(&f, DMD_REQUEST_REPORTER_END, exclusive ? 0 : 104);
    engine_expect_no_fault(&f);
    ask3(&f, DMD_REQUEST_REPORTER_BEGIN, (uintptr_t) "explicit/c", exclusive, 0);
    ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/c/d");
    ask(&f, DMD_REQUEST_REPORT, BLOCK);
    ask(&f, DMD_REQUEST_REPORTER_END, 104);
    ask(&f, DMD_REQUEST_REPORTER_END, exclusive ? 104 : 0);
    engine_expect_fault(&f, DMD_FAULT_CLAIM, f.measure);
    engine_end(&f);
  }
}

/* Reports in an ignored reporter, and in those within it, do not count, except those on
 * allocation. */
static void ignored_reporters(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  ask3(&f, DMD_REQUEST_REPORTER_BEGIN, (uintptr_t) "explicit/a", DMD_REQUEST_IGNORED, 0);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT, BLOCK + 8), 0);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a/b");
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT_SHARED, BLOCK), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORTER_END, 7), 1);
  dmd_request_memreport_t report = {.path = "hits", .kind = 2, .units = 1, .amount = 7};
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)&report), 0);
  assert_int_equal(dmd_blocks_find(f.engine.live.blocks, BLOCK)->reports, DMD_NONE);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORT_ON_ALLOC, BLOCK), 104);
  assert_int_equal(ask(&f, DMD_REQUEST_REPORTER_END, 7), 0);
  assert_string_equal(engine_reporter_of(&f, BLOCK), "explicit/a");
  engine_expect_no_fault(&f);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/c");
  f.h.now = f.measure;
  ask(&f, DMD_REQUEST_REPORTER_END, 7);
  engine_expect_fault(&f, DMD_FAULT_CLAIM, f.measure);
  engine_end(&f);
}

/* A guard that an exception ends makes no claim, and ends the scopes within it. */
static void guards(void **state) {
  (void)state;
  for (uint64_t abandoned = 0; abandoned <= 1; abandoned++) {
    engine_fixture_t f;
    begin(&f);
    uint64_t depth = ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
    ask(&f, DMD_REQUEST_REPORT, BLOCK);
    f.h.now = f.measure;
    ask3(&f, DMD_REQUEST_REPORTER_END, 0, 2 * depth + abandoned, 0);
    if (abandoned)
      engine_expect_no_fault(&f);
    else
      engine_expect_fault(&f, DMD_FAULT_CLAIM, f.measure);
    engine_end(&f);
  }
}

static void guards_name_their_scope(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  uint64_t depth = ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
  f.h.now = f.measure;
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a/b");
  f.h.now = f.make;
  assert_int_equal(ask3(&f, DMD_REQUEST_REPORTER_END, 0, 2 * depth, 0), 0);
  const dmd_fault_t *fault = engine_expect_fault(&f, DMD_FAULT_SCOPE_LEFT_OPEN, f.measure);
  assert_string_equal(reporter_named(&f, fault->scope), "explicit/a/b");
  engine_end(&f);
}

static void tags(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_PUSH, "t"), 1);
  engine_add_block(&f, BLOCK + 4096);
  assert_int_equal(ask_name(&f, DMD_REQUEST_SET_TAG, "s"), 2);
  engine_add_block(&f, BLOCK + 8192);
  engine_add_block(&f, BLOCK + 12288);
  assert_int_equal(ask(&f, DMD_REQUEST_CLEAR_TAG, 0), 1);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BYTES, "t"), 104);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BLOCKS, "t"), 1);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BYTES, "s"), 208);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BLOCKS, "s"), 2);
  assert_int_equal(ask_name(&f, DMD_REQUEST_TAG_BLOCKS, "u"), 0);
  assert_int_equal(ask(&f, DMD_REQUEST_TAG_POP, 0), 0);
  engine_expect_no_fault(&f);
  f.h.now = f.measure;
  assert_int_equal(ask(&f, DMD_REQUEST_TAG_POP, 0), 0);
  engine_expect_fault(&f, DMD_FAULT_SCOPE_UNDERFLOW, f.measure);
  engine_end(&f);
}

/* The bytes of a tag may be claimed by the reporter that requested them. */
static void a_claim_of_tag_bytes(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  ask_name(&f, DMD_REQUEST_TAG_PUSH, "t");
  engine_add_block(&f, BLOCK + 4096);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
  ask(&f, DMD_REQUEST_REPORTER_END, ask_name(&f, DMD_REQUEST_TAG_BYTES, "t"));
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* The end of a scope whose stack pointer is that of an outer one of the same function, which only
 * the host knows: what began in between was left by longjmp. */
static void scopes_know_where_they_began(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  f.h.place = (dmd_place_t){.ip = MAKE, .sp = 0x1000};
  ask_name(&f, DMD_REQUEST_TAG_PUSH, "outer");
  f.h.place = (dmd_place_t){.ip = MEASURE, .sp = 0x800};
  f.h.now = f.measure;
  ask_name(&f, DMD_REQUEST_TAG_PUSH, "inner");
  f.h.place = (dmd_place_t){.ip = MAKE, .sp = 0x1000};
  f.h.now = f.make;
  assert_int_equal(ask(&f, DMD_REQUEST_TAG_POP, 0), 0);
  const dmd_fault_t *fault = engine_expect_fault(&f, DMD_FAULT_SCOPE_LEFT_OPEN, f.measure);
  assert_string_equal(reporter_named(&f, fault->scope), "inner");
  engine_end(&f);
}

/* Each thread has scopes of its own. */
static void threads(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  dmd_engine_start_thread(&f.engine, 1, 2);
  ask_name(&f, DMD_REQUEST_REPORTER_BEGIN, "explicit/a");
  dmd_request_t request = {
      .number = DMD_REQUEST_REPORTER_BEGIN, .arg = {(uintptr_t) "explicit/b"}, .thread = 2};
  uint64_t answer;
  assert_true(dmd_engine_request(&f.engine, &request, &answer));
  assert_int_equal(answer, 1);
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  assert_string_equal(engine_reporter_of(&f, BLOCK), "explicit/a");
  engine_end(&f);
}

/* ---- Memory reports. ---- */

static void memory_reports(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f);
  dmd_request_memreport_t report = {.path = "explicit/a",
                                    .kind = DMD_MEMREPORT_OTHER,
                                    .units = DMD_MEMREPORT_PERCENTAGE,
                                    .amount = -5,
                                    .description = "A sentence."};
  f.h.now = f.measure;
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)&report), 1);
  report.path = "explicit/b";
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)&report), 2);
  const dmd_memreports_t *kept = &f.engine.live.memreports;
  const dmd_memreport_entry_t *entry = dmd_memreports_at(kept, 1);
  assert_int_equal(entry->amount, -5);
  assert_int_equal(entry->kind, DMD_MEMREPORT_OTHER);
  assert_int_equal(entry->units, DMD_MEMREPORT_PERCENTAGE);
  assert_int_equal(entry->stack, f.measure);
  assert_int_equal(entry->process, DMD_NONE);
  assert_string_equal(dmd_intern_get_str(&kept->strings, entry->path), "explicit/a");
  assert_string_equal(dmd_intern_get_str(&kept->strings, entry->description), "A sentence.");
  engine_expect_no_fault(&f);
  engine_end(&f);
}

/* Without a path, with unknown units, and with a path that cannot be read as a whole. */
static void memory_reports_that_are_refused(void **state) {
  (void)state;
  static char pages[2 * 4096] __attribute__((aligned(4096)));
  engine_fixture_t f;
  begin(&f);
  dmd_request_memreport_t report = {.path = "explicit/a", .units = DMD_MEMREPORT_N_UNITS};
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)&report), 0);
  report = (dmd_request_memreport_t){.amount = 1};
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)&report), 0);
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, 0), 0);
  report.path = "explicit/a";
  char *across = pages + 4096 - sizeof report / 2;
  memcpy(across, &report, sizeof report);
  f.h.unreadable = pages + 4096;
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)across), 0);
  assert_int_equal(engine_expect_fault(&f, DMD_FAULT_MEMORY_REPORT_REFUSED, f.make)->num, 4);
  f.h.unreadable = NULL;
  assert_int_equal(ask(&f, DMD_REQUEST_MEMORY_REPORT, (uintptr_t)across), 1);
  engine_end(&f);
}

/* ---- Out of memory. ---- */

static void use(dmd_engine_t *engine) {
  dmd_request_memreport_t report = {.path = "explicit/a"};
  static const dmd_request_number_t named[] = {
      DMD_REQUEST_REPORTER_BEGIN, DMD_REQUEST_TAG_PUSH, DMD_REQUEST_SET_TAG,
      DMD_REQUEST_REPORT,         DMD_REQUEST_TAG_POP,  DMD_REQUEST_REPORTER_END};
  uint64_t answer;
  for (size_t i = 0; i < COUNT_OF(named); i++)
    dmd_engine_request(
        engine,
        &(dmd_request_t){.number = named[i], .arg = {(uintptr_t) "name", 0, 0}, .thread = 1},
        &answer);
  dmd_engine_request(engine,
                     &(dmd_request_t){.number = DMD_REQUEST_MEMORY_REPORT,
                                      .arg = {(uintptr_t)&report},
                                      .thread = 1},
                     &answer);
}

static void out_of_memory(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  engine_start(&f);
  assert_true(engine_fail_everywhere(&f, use) > 20);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),
      cmocka_unit_test(reports),
      cmocka_unit_test(reports_of_all_kinds),
      cmocka_unit_test(reports_that_are_not_kept),
      cmocka_unit_test(unreports),
      cmocka_unit_test(reports_with_a_name),
      cmocka_unit_test(names_of_every_length_and_place),
      cmocka_unit_test(names_that_are_none),
      cmocka_unit_test(names_without_an_end),
      cmocka_unit_test(dumps),
      cmocka_unit_test(reporters),
      cmocka_unit_test(exclusive_reporters),
      cmocka_unit_test(ignored_reporters),
      cmocka_unit_test(guards),
      cmocka_unit_test(guards_name_their_scope),
      cmocka_unit_test(tags),
      cmocka_unit_test(a_claim_of_tag_bytes),
      cmocka_unit_test(scopes_know_where_they_began),
      cmocka_unit_test(threads),
      cmocka_unit_test(memory_reports),
      cmocka_unit_test(memory_reports_that_are_refused),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
