/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dumps: their times, names and log lines; and the engine as a whole, from start to end.
 */
#include <stdio.h>

#include "enginehost.h"
#include "record/engine/dump.h"
#include "record/engine/observed.h"

typedef struct {
  enginehost_t h;
  dmd_options_t options;
  dmd_engine_t engine;
  uint32_t stack;
} fixture_t;

static void begin(fixture_t *f) {
  enginehost_init(&f->h);
  dmd_options_init(&f->options, &f->h.host.env);
  enginehost_code(&f->h, 0x10, "/bin/app", "", "make (app.c:3)");
  f->stack = enginehost_stack(&f->h, 1, UINT64_C(0x10));
}

/* With the options as they are by now. */
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

static void alloc_sized(fixture_t *f, uint64_t addr, uint64_t szB) {
  dmd_live_add(&f->engine.live,
               &(dmd_new_block_t){
                   .addr = addr, .req = szB, .usable = szB + 4, .stack = f->stack, .thread = 1});
}

static void add_block(fixture_t *f, uint64_t addr) {
  alloc_sized(f, addr, 100);
}

static void assert_said(fixture_t *f, const char *part) {
  if (strstr(sink_text(&f->h.said), part) == NULL)
    fail_msg("'%s' was not said, but:\n%s", part, sink_text(&f->h.said));
}

static void assert_holds(const char *text, const char *part) {
  if (strstr(text, part) == NULL)
    fail_msg("no '%s' in:\n%s", part, text);
}

static void the_run_is_described(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_options_note(&f.options, "--mode=dark-matter");
  f.h.physical.arena = 209;
  start(&f);
  add_block(&f, 0x10000);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, "a \"label\""), 1);
  const char *text = enginehost_file(&f.h, "/start/dmd.out.4711.1.json.gz");
  assert_holds(text, "\"dmdEnvVar\": \"--mode=dark-matter\"");
  assert_holds(text, "\"version\": \"1.2\"");
  assert_holds(text, "\"valgrindVersion\": \"3.4\"");
  assert_holds(text, "\"command\": \"./app -x\"");
  assert_holds(text, "\"argv\": [\"./app\", \"-x\"]");
  assert_holds(text, "\"folder\": \"/start\"");
  assert_holds(text, "\"host\": \"machine\"");
  assert_holds(text, "\"time\": \"2024-02-29T23:59:59Z\"");
  assert_holds(text, "\"label\": \"a \\\"label\\\"\"");
  assert_holds(text, "\"trigger\": \"request\"");
  assert_holds(text, "\"pid\": 4711");
  assert_holds(text, "\"dump\": 1");
  assert_holds(text, "\"heapOverhead\": 105"); /* the block has 104 */
  assert_holds(text, "make (app.c:3)");
  assert_said(&f, "dmd 1.2: dump 1 \"a \"label\"\" of ./app -x (pid 4711)\n");
  assert_said(&f, "  104 bytes (100 requested / 4 slop)\n");
  assert_said(&f, "dmd: wrote /start/dmd.out.4711.1.json.gz\n");
  end(&f);
}

static void dumps_are_numbered(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.options.out_file = "out.json";
  start(&f);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 1);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_MONITOR, NULL), 2);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 3);
  static const char *const names[] = {"/start/out.1.json", "/start/out.2.json", "/start/out.json"};
  static const char *const triggers[] = {"\"trigger\": \"request\"", "\"trigger\": \"monitor\"",
                                         "\"trigger\": \"exit\""};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    assert_string_equal(f.h.files[i].name, names[i]);
    assert_false(f.h.files[i].compressed);
    assert_holds(enginehost_file(&f.h, names[i]), triggers[i]);
  }
  assert_said(&f, "dmd 1.2: dump 3 of ./app -x (pid 4711)\n");
  end(&f);
}

