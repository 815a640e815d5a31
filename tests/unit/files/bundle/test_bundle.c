/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bundles: an analysis of a graph from a bundle has the same result as one of the original graph,
 * and the same holds for profiles. Damaged bundles are rejected, or can be used without harm.
 */
#include "fixture.h"

#include "files/bundle/bundle.h"
#include "files/bundle/bundlewriter.h"
#include "files/profile/profilewriter.h"

#include "profiles/analyses.h"
#include "profiles/random.h"
#include "profiles/randomgraph.h"

#include <stdio.h>

enum { GRAPHS = 200, MUTANTS = 40 };

static uint64_t throw(void *ctx, uint64_t n) {
  return dice_below(ctx, n);
}

/* ---- Graphs with types. ---- */

typedef struct {
  dmd_heapgraph_t heap;
  dmd_types_t types;
  dmd_typing_t typing;
} typed_t;

static void typed_init(typed_t *t, const dmd_env_t *env, dice_t *dice) {
  random_dice_t random = {throw, dice};
  random_graph(&t->heap, env, &random);
  dmd_types_init(&t->types, env, 8);
  dmd_typing_init(&t->typing, &t->heap, &t->types);
  random_types(&t->typing, &random);
}

static void typed_destroy(typed_t *t) {
  dmd_env_free(t->types.env, t->types.source.ctx);
  dmd_typing_destroy(&t->typing);
  dmd_types_destroy(&t->types);
  dmd_heapgraph_destroy(&t->heap);
}

static void spell_all(sink_t *sink, dmd_heapgraph_t *heap, dmd_typing_t *typing) {
  sink_init(sink);
  spell_graph(&sink->out, heap);
  write_analyses(&sink->out, heap, typing);
}

/* ---- Bundles. ---- */

/* A copy, aligned as in the page's memory: malloc aligns. */
static char *copy_of(sink_t *sink) {
  char *bytes = malloc(sink->n);
  memcpy(bytes, sink_text(sink), sink->n);
  return bytes;
}

static void assert_maps(dmd_bundle_t *image, const dmd_env_t *env, void *bytes, size_t n) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, env);
  if (!dmd_bundle_map(image, env, bytes, n, &why))
    fail_msg("%s", why.text);
  dmd_strbuf_destroy(&why);
}

static void assert_opens(dmd_bundle_graph_t *graph, const dmd_bundle_t *image, uint32_t i) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, image->env);
  if (!dmd_bundle_open_graph(graph, image, i, &why))
    fail_msg("%s", why.text);
  dmd_strbuf_destroy(&why);
}

/* Why the bytes are rejected; in a static buffer. */
static const char *refusal(void *bytes, size_t n) {
  static char text[200];
  host_t host;
  dmd_bundle_t image;
  dmd_strbuf_t why;
  host_init(&host);
  dmd_strbuf_init(&why, &host.env);
  assert_false(dmd_bundle_map(&image, &host.env, bytes, n, &why));
  snprintf(text, sizeof text, "%s", why.text);
  dmd_bundle_destroy(&image);
  dmd_strbuf_destroy(&why);
  host_done(&host);
  return text;
}

static void write_typed(sink_t *sink, const dmd_env_t *env, typed_t *graphs, uint32_t n) {
  dmd_bundlewriter_t writer;
  sink_init(sink);
  dmd_bundlewriter_init(&writer, env, sink->out.write, sink->out.ctx);
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(
        dmd_bundlewriter_add_graph(&writer, &graphs[i].heap, &graphs[i].types, &graphs[i].typing),
        i);
  assert_true(dmd_bundlewriter_end(&writer));
}

/* ---- Tests. ---- */

/* Returns how many there are. */
static uint32_t assert_equal_bit_fields(const dmd_types_t *a, const dmd_types_t *b) {
  uint32_t n = 0;
  assert_int_equal(a->pool.last, b->pool.last);
  for (uint32_t id = 1; id <= a->pool.last; id++)
    for (uint32_t i = 0; i < dmd_type_at(a, id)->n_members; i++) {
      assert_int_equal(dmd_types_member(a, id, i)->bits_szB, dmd_types_member(b, id, i)->bits_szB);
      n += dmd_types_member(a, id, i)->bits_szB > 0;
    }
  return n;
}

