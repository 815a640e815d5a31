/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live_fixture.h"

const dmd_place_t nowhere;
const dmd_scope_end_t innermost;

/* ---- The host. ---- */

static dmd_fault_kind_t classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  const live_fixture_t *f = ctx;
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

static bool same_function(void *ctx, uint64_t ip, uint64_t other_ip) {
  (void)ctx;
  return ip >> 8 == other_ip >> 8;
}

static dmd_begin_state_t begin_state(void *ctx, uint32_t begun, uint32_t now) {
  const live_fixture_t *f = ctx;
  if (now == DMD_NONE)
    return DMD_BEGIN_UNKNOWN;
  return begun == f->runs   ? DMD_BEGIN_RUNNING
         : begun == f->left ? DMD_BEGIN_LEFT
                            : DMD_BEGIN_UNKNOWN;
}

/* All functions are coroutines; those that are not on the stack are suspended. */
static dmd_begin_frame_t begin_frame(void *ctx, uint32_t begun, uint32_t now) {
  const live_fixture_t *f = ctx;
  if (f->on_stack == NULL || begun == DMD_NONE || now == DMD_NONE)
    return (dmd_begin_frame_t){DMD_FRAME_UNKNOWN, 0, false};
  for (uint32_t i = 0; f->on_stack[i] != 0; i++)
    if (f->on_stack[i] >> 8 == (begun - 1000) >> 8)
      return (dmd_begin_frame_t){DMD_FRAME_ON_STACK, i + 1, true};
  return (dmd_begin_frame_t){DMD_FRAME_SUSPENDED, 0, false};
}

static bool has_other_coroutine(void *ctx, uint32_t begun, uint32_t now) {
  const live_fixture_t *f = ctx;
  (void)begun;
  return now == f->with_coroutine;
}

dmd_live_host_t live_host(live_fixture_t *f) {
  return (dmd_live_host_t){.ctx = f,
                           .classify = classify,
                           .same_function = same_function,
                           .begin_state = begin_state,
                           .begin_frame = begin_frame,
                           .has_other_coroutine = has_other_coroutine};
}

void live_begin_as(live_fixture_t *f, dmd_live_config_t config) {
  host_init(&f->host);
  f->memory = "memory that was mapped";
  f->on_stack = NULL;
  f->with_coroutine = DMD_NONE;
  if (config.word_szB == 0)
    config.word_szB = 8;
  dmd_live_init(&f->live, &f->host.env, &config);
}

void live_begin(live_fixture_t *f, dmd_mode_t mode) {
  live_begin_as(f, (dmd_live_config_t){.mode = mode, .allocator = DMD_ALLOCATOR_GLIBC});
}

void live_begin_knowing(live_fixture_t *f, dmd_live_config_t config) {
  config.freed_blocks = 4;
  config.host = live_host(f);
  live_begin_as(f, config);
}

void live_end(live_fixture_t *f) {
  dmd_live_destroy(&f->live);
  host_done(&f->host);
}

/* ---- Events. ---- */

dmd_place_t at(uint64_t ip, uint64_t sp) {
  return (dmd_place_t){.ip = ip, .sp = sp, .stack = ip == 0 ? DMD_NONE : 1000 + (uint32_t)ip};
}

dmd_new_block_t new_block(dmd_live_t *live, uint32_t thread, uint64_t addr, uint64_t req,
                          uint32_t stack) {
  uint64_t usable = dmd_live_usable(live, req, 1);
  dmd_plan_t plan = dmd_live_plan(live, usable);
  return (dmd_new_block_t){.addr = addr,
                           .req = req,
                           .usable = usable,
                           .stack = plan.stack ? stack : DMD_NONE,
                           .thread = thread,
                           .flags = plan.flags};
}

void alloc_in(live_fixture_t *f, uint32_t thread, uint64_t addr, uint64_t req, uint32_t stack) {
  dmd_new_block_t block = new_block(&f->live, thread, addr, req, stack);
  dmd_live_add(&f->live, &block);
}

void alloc(live_fixture_t *f, uint64_t addr, uint64_t req, uint32_t stack) {
  alloc_in(f, 1, addr, req, stack);
}

void alloc_sized(live_fixture_t *f, uint64_t addr, uint64_t req, uint64_t usable, uint32_t stack) {
  dmd_live_add(
      &f->live,
      &(dmd_new_block_t){.addr = addr, .req = req, .usable = usable, .stack = stack, .thread = 1});
}

void free_at(live_fixture_t *f, uint64_t addr, uint32_t stack) {
  assert_int_equal(dmd_live_remove(&f->live, addr, stack), DMD_REMOVE_MEMORY);
}

void free_block(live_fixture_t *f, uint64_t addr) {
  free_at(f, addr, DMD_NONE);
}

void resize_announced(live_fixture_t *f, uint64_t addr, uint64_t req) {
  dmd_live_resize_announced(&f->live, addr, req);
}

uint32_t id_of_name(live_fixture_t *f, const char *name) {
  return name == NULL ? DMD_NONE : dmd_intern_str(&f->live.reporter_names, name);
}

