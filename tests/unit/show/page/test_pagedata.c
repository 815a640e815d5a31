/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "files/bundle/bundlewriter.h"
#include "files/graph/graphreader.h"
#include "files/profile/profilewriter.h"
#include "show/page/asks.h"
#include "show/page/pagedata.h"
#include "show/page/pagegraph.h"

#include "profiles/analyses.h"
#include "profiles/randomgraph.h"

static double number(const char *text) {
  return strtod(text, NULL);
}

/* ---- Documents. ---- */

/* A text that comes in pieces. */
typedef struct {
  const char *text, *start;
  size_t n, piece;
} text_t;

static bool next(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  (void)fail;
  text_t *text = ctx;
  *bytes = text->text;
  *n = text->n < text->piece ? text->n : text->piece;
  text->text += *n;
  text->n -= *n;
  return true;
}

static bool back(void *ctx, dmd_fail_t *fail) {
  (void)fail;
  text_t *text = ctx;
  text->n += (size_t)(text->text - text->start);
  text->text = text->start;
  return true;
}

/* A piece has at least 32 bytes, enough to recognise the kind of file. */
static bool add_as(dmd_session_t *page, dmd_session_data_t *data, const char *name, text_t rest,
                   dmd_strbuf_t *why) {
  rest.start = rest.text;
  const dmd_source_t source = {.next = next, .rewind = back, .ctx = &rest, .number = number};
  return dmd_session_add_file(page, data, name, &source, why);
}

static bool add(dmd_session_t *page, dmd_session_data_t *data, const char *text, size_t n,
                size_t piece, dmd_strbuf_t *why) {
  return add_as(page, data, "a.json", (text_t){.text = text, .n = n, .piece = piece}, why);
}

static void assert_refused(const char *text, size_t n, const char *expected) {
  host_t host;
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  host_init(&host);
  dmd_session_data_init(&data, &host.env);
  dmd_session_init(&page, &host.env);
  dmd_strbuf_init(&why, &host.env);
  assert_false(add(&page, &data, text, n, 40, &why));
  assert_string_equal(why.text, expected);
  assert_int_equal(dmd_session_n_files(&page), 0);
  assert_int_equal(dmd_session_n_graphs(&page), 0);
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
  host_done(&host);
}

static void errors_have_their_place(void **state) {
  (void)state;
  static const char wrong[] = "{\"version\": 5,\n\n \"blockList\": 7}";
  static const char graph[] = "\x10\x0a\x0e\x0a\x09"
                              "dmd-graph\x10\x01\x12\x00 and what follows";
  assert_refused(wrong, sizeof wrong - 1, "a.json:3: '7' found where an array should be (byte 30)");
  assert_refused("", 0, "a.json:1: the file ends where an object should be (byte 0)");
  /* The version is a number, not bytes. */
  assert_refused(graph, sizeof graph - 1, "a.json: a part is damaged (byte 0)");
}

/* ---- A bundle has the content of its profiles' documents. ---- */

/* A copy, aligned as in the page's memory: malloc aligns. */
static char *copy_of(sink_t *sink) {
  char *bytes = malloc(sink->n);
  assert_non_null(bytes);
  memcpy(bytes, sink_text(sink), sink->n);
  return bytes;
}

static void write_image(sink_t *sink, const dmd_profile_t *profile, const char *const *names,
                        size_t n) {
  static const char *const alloc_fns[] = {"my_malloc"};
  const dmd_bundle_settings_t settings = {
      .frame_view = {.alloc_fns = alloc_fns, .n_alloc_fns = 1, .full_names = true},
      .moment = DMD_MOMENT_AUTO};
  dmd_bundlewriter_t w;
  sink_init(sink);
  dmd_bundlewriter_init(&w, profile->env, sink->out.write, sink->out.ctx);
  for (size_t i = 0; i < n; i++) {
    dmd_bundle_file_t file = {.name = names[i],
                              .kind = DMD_BUNDLE_IS_PROFILE,
                              .beside = DMD_BUNDLE_ALONE,
                              .reduced = {.records = 3 * i, .bytes = 100 * i}};
    file.index = dmd_bundlewriter_add_profile(&w, profile);
    dmd_bundlewriter_add_file(&w, &file);
  }
  dmd_bundlewriter_add_settings(&w, &settings);
  assert_true(dmd_bundlewriter_end(&w));
}

