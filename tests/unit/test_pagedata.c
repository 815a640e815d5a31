/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "image/imagewriter.h"
#include "page/pagedata.h"
#include "page/pagegraph.h"
#include "profile/json.h"

#include "../profiles/analyses.h"
#include "../profiles/randomgraph.h"

static double number(const char *text) {
  return strtod(text, NULL);
}

/* ---- Documents. ---- */

/* A text that comes in pieces. */
typedef struct {
  const char *text;
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

static bool add(dmd_page_t *page, const char *text, size_t n, size_t piece, dmd_strbuf_t *why) {
  text_t rest = {text, n, piece};
  const dmd_source_t source = {.next = next, .ctx = &rest, .number = number};
  return dmd_page_add_profile(page, "a.json", &source, why);
}

static void assert_refused(const char *text, size_t n, const char *expected) {
  host_t host;
  dmd_page_t page;
  dmd_strbuf_t why;
  host_init(&host);
  dmd_page_init(&page, &host.env);
  dmd_strbuf_init(&why, &host.env);
  assert_false(add(&page, text, n, 40, &why));
  assert_string_equal(why.text, expected);
  assert_int_equal(dmd_page_n_files(&page), 0);
  dmd_strbuf_destroy(&why);
  dmd_page_destroy(&page);
  host_done(&host);
}

static void errors_have_their_place(void **state) {
  (void)state;
  static const char wrong[] = "{\"version\": 5,\n\n \"blockList\": 7}";
  static const char graph[] = "\x10\x0a\x0e\x0a\x09"
                              "dmd-graph\x10\x01\x12\x00 and what follows";
  assert_refused(wrong, sizeof wrong - 1, "a.json:3: '7' found where an array should be (byte 30)");
  assert_refused("", 0, "a.json:1: the file ends where an object should be (byte 0)");
  assert_refused(graph, sizeof graph - 1,
                 "a.json: is a heap graph, of which dmdv view makes a page");
}

/* ---- What an image has is what the documents of its profiles have. ---- */

/* A copy where the page would have it; malloc aligns. */
static char *copy_of(sink_t *sink) {
  char *bytes = malloc(sink->n);
  assert_non_null(bytes);
  memcpy(bytes, sink_text(sink), sink->n);
  return bytes;
}

static void write_image(sink_t *sink, const dmd_profile_t *profile, const char *const *names,
                        size_t n) {
  static const char *const alloc_fns[] = {"my_malloc"};
  const dmd_image_settings_t settings = {
      .frame_view = {.alloc_fns = alloc_fns, .n_alloc_fns = 1, .full_names = true}};
  dmd_imagewriter_t w;
  sink_init(sink);
  dmd_imagewriter_init(&w, profile->env, sink->out.write, sink->out.ctx);
  for (size_t i = 0; i < n; i++) {
    dmd_image_file_t file = {.name = names[i],
                             .kind = DMD_IMAGE_IS_PROFILE,
                             .beside = DMD_IMAGE_ALONE,
                             .reduced = {.records = 3 * i, .bytes = 100 * i}};
    file.index = dmd_imagewriter_add_profile(&w, profile);
    dmd_imagewriter_add_file(&w, &file);
  }
  dmd_imagewriter_add_settings(&w, &settings);
  assert_true(dmd_imagewriter_end(&w));
}

static void assert_same(const dmd_profile_t *a, const dmd_profile_t *b) {
  sink_t x, y;
  sink_init(&x);
  sink_init(&y);
  dmd_json_write(&x.out, a);
  dmd_json_write(&y.out, b);
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
    dmd_page_data_t data;
    dmd_page_t page;
    dmd_strbuf_t why;
    dmd_page_data_init(&data, &f.host.env);
    dmd_page_init(&page, &f.host.env);
    dmd_strbuf_init(&why, &f.host.env);
    assert_true(dmd_page_add_image(&page, &data, bytes, sink.n, number, &why));
    const char *text = fixture_json(&f);
    assert_true(add(&page, text, strlen(text), 1000, &why));
    assert_int_equal(dmd_page_n_files(&page), 3);
    for (uint32_t i = 0; i < 2; i++) {
      const dmd_page_file_t *file = dmd_page_file(&page, i);
      assert_string_equal(file->name.text, names[i]);
      assert_int_equal(file->reduced.records, 3 * i);
      assert_int_equal(file->reduced.bytes, 100 * i);
      assert_true(file->profile.frame_view.full_names);
      assert_string_equal(file->profile.frame_view.alloc_fns[0], "my_malloc");
      assert_same(&dmd_page_file(&page, 2)->profile, &file->profile);
    }
    dmd_strbuf_destroy(&why);
    dmd_page_destroy(&page);
    dmd_page_data_destroy(&data);
    free(bytes);
    sink_free(&sink);
    fixture_end(&f);
  }
}

