/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dumps whose files another process takes over, or wants to hear of.
 */
#include "enginehost.h"
#include "record/engine/control.h"
#include "record/engine/dump.h"

typedef struct {
  enginehost_t h;
  dmd_options_t options;
  dmd_engine_t engine;
} fixture_t;

static void begin(fixture_t *f) {
  enginehost_init(&f->h);
  dmd_options_init(&f->options, &f->h.host.env);
}

static void start(fixture_t *f) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f->h.host.env);
  assert_true(dmd_engine_init(&f->engine, &f->h.host.env, &f->h.engine_host, &f->options, &why));
  dmd_strbuf_destroy(&why);
  dmd_engine_start_thread(&f->engine, 0, 1);
}

static void end(fixture_t *f) {
  dmd_engine_destroy(&f->engine);
  dmd_options_destroy(&f->options);
  enginehost_done(&f->h);
}

typedef struct {
  bool is_there, takes;
  sink_t told; /* listings of files: "+" for those that came, "=" for those that were written */
  size_t szB;  /* of the last one that came */
} taker_t;

static bool taker_is_there(void *ctx) {
  return ((taker_t *)ctx)->is_there;
}

static bool taker_open(void *ctx, const char *listing, size_t n) {
  taker_t *taker = ctx;
  taker->szB = 0;
  dmd_out_str(&taker->told.out, "+");
  dmd_out_bytes(&taker->told.out, listing, n);
  return true;
}

static bool taker_write(void *ctx, const char *bytes, size_t n) {
  (void)bytes;
  ((taker_t *)ctx)->szB += n;
  return ((taker_t *)ctx)->takes;
}

static bool taker_close(void *ctx, bool keep) {
  return keep && ((taker_t *)ctx)->takes;
}

static void taker_wrote(void *ctx, const char *listing, size_t n) {
  dmd_out_str(&((taker_t *)ctx)->told.out, "=");
  dmd_out_bytes(&((taker_t *)ctx)->told.out, listing, n);
}

static void assert_told(taker_t *taker, const char *expected) {
  assert_string_equal(sink_text(&taker->told), expected);
  sink_free(&taker->told);
  sink_init(&taker->told);
}

static dmd_receiver_t receiver_of(taker_t *taker) {
  return (dmd_receiver_t){.ctx = taker,
                          .is_there = taker_is_there,
                          .open = taker_open,
                          .write = taker_write,
                          .close = taker_close,
                          .wrote = taker_wrote};
}

/* The profile at exit is always announced, others only where they cannot be written. */
static void files_are_handed_over(void **state) {
  (void)state;
  fixture_t f;
  taker_t taker = {.is_there = true, .takes = true};
  const dmd_receiver_t receiver = receiver_of(&taker);
  begin(&f);
  sink_init(&taker.told);
  f.h.engine_host.receiver = &receiver;
  start(&f);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 1);
  assert_told(&taker, "+4711 1 exit dmd.out.4711.json.gz\n");
  assert_true(taker.szB > 100);
  assert_int_equal(f.h.n_files, 0);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 2);
  assert_told(&taker, "=4711 2 request /start/dmd.out.4711.2.json.gz\n");
  assert_int_equal(f.h.n_files, 1);
  f.h.write_error = 1;
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 3);
  assert_told(&taker, "+4711 3 request dmd.out.4711.3.json.gz\n");
  taker.takes = false; /* it has gone meanwhile */
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 0);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 0);
  f.h.write_error = 0;
  taker.is_there = false;
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 6);
  assert_int_equal(f.h.n_files, 2);
  sink_free(&taker.told);
  end(&f);
}

static void assert_answered(fixture_t *f, const char *request, bool is_good) {
  const dmd_control_facts_t facts = {.n_stacks = 1};
  dmd_strbuf_t answer;
  dmd_strbuf_init(&answer, &f->h.host.env);
  dmd_control_answer(&f->engine, &facts, request, strlen(request), &answer);
  assert_int_equal(strstr(answer.text, "\"error\"") == NULL, is_good);
  dmd_strbuf_destroy(&answer);
}

static void profiles_that_are_sent_become_no_files(void **state) {
  (void)state;
  fixture_t f;
  taker_t taker = {.is_there = true, .takes = true};
  const dmd_receiver_t receiver = receiver_of(&taker);
  begin(&f);
  sink_init(&taker.told);
  f.h.engine_host.receiver = &receiver;
  start(&f);
  assert_answered(&f, "dmd-control 1 dump send label x\n", true);
  assert_told(&taker, "+4711 1 monitor dmd.out.4711.1.json.gz\n");
  taker.is_there = false;
  assert_answered(&f, "dmd-control 1 dump send\n", false);
  assert_int_equal(f.h.n_files, 0);
  taker.is_there = true;
  assert_answered(&f, "dmd-control 1 dump\n", true);
  assert_told(&taker, "=4711 3 monitor /start/dmd.out.4711.3.json.gz\n");
  assert_int_equal(f.h.n_files, 1);
  sink_free(&taker.told);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_handed_over),
      cmocka_unit_test(profiles_that_are_sent_become_no_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