static void assert_same(const dmd_profile_t *a, const dmd_profile_t *b) {
  sink_t x, y;
  sink_init(&x);
  sink_init(&y);
  dmd_profilewriter_write(&x.out, a);
  dmd_profilewriter_write(&y.out, b);
  assert_text_equal(sink_text(&x), sink_text(&y));
  sink_free(&y);
  sink_free(&x);
}

static void images_of_random_profiles(void **state) {
  (void)state;
  static const char *const names[] = {"one.json", "two.json.gz"};
  dice_t dice = {12};
  for (int round = 0; round < 100; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_DARK_MATTER);
    fill_at_random(&f.profile, &dice);
    sink_t sink;
    write_image(&sink, &f.profile, names, 2);
    char *bytes = copy_of(&sink);
    dmd_session_data_t data;
    dmd_session_t page;
    dmd_strbuf_t why;
    dmd_session_data_init(&data, &f.host.env);
    dmd_session_init(&page, &f.host.env);
    dmd_strbuf_init(&why, &f.host.env);
    assert_true(dmd_session_add_image(&page, &data, bytes, sink.n, number, &why));
    const char *text = fixture_json(&f);
    assert_true(add(&page, &data, text, strlen(text), 1000, &why));
    assert_int_equal(dmd_session_n_files(&page), 3);
    for (uint32_t i = 0; i < 2; i++) {
      const dmd_session_file_t *file = dmd_session_file(&page, i);
      assert_string_equal(file->name.text, names[i]);
      assert_int_equal(file->reduced.records, 3 * i);
      assert_int_equal(file->reduced.bytes, 100 * i);
      assert_true(file->profile.frame_view.full_names);
      assert_string_equal(file->profile.frame_view.alloc_fns[0], "my_malloc");
      assert_same(&dmd_session_file(&page, 2)->profile, &file->profile);
    }
    dmd_strbuf_destroy(&why);
    dmd_session_destroy(&page);
    dmd_session_data_destroy(&data);
    free(bytes);
    sink_free(&sink);
    fixture_end(&f);
  }
}