static uint64_t throw_below(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

/* An image of a graph, and behind it the profile that it was written with. */
static void write_graph_image(sink_t *sink, fixture_t *f, dmd_heapgraph_t *heap, dice_t *dice) {
  const dmd_env_t *env = &f->host.env;
  random_dice_t random = {throw_below, dice};
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_imagewriter_t w;
  random_graph(heap, env, &random);
  dmd_types_init(&types, env, 8);
  dmd_typing_init(&typing, heap, &types);
  random_types(&typing, &random);
  sink_init(sink);
  dmd_imagewriter_init(&w, env, sink->out.write, sink->out.ctx);
  dmd_image_file_t graph = {.name = "a.graph", .kind = DMD_IMAGE_IS_GRAPH};
  dmd_image_file_t profile = {.name = "a.json", .kind = DMD_IMAGE_IS_PROFILE};
  dmd_imagewriter_add_graph(&w, heap, &types, &typing);
  dmd_imagewriter_add_file(&w, &graph);
  dmd_imagewriter_add_profile(&w, &f->profile);
  dmd_imagewriter_add_file(&w, &profile);
  assert_true(dmd_imagewriter_end(&w));
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
    dmd_page_data_t data;
    dmd_page_t page;
    dmd_strbuf_t why;
    dmd_page_data_init(&data, &f.host.env);
    dmd_page_init(&page, &f.host.env);
    dmd_strbuf_init(&why, &f.host.env);
    assert_true(dmd_page_add_image(&page, &data, first, sink.n, number, &why));
    assert_true(dmd_page_add_image(&page, &data, second, sink.n, number, &why));
    assert_int_equal(dmd_page_n_files(&page), 2);
    assert_int_equal(dmd_page_n_graphs(&page), 2);
    for (uint32_t i = 0; i < 2; i++) {
      const dmd_page_graph_t *graph = dmd_page_graph(&page, i);
      assert_string_equal(graph->name.text, "a.graph");
      assert_int_equal(graph->beside, i);
      assert_int_equal(graph->heap->graph.n_nodes, heap.graph.n_nodes);
      assert_int_equal(dmd_graph_n_edges(&graph->heap->graph), dmd_graph_n_edges(&heap.graph));
    }
    dmd_strbuf_destroy(&why);
    dmd_page_destroy(&page);
    dmd_page_data_destroy(&data);
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
  dmd_page_data_t data;
  dmd_page_t page;
  dmd_strbuf_t why;
  uint64_t bytes[8] = {0};
  host_init(&host);
  dmd_page_data_init(&data, &host.env);
  dmd_page_init(&page, &host.env);
  dmd_strbuf_init(&why, &host.env);
  assert_false(dmd_page_add_image(&page, &data, bytes, sizeof bytes, number, &why));
  assert_true(why.n > 0);
  assert_int_equal(dmd_page_n_files(&page), 0);
  dmd_strbuf_destroy(&why);
  dmd_page_destroy(&page);
  dmd_page_data_destroy(&data);
  host_done(&host);
}

/* ---- Memory. ---- */

static sink_t g_image;

static void use(host_t *host, void *arg) {
  (void)arg;
  static const char document[] =
      "{\"version\": 5, \"invocation\": {\"dmdEnvVar\": null, \"mode\": \"live\"},"
      "\"blockList\": [{\"req\": 1.0}], \"traceTable\": {}, \"frameTable\": {}}";
  static uint64_t bytes[1 << 12];
  assert_true(g_image.n <= sizeof bytes);
  memcpy(bytes, g_image.text, g_image.n);
  dmd_page_data_t data;
  dmd_page_t page;
  dmd_strbuf_t why;
  dmd_page_data_init(&data, &host->env);
  dmd_page_init(&page, &host->env);
  dmd_strbuf_init(&why, &host->env);
  assert_true(dmd_page_add_image(&page, &data, bytes, g_image.n, number, &why));
  assert_true(add(&page, document, sizeof document - 1, 7, &why));
  assert_int_equal(dmd_page_n_files(&page), 2);
  dmd_strbuf_destroy(&why);
  dmd_page_destroy(&page);
  dmd_page_data_destroy(&data);
}

static void out_of_memory(void **state) {
  (void)state;
  static const char *const names[] = {"one.json"};
  fixture_t f;
  fixture_begin(&f, DMD_MODE_DARK_MATTER);
  build_blocks(&f.profile, 2, 100, 12, "new|knead|main", DMD_NONE);
  write_image(&g_image, &f.profile, names, 1);
  sink_text(&g_image);
  assert_true(host_fail_everywhere(use, NULL) >= 40);
  sink_free(&g_image);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_have_their_place),
      cmocka_unit_test(images_of_random_profiles),
      cmocka_unit_test(graphs_lie_beside_their_profiles),
      cmocka_unit_test(what_is_no_image_is_refused),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