static void analyses_of_a_mapped_graph_are_the_same(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {5};
  uint32_t n_bit_fields = 0;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    typed_t graphs[2];
    sink_t bytes;
    dmd_bundle_t image;
    for (int k = 0; k < 2; k++)
      typed_init(&graphs[k], &host.env, &dice);
    write_typed(&bytes, &host.env, graphs, 2);
    char *mapped = copy_of(&bytes);
    assert_maps(&image, &host.env, mapped, bytes.n);
    assert_int_equal(image.n_graphs, 2);
    for (uint32_t k = 0; k < 2; k++) {
      dmd_bundle_graph_t graph;
      sink_t expected, actual;
      assert_opens(&graph, &image, k);
      n_bit_fields += assert_equal_bit_fields(&graphs[k].types, &graph.types);
      spell_all(&expected, &graphs[k].heap, &graphs[k].typing);
      spell_all(&actual, &graph.heap, &graph.typing);
      assert_text_equal(sink_text(&actual), sink_text(&expected));
      sink_free(&actual);
      sink_free(&expected);
      dmd_bundle_close_graph(&graph);
    }
    /* All sections that were taken out meanwhile are back. */
    assert_memory_equal(mapped, bytes.text, bytes.n);
    dmd_bundle_destroy(&image);
    free(mapped);
    sink_free(&bytes);
    for (int k = 0; k < 2; k++)
      typed_destroy(&graphs[k]);
  }
  assert_true(n_bit_fields > 10);
  host_done(&host);
}

static void profiles_files_and_settings(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {6};
  dmd_profile_t profile;
  sink_t bytes, document;
  dmd_bundle_t image;
  dmd_bundlewriter_t writer;
  size_t n;
  static const char *const patterns[] = {"my_*", "x"};
  host_init(&host);
  dmd_profile_init(&profile, &host.env);
  random_profile(&profile, &(random_dice_t){throw, &dice});
  sink_init(&document);
  dmd_profilewriter_write(&document.out, &profile);
  sink_init(&bytes);
  dmd_bundlewriter_init(&writer, &host.env, bytes.out.write, bytes.out.ctx);
  assert_int_equal(dmd_bundlewriter_add_profile(&writer, &profile), 0);
  dmd_bundlewriter_add_settings(
      &writer, &(dmd_bundle_settings_t){.max_frames = 12,
                                        .moment = DMD_MOMENT_PEAK,
                                        .frame_view = {.alloc_fns = patterns, .n_alloc_fns = 2}});
  assert_int_equal(dmd_bundlewriter_add_profile(&writer, &profile), 1);
  dmd_bundlewriter_add_file(&writer, &(dmd_bundle_file_t){.name = "a \xc3\xa4.json",
                                                          .index = 1,
                                                          .beside = DMD_BUNDLE_ALONE,
                                                          .reduced = {7, UINT64_MAX, 1}});
  assert_true(dmd_bundlewriter_end(&writer));
  char *mapped = copy_of(&bytes);
  assert_maps(&image, &host.env, mapped, bytes.n);
  assert_int_equal(image.n_profiles, 2);
  assert_int_equal(image.n_graphs, 0);
  const char *text = dmd_bundle_profile(&image, 1, &n);
  assert_int_equal(n, strlen(sink_text(&document)));
  assert_memory_equal(text, sink_text(&document), n);
  assert_int_equal(dmd_bundle_n_files(&image), 1);
  const dmd_bundle_file_t *file = dmd_bundle_file(&image, 0);
  assert_string_equal(file->name, "a \xc3\xa4.json");
  assert_int_equal(file->kind, DMD_BUNDLE_IS_PROFILE);
  assert_int_equal(file->index, 1);
  assert_int_equal(file->beside, DMD_BUNDLE_ALONE);
  assert_int_equal(file->reduced.records, 7);
  assert_true(file->reduced.bytes == UINT64_MAX);
  assert_int_equal(file->reduced.nodes, 1);
  assert_int_equal(image.settings.max_frames, 12);
  assert_int_equal(image.settings.moment, DMD_MOMENT_PEAK);
  assert_false(image.settings.frame_view.full_names);
  assert_int_equal(image.settings.frame_view.n_alloc_fns, 2);
  assert_string_equal(image.settings.frame_view.alloc_fns[0], "my_*");
  assert_string_equal(image.settings.frame_view.alloc_fns[1], "x");
  dmd_bundle_destroy(&image);
  free(mapped);
  sink_free(&document);
  sink_free(&bytes);
  dmd_profile_destroy(&profile);
  host_done(&host);
}

