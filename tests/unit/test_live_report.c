/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is wrong with reports, claims and scopes, as the live state sees it: live_report.c and
 * live_scope.c, with a host that knows a few places of memory and of the program.
 */
#include "host.h"

#include "live/live.h"

enum { A = 0x10000, B = 0x20000, C = 0x30000 }; /* addresses of blocks */

/* What the host knows: one piece of memory of each kind, 4 KiB long. */
enum { ON_STACK = 0xa0000, GLOBAL = 0xb0000, MAPPED = 0xc0000, NOTHING = 0xd0000 };

typedef struct {
  host_t host;
  dmd_live_t live;
  const char *memory; /* what classify says of MAPPED */
} fixture_t;

static dmd_fault_kind_t classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  const fixture_t *f = ctx;
  static const struct {
    uint64_t start;
    dmd_fault_kind_t kind;
    const char *text;
  } places[] = {{ON_STACK, DMD_FAULT_REPORT_STACK, "stack of thread 1"},
                {GLOBAL, DMD_FAULT_REPORT_GLOBAL, "global variable g"},
                {MAPPED, DMD_FAULT_REPORT_MAPPED, NULL},
                {NOTHING, DMD_FAULT_REPORT_NO_ADDRESS, ""}};
  for (size_t i = 0; i < COUNT_OF(places); i++)
    if (addr - places[i].start < 4096) {
      const char *said = places[i].text != NULL ? places[i].text : f->memory;
      assert_true(strlen(said) < szB);
      strcpy(text, said);
      return places[i].kind;
    }
  return DMD_FAULT_REPORT_NO_BLOCK;
}

/* Functions are 256 bytes long. */
static bool same_function(void *ctx, uint64_t ip, uint64_t other_ip) {
  (void)ctx;
  return ip >> 8 == other_ip >> 8;
}

/* Stacks of one frame have the ids from 1000 on. */
static uint32_t stack_of(void *ctx, uint64_t ip) {
  (void)ctx;
  return 1000 + (uint32_t)ip;
}

static void begin_as(fixture_t *f, dmd_live_config_t config) {
  host_init(&f->host);
  f->memory = "memory that was mapped";
  config.word_szB = 8;
  config.freed_blocks = 4;
  config.host = (dmd_live_host_t){.ctx = f, .classify = classify, .same_function = same_function};
  config.host.stack_of = stack_of;
  dmd_live_init(&f->live, &f->host.env, &config);
}

static void begin(fixture_t *f) {
  begin_as(f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER});
}

static void end(fixture_t *f) {
  dmd_live_destroy(&f->live);
  host_done(&f->host);
}

/* A block with 4 bytes of slop. */
static void alloc(fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack) {
  dmd_live_add(
      &f->live,
      &(dmd_new_block_t){.addr = addr, .req = req, .usable = req + 4, .stack = stack, .thread = 1});
}

static void free_at(fixture_t *f, uint64_t addr, uint32_t stack) {
  assert_int_equal(dmd_live_remove(&f->live, addr, stack), DMD_REMOVE_MEMORY);
}

static uint64_t report(fixture_t *f, uint64_t addr, uint32_t stack) {
  return dmd_live_report(&f->live, 1, addr, stack, 0, DMD_NONE);
}

static uint64_t report_shared(fixture_t *f, uint64_t addr, uint32_t stack) {
  return dmd_live_report(&f->live, 1, addr, stack, DMD_REPORT_SHARED, DMD_NONE);
}

/* Scopes that say where they begin and end; nowhere for those that do not matter. */
static const dmd_place_t nowhere;
static const dmd_scope_end_t innermost;

static dmd_place_t at(uint64_t ip, uint64_t sp) {
  return (dmd_place_t){.ip = ip, .sp = sp};
}

static void begin_reporter(fixture_t *f, const char *path) {
  dmd_live_begin_reporter(&f->live, 1, path, false, nowhere);
}

static void end_reporter(fixture_t *f, uint64_t claimed, uint32_t stack) {
  assert_true(dmd_live_end_reporter(&f->live, 1, claimed, stack, innermost));
}

static const char *name(const fixture_t *f, uint32_t id) {
  return id == DMD_NONE ? "" : dmd_intern_get_str(&f->live.reporter_names, id);
}