static uint64_t throw_below(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

/* A bundle with a graph, followed by the profile that was written with it. */
static void write_graph_image(sink_t *sink, fixture_t *f, dmd_heapgraph_t *heap, dice_t *dice) {
  const dmd_env_t *env = &f->host.env;
  random_dice_t random = {throw_below, dice};
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_bundlewriter_t w;
  random_graph(heap, env, &random);
  dmd_types_init(&types, env, 8);
  dmd_typing_init(&typing, heap, &types);
  random_types(&typing, &random);
  sink_init(sink);
  dmd_bundlewriter_init(&w, env, sink->out.write, sink->out.ctx);
  dmd_bundle_file_t graph = {.name = "a.graph", .kind = DMD_BUNDLE_IS_GRAPH};
  dmd_bundle_file_t profile = {.name = "a.json", .kind = DMD_BUNDLE_IS_PROFILE};
  dmd_bundlewriter_add_graph(&w, heap, &types, &typing);
  dmd_bundlewriter_add_file(&w, &graph);
  dmd_bundlewriter_add_profile(&w, &f->profile);
  dmd_bundlewriter_add_file(&w, &profile);
  assert_true(dmd_bundlewriter_end(&w));
  dmd_env_free(env, types.source.ctx);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
}

static void graphs_lie_beside_their_profiles(void **state) {
  (void)state;
  dice_t dice = {31};
  for (int round = 0; round < 20; round++) {
    fixture_t f;
    fixture_begin(&f, DMD_MODE_LIVE);
    dmd_heapgraph_t heap;
    sink_t sink;
    write_graph_image(&sink, &f, &heap, &dice);
    char *first = copy_of(&sink), *second = copy_of(&sink);
    dmd_session_data_t data;
    dmd_session_t page;
    dmd_strbuf_t why;
    dmd_session_data_init(&data, &f.host.env);
    dmd_session_init(&page, &f.host.env);
    dmd_strbuf_init(&why, &f.host.env);
    assert_true(dmd_session_add_image(&page, &data, first, sink.n, number, &why));
    assert_true(dmd_session_add_image(&page, &data, second, sink.n, number, &why));
    assert_int_equal(dmd_session_n_files(&page), 2);
    assert_int_equal(dmd_session_n_graphs(&page), 2);
    for (uint32_t i = 0; i < 2; i++) {
      const dmd_session_graph_t *graph = dmd_session_graph(&page, i);
      assert_string_equal(graph->name.text, "a.graph");
      assert_int_equal(graph->beside, i);
      assert_int_equal(graph->heap->graph.n_nodes, heap.graph.n_nodes);
      assert_int_equal(dmd_graph_n_edges(&graph->heap->graph), dmd_graph_n_edges(&heap.graph));
    }
    dmd_strbuf_destroy(&why);
    dmd_session_destroy(&page);
    dmd_session_data_destroy(&data);
    free(second);
    free(first);
    dmd_heapgraph_destroy(&heap);
    sink_free(&sink);
    fixture_end(&f);
  }
}

static void what_is_no_image_is_refused(void **state) {
  (void)state;
  host_t host;
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  uint64_t bytes[8] = {0};
  host_init(&host);
  dmd_session_data_init(&data, &host.env);
  dmd_session_init(&page, &host.env);
  dmd_strbuf_init(&why, &host.env);
  assert_false(dmd_session_add_image(&page, &data, bytes, sizeof bytes, number, &why));
  assert_true(why.n > 0);
  assert_int_equal(dmd_session_n_files(&page), 0);
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
  host_done(&host);
}

/* ---- Files of graphs and memory reports. ---- */

static const char reports[] =
    "{\"version\": 1, \"hasMozMallocUsableSize\": true, \"reports\": ["
    "{\"process\": \"Main Process (pid 7)\", \"path\": \"heap-allocated\", \"kind\": 2, "
    "\"units\": 0, \"amount\": 1000, \"description\": \"All.\"},"
    "{\"process\": \"Main Process (pid 7)\", \"path\": \"explicit/cookies\", \"kind\": 1, "
    "\"units\": 0, \"amount\": 300, \"description\": \"Cookies.\"}]}";

static void ask_page(sink_t *sink, dmd_session_t *page, const char *query) {
  sink_init(sink);
  dmd_session_ask(page, query, &sink->out);
  sink_text(sink);
}

static void assert_answer(dmd_session_t *page, const char *query, const char *part) {
  sink_t answer;
  ask_page(&answer, page, query);
  assert_has(answer.text, part);
  sink_free(&answer);
}

/* Both give the same answers to all queries that need only a graph. */
static void assert_answers_alike(dmd_session_t *a, dmd_session_t *b) {
  static const char *const queries[] = {"ask=files",         "ask=census&of=0&by=stack,state",
                                        "ask=retained&of=0", "ask=leaks&of=0",
                                        "ask=map&of=0",      "ask=owners&of=0",
                                        "ask=paths&of=0"};
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
    sink_t x, y;
    ask_page(&x, a, queries[i]);
    ask_page(&y, b, queries[i]);
    assert_text_equal(x.text, y.text);
    sink_free(&y);
    sink_free(&x);
  }
}

/* A bundle with only a graph without types. */
static void write_untyped(sink_t *sink, const dmd_env_t *env, dmd_heapgraph_t *heap) {
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_bundlewriter_t w;
  dmd_types_init(&types, env, heap->profile.run.word_szB);
  dmd_typing_init(&typing, heap, &types);
  sink_init(sink);
  dmd_bundlewriter_init(&w, env, sink->out.write, sink->out.ctx);
  dmd_bundle_file_t file = {
      .name = "in/a.graph.gz", .kind = DMD_BUNDLE_IS_GRAPH, .beside = DMD_BUNDLE_ALONE};
  dmd_bundlewriter_add_graph(&w, heap, &types, &typing);
  dmd_bundlewriter_add_file(&w, &file);
  assert_true(dmd_bundlewriter_end(&w));
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
}

