/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine_fixture.h"
#include "record/engine/control.h"

enum { BLOCK = 0x100000 };

static const dmd_control_facts_t facts = {.start = 1000, .own_szB = 77, .n_stacks = 5};

static void begin(engine_fixture_t *f) {
  engine_begin(f);
  f->options.out_file = "out.json";
  engine_start(f);
}

/* The engine's answer to this line. */
typedef struct {
  engine_fixture_t *f;
  dmd_strbuf_t text;
} asked_t;

static const char *answer(asked_t *asked, engine_fixture_t *f, const char *line) {
  asked->f = f;
  dmd_strbuf_init(&asked->text, f->engine.env);
  dmd_control_answer(&f->engine, &facts, line, strlen(line), &asked->text);
  return asked->text.text;
}

static void done(asked_t *asked) {
  dmd_strbuf_destroy(&asked->text);
}

#define assert_holds(text, part) assert_non_null(strstr((text), (part)))

/* ---- Requests. ---- */

static void requests_are_read(void **state) {
  (void)state;
  static const struct {
    const char *line;
    dmd_control_t is;
  } cases[] = {
      {"dmd-control 1 status", {.command = DMD_CONTROL_STATUS}},
      {"dmd-control 1 status\n", {.command = DMD_CONTROL_STATUS}},
      {"dmd-control 1 dump\n", {.command = DMD_CONTROL_DUMP}},
      {"dmd-control 1 dump graph\n", {.command = DMD_CONTROL_DUMP, .graph = true}},
      {"dmd-control 1 dump clear graph\n",
       {.command = DMD_CONTROL_DUMP, .graph = true, .clear = true}},
      {"dmd-control 1 dump send\n", {.command = DMD_CONTROL_DUMP, .send = true}},
      {"dmd-control 1 dump label  graph clear \n",
       {.command = DMD_CONTROL_DUMP, .label = " graph clear ", .n_label = 13}},
      {"dmd-control 1 dump label \n", {.command = DMD_CONTROL_DUMP, .label = "", .n_label = 0}},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_control_t got;
    const dmd_control_t *is = &cases[i].is;
    const char *why;
    assert_true(dmd_control_read(&got, cases[i].line, strlen(cases[i].line), &why));
    assert_int_equal(got.command, is->command);
    assert_int_equal(got.graph, is->graph);
    assert_int_equal(got.clear, is->clear);
    assert_int_equal(got.send, is->send);
    assert_int_equal(got.n_label, is->n_label);
    assert_int_equal(got.label == NULL, is->label == NULL);
    if (is->label != NULL)
      assert_memory_equal(got.label, is->label, is->n_label);
  }
}