/* The n-th fault of all, of which there are so many, is this one in all that it says. */
typedef struct {
  dmd_fault_t fault; /* but the names */
  const char *reporter, *other_reporter, *scope, *memory;
} expected_t;

static const char *or_empty(const char *s) {
  return s == NULL ? "" : s;
}

static void expect(const fixture_t *f, uint32_t n, uint32_t of, const expected_t *expected) {
  assert_int_equal(dmd_faults_count(&f->live.faults), of);
  dmd_fault_t fault = *dmd_faults_at(&f->live.faults, n);
  assert_string_equal(name(f, fault.reporter), or_empty(expected->reporter));
  assert_string_equal(name(f, fault.other_reporter), or_empty(expected->other_reporter));
  assert_string_equal(name(f, fault.scope), or_empty(expected->scope));
  assert_string_equal(name(f, fault.memory), or_empty(expected->memory));
  fault.reporter = fault.other_reporter = fault.scope = fault.memory = DMD_NONE;
  dmd_fault_t other = expected->fault;
  other.num = other.num == 0 ? 1 : other.num;
  assert_int_equal(fault.kind, other.kind);
  assert_int_equal(fault.num, other.num);
  assert_int_equal(fault.stack, other.stack);
  assert_int_equal(fault.reason, other.reason);
  assert_int_equal(fault.allocated, other.allocated);
  assert_int_equal(fault.freed, other.freed);
  assert_int_equal(fault.reported, other.reported);
  assert_int_equal(fault.bytes, other.bytes);
  assert_int_equal(fault.claimed, other.claimed);
  assert_int_equal(fault.measured, other.measured);
  assert_int_equal(fault.size, other.size);
  assert_int_equal(fault.offset, other.offset);
  assert_int_equal(fault.length, other.length);
}

static void expect_none(const fixture_t *f) {
  assert_int_equal(dmd_faults_count(&f->live.faults), 0);
}

/* ---- Reports of what is no block. ---- */

static void interior(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  begin_reporter(&f, "explicit/a");
  assert_int_equal(report(&f, A + 1, 10), 0);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_INTERIOR,
                                   .stack = 10,
                                   .allocated = 1,
                                   .bytes = 104,
                                   .size = 104,
                                   .offset = 1},
                         .reporter = "explicit/a"};
  expect(&f, 1, 1, &expected);
  /* Who else reported the block is another fault; the last byte of the slop is in the block. */
  begin_reporter(&f, "explicit/b");
  assert_int_equal(report(&f, A, 20), 104);
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  assert_int_equal(report(&f, A + 103, 10), 0);
  expected.fault.offset = 103;
  expected.fault.reported = 20;
  expected.other_reporter = "explicit/b";
  expect(&f, 2, 2, &expected);
  /* The first of several reports is the one that is told. */
  assert_int_equal(report(&f, A, 21), 104);
  assert_int_equal(report(&f, A + 50, 10), 0);
  expected.fault.num = 2;
  expected.fault.bytes = 208;
  expect(&f, 2, 2, &expected);
  assert_int_equal(report(&f, A + 104, 10), 0);
  expected_t beyond = {.fault = {.kind = DMD_FAULT_REPORT_NO_BLOCK, .stack = 10},
                       .reporter = "explicit/a"};
  expect(&f, 3, 3, &beyond);
  end(&f);
}

/* The stack of a free is captured from the first report on; a block that was freed before that has
 * none. */
static void freed(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 50, 2);
  assert_false(dmd_live_wants_stack_of_free(&f.live));
  free_at(&f, A, DMD_NONE);
  assert_int_equal(report(&f, A, 10), 0);
  assert_true(dmd_live_wants_stack_of_free(&f.live));
  expected_t expected = {
      .fault = {
          .kind = DMD_FAULT_REPORT_FREED, .stack = 10, .allocated = 1, .bytes = 104, .size = 104}};
  expect(&f, 1, 1, &expected);
  free_at(&f, B, 30);
  assert_int_equal(report(&f, B, 10), 0);
  expected.fault.allocated = 2;
  expected.fault.freed = 30;
  expected.fault.bytes = expected.fault.size = 54;
  expect(&f, 2, 2, &expected);
  /* Where a block lives again, it is reported. */
  alloc(&f, A, 8, 3);
  assert_int_equal(report(&f, A, 10), 12);
  assert_int_equal(dmd_faults_count(&f.live.faults), 2);
  /* Inside of a freed block nothing is known; nor of a block once others have been freed. */
  assert_int_equal(report(&f, B + 8, 10), 0);
  for (uint64_t i = 0; i < 4; i++) {
    alloc(&f, C + 64 * i, 8, 4);
    free_at(&f, C + 64 * i, 31);
  }
  assert_int_equal(report(&f, B, 10), 0);
  expected_t forgotten = {.fault = {.kind = DMD_FAULT_REPORT_NO_BLOCK, .num = 2, .stack = 10}};
  expect(&f, 3, 3, &forgotten);
  end(&f);
}