/* Of blocks from before only their end is seen. */
static void of_a_process_that_ran_already(void **state) {
  (void)state;
  static const struct {
    uint64_t sample_interval;
    const char *expected;
  } cases[] = {
      {0, "\"attached\": {\"time\": \"2024-02-29T23:59:59Z\", \"olderBlocks\": 2, \"olderBytes\": "
          "120}"},
      {4096, "\"attached\": {\"time\": \"2024-02-29T23:59:59Z\"}"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    f.options.out_file = "out.json";
    f.options.sample_interval = cases[i].sample_interval;
    start(&f);
    dmd_engine_attach(&f.engine);
    dmd_observed_count_older(&f.engine, 100);
    dmd_observed_count_older(&f.engine, 20);
    dmd_strbuf_t name;
    dmd_strbuf_init(&name, f.engine.env);
    dmd_engine_detach(&f.engine, &name);
    assert_string_equal(name.text, "/start/out.json");
    assert_holds(enginehost_file(&f.h, name.text), "\"trigger\": \"detach\"");
    assert_holds(enginehost_file(&f.h, name.text), cases[i].expected);
    dmd_strbuf_destroy(&name);
    end(&f);
  }
}

/* The kernel counts the engine, too, and what it needs to write a dump. */
static void the_most_resident_memory(void **state) {
  (void)state;
  static const struct {
    uint64_t resident, own, most, most_after; /* of the system, before and after the dump */
    const char *expected;
  } dumps[] = {
      {70, 20, 120, 150, "\"residentPeak\": 100,"}, /* 120 - 20 */
      {90, 20, 150, 150, "\"residentPeak\": 100,"}, /* 150 was the dump before */
      {105, 20, 150, 155, "\"residentPeak\": 105,"},
      {60, 25, 180, 180, "\"residentPeak\": 155,"}, /* 180 - 25 */
      {60, DMD_MEMORY_UNKNOWN, 300, 300, "\"residentPeak\": 155,"},
  };
  fixture_t f;
  begin(&f);
  f.options.out_file = "out.json";
  start(&f);
  for (uint32_t i = 0; i < COUNT_OF(dumps); i++) {
    f.h.physical = (dmd_physical_t){.resident = dumps[i].resident, .own = dumps[i].own};
    f.h.most_resident = dumps[i].most;
    f.h.most_resident_after = dumps[i].most_after;
    dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
    char name[64];
    snprintf(name, sizeof name, "/start/out.%u.json", i + 1);
    assert_holds(enginehost_file(&f.h, name), dumps[i].expected);
  }
  dmd_engine_forked(&f.engine, 1);
  f.h.physical = (dmd_physical_t){.resident = 40, .own = 10};
  f.h.most_resident = f.h.most_resident_after = 55;
  dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
  assert_holds(enginehost_file(&f.h, "/start/out.1.json"), "\"residentPeak\": 45,");
  end(&f);
}

/* A child has its own pid in the name, and a counter that starts anew. */
static void forked(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  start(&f);
  dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
  f.h.pid = 4712;
  dmd_engine_forked(&f.engine, 1);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_MONITOR, NULL), 1);
  assert_string_equal(f.h.files[1].name, "/start/dmd.out.4712.1.json.gz");
  /* The parent's request did not count for the child. */
  dmd_engine_exit(&f.engine);
  assert_string_equal(f.h.files[2].name, "/start/dmd.out.4712.json.gz");
  end(&f);
}

static void a_device_takes_all(void **state) {
  (void)state;
  static const struct {
    const char *name, *path;
  } cases[] = {{"pipe.json", "/start/pipe.json"}, {"/dev/fd/3", NULL}, {"/proc/self/fd/1", NULL}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *path = cases[i].path != NULL ? cases[i].path : cases[i].name;
    fixture_t f;
    begin(&f);
    f.options.out_file = cases[i].name;
    f.h.device = cases[i].path;
    start(&f);
    dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
    assert_string_equal(f.h.files[0].name, path);
    dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
    assert_string_equal(f.h.files[f.h.n_files - 1].name, path);
    end(&f);
  }
}