uint64_t report_by(live_fixture_t *f, uint64_t addr, uint32_t stack, const char *reporter) {
  return dmd_live_report(&f->live, 1, addr, stack, 0, id_of_name(f, reporter));
}

uint64_t report(live_fixture_t *f, uint64_t addr, uint32_t stack) {
  return report_by(f, addr, stack, NULL);
}

void report_from(live_fixture_t *f, uint64_t addr, uint32_t stack) {
  assert_int_equal(report(f, addr, stack), dmd_live_usable_at(&f->live, addr));
}

uint64_t report_shared(live_fixture_t *f, uint64_t addr, uint32_t stack) {
  return dmd_live_report(&f->live, 1, addr, stack, DMD_REPORT_SHARED, DMD_NONE);
}

void begin_reporter(live_fixture_t *f, const char *path) {
  dmd_live_begin_reporter(&f->live, 1, path, false, nowhere);
}

void end_reporter(live_fixture_t *f, uint64_t claimed, uint32_t stack) {
  assert_true(dmd_live_end_reporter(&f->live, 1, claimed, stack, innermost));
}

/* ---- Questions. ---- */

const dmd_block_t *block_at(const live_fixture_t *f, uint64_t addr) {
  const dmd_block_t *block = dmd_live_find(&f->live, addr);
  assert_non_null(block);
  return block;
}

const char *tag_of(const live_fixture_t *f, uint64_t addr) {
  uint32_t tag = block_at(f, addr)->tag;
  return tag == DMD_NONE ? "" : dmd_intern_get_str(&f->live.tag_names, tag);
}

uint32_t count_at(const live_fixture_t *f, uint64_t addr) {
  uint32_t set = block_at(f, addr)->reports;
  return set == DMD_NONE ? 0 : dmd_reports_at(&f->live.reports, set)->count;
}

const dmd_report_t *report_at(const live_fixture_t *f, uint64_t addr, uint32_t which) {
  assert_true(count_at(f, addr) > which);
  return &dmd_reports_at(&f->live.reports, block_at(f, addr)->reports)->report[which];
}

const char *name_of(const live_fixture_t *f, uint32_t id) {
  return id == DMD_NONE ? "" : dmd_intern_get_str(&f->live.reporter_names, id);
}

const char *reporter_of(const live_fixture_t *f, uint64_t addr, uint32_t which) {
  return name_of(f, report_at(f, addr, which)->reporter);
}

bool is_shared_at(const live_fixture_t *f, uint64_t addr) {
  return dmd_reports_are_shared(&f->live.reports, block_at(f, addr)->reports);
}

dmd_totals_t totals(const live_fixture_t *f) {
  return dmd_live_totals(&f->live);
}

void expect_sum(live_fixture_t *f, const char *tag, uint64_t usable, uint64_t n_blocks) {
  dmd_tag_sum_t sum = dmd_live_tag_sum(&f->live, tag);
  assert_int_equal(sum.usable, usable);
  assert_int_equal(sum.n_blocks, n_blocks);
}

uint32_t n_faults(const live_fixture_t *f) {
  return dmd_faults_count(&f->live.faults);
}

const dmd_fault_t *fault_at(const live_fixture_t *f, uint32_t id) {
  assert_in_range(id, 1, n_faults(f));
  return dmd_faults_at(&f->live.faults, id);
}

uint64_t count_faults(const live_fixture_t *f, dmd_fault_kind_t kind) {
  uint64_t n = 0;
  for (uint32_t id = 1; id <= n_faults(f); id++)
    n += fault_at(f, id)->kind == (uint32_t)kind ? fault_at(f, id)->num : 0;
  return n;
}

static const char *or_empty(const char *s) {
  return s == NULL ? "" : s;
}

void expect(const live_fixture_t *f, uint32_t n, uint32_t of, const expected_t *expected) {
  assert_int_equal(n_faults(f), of);
  dmd_fault_t fault = *fault_at(f, n);
  assert_string_equal(name_of(f, fault.reporter), or_empty(expected->reporter));
  assert_string_equal(name_of(f, fault.other_reporter), or_empty(expected->other_reporter));
  assert_string_equal(name_of(f, fault.scope), or_empty(expected->scope));
  assert_string_equal(name_of(f, fault.memory), or_empty(expected->memory));
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

uint32_t open_reporters(const live_fixture_t *f, uint32_t thread) {
  return dmd_scopes_depth(&f->live.reporters, thread);
}

uint32_t open_tags(const live_fixture_t *f, uint32_t thread) {
  return dmd_scopes_depth(&f->live.tags, thread);
}

uint32_t n_tags(const live_fixture_t *f) {
  return dmd_intern_count(&f->live.tag_names);
}

uint32_t n_in_history(const live_fixture_t *f) {
  return dmd_groups_count(&f->live.history);
}

const dmd_group_t *history_at(const live_fixture_t *f, uint32_t id) {
  return dmd_groups_at(&f->live.history, id);
}

void expect_none(const live_fixture_t *f) {
  assert_int_equal(n_faults(f), 0);
}