/* A reporter wants them too, where reports are kept. */
static void stacks_of_frees(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_DARK_MATTER, DMD_MODE_LIVE, DMD_MODE_CUMULATIVE};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    fixture_t f;
    begin_as(&f, (dmd_live_config_t){.mode = modes[i]});
    dmd_live_push_tag(&f.live, 1, "tag", nowhere);
    assert_false(dmd_live_wants_stack_of_free(&f.live));
    begin_reporter(&f, "explicit/a");
    report(&f, A, 10);
    assert_int_equal(dmd_live_wants_stack_of_free(&f.live), modes[i] == DMD_MODE_DARK_MATTER);
    end(&f);
  }
}

static void other_memory(void **state) {
  (void)state;
  static const struct {
    uint64_t addr;
    dmd_fault_kind_t kind;
    const char *memory;
  } cases[] = {{ON_STACK, DMD_FAULT_REPORT_STACK, "stack of thread 1"},
               {GLOBAL + 8, DMD_FAULT_REPORT_GLOBAL, "global variable g"},
               {MAPPED, DMD_FAULT_REPORT_MAPPED, "memory that was mapped"},
               {NOTHING, DMD_FAULT_REPORT_NO_ADDRESS, NULL},
               {UINT64_MAX, DMD_FAULT_REPORT_NO_BLOCK, NULL}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    begin_reporter(&f, "explicit/a");
    assert_int_equal(report(&f, cases[i].addr, 10), 0);
    assert_int_equal(report(&f, 0, 10), 0); /* as free(NULL) */
    expected_t expected = {.fault = {.kind = cases[i].kind, .stack = 10},
                           .reporter = "explicit/a",
                           .memory = cases[i].memory};
    expect(&f, 1, 1, &expected);
    end(&f);
  }
}

/* A description as long as may be is kept; a host that cannot tell is as good as none. */
static void descriptions_of_memory(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  char text[256];
  memset(text, 'm', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  f.memory = text;
  report(&f, MAPPED, 10);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_MAPPED, .stack = 10}, .memory = text};
  expect(&f, 1, 1, &expected);
  f.live.config.host.classify = NULL;
  report(&f, MAPPED, 10);
  expected_t unknown = {.fault = {.kind = DMD_FAULT_REPORT_NO_BLOCK, .stack = 10}};
  expect(&f, 2, 2, &unknown);
  end(&f);
}

/* ---- Reports of blocks. ---- */

static void lengths(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  uint32_t reporter = dmd_intern_str(&f.live.reporter_names, "explicit/a");
  dmd_live_check_length(&f.live, A, 100, 10, reporter);
  dmd_live_check_length(&f.live, A, 104, 10, reporter);
  dmd_live_check_length(&f.live, A + 1, 7, 10, reporter); /* no block: the report says so */
  expect_none(&f);
  dmd_live_check_length(&f.live, A, 102, 10, reporter);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_LENGTH,
                                   .stack = 10,
                                   .allocated = 1,
                                   .bytes = 2,
                                   .size = 104,
                                   .length = 102},
                         .reporter = "explicit/a"};
  expect(&f, 1, 1, &expected);
  dmd_live_check_length(&f.live, A, 1000, 10, reporter); /* farther off: this one is told */
  expected.fault.num = 2;
  expected.fault.bytes = 2 + 896;
  expected.fault.length = 1000;
  expect(&f, 1, 1, &expected);
  dmd_live_check_length(&f.live, A, 0, 11, DMD_NONE);
  expected_t zero = {
      .fault = {
          .kind = DMD_FAULT_REPORT_LENGTH, .stack = 11, .allocated = 1, .bytes = 104, .size = 104}};
  expect(&f, 2, 2, &zero);
  end(&f);
}