static void compression(void **state) {
  (void)state;
  for (int can = 0; can <= 1; can++) {
    fixture_t f;
    begin(&f);
    if (!can)
      f.h.engine_host.gzip_open = NULL;
    start(&f);
    dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL);
    assert_string_equal(f.h.files[0].name,
                        can ? "/start/dmd.out.4711.json.gz" : "/start/dmd.out.4711.json");
    assert_int_equal(f.h.files[0].compressed, can);
    end(&f);
  }
}

static void what_cannot_be_written(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.options.out_file = "out.json";
  f.h.write_error = NO_SPACE;
  f.h.quiet = true; /* this is logged nevertheless */
  start(&f);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 0);
  assert_string_equal(sink_text(&f.h.said),
                      "dmd: cannot write /start/out.1.json: no space left (error 28)\n"
                      "dmd: this dump's profile is lost; name another place with "
                      "--dmd-out-file=<file>\n");
  f.h.write_error = 0;
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 2);
  end(&f);
}

static int open_nowhere(void *ctx, int folder, const char *name, dmd_open_t how, int *fd) {
  (void)ctx, (void)folder, (void)name, (void)how, (void)fd;
  return 2;
}

static void what_cannot_be_opened(void **state) {
  (void)state;
  for (int compressed = 0; compressed <= 1; compressed++) {
    fixture_t f;
    begin(&f);
    f.options.out_file = compressed ? "no/out.json.gz" : "no/out.json";
    f.h.disk.open = open_nowhere;
    start(&f);
    assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 0);
    assert_said(&f, "dmd: cannot write /start/no/out.json");
    assert_said(&f, ": no reason (error 2)\n");
    assert_int_equal(f.h.n_files, 0);
    end(&f);
  }
}

/* Lists every profile that was written, and no others. The list is for whoever started the engine;
 * the profile does not mention it. */
static void profiles_are_listed(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f.h.host.env);
  const char *argument = "--dmd-list-file=list.%p";
  assert_null(dmd_option_of(&dmd_engine_options, argument));
  assert_true(
      dmd_option_set(dmd_option_of(&dmd_starter_options, argument), &f.options, argument, &why));
  dmd_strbuf_destroy(&why);
  start(&f);
  dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
  f.h.write_error = 1;
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL), 0);
  f.h.write_error = 0;
  f.h.pid = 4712;
  dmd_engine_forked(&f.engine, 1);
  dmd_engine_exit(&f.engine);
  assert_string_equal(sink_text(&f.h.appended),
                      "/start/list.4711: 4711 1 request /start/dmd.out.4711.1.json.gz\n"
                      "/start/list.4712: 4712 1 exit /start/dmd.out.4712.json.gz\n");
  assert_null(strstr(enginehost_file(&f.h, "/start/dmd.out.4712.json.gz"), "list"));
  end(&f);
}

/* The host's mode is 0664. An option can remove permissions, but not add any. */
static void permissions(void **state) {
  static const struct {
    uint32_t option, expected;
  } cases[] = {{0, 0664}, {0640, 0640}, {0666, 0664}};
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    f.options.file_mode = cases[i].option;
    start(&f);
    dmd_engine_exit(&f.engine);
    assert_int_equal(f.h.files[0].mode, cases[i].expected);
    end(&f);
  }
}

/* The variable was there when the program started. */
static void a_name_that_is_not_one_any_more(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.options.out_file = "%q{JOB}.json";
  f.h.variables[0] = "JOB=x";
  start(&f);
  f.h.variables[0] = NULL;
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 0);
  assert_said(&f, "dmd: cannot write %q{JOB}.json: the environment variable 'JOB' is not set\n");
  assert_int_equal(f.h.n_files, 0);
  end(&f);
}

static void quiet(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.h.quiet = true;
  start(&f);
  add_block(&f, 0x10000);
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 1);
  assert_string_equal(sink_text(&f.h.said), "");
  end(&f);
}

