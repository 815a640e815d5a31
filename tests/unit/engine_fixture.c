/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine_fixture.h"

void engine_begin(engine_fixture_t *f) {
  enginehost_init(&f->h);
  dmd_options_init(&f->options, &f->h.host.env);
  f->options.hint = DMD_NO; /* the engine reads blocks to find these, and the blocks are made
                             * up */
  enginehost_code(&f->h, MAKE, "/bin/app", "", "make (app.c:3)");
  enginehost_code(&f->h, MEASURE, "/bin/app", "", "measure (app.c:8)");
  f->make = enginehost_stack(&f->h, 1, (uint64_t)MAKE);
  f->measure = enginehost_stack(&f->h, 1, (uint64_t)MEASURE);
  f->h.now = f->make;
}

void engine_give(engine_fixture_t *f, const char *argument) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f->h.host.env);
  const dmd_option_t *option = dmd_option_of(&dmd_engine_options, argument);
  assert_non_null(option);
  assert_true(dmd_option_set(option, &f->options, argument, &why));
  dmd_strbuf_destroy(&why);
}

void engine_start(engine_fixture_t *f) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f->h.host.env);
  assert_true(dmd_engine_init(&f->engine, &f->h.host.env, &f->h.engine_host, &f->options, &why));
  dmd_strbuf_destroy(&why);
  dmd_engine_start_thread(&f->engine, 0, 1);
}

void engine_end(engine_fixture_t *f) {
  dmd_engine_destroy(&f->engine);
  dmd_options_destroy(&f->options);
  enginehost_done(&f->h);
}

void engine_add_block(engine_fixture_t *f, uint64_t addr) {
  dmd_live_add(
      &f->engine.live,
      &(dmd_new_block_t){.addr = addr, .req = 100, .usable = 104, .stack = f->make, .thread = 1});
}

uint64_t ask3(engine_fixture_t *f, dmd_request_number_t number, uint64_t a, uint64_t b,
              uint64_t c) {
  dmd_request_t request = {.number = number, .arg = {a, b, c}, .thread = 1};
  uint64_t answer;
  assert_true(dmd_engine_request(&f->engine, &request, &answer));
  return answer;
}

uint64_t ask(engine_fixture_t *f, dmd_request_number_t number, uint64_t a) {
  return ask3(f, number, a, 0, 0);
}

uint64_t ask_name(engine_fixture_t *f, dmd_request_number_t number, const char *name) {
  return ask(f, number, (uintptr_t)name);
}

static const dmd_report_set_t *reports_of(const engine_fixture_t *f, uint64_t addr) {
  const dmd_block_t *block = dmd_live_find(&f->engine.live, addr);
  assert_non_null(block);
  return block->reports == DMD_NONE ? NULL
                                    : dmd_reports_at(&f->engine.live.reports, block->reports);
}

uint32_t engine_times_reported(const engine_fixture_t *f, uint64_t addr) {
  const dmd_report_set_t *reports = reports_of(f, addr);
  return reports == NULL ? 0 : reports->count;
}

const char *engine_reporter_of(const engine_fixture_t *f, uint64_t addr) {
  const dmd_report_set_t *reports = reports_of(f, addr);
  assert_non_null(reports);
  uint32_t name = reports->report[0].reporter;
  return name == DMD_NONE ? "" : dmd_intern_get_str(&f->engine.live.reporter_names, name);
}

const dmd_fault_t *engine_expect_fault(const engine_fixture_t *f, dmd_fault_kind_t kind,
                                       uint32_t stack) {
  assert_int_equal(dmd_faults_count(&f->engine.live.faults), 1);
  const dmd_fault_t *fault = dmd_faults_at(&f->engine.live.faults, 1);
  assert_string_equal(dmd_fault_name((dmd_fault_kind_t)fault->kind), dmd_fault_name(kind));
  assert_int_equal(fault->stack, stack);
  return fault;
}

void engine_expect_no_fault(const engine_fixture_t *f) {
  assert_int_equal(dmd_faults_count(&f->engine.live.faults), 0);
}

/* ---- Out of memory. ---- */

typedef struct {
  enginehost_t *h;
  void (*work)(dmd_engine_t *engine);
} failing_t;

static void work_once(host_t *host, void *arg) {
  const failing_t *failing = arg;
  enginehost_t *h = failing->h;
  dmd_options_t options;
  dmd_engine_t engine;
  dmd_strbuf_t why;
  h->is_reading = false; /* the last round may have ended in between */
  dmd_options_init(&options, &host->env);
  dmd_strbuf_init(&why, &host->env);
  assert_true(dmd_engine_init(&engine, &host->env, &h->engine_host, &options, &why));
  failing->work(&engine);
  dmd_engine_destroy(&engine);
  dmd_strbuf_destroy(&why);
  dmd_options_destroy(&options);
  while (h->n_pieces > 0) /* the slabs, which an engine keeps until it ends */
    free(h->pieces[--h->n_pieces].p);
}

size_t engine_fail_everywhere(engine_fixture_t *f, void (*work)(dmd_engine_t *engine)) {
  failing_t failing = {&f->h, work};
  return host_fail_everywhere(work_once, &failing);
}