static void unscoped(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER, .require_scope = true});
  alloc(&f, A, 100, 1);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
  dmd_live_report(&f.live, 1, A, 10, 0, dmd_intern_str(&f.live.reporter_names, "explicit/b"));
  expect_none(&f);
  assert_int_equal(report(&f, A, 11), 104); /* it is a report all the same */
  assert_int_equal(report(&f, A, 11), 104);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_UNSCOPED,
                                   .num = 2,
                                   .stack = 11,
                                   .allocated = 1,
                                   .bytes = 208,
                                   .size = 104}};
  expect(&f, 1, 1, &expected);
  f.live.config.require_scope = false;
  report(&f, A, 12);
  assert_int_equal(dmd_faults_count(&f.live.faults), 1);
  end(&f);
}

static void shared_and_plain(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 50, 2);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  report(&f, A, 10);
  report_shared(&f, B, 20);
  report_shared(&f, B, 21);
  begin_reporter(&f, "explicit/b");
  expect_none(&f);
  assert_true(dmd_reports_are_shared(&f.live.reports, dmd_live_find(&f.live, B)->reports));
  assert_int_equal(report_shared(&f, A, 30), 104);
  expected_t expected = {.fault = {.kind = DMD_FAULT_REPORT_MIXED,
                                   .stack = 30,
                                   .allocated = 1,
                                   .reported = 10,
                                   .bytes = 104,
                                   .size = 104},
                         .reporter = "explicit/b",
                         .other_reporter = "explicit/a"};
  expect(&f, 1, 1, &expected);
  assert_int_equal(report(&f, B, 31), 54);
  expected.fault.stack = 31;
  expected.fault.allocated = 2;
  expected.fault.reported = 20;
  expected.fault.bytes = expected.fault.size = 54;
  expect(&f, 2, 2, &expected);
  end(&f);
}

/* ---- Claims. ---- */

static void claims(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 50, 2);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  begin_reporter(&f, "explicit/a/b");
  report(&f, B, 20);
  end_reporter(&f, 54, 21);
  end_reporter(&f, 104 + 54, 11);
  expect_none(&f);
  assert_false(dmd_live_end_reporter(&f.live, 1, 0, 11, innermost));
  expect_none(&f); /* the shell adds one */
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  begin_reporter(&f, "explicit/a/b");
  report(&f, B, 20);
  end_reporter(&f, 54, 21);
  end_reporter(&f, 104, 11);
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .stack = 11,
                                   .reason = DMD_REASON_CHILD_LEFT_OUT,
                                   .bytes = 54,
                                   .claimed = 104,
                                   .measured = 158},
                         .reporter = "explicit/a",
                         .scope = "explicit/a/b"};
  expect(&f, 1, 1, &expected);
  /* Blocks that were reported through a reporter's name are in the scope that is open. */
  begin_reporter(&f, "explicit/a");
  dmd_live_report(&f.live, 1, A, 10, 0, dmd_intern_str(&f.live.reporter_names, "explicit/b"));
  end_reporter(&f, 104, 12);
  assert_int_equal(dmd_faults_count(&f.live.faults), 1);
  end(&f);
}

static void exclusive_claims(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 50, 2);
  for (int i = 0; i < 2; i++) {
    dmd_live_begin_reporter(&f.live, 1, "explicit/a", i == 0, nowhere);
    report(&f, A, 10);
    begin_reporter(&f, "explicit/a/b");
    report(&f, B, 20);
    end_reporter(&f, 54, 21);
    end_reporter(&f, 104, 11);
    assert_int_equal(dmd_faults_count(&f.live.faults), i);
  }
  end(&f);
}

/* An object that is no block, reported in a reporter or within it, may be what is too much. */
static void claims_of_what_is_no_block(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  report(&f, GLOBAL, 11);
  end_reporter(&f, 104 + 18, 12);
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .stack = 12,
                                   .reason = DMD_REASON_NOT_A_BLOCK,
                                   .bytes = 18,
                                   .claimed = 122,
                                   .measured = 104},
                         .reporter = "explicit/a",
                         .memory = "global variable g"};
  expect(&f, 2, 2, &expected);
  begin_reporter(&f, "explicit/a");
  report(&f, A, 10);
  begin_reporter(&f, "explicit/b");
  report(&f, GLOBAL, 11);
  end_reporter(&f, 0, 13);
  end_reporter(&f, 104 + 18, 12);
  expected.fault.num = 2;
  expected.fault.bytes = 36;
  expect(&f, 2, 3, &expected); /* the third: the same report in explicit/b */
  end(&f);
}