static void at_exit(void **state) {
  (void)state;
  static const struct {
    dmd_auto_t when;
    int trigger; /* of an earlier dump; -1: none */
    bool dumps;
  } cases[] = {
      {DMD_AUTO, -1, true},
      {DMD_AUTO, DMD_TRIGGER_REQUEST, false},
      {DMD_AUTO, DMD_TRIGGER_MONITOR, true},
      {DMD_YES, DMD_TRIGGER_REQUEST, true},
      {DMD_NO, -1, false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    f.options.dump_at_exit = cases[i].when;
    start(&f);
    if (cases[i].trigger >= 0)
      dmd_engine_dump(&f.engine, (dmd_trigger_t)cases[i].trigger, NULL);
    uint32_t before = f.h.n_files;
    dmd_engine_exit(&f.engine);
    assert_int_equal(f.h.n_files, before + cases[i].dumps);
    end(&f);
  }
}

/* A reporter that is open when the program ends is a fault of the last dump. */
static void scopes_open_at_exit(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  start(&f);
  dmd_live_begin_reporter(&f.engine.live, 1, "explicit/a", false, (dmd_place_t){.ip = 0x10});
  dmd_engine_exit(&f.engine);
  const char *text = enginehost_file(&f.h, "/start/dmd.out.4711.json.gz");
  assert_holds(text, "\"kind\": \"scope-left-open\"");
  end(&f);
}

/* The block at 0x10000 is real, and holds a pointer to another one. */
static void hint(void **state) {
  (void)state;
  static const struct {
    dmd_auto_t hint;
    bool reports, given;
  } cases[] = {{DMD_AUTO, true, true},
               {DMD_AUTO, false, false},
               {DMD_YES, false, true}, /* its referrer is unreported, too */
               {DMD_YES, true, true},
               {DMD_NO, true, false}};
  static uint64_t referrer[13] __attribute__((aligned(4096))), held[13];
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    f.options.hint = cases[i].hint;
    start(&f);
    referrer[2] = (uintptr_t)held;
    add_block(&f, (uintptr_t)referrer);
    enginehost_code(&f.h, 0x20, "/bin/app", "", "forget (app.c:5)");
    f.stack = enginehost_stack(&f.h, 1, UINT64_C(0x20));
    add_block(&f, (uintptr_t)held);
    if (cases[i].reports)
      dmd_live_report(&f.engine.live, 1, (uintptr_t)referrer, f.stack, 0, DMD_NONE);
    dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL);
    const char *text = enginehost_file(&f.h, "/start/dmd.out.4711.json.gz");
    assert_int_equal(strstr(text, "\"offset\": 16") != NULL, cases[i].given);
    end(&f);
  }
}

static void a_wrong_name_does_not_start(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.options.out_file = "x.%z";
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &f.h.host.env);
  assert_false(dmd_engine_init(&f.engine, &f.h.host.env, &f.h.engine_host, &f.options, &why));
  assert_string_equal(why.text, "% must be followed by p, q{VARIABLE} or another %");
  dmd_strbuf_destroy(&why);
  dmd_options_destroy(&f.options);
  enginehost_done(&f.h);
}

/* The contents of blocks are read from the program's memory, unless there are too many. */
static void a_scan(void **state) {
  (void)state;
  static const uint64_t words[2] = {0xabc, 7};
  static const struct {
    uint64_t more; /* bytes of another block */
    bool fits;
  } cases[] = {{0, true}, {DMD_MAX_SCAN - sizeof words + 1, false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    begin(&f);
    f.options.mode = DMD_MODE_SCAN;
    f.options.out_file = "x.json";
    start(&f);
    alloc_sized(&f, (uintptr_t)words, sizeof words);
    if (cases[i].more > 0)
      alloc_sized(&f, UINT64_C(1) << 40, cases[i].more);
    dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL);
    const char *text = enginehost_file(&f.h, "/start/x.json");
    assert_int_equal(strstr(text, "\"contents\":[\"abc\",\"7\"]") != NULL, cases[i].fits);
    assert_holds(text, cases[i].fits ? "\"mode\": \"scan\"" : "\"mode\": \"live\"");
    if (!cases[i].fits)
      assert_said(
          &f, "dmd: --mode=scan is for small heaps: it writes up to 16,777,216 bytes in "
              "1,048,576 blocks;\n"
              "dmd: this heap has 16,777,217 bytes in 2 blocks, so this dump is as in --mode=live\n"
              "dmd: for the pointers of larger heaps use --graph=yes instead\n");
    end(&f);
  }
}

