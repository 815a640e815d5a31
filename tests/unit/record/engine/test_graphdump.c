/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heap graphs in files: their times, names and log lines, and facts that only the host knows.
 */
#include "engine_fixture.h"
#include "record/engine/dump.h"
#include "record/engine/graphdump.h"
#include "record/engine/monitor.h"

#include "dmdv/input/profilefile.h"
#include "host/process.h"

#include <stdio.h>

/* Real memory, since it is read: a block with a pointer to the other. */
static void *g_referrer[16], *g_held[16];

static void begin(engine_fixture_t *f, const char *out_file) {
  engine_begin(f);
  f->options.out_file = out_file;
  engine_start(f);
  g_referrer[1] = g_held;
  engine_add_block(f, (uintptr_t)g_held);
  engine_add_block(f, (uintptr_t)g_referrer);
  dmd_live_report(&f->engine.live, 1, (uintptr_t)g_held, f->h.now, 0, DMD_NONE);
}

static void names_and_numbers(void **state) {
  (void)state;
  engine_fixture_t f;
  dmd_strbuf_t name;
  begin(&f, "out.json");
  dmd_strbuf_init(&name, &f.h.host.env);
  f.options.graph = true;
  assert_int_equal(dmd_engine_graph(&f.engine, DMD_TRIGGER_REQUEST, NULL, &name), 1);
  assert_string_equal(name.text, "/start/out.1.graph.gz");
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_MONITOR, NULL), 2);
  dmd_engine_exit(&f.engine);
  /* A requested graph is not a dump: the one at exit is still written. */
  static const char *const names[] = {"/start/out.1.graph.gz", "/start/out.2.json",
                                      "/start/out.2.graph.gz", "/start/out.json",
                                      "/start/out.graph.gz"};
  assert_int_equal(f.h.n_files, COUNT_OF(names));
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    assert_string_equal(f.h.files[i].name, names[i]);
    assert_int_equal(f.h.files[i].compressed, strstr(names[i], ".gz") != NULL);
  }
  assert_non_null(strstr(sink_text(&f.h.said), "dmd: wrote /start/out.1.graph.gz\n"));
  assert_int_equal(engine_times_reported(&f, (uintptr_t)g_held), 1);
  dmd_strbuf_destroy(&name);
  engine_end(&f);
}

static void requests(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f, "out.json.gz");
  assert_int_equal(ask_name(&f, DMD_REQUEST_GRAPH, "a label"), 1);
  assert_int_equal(ask(&f, DMD_REQUEST_GRAPH, 0), 2);
  assert_string_equal(f.h.files[1].name, "/start/out.2.graph.gz");
  assert_int_equal(engine_times_reported(&f, (uintptr_t)g_held), 1);
  engine_end(&f);
}

static void monitor(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f, "out.json");
  assert_true(dmd_engine_monitor(&f.engine, "graph while it waits"));
  f.h.write_error = 1;
  assert_true(dmd_engine_monitor(&f.engine, "gr"));
  assert_string_equal(sink_text(&f.h.replied), "graph 1 written to /start/out.1.graph.gz\n"
                                               "the graph could not be written; see the log\n");
  engine_end(&f);
}

static void what_cannot_be_written(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f, "out.json");
  f.h.quiet = true; /* this is logged nevertheless */
  f.h.write_error = NO_SPACE;
  assert_int_equal(ask(&f, DMD_REQUEST_GRAPH, 0), 0);
  assert_string_equal(sink_text(&f.h.said),
                      "dmd: cannot write /start/out.1.graph.gz: no space left (error 28)\n"
                      "dmd: this dump's heap graph is lost; name another place with "
                      "--dmd-out-file=<file>\n");
  f.h.write_error = 0;
  assert_int_equal(ask(&f, DMD_REQUEST_GRAPH, 0), 2);
  engine_end(&f);
}

/* That name is the profile's, and a graph there would be taken for a profile. The profile is
 * written. */
static void beside_a_device_there_is_no_place(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f, "pipe");
  f.options.graph = true;
  f.h.device = "/start/pipe";
  assert_int_equal(dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL), 1);
  assert_int_equal(f.h.n_files, 1);
  assert_non_null(
      strstr(sink_text(&f.h.said),
             "dmd: cannot write /start/pipe: a heap graph needs a file of its own beside "
             "the profile's\n"));
  engine_end(&f);
}

static void without_compression(void **state) {
  (void)state;
  engine_fixture_t f;
  begin(&f, "out.json.gz");
  f.h.engine_host.gzip_open = NULL;
  assert_int_equal(ask(&f, DMD_REQUEST_GRAPH, 0), 1);
  assert_string_equal(f.h.files[0].name, "/start/out.1.graph");
  assert_false(f.h.files[0].compressed);
  engine_end(&f);
}

static void graphs_are_listed_as_such(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  f.options.list_file = "list";
  f.options.graph = true;
  engine_start(&f);
  dmd_engine_dump(&f.engine, DMD_TRIGGER_EXIT, NULL);
  assert_string_equal(sink_text(&f.h.appended),
                      "/start/list: 4711 1 exit /start/dmd.out.4711.json.gz\n"
                      "/start/list: 4711 1 graph /start/dmd.out.4711.graph.gz\n");
  engine_end(&f);
}

/* ---- What is in the file. ---- */