/* As dmdv does it. */
static void load(dmd_heapgraph_t *heap, const dmd_env_t *env, const char *bytes, size_t n) {
  text_t text = {.text = bytes, .start = bytes, .n = n, .piece = n};
  const dmd_source_t source = {.next = next, .rewind = back, .ctx = &text};
  dmd_fail_t fail;
  assert_true(dmd_load_graph(heap, env, &source, &(dmd_load_graph_options_t){0}, &fail));
}

static void a_graph_is_what_its_image_is(void **state) {
  (void)state;
  dice_t dice = {77};
  random_dice_t random = {throw_below, &dice};
  for (int round = 0; round < 20; round++) {
    host_t host;
    dmd_heapgraph_t heap;
    dmd_session_data_t data[2];
    dmd_session_t page[2];
    dmd_strbuf_t why;
    sink_t file, image;
    host_init(&host);
    dmd_strbuf_init(&why, &host.env);
    random_graph(&heap, &host.env, &random);
    sink_init(&file);
    write_graph(&heap, file.out.write, file.out.ctx);
    sink_text(&file);
    dmd_heapgraph_destroy(&heap);
    load(&heap, &host.env, file.text, file.n);
    write_untyped(&image, &host.env, &heap);
    char *bytes = copy_of(&image);
    for (int i = 0; i < 2; i++) {
      dmd_session_data_init(&data[i], &host.env);
      dmd_session_init(&page[i], &host.env);
    }
    assert_true(dmd_session_add_image(&page[0], &data[0], bytes, image.n, number, &why));
    text_t text = {.text = file.text, .n = file.n, .piece = 32 + dice_below(&dice, 90)};
    assert_true(add_as(&page[1], &data[1], "in/a.graph.gz", text, &why));
    assert_answers_alike(&page[0], &page[1]);
    for (int i = 0; i < 2; i++) {
      dmd_session_destroy(&page[i]);
      dmd_session_data_destroy(&data[i]);
    }
    free(bytes);
    sink_free(&image);
    sink_free(&file);
    dmd_heapgraph_destroy(&heap);
    dmd_strbuf_destroy(&why);
    host_done(&host);
  }
}

/* In either order. A graph with another name belongs to another run. */
static void graphs_find_their_profiles_by_name(void **state) {
  (void)state;
  static const char *const graphs[] = {"there/a.b.graph.gz", "b.graph", "c.graph.gz", "x"};
  fixture_t f;
  dice_t dice = {5};
  random_dice_t random = {throw_below, &dice};
  dmd_heapgraph_t heap;
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  sink_t file;
  fixture_begin(&f, DMD_MODE_LIVE);
  const char *profile = fixture_json(&f);
  random_graph(&heap, &f.host.env, &random);
  sink_init(&file);
  write_graph(&heap, file.out.write, file.out.ctx);
  sink_text(&file);
  dmd_session_data_init(&data, &f.host.env);
  dmd_session_init(&page, &f.host.env);
  dmd_strbuf_init(&why, &f.host.env);
  text_t a_profile = {.text = profile, .n = strlen(profile), .piece = 100};
  text_t a_graph = {.text = file.text, .n = file.n, .piece = 100};
  assert_true(add_as(&page, &data, "here/a.b.json.gz", a_profile, &why));
  for (int i = 0; i < 4; i++)
    assert_true(add_as(&page, &data, graphs[i], a_graph, &why));
  assert_true(add_as(&page, &data, "b.json", a_profile, &why));
  assert_true(add_as(&page, &data, "one.gz", a_profile, &why));
  assert_true(add_as(&page, &data, "one.gz", a_graph, &why));
  assert_int_equal(dmd_session_graph(&page, 4)->beside, 2);
  assert_int_equal(dmd_session_graph(&page, 0)->beside, 0);
  assert_int_equal(dmd_session_graph(&page, 1)->beside, 1);
  assert_int_equal(dmd_session_graph(&page, 2)->beside, DMD_SESSION_ALONE);
  assert_int_equal(dmd_session_graph(&page, 3)->beside, DMD_SESSION_ALONE);
  /* Those are files 3 and 4. */
  assert_ptr_equal(dmd_session_graph_beside(&page, 3), dmd_session_graph(&page, 2));
  assert_ptr_equal(dmd_session_graph_beside(&page, 4), dmd_session_graph(&page, 3));
  assert_null(dmd_session_graph_beside(&page, 5));
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
  dmd_heapgraph_destroy(&heap);
  sink_free(&file);
  fixture_end(&f);
}