/* DMD_TAG_BYTES told it: the bytes may be claimed, and need not be. */
static void claims_of_tags(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_live_push_tag(&f.live, 1, "lua", nowhere);
  alloc(&f, A, 100, 1);
  dmd_live_pop_tag(&f.live, 1, innermost);
  alloc(&f, B, 50, 2);
  assert_int_equal(dmd_live_tag_bytes(&f.live, 1, "lua"), 104); /* outside of any */
  for (int i = 0; i < 2; i++) {
    begin_reporter(&f, "explicit/a");
    report(&f, B, 10);
    assert_int_equal(dmd_live_tag_bytes(&f.live, 1, "lua"), 104);
    assert_int_equal(dmd_live_tag_bytes(&f.live, 1, "none"), 0);
    end_reporter(&f, i == 0 ? 54 : 54 + 104, 11);
  }
  expect_none(&f);
  begin_reporter(&f, "explicit/a");
  report(&f, B, 10);
  end_reporter(&f, 54 + 104, 11); /* it was not told this time */
  assert_int_equal(dmd_faults_count(&f.live.faults), 1);
  end(&f);
}

/* Two threads in one reporter at a time: one may have added to the other's sum. */
static void concurrent_claims(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 50, 2);
  begin_reporter(&f, "explicit/a");
  dmd_live_begin_reporter(&f.live, 2, "explicit/a", false, nowhere);
  dmd_live_begin_reporter(&f.live, 3, "explicit/b", false, nowhere);
  report(&f, A, 10);
  dmd_live_report(&f.live, 2, B, 10, 0, DMD_NONE);
  dmd_live_report(&f.live, 3, A, 10, 0, DMD_NONE);
  end_reporter(&f, 158, 11);
  assert_true(dmd_live_end_reporter(&f.live, 2, 53, 11, innermost));
  assert_true(dmd_live_end_reporter(&f.live, 3, 158, 11, innermost));
  expected_t expected = {.fault = {.kind = DMD_FAULT_CLAIM,
                                   .num = 2,
                                   .stack = 11,
                                   .reason = DMD_REASON_CONCURRENT,
                                   .bytes = 54 + 1,
                                   .claimed = 158,
                                   .measured = 104},
                         .reporter = "explicit/a"};
  expect(&f, 1, 2, &expected);
  expected.fault.num = 1;
  expected.fault.reason = DMD_REASON_NONE;
  expected.fault.bytes = 54;
  expected.reporter = "explicit/b";
  expect(&f, 2, 2, &expected);
  /* One after the other they are not. */
  begin_reporter(&f, "explicit/a");
  end_reporter(&f, 54, 12);
  assert_int_equal(dmd_faults_at(&f.live.faults, 3)->reason, DMD_REASON_NOT_MEASURED);
  end(&f);
}

/* A reporter that is abandoned claims nothing, and what it measured may be claimed around it. */
static void abandoned(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
  assert_false(dmd_live_abandon_reporter(&f.live, 1, innermost));
  static const uint64_t claimed[] = {104, 0, 1};
  for (int i = 0; i < 3; i++) {
    begin_reporter(&f, "explicit/a");
    begin_reporter(&f, "explicit/a/b");
    report(&f, A, 10);
    assert_true(dmd_live_abandon_reporter(&f.live, 1, innermost));
    end_reporter(&f, claimed[i], 11);
    assert_false(dmd_live_abandon_reporter(&f.live, 1, innermost));
    assert_int_equal(dmd_faults_count(&f.live.faults), i / 2);
  }
  end(&f);
}

static void other_modes_know_no_claims(void **state) {
  (void)state;
  static const dmd_mode_t modes[] = {DMD_MODE_LIVE, DMD_MODE_CUMULATIVE, DMD_MODE_SCAN};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    fixture_t f;
    begin_as(&f, (dmd_live_config_t){.mode = modes[i], .require_scope = true});
    alloc(&f, A, 100, 1);
    assert_int_equal(report(&f, A, 10), 104);
    dmd_live_check_length(&f.live, A, 1, 10, DMD_NONE);
    begin_reporter(&f, "explicit/a");
    report(&f, GLOBAL, 10);
    end_reporter(&f, 12345, 11);
    expect_none(&f);
    end(&f);
  }
}