static void what_is_no_request(void **state) {
  (void)state;
  static const struct {
    const char *line, *why;
  } cases[] = {
      {"", "not a request"},
      {"\n", "not a request"},
      {"dmd-control 2 status\n", "another version"},
      {"dmd-control 1", "not a request"},
      {"dmd-control 1 ", "unknown command"},
      {"dmd-control 1 statu\n", "unknown command"},
      {"dmd-control 1 statuses\n", "unknown command"},
      {"dmd-control 1 status graph\n", "unknown operand"},
      {"dmd-control 1 dump graphs\n", "unknown operand"},
      {"dmd-control 1 dump  clear\n", "unknown operand"},
      {"GET / HTTP/1.1\r\n", "not a request"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    dmd_control_t request;
    const char *why = NULL;
    assert_false(dmd_control_read(&request, cases[i].line, strlen(cases[i].line), &why));
    assert_holds(why, cases[i].why);
  }
}

/* DMD_MAX_NAME bytes, and one more. */
static void labels_have_a_limit(void **state) {
  (void)state;
  static const char start[] = "dmd-control 1 dump label ";
  static char line[sizeof start + DMD_MAX_NAME];
  dmd_control_t request;
  const char *why;
  memset(line, 'x', sizeof line);
  memcpy(line, start, sizeof start - 1);
  assert_true(dmd_control_read(&request, line, sizeof line - 1, &why));
  assert_int_equal(request.n_label, DMD_MAX_NAME);
  assert_false(dmd_control_read(&request, line, sizeof line, &why));
  assert_holds(why, "longer than 4096 bytes");
}

static void requests_are_written(void **state) {
  (void)state;
  host_t h;
  dmd_strbuf_t line;
  host_init(&h);
  dmd_strbuf_init(&line, &h.env);
  dmd_control_write(&line, &(dmd_control_t){.command = DMD_CONTROL_STATUS});
  assert_string_equal(line.text, "dmd-control 1 status\n");
  dmd_strbuf_cut(&line, 0);
  dmd_control_write(&line, &(dmd_control_t){.command = DMD_CONTROL_DUMP,
                                            .graph = true,
                                            .clear = true,
                                            .send = true,
                                            .label = "two\nlines",
                                            .n_label = 9});
  assert_string_equal(line.text, "dmd-control 1 dump graph clear send label two lines\n");
  dmd_strbuf_destroy(&line);
  host_done(&h);
}

/* ---- Answers. ---- */

static void a_wrong_request_is_answered(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  begin(&f);
  assert_string_equal(answer(&asked, &f, "dmd-control 1 sing\n"),
                      "{\"error\": \"unknown command\"}\n");
  done(&asked);
  assert_int_equal(f.h.n_files, 0);
  engine_end(&f);
}

/* Three blocks of 104 usable bytes: one is not reported, one once, and one by two. */
static void status(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  begin(&f);
  for (int i = 0; i < 3; i++)
    engine_add_block(&f, BLOCK + (uint64_t)i * 4096);
  ask(&f, DMD_REQUEST_REPORT, BLOCK + 4096);
  ask(&f, DMD_REQUEST_REPORT, BLOCK + 8192);
  ask(&f, DMD_REQUEST_REPORT, BLOCK + 8192);
  const char *text = answer(&asked, &f, "dmd-control 1 status\n");
  static const char *const parts[] = {"\"version\": \"1.2\"",
                                      "\"pid\": 4711",
                                      "\"program\": \"./app\"",
                                      "\"start\": 1000",
                                      "\"blocks\": 3",
                                      "\"bytes\": 300",
                                      "\"allocations\": 3",
                                      "\"frees\": 0",
                                      "\"mode\": \"dark-matter\"",
                                      "\"stacks\": 5",
                                      "\"ownBytes\": 77",
                                      "\"dumps\": 0",
                                      "\"unreported\": {\"blocks\": 1, \"usable\": 104}",
                                      "\"once-reported\": {\"blocks\": 1, \"usable\": 104}",
                                      "\"sampleInterval\": 0",
                                      "\"twice-reported\": {\"blocks\": 1, \"usable\": 104}"};
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    assert_holds(text, parts[i]);
  done(&asked);
  engine_end(&f);
}

/* For a program without reporters the answer does not mention reports. */
static void status_in_mode_live(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  engine_begin(&f);
  f.options.mode = DMD_MODE_LIVE;
  engine_start(&f);
  const char *text = answer(&asked, &f, "dmd-control 1 status\n");
  assert_holds(text, "\"mode\": \"live\"");
  assert_null(strstr(text, "reports"));
  done(&asked);
  engine_end(&f);
}

static void dumps(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  begin(&f);
  engine_add_block(&f, BLOCK);
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  const char *text = answer(&asked, &f, "dmd-control 1 dump label after login\n");
  assert_holds(text, "\"number\": 1");
  assert_holds(text, "[{\"kind\": \"profile\", \"path\": \"/start/out.1.json\"}]");
  assert_holds(text, "\"cleared\": false");
  assert_null(strstr(text, "error"));
  done(&asked);
  const char *profile = enginehost_file(&f.h, "/start/out.1.json");
  assert_holds(profile, "\"label\": \"after login\"");
  assert_holds(profile, "\"trigger\": \"monitor\"");
  assert_int_equal(engine_times_reported(&f, BLOCK), 1);
  engine_end(&f);
}

/* The dump has the reports, and later output does not. */
static void clears(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  begin(&f);
  engine_add_block(&f, BLOCK);
  ask(&f, DMD_REQUEST_REPORT, BLOCK);
  assert_holds(answer(&asked, &f, "dmd-control 1 dump clear\n"), "\"cleared\": true");
  done(&asked);
  assert_holds(enginehost_file(&f.h, "/start/out.1.json"), "\"reps\"");
  assert_int_equal(engine_times_reported(&f, BLOCK), 0);
  engine_end(&f);
}

static void graphs(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  begin(&f);
  const char *text = answer(&asked, &f, "dmd-control 1 dump graph\n");
  assert_holds(text, "{\"kind\": \"profile\", \"path\": \"/start/out.1.json\"}");
  assert_holds(text, "{\"kind\": \"graph\", \"path\": \"/start/out.1.graph.gz\"}");
  done(&asked);
  assert_int_equal(f.h.n_files, 2);
  engine_end(&f);
}

static void a_dump_that_is_lost(void **state) {
  (void)state;
  engine_fixture_t f;
  asked_t asked;
  begin(&f);
  f.h.write_error = 1;
  const char *text = answer(&asked, &f, "dmd-control 1 dump\n");
  assert_holds(text, "\"files\": []");
  assert_holds(text, "\"error\": \"the profile could not be written; see the program's log\"");
  done(&asked);
  engine_end(&f);
}

static void use(dmd_engine_t *engine) {
  dmd_strbuf_t text;
  static const char line[] = "dmd-control 1 status\n";
  dmd_strbuf_init(&text, engine->env);
  dmd_control_answer(engine, &facts, line, sizeof line - 1, &text);
  dmd_strbuf_destroy(&text);
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
      cmocka_unit_test(requests_are_read),
      cmocka_unit_test(what_is_no_request),
      cmocka_unit_test(labels_have_a_limit),
      cmocka_unit_test(requests_are_written),
      cmocka_unit_test(a_wrong_request_is_answered),
      cmocka_unit_test(status),
      cmocka_unit_test(status_in_mode_live),
      cmocka_unit_test(dumps),
      cmocka_unit_test(clears),
      cmocka_unit_test(graphs),
      cmocka_unit_test(a_dump_that_is_lost),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