static void of_memory_reports_there_is_a_tree(void **state) {
  (void)state;
  fixture_t f;
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 1, 20, 0, "knead", DMD_NONE);
  const char *profile = fixture_json(&f);
  dmd_session_data_init(&data, &f.host.env);
  dmd_session_init(&page, &f.host.env);
  dmd_strbuf_init(&why, &f.host.env);
  assert_true(add(&page, &data, reports, sizeof reports - 1, 40, &why));
  assert_true(add(&page, &data, profile, strlen(profile), 40, &why));
  assert_answer(&page, "ask=files", "\"kind\": \"reports\"");
  /* 1000 bytes less the 300 that were measured. */
  assert_answer(&page, "ask=tree&of=0&verbose=1", "\"amount\": 700");
  assert_answer(&page, "ask=tree&of=0&old=0", "\"processes\": []");
  assert_answer(&page, "ask=tree&of=1&old=0&verbose=1", "\"amount\": -300");
  assert_answer(&page, "ask=text&view=tree&of=0", "ookies");
  assert_answer(&page, "ask=records&of=0", "a file of memory reports has no records");
  assert_answer(&page, "ask=records&of=1&old=0", "a file of memory reports has no records");
  assert_answer(&page, "ask=records&of=1", "knead");
  assert_answer(&page, "ask=series", "\"of\": 1");
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
  fixture_end(&f);
}

/* ---- Memory. ---- */

static sink_t g_image, g_graph;

static void use(host_t *host, void *arg) {
  (void)arg;
  static const char document[] =
      "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"live\"},"
      "\"blockList\": [{\"req\": 1.0}], \"traceTable\": {}, \"frameTable\": {}}";
  static uint64_t bytes[1 << 12];
  assert_true(g_image.n <= sizeof bytes);
  memcpy(bytes, g_image.text, g_image.n);
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  dmd_session_data_init(&data, &host->env);
  dmd_session_init(&page, &host->env);
  dmd_strbuf_init(&why, &host->env);
  assert_true(dmd_session_add_image(&page, &data, bytes, g_image.n, number, &why));
  assert_true(add(&page, &data, document, sizeof document - 1, 7, &why));
  assert_true(add(&page, &data, reports, sizeof reports - 1, 7, &why));
  assert_int_equal(dmd_session_n_files(&page), 3);
  assert_true(add(&page, &data, g_graph.text, g_graph.n, 64, &why));
  assert_int_equal(dmd_session_n_graphs(&page), 1);
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
}

static void out_of_memory(void **state) {
  (void)state;
  static const char *const names[] = {"one.json"};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 2, 100, 12, "new|knead|main", DMD_NONE);
  write_image(&g_image, &f.profile, names, 1);
  sink_text(&g_image);
  dice_t dice = {8};
  random_dice_t random = {throw_below, &dice};
  dmd_heapgraph_t heap;
  random_graph(&heap, &f.host.env, &random);
  sink_init(&g_graph);
  write_graph(&heap, g_graph.out.write, g_graph.out.ctx);
  sink_text(&g_graph);
  dmd_heapgraph_destroy(&heap);
  assert_true(host_fail_everywhere(use, NULL) >= 40);
  sink_free(&g_graph);
  sink_free(&g_image);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_have_their_place),
      cmocka_unit_test(images_of_random_profiles),
      cmocka_unit_test(graphs_lie_beside_their_profiles),
      cmocka_unit_test(what_is_no_image_is_refused),
      cmocka_unit_test(a_graph_is_what_its_image_is),
      cmocka_unit_test(graphs_find_their_profiles_by_name),
      cmocka_unit_test(of_memory_reports_there_is_a_tree),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