static void use(host_t *host, void *arg) {
  enginehost_t *h = arg;
  dmd_options_t options;
  dmd_engine_t engine;
  dmd_strbuf_t why;
  h->is_reading = false; /* the last round may have ended in between */
  dmd_options_init(&options, &host->env);
  dmd_strbuf_init(&why, &host->env);
  assert_true(dmd_engine_init(&engine, &host->env, &h->engine_host, &options, &why));
  dmd_live_add(&engine.live,
               &(dmd_new_block_t){.addr = 64, .req = 1, .usable = 24, .stack = 1, .thread = 1});
  dmd_engine_exit(&engine);
  dmd_engine_destroy(&engine);
  dmd_strbuf_destroy(&why);
  dmd_options_destroy(&options);
}

/* Files beyond the limit are dropped. */
static int open_nothing(void *ctx, int folder, const char *name, dmd_open_t how, int *fd) {
  (void)ctx, (void)folder, (void)name, (void)how;
  *fd = 0;
  return 0;
}

static int status_of_nothing(void *ctx, int fd, dmd_file_status_t *status) {
  (void)ctx, (void)fd;
  *status = (dmd_file_status_t){.kind = DMD_FILE_REGULAR};
  return 0;
}

static int write_nothing(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  (void)ctx, (void)fd, (void)bytes;
  *written = n;
  return 0;
}

static int close_nothing(void *ctx, int fd) {
  (void)ctx, (void)fd;
  return 0;
}

static int set_mode_of_nothing(void *ctx, int fd, uint32_t mode) {
  (void)ctx, (void)fd, (void)mode;
  return 0;
}

static int link_nothing(void *ctx, int fd, int folder, const char *name) {
  (void)ctx, (void)fd, (void)folder, (void)name;
  return 0;
}

static void out_of_memory(void **state) {
  (void)state;
  enginehost_t h;
  enginehost_init(&h);
  h.disk.open = open_nothing;
  h.disk.status = status_of_nothing;
  h.disk.write = write_nothing;
  h.disk.close = close_nothing;
  h.disk.set_mode = set_mode_of_nothing;
  h.disk.link = link_nothing;
  h.engine_host.gzip_open = NULL; /* and with it the rest of it */
  enginehost_code(&h, 0x10, "/bin/app", "", "make (app.c:3)");
  enginehost_stack(&h, 1, UINT64_C(0x10));
  assert_true(host_fail_everywhere(use, &h) > 30);
  enginehost_done(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_run_is_described),
      cmocka_unit_test(dumps_are_numbered),
      cmocka_unit_test(of_a_process_that_ran_already),
      cmocka_unit_test(the_most_resident_memory),
      cmocka_unit_test(forked),
      cmocka_unit_test(a_device_takes_all),
      cmocka_unit_test(compression),
      cmocka_unit_test(what_cannot_be_written),
      cmocka_unit_test(what_cannot_be_opened),
      cmocka_unit_test(profiles_are_listed),
      cmocka_unit_test(permissions),
      cmocka_unit_test(a_name_that_is_not_one_any_more),
      cmocka_unit_test(quiet),
      cmocka_unit_test(at_exit),
      cmocka_unit_test(scopes_open_at_exit),
      cmocka_unit_test(hint),
      cmocka_unit_test(a_wrong_name_does_not_start),
      cmocka_unit_test(a_scan),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