static void claims_of_files(void **state) {
  (void)state;
  host_t host;
  sink_t bytes;
  dmd_bundle_t image;
  dmd_bundlewriter_t writer;
  dmd_strbuf_t claims;
  size_t n;
  host_init(&host);
  dmd_strbuf_init(&claims, &host.env);
  dmd_strbuf_str(&claims, "{\"functions\": []}");
  sink_init(&bytes);
  dmd_bundlewriter_init(&writer, &host.env, bytes.out.write, bytes.out.ctx);
  dmd_profile_t profile;
  dmd_profile_init(&profile, &host.env);
  for (uint32_t i = 0; i < 2; i++) {
    dmd_bundlewriter_add_profile(&writer, &profile);
    dmd_bundlewriter_add_file(
        &writer, &(dmd_bundle_file_t){.name = "a.json", .index = i, .beside = DMD_BUNDLE_ALONE});
  }
  dmd_bundlewriter_add_claims(&writer, &claims);
  assert_true(dmd_bundlewriter_end(&writer));
  char *mapped = copy_of(&bytes);
  assert_maps(&image, &host.env, mapped, bytes.n);
  assert_null(dmd_bundle_claims(&image, 0, &n));
  assert_int_equal(n, 0);
  assert_memory_equal(dmd_bundle_claims(&image, 1, &n), claims.text, claims.n);
  assert_int_equal(n, claims.n);
  dmd_bundle_destroy(&image);
  free(mapped);
  sink_free(&bytes);
  dmd_profile_destroy(&profile);
  dmd_strbuf_destroy(&claims);
  host_done(&host);
}

static void put_line(dmd_bundlewriter_t *w, uint64_t line, const char *text) {
  dmd_bundlewriter_number(w, line);
  dmd_bundlewriter_bytes(w, text, strlen(text));
}

/* Two files; the second time a line is there twice. */
static void write_sources(sink_t *bytes, const dmd_env_t *env, bool damaged) {
  dmd_bundlewriter_t writer;
  sink_init(bytes);
  dmd_bundlewriter_init(&writer, env, bytes->out.write, bytes->out.ctx);
  dmd_bundlewriter_begin(&writer, DMD_BUNDLE_SOURCES, 0);
  dmd_bundlewriter_string(&writer, "a.c");
  dmd_bundlewriter_number(&writer, 2);
  put_line(&writer, 7, "int x;");
  put_line(&writer, damaged ? 7 : 9, "\xff \t");
  dmd_bundlewriter_string(&writer, "b.c");
  dmd_bundlewriter_number(&writer, 1);
  put_line(&writer, UINT64_MAX, "");
  dmd_bundlewriter_string(&writer, NULL);
  dmd_bundlewriter_end_section(&writer);
  assert_true(dmd_bundlewriter_end(&writer));
}

static void source_lines(void **state) {
  (void)state;
  host_t host;
  sink_t bytes;
  dmd_bundle_t image;
  host_init(&host);
  write_sources(&bytes, &host.env, false);
  char *mapped = copy_of(&bytes);
  assert_maps(&image, &host.env, mapped, bytes.n);
  assert_string_equal(dmd_bundle_source_line(&image, "a.c", 7), "int x;");
  assert_string_equal(dmd_bundle_source_line(&image, "a.c", 9), "\xff \t");
  assert_string_equal(dmd_bundle_source_line(&image, "b.c", UINT64_MAX), "");
  assert_null(dmd_bundle_source_line(&image, "a.c", 8));
  assert_null(dmd_bundle_source_line(&image, "b.c", 7));
  assert_null(dmd_bundle_source_line(&image, "c.c", 7));
  dmd_bundle_destroy(&image);
  free(mapped);
  sink_free(&bytes);
  write_sources(&bytes, &host.env, true);
  mapped = copy_of(&bytes);
  assert_string_equal(refusal(mapped, bytes.n), "the bundle's source lines are damaged");
  free(mapped);
  sink_free(&bytes);
  host_done(&host);
}

static void what_is_no_image_is_refused(void **state) {
  (void)state;
  host_t host;
  sink_t bytes;
  host_init(&host);
  write_typed(&bytes, &host.env, NULL, 0);
  char *copy = copy_of(&bytes);
  assert_string_equal(refusal(copy, 3), "this is not data of dmdv view");
  assert_string_equal(refusal(copy, bytes.n - 1), "the bundle is cut off");
  copy[8] = 9;
  assert_string_equal(refusal(copy, bytes.n),
                      "the bundle has version 9, and the page reads version 1");
  copy[8] = 1;
  copy[bytes.n - 8]++; /* the number of sections */
  assert_string_equal(refusal(copy, bytes.n), "the bundle's table of sections is damaged");
  copy[bytes.n - 8]--;
  copy[bytes.n - DMD_BUNDLE_END_SZB - 16] |= 4; /* the only section's offset */
  assert_string_equal(refusal(copy, bytes.n), "a section of the bundle lies outside it");
  copy[0] = 'D';
  assert_string_equal(refusal(copy, bytes.n), "this is not data of dmdv view");
  free(copy);
  sink_free(&bytes);
  host_done(&host);
}