/* ---- Scopes that nobody ended. ---- */

/* outer() calls middle(), which calls inner(); each begins a scope, and outer() ends one. */
enum { OUTER = 0x1010, OUTER_END = 0x1020, MIDDLE = 0x2010, INNER = 0x3010 };

static void begin_nested(fixture_t *f, const char *const names[3], bool tags) {
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
  fixture_t f;
  begin(&f);
  alloc(&f, A, 100, 1);
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
  /* The claim that is judged is that of the reporter that ends, which may have got what those that
   * were left had measured. */
  begin_nested(&f, names, false);
  report(&f, A, 10);
  assert_true(
      dmd_live_end_reporter(&f.live, 1, 104, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  assert_int_equal(dmd_faults_count(&f.live.faults), 2);
  begin_nested(&f, names, false);
  assert_true(
      dmd_live_end_reporter(&f.live, 1, 7, 11, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  assert_int_equal(dmd_faults_count(&f.live.faults), 3);
  assert_string_equal(name(&f, dmd_faults_at(&f.live.faults, 3)->reporter), "explicit/a");
  end(&f);
}

static void tags_left_by_a_jump(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c"};
  fixture_t f;
  begin(&f);
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
  end(&f);
}

/* Which function code is in, or where a frame lies, nobody knows: an end ends the innermost. */
static void hosts_that_know_less(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c"};
  fixture_t f;
  begin(&f);
  f.live.config.host.same_function = NULL;
  begin_nested(&f, names, true);
  for (int i = 0; i < 3; i++)
    assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  assert_false(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  expect_none(&f);
  f.live.config.host.same_function = same_function;
  f.live.config.host.stack_of = NULL;
  begin_nested(&f, names, true);
  assert_true(dmd_live_pop_tag(&f.live, 1, (dmd_scope_end_t){.place = at(OUTER_END, 900)}));
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN}, .scope = "c"};
  expect(&f, 1, 2, &expected);
  end(&f);
}

static void left_at_the_end_of_a_thread(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_live_begin_reporter(&f.live, 2, "explicit/a", false, at(OUTER, 900));
  dmd_live_push_tag(&f.live, 2, "lua", at(MIDDLE, 800));
  dmd_live_set_tag(&f.live, 2, "set"); /* may stay */
  dmd_live_begin_reporter(&f.live, 3, "explicit/b", false, at(INNER, 900));
  dmd_live_end_thread(&f.live, 2);
  expected_t expected = {.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + MIDDLE},
                         .reporter = "explicit/a",
                         .scope = "lua"};
  expect(&f, 1, 2, &expected);
  expected = (expected_t){.fault = {.kind = DMD_FAULT_SCOPE_LEFT_OPEN, .stack = 1000 + OUTER},
                          .scope = "explicit/a"};
  expect(&f, 2, 2, &expected);
  dmd_live_end_thread(&f.live, 2);
  assert_int_equal(dmd_faults_count(&f.live.faults), 2);
  end(&f);
}

/* At the end of the program a tag may well be open; reporters should not be, in whatever thread. */
static void left_at_the_end(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
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
  assert_int_equal(dmd_faults_count(&f.live.faults), 3);
  end(&f);
}

/* ---- Memory. ---- */

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_live_config_t config = {.word_szB = 8, .freed_blocks = 4, .require_scope = true};
  static fixture_t f;
  f.memory = "mapped";
  config.host = (dmd_live_host_t){
      .ctx = &f, .classify = classify, .same_function = same_function, .stack_of = stack_of};
  dmd_live_init(&f.live, &host->env, &config);
  alloc(&f, A, 100, 1);
  alloc(&f, B, 100, 1);
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
  assert_int_equal(dmd_faults_count(&f.live.faults), 7);
  dmd_live_destroy(&f.live);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 20);
}