/* The code of /bin/app: two calls on one line, and one from below main. The file is mapped, but its
 * header is not a program's: so its addresses stay those of the process. */
static void codes_and_what_is_known_of_the_run(void **state) {
  (void)state;
  engine_fixture_t f;
  dmd_heapgraph_t graph;
  dmd_fail_t fail = {0};
  begin(&f, "out.json");
  f.h.engine_host.gzip_open = NULL;
  enginehost_code(&f.h, 0x101, "/bin/app", "", "inlined (a.c:3)|f (a.c:5)");
  enginehost_code(&f.h, 0x102, "/bin/app", "", "inlined (a.c:3)|f (a.c:5)");
  enginehost_code(&f.h, 0x103, "/bin/app", "", "main (a.c:9)")->kind = DMD_CODE_MAIN;
  enginehost_code(&f.h, 0x104, "/lib/libc.so", "libc", "start")->kind = DMD_CODE_BELOW_MAIN;
  static void *blocks[2][2];
  for (uint64_t i = 0; i < 2; i++) {
    f.h.now = enginehost_stack(&f.h, 3, 0x101 + i, UINT64_C(0x103), UINT64_C(0x104));
    dmd_live_add(
        &f.engine.live,
        &(dmd_new_block_t){
            .addr = (uintptr_t)blocks[i], .req = 16, .usable = 16, .stack = f.h.now, .thread = 2});
  }
  ask_name(&f, DMD_REQUEST_GRAPH, "a \"label\"");
  sink_t *file = f.h.files[0].content;
  sink_text(file); /* everything that was written is on disk then */
  dmdv_input_t *input = dmdv_input_open_memory(file->text, file->n, SIZE_MAX, &fail);
  if (!dmdv_load_graph_input(&graph, input, &(dmd_load_graph_options_t){0}, &fail))
    fail_msg("%s (byte %llu)", fail.reason, (unsigned long long)fail.byte);
  dmdv_input_close(input);
  const dmd_run_t *run = &graph.profile.run;
  assert_string_equal(run->label, "a \"label\"");
  assert_string_equal(run->trigger, "request");
  assert_string_equal(run->version, "1.2");
  assert_string_equal(run->allocator, "glibc");
  assert_string_equal(run->time, "2024-02-29T23:59:59Z");
  assert_int_equal(run->pid, 4711);
  assert_int_equal(run->dump_number, 1);
  assert_int_equal(dmd_profile_n_arguments(&graph.profile), 2);
  for (uint64_t i = 0; i < 2; i++) {
    uint32_t node = dmd_heapgraph_find(&graph, (uintptr_t)blocks[i]);
    uint32_t stack = dmd_heapgraph_block(&graph, node)->stack;
    assert_int_equal(dmd_heapgraph_n_codes(&graph, stack), 2);
    const dmd_graph_code_t *code =
        dmd_heapgraph_code(&graph, dmd_heapgraph_stack_code(&graph, stack, 0));
    assert_int_equal(code->addr, 0x101 + i);
    assert_int_equal(code->n_frames, 2);
  }
  uint32_t edge = graph.graph.first[dmd_heapgraph_find(&graph, (uintptr_t)g_referrer)];
  assert_int_equal(graph.graph.target[edge], dmd_heapgraph_find(&graph, (uintptr_t)g_held));
  assert_int_equal(graph.graph.offset[edge], sizeof(void *));
  dmd_heapgraph_destroy(&graph);
  engine_end(&f);
}

/* A host with running threads stops them before anything is read, once, and resumes them. */
static struct { unsigned n_stops, n_goes; } g_threads;

static void stop(void *ctx) {
  (void)ctx;
  g_threads.n_stops++;
}

static void go_on(void *ctx) {
  (void)ctx;
  g_threads.n_goes++;
}

static void expect_stopped(void *ctx, dmd_mapping_fn visit, void *visitor) {
  (void)ctx, (void)visit, (void)visitor;
  assert_int_equal(g_threads.n_stops, g_threads.n_goes + 1);
}

static void no_threads(void *ctx, dmd_thread_fn visit, void *visitor) {
  (void)ctx, (void)visit, (void)visitor;
}

static void threads_stop(void **state) {
  (void)state;
  engine_fixture_t f;
  engine_begin(&f);
  f.options.out_file = "out.json";
  f.h.engine_host.stop = stop;
  f.h.engine_host.go_on = go_on;
  f.h.engine_host.mappings = expect_stopped;
  f.h.engine_host.threads = no_threads;
  engine_start(&f);
  dmd_engine_dump(&f.engine, DMD_TRIGGER_REQUEST, NULL);
  assert_int_equal(g_threads.n_stops, 0);
  ask_name(&f, DMD_REQUEST_GRAPH, "");
  ask_name(&f, DMD_REQUEST_GRAPH, "");
  assert_int_equal(g_threads.n_stops, 2);
  assert_int_equal(g_threads.n_goes, 2);
  engine_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_numbers),
      cmocka_unit_test(requests),
      cmocka_unit_test(monitor),
      cmocka_unit_test(what_cannot_be_written),
      cmocka_unit_test(beside_a_device_there_is_no_place),
      cmocka_unit_test(without_compression),
      cmocka_unit_test(graphs_are_listed_as_such),
      cmocka_unit_test(threads_stop),
      cmocka_unit_test(codes_and_what_is_known_of_the_run),
  };
  dmdv_host_init();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
