/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "dmdv/input/profilefile.h"
#include "host/process.h"
#include "model/graph/nesting.h"

#include "profiles/randomgraph.h"

#include <stdio.h>

enum { GRAPHS = 400 };

static uint64_t throw_below(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

static void begin(dmd_heapgraph_t *graph, const host_t *host, dice_t *dice) {
  random_dice_t random = {.below = throw_below, .ctx = dice};
  random_graph(graph, &host->env, &random);
}

static void write_to(sink_t *sink, const dmd_heapgraph_t *graph) {
  sink_init(sink);
  write_graph(graph, sink->out.write, sink->out.ctx);
}

/* The file's bytes come in pieces of this size. */
static bool load(dmd_heapgraph_t *graph, const char *bytes, size_t n, size_t piece,
                 const dmd_data_cutter_t *cutter, dmd_fail_t *fail) {
  dmd_load_graph_options_t options = {.cutter = cutter};
  dmdv_input_t *input = dmdv_input_open_memory(bytes, n, piece, fail);
  bool good = dmdv_load_graph_input(graph, input, &options, fail);
  dmdv_input_close(input);
  return good;
}

static void assert_same(const dmd_heapgraph_t *actual, const dmd_heapgraph_t *expected) {
  sink_t a, b;
  sink_init(&a);
  sink_init(&b);
  spell_graph(&a.out, actual);
  spell_graph(&b.out, expected);
  assert_text_equal(sink_text(&a), sink_text(&b));
  sink_free(&a);
  sink_free(&b);
}

static void what_was_written_is_read(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {12};
  host_init(&host);
  uint64_t n_blocks = 0, n_edges = 0, n_interiors = 0, n_nested = 0;
  for (int i = 0; i < GRAPHS; i++) {
    dmd_heapgraph_t made, loaded;
    dmd_fail_t fail = {0};
    sink_t file;
    begin(&made, &host, &dice);
    write_to(&file, &made);
    size_t piece = i % 2 == 0 ? SIZE_MAX : 32 + dice_below(&dice, 60);
    if (!load(&loaded, file.text, file.n, piece, NULL, &fail))
      fail_msg("graph %d: %s (byte %llu)", i, fail.reason, (unsigned long long)fail.byte);
    dmd_nesting_join_reports(&made);
    assert_same(&loaded, &made);
    n_blocks += loaded.blocks.last;
    n_edges += dmd_graph_n_edges(&loaded.graph);
    n_interiors += loaded.interiors.last;
    for (uint32_t k = 1; k <= loaded.blocks.last; k++)
      n_nested += DMD_POOL_AT(&loaded.blocks, dmd_graph_block_t, k)->outer != DMD_NONE;
    dmd_heapgraph_destroy(&loaded);
    dmd_heapgraph_destroy(&made);
    sink_free(&file);
  }
  /* The comparison was not empty. */
  assert_true(n_blocks > GRAPHS && n_edges > GRAPHS && n_interiors > GRAPHS && n_nested > GRAPHS);
  host_done(&host);
}

static void a_file_that_is_cut_off_is_refused(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {5};
  host_init(&host);
  dmd_heapgraph_t made, loaded;
  sink_t file;
  begin(&made, &host, &dice);
  write_to(&file, &made);
  for (size_t n = 0; n < file.n; n++) {
    dmd_fail_t fail = {0};
    assert_false(load(&loaded, file.text, n, SIZE_MAX, NULL, &fail));
    assert_true(fail.byte <= n);
    assert_int_equal(fail.line, 0);
    /* An error is found as soon as the kind of file is known. */
    assert_true(strstr(fail.reason, "cut off") != NULL || (n < 16 && !fail.has_byte));
  }
  dmd_heapgraph_destroy(&made);
  sink_free(&file);
  host_done(&host);
}

/* A part of a later format, and a field of one, in wire format: field 99, of bytes. */
static void what_is_not_known_is_passed_over(void **state) {
  (void)state;
  static const char part[] = "\x06\x9a\x06\x03"
                             "new";
  host_t host;
  dice_t dice = {9};
  host_init(&host);
  dmd_heapgraph_t made, loaded;
  dmd_fail_t fail = {0};
  sink_t file, longer;
  begin(&made, &host, &dice);
  write_to(&file, &made);
  sink_init(&longer);
  size_t header = 1 + (size_t)file.text[0]; /* its length is below 128 */
  dmd_out_bytes(&longer.out, file.text, header);
  dmd_out_bytes(&longer.out, part, sizeof part - 1);
  dmd_out_bytes(&longer.out, file.text + header, file.n - header);
  dmd_out_flush(&longer.out);
  assert_true(load(&loaded, longer.text, longer.n, SIZE_MAX, NULL, &fail));
  dmd_nesting_join_reports(&made);
  assert_same(&loaded, &made);
  dmd_heapgraph_destroy(&loaded);
  /* Nothing may follow the last part. */
  dmd_out_bytes(&longer.out, part, sizeof part - 1);
  dmd_out_flush(&longer.out);
  assert_false(load(&loaded, longer.text, longer.n, SIZE_MAX, NULL, &fail));
  assert_true(strstr(fail.reason, "goes on behind its last part") != NULL);
  dmd_heapgraph_destroy(&made);
  sink_free(&file);
  sink_free(&longer);
  host_done(&host);
}

/* ---- Variables. ---- */

enum { BIAS = 0x4000 };

static void note_object(void *ctx, uint32_t id, const dmd_graph_object_t *object) {
  assert_int_equal(id, 1);
  assert_int_equal(object->bias, BIAS);
  assert_string_equal(object->path, "/bin/a");
  ++*(int *)ctx;
}

/* In the object: "jar" at 0x108 of 16 bytes, "lid" right behind it of 8, else nothing. */
static dmd_cut_part_t part_at(void *ctx, const dmd_uncut_t *rest) {
  uint64_t addr = rest->addr, szB = rest->szB;
  assert_int_equal(*(int *)ctx, 1);
  assert_int_equal(rest->kind, DMD_ROOT_DATA);
  assert_int_equal(rest->object, 1);
  if (addr < 0x108)
    return (dmd_cut_part_t){.szB = 0x108 - addr};
  if (addr == 0x108)
    return (dmd_cut_part_t){.szB = 16, .name = "jar"};
  if (addr == 0x118)
    return (dmd_cut_part_t){.szB = 8, .name = "lid"};
  return (dmd_cut_part_t){.szB = szB};
}

/* Data of 64 bytes, words 1, 2, 3, 4 and 6 of which are pointers, and a stack. */
static void make_data(dmd_heapgraph_t *graph, const dmd_env_t *env) {
  dmd_heapgraph_init(graph, env, 2, 1, 6);
  graph->profile.run = (dmd_run_t){.is_known = true, .word_szB = 8};
  dmd_heapgraph_add_object(graph, &(dmd_graph_object_t){.path = "/bin/a", .bias = BIAS});
  dmd_heapgraph_add_root(
      graph,
      &(dmd_graph_root_t){.kind = DMD_ROOT_DATA, .object = 1, .addr = BIAS + 0x100, .szB = 64});
  for (uint32_t word = 1; word <= 4; word++)
    dmd_heapgraph_add_edge(graph, 3, word * 8);
  dmd_heapgraph_add_interior(graph, 3, 48, 4, DMD_HEURISTIC_NONE);
  dmd_heapgraph_end_node(graph);
  dmd_heapgraph_add_root(graph, &(dmd_graph_root_t){.kind = DMD_ROOT_STACK, .thread = 1, .szB = 8});
  dmd_heapgraph_add_edge(graph, 3, 0);
  dmd_heapgraph_end_node(graph);
  dmd_heapgraph_add_block(graph, &(dmd_graph_block_t){.addr = 0x9000}, 24);
  dmd_heapgraph_end_node(graph);
}

static void data_is_cut_into_variables(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_heapgraph_t made, loaded;
  dmd_fail_t fail = {0};
  sink_t file, spelt;
  int n_objects = 0;
  const dmd_data_cutter_t cutter = {.ctx = &n_objects, .add_object = note_object, .part = part_at};
  make_data(&made, &host.env);
  write_to(&file, &made);
  assert_true(load(&loaded, file.text, file.n, SIZE_MAX, &cutter, &fail));
  assert_int_equal(loaded.n_roots, 5);
  sink_init(&spelt);
  spell_graph(&spelt.out, &loaded);
  const char *text = strstr(sink_text(&spelt), "  +0 -> 1\n");
  assert_non_null(text);
  /* 0x4100 is 16640: 8 bytes before jar; jar; lid; 32 bytes behind it. */
  const char *nodes = "  +0 -> 1\n  +0 -> 2\n  +0 -> 3\n  +0 -> 4\n  +0 -> 5\n"
                      "root of kind 1, object 1, thread 0, at 16640, bytes 8, name (none), code "
                      "(none)\n"
                      "root of kind 1, object 1, thread 0, at 16648, bytes 16, name jar, code "
                      "(none)\n  +0 -> 6\n  +8 -> 6\n"
                      "root of kind 1, object 1, thread 0, at 16664, bytes 8, name lid, code "
                      "(none)\n  +0 -> 6\n"
                      "root of kind 1, object 1, thread 0, at 16672, bytes 32, name (none), code "
                      "(none)\n  +0 -> 6\n  +16 -> 6 +4 heuristic 0\n"
                      "root of kind 2, object 0, thread 1, at 0, bytes 8, name (none), code "
                      "(none)\n  +0 -> 6\n";
  assert_memory_equal(text, nodes, strlen(nodes));
  dmd_heapgraph_destroy(&loaded);
  dmd_heapgraph_destroy(&made);
  sink_free(&spelt);
  sink_free(&file);
  host_done(&host);
}

/* A frame's variable, "jar", is 24 bytes below its canonical address; one of threads, "lid", 8
 * bytes above the thread pointer. */
static dmd_cut_part_t local_at(void *ctx, const dmd_uncut_t *rest) {
  (void)ctx;
  uint64_t start = rest->kind == DMD_ROOT_STACK ? (uint64_t)-24 : 8;
  if (rest->kind == DMD_ROOT_STACK) {
    assert_int_equal(rest->object, 1);
    assert_int_equal(rest->code, 0x1234);
  } else
    assert_int_equal(rest->kind, DMD_ROOT_THREAD);
  if ((int64_t)rest->addr < (int64_t)start)
    return (dmd_cut_part_t){.szB = start - rest->addr};
  return rest->addr == start ? (dmd_cut_part_t){.szB = 16, .name = start == 8 ? "lid" : "jar"}
                             : (dmd_cut_part_t){.szB = rest->szB};
}

static void stacks_and_thread_local_storage_are_cut(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_heapgraph_t made, loaded;
  dmd_fail_t fail = {0};
  sink_t file;
  int n_objects = 0;
  dmd_heapgraph_init(&made, &host.env, 4, 0, 0);
  made.profile.run = (dmd_run_t){.is_known = true, .word_szB = 8};
  dmd_heapgraph_add_object(&made, &(dmd_graph_object_t){.path = "/bin/a", .bias = BIAS});
  uint32_t code = dmd_heapgraph_add_code(&made, 1, 0x1234, NULL, 0);
  dmd_graph_root_t roots[] = {
      {.kind = DMD_ROOT_STACK, .thread = 1, .code = code, .addr = 0xf00, .szB = 0x100},
      {.kind = DMD_ROOT_STACK, .thread = 1, .code = code, .addr = 0x1f00, .szB = 0x100},
      {.kind = DMD_ROOT_STACK, .thread = 1, .addr = 0x2f00, .szB = 0x100, .origin = 0x3000},
      {.kind = DMD_ROOT_THREAD, .thread = 1, .addr = 0x4f00, .szB = 0x200, .origin = 0x5000}};
  roots[1].origin = roots[1].addr + roots[1].szB;
  for (int i = 0; i < 4; i++) {
    dmd_heapgraph_add_root(&made, &roots[i]);
    dmd_heapgraph_end_node(&made);
  }
  const dmd_data_cutter_t cutter = {.ctx = &n_objects, .add_object = note_object, .part = local_at};
  write_to(&file, &made);
  assert_true(load(&loaded, file.text, file.n, SIZE_MAX, &cutter, &fail));
  /* A variable needs both an origin and code. */
  static const struct {
    uint64_t addr, szB;
    const char *name;
  } wanted[] = {{0xf00, 0x100, NULL}, {0x1f00, 0xe8, NULL},  {0x1fe8, 16, "jar"},
                {0x1ff8, 8, NULL},    {0x2f00, 0x100, NULL}, {0x4f00, 0x108, NULL},
                {0x5008, 16, "lid"},  {0x5018, 0xe8, NULL}};
  assert_int_equal(loaded.n_roots, sizeof wanted / sizeof *wanted);
  for (uint32_t node = 1; node <= loaded.n_roots; node++) {
    const dmd_graph_root_t *root = dmd_heapgraph_root(&loaded, node);
    assert_int_equal(root->addr, wanted[node - 1].addr);
    assert_int_equal(root->szB, wanted[node - 1].szB);
    if (wanted[node - 1].name == NULL)
      assert_null(root->name);
    else
      assert_string_equal(root->name, wanted[node - 1].name);
  }
  dmd_heapgraph_destroy(&loaded);
  dmd_heapgraph_destroy(&made);
  sink_free(&file);
  host_done(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacks_and_thread_local_storage_are_cut),
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(a_file_that_is_cut_off_is_refused),
      cmocka_unit_test(what_is_not_known_is_passed_over),
      cmocka_unit_test(data_is_cut_into_variables),
  };
  dmdv_host_init();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