/* A guard says which scope it ends: those within it were left open, however they lie. */
static void ends_by_depth(void **state) {
  (void)state;
  fixture_t f;
  begin_as(&f, (dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER, .inherit_tags = true});
  uint32_t outer = dmd_live_begin_reporter(&f.live, 1, "explicit/outer", false, at(OUTER, 700));
  uint32_t guard = dmd_live_begin_reporter(&f.live, 1, "explicit/guard", false, at(OUTER, 700));
  dmd_live_begin_reporter(&f.live, 1, "explicit/left", false, at(OUTER, 900));
  dmd_scope_end_t which = {.place = at(OUTER_END, 900), .depth = guard};
  assert_true(dmd_live_end_reporter(&f.live, 1, 0, 11, which));
  assert_int_equal(dmd_scopes_depth(&f.live.reporters, 1), 1);
  assert_int_equal(dmd_faults_count(&f.live.faults), 1);
  assert_int_equal(dmd_faults_at(&f.live.faults, 1)->kind, DMD_FAULT_SCOPE_LEFT_OPEN);
  assert_false(dmd_live_end_reporter(&f.live, 1, 0, 11, which)); /* it is no longer open */
  assert_int_equal(dmd_scopes_depth(&f.live.reporters, 1), 1);
  which.depth = outer;
  assert_true(dmd_live_abandon_reporter(&f.live, 1, which));
  assert_false(dmd_live_abandon_reporter(&f.live, 1, which));
  /* A tag's depth counts the base of the thread and what was set. */
  dmd_live_push_tag(&f.live, 1, "base", nowhere);
  dmd_live_start_thread(&f.live, 1, 2);
  dmd_live_set_tag(&f.live, 2, "set");
  which.depth = dmd_live_push_tag(&f.live, 2, "guard", nowhere);
  assert_int_equal(which.depth, 3);
  dmd_live_set_tag(&f.live, 2, "set again");
  dmd_live_push_tag(&f.live, 2, "left", nowhere);
  dmd_live_set_tag(&f.live, 2, "and again");
  assert_true(dmd_live_pop_tag(&f.live, 2, which));
  assert_int_equal(dmd_scopes_depth(&f.live.tags, 2), 2);
  assert_int_equal(dmd_faults_count(&f.live.faults), 2);
  which.depth = 1; /* the base, which is no scope of its own */
  assert_false(dmd_live_pop_tag(&f.live, 2, which));
  end(&f);
}

/* What is open when all is said to be measured is told, and once only. */
static void open_at_a_dump(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_live_begin_reporter(&f.live, 1, "explicit/a", false, nowhere);
  dmd_live_begin_reporter(&f.live, 2, "explicit/elsewhere", false, nowhere);
  dmd_live_tell_open(&f.live, 1);
  assert_int_equal(dmd_faults_count(&f.live.faults), 1);
  dmd_live_begin_reporter(&f.live, 1, "explicit/b", false, nowhere);
  dmd_live_tell_open(&f.live, 1);
  dmd_live_tell_open(&f.live, 1);
  assert_int_equal(dmd_faults_count(&f.live.faults), 2);
  assert_true(dmd_live_end_reporter(&f.live, 1, 0, 11, innermost));
  dmd_live_end_all(&f.live);
  assert_int_equal(dmd_faults_count(&f.live.faults), 3);
  for (uint32_t id = 1; id <= 3; id++)
    assert_int_equal(dmd_faults_at(&f.live.faults, id)->num, 1);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interior),
      cmocka_unit_test(freed),
      cmocka_unit_test(stacks_of_frees),
      cmocka_unit_test(other_memory),
      cmocka_unit_test(descriptions_of_memory),
      cmocka_unit_test(lengths),
      cmocka_unit_test(unscoped),
      cmocka_unit_test(shared_and_plain),
      cmocka_unit_test(claims),
      cmocka_unit_test(exclusive_claims),
      cmocka_unit_test(claims_of_what_is_no_block),
      cmocka_unit_test(claims_of_tags),
      cmocka_unit_test(concurrent_claims),
      cmocka_unit_test(abandoned),
      cmocka_unit_test(other_modes_know_no_claims),
      cmocka_unit_test(reporters_left_by_a_jump),
      cmocka_unit_test(tags_left_by_a_jump),
      cmocka_unit_test(hosts_that_know_less),
      cmocka_unit_test(left_at_the_end_of_a_thread),
      cmocka_unit_test(left_at_the_end),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(ends_by_depth),
      cmocka_unit_test(open_at_a_dump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