/* Unknown sections are skipped, unless there are too many. */
static void many_sections(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  for (uint32_t more = 0; more < 2; more++) {
    sink_t bytes;
    dmd_bundle_t image;
    dmd_bundlewriter_t writer;
    sink_init(&bytes);
    dmd_bundlewriter_init(&writer, &host.env, bytes.out.write, bytes.out.ctx);
    for (uint32_t i = 0; i + 1 < DMD_BUNDLE_MAX_SECTIONS + more; i++) {
      dmd_bundlewriter_begin(&writer, (dmd_bundle_kind_t)999, i);
      dmd_bundlewriter_end_section(&writer);
    }
    assert_true(dmd_bundlewriter_end(&writer));
    char *mapped = copy_of(&bytes);
    if (more > 0) {
      assert_string_equal(refusal(mapped, bytes.n), "the bundle's table of sections is damaged");
    } else {
      assert_maps(&image, &host.env, mapped, bytes.n);
      dmd_bundle_destroy(&image);
    }
    free(mapped);
    sink_free(&bytes);
  }
  host_done(&host);
}

/* Maps the bytes, and runs all analyses of the graph unless it is rejected. Returns whether it was
 * rejected. */
static bool use_mutant(host_t *host, void *bytes, size_t n) {
  dmd_bundle_t image;
  dmd_bundle_graph_t graph;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &host->env);
  bool good = dmd_bundle_map(&image, &host->env, bytes, n, &why) && image.n_graphs > 0 &&
              dmd_bundle_open_graph(&graph, &image, 0, &why);
  if (good) {
    sink_t text;
    spell_all(&text, &graph.heap, &graph.typing);
    sink_free(&text);
    dmd_bundle_close_graph(&graph);
  } else {
    assert_true(image.n_graphs == 0 || why.n > 0);
  }
  dmd_bundle_destroy(&image);
  dmd_strbuf_destroy(&why);
  return !good;
}

static void mutants_do_no_harm(void **state) {
  (void)state;
  host_t host;
  dice_t dice = {7};
  unsigned n_refused = 0, n_used = 0;
  host_init(&host);
  for (int i = 0; i < GRAPHS; i++) {
    typed_t graph;
    sink_t bytes;
    typed_init(&graph, &host.env, &dice);
    write_typed(&bytes, &host.env, &graph, 1);
    for (int k = 0; k < MUTANTS; k++) {
      char *copy = copy_of(&bytes);
      for (uint64_t changes = 1 + dice_below(&dice, 3); changes > 0; changes--)
        copy[dice_below(&dice, bytes.n)] = (char)dice_any_size(&dice);
      bool refused = use_mutant(&host, copy, bytes.n);
      n_refused += refused;
      n_used += !refused;
      free(copy);
    }
    sink_free(&bytes);
    typed_destroy(&graph);
  }
  assert_true(n_refused > GRAPHS && n_used > GRAPHS);
  host_done(&host);
}

static void make_and_open(host_t *host, void *arg) {
  typed_t graph;
  dice_t dice = {8};
  dmd_bundle_t image;
  dmd_bundle_graph_t opened;
  dmd_strbuf_t why;
  sink_t *bytes = arg;
  dmd_strbuf_init(&why, &host->env);
  typed_init(&graph, &host->env, &dice);
  dmd_bundlewriter_t writer;
  bytes->n = 0;
  dmd_bundlewriter_init(&writer, &host->env, bytes->out.write, bytes->out.ctx);
  dmd_bundlewriter_add_graph(&writer, &graph.heap, &graph.types, &graph.typing);
  dmd_bundlewriter_add_file(
      &writer,
      &(dmd_bundle_file_t){.name = "a", .kind = DMD_BUNDLE_IS_GRAPH, .beside = DMD_BUNDLE_ALONE});
  assert_true(dmd_bundlewriter_end(&writer));
  assert_true(dmd_bundle_map(&image, &host->env, bytes->text, bytes->n, &why));
  assert_true(dmd_bundle_open_graph(&opened, &image, 0, &why));
  dmd_bundle_close_graph(&opened);
  dmd_bundle_destroy(&image);
  typed_destroy(&graph);
  dmd_strbuf_destroy(&why);
}

static void out_of_memory(void **state) {
  (void)state;
  sink_t bytes;
  sink_init(&bytes);
  assert_true(host_fail_everywhere(make_and_open, &bytes) >= 1);
  sink_free(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(analyses_of_a_mapped_graph_are_the_same),
      cmocka_unit_test(profiles_files_and_settings),
      cmocka_unit_test(claims_of_files),
      cmocka_unit_test(source_lines),
      cmocka_unit_test(what_is_no_image_is_refused),
      cmocka_unit_test(many_sections),
      cmocka_unit_test(mutants_do_no_harm),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
