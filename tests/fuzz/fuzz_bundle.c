/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_bundle: a bundle from a page of dmdv view or dmdv history, from a stranger. If it is
 * accepted, all of it can be analysed; written again, it gives a bundle with the same results.
 */
#include "fuzz.h"

#include "analyse/history/history.h"
#include "files/bundle/bundle.h"
#include "files/bundle/bundlehistory.h"
#include "files/bundle/bundletypes.h"
#include "files/bundle/bundlewriter.h"
#include "host/process.h"
#include "profiles/analyses.h"

#include <stdlib.h>
#include <string.h>

static void analyse(fuzz_text_t *text, dmd_bundle_graph_t *graph) {
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  write_analyses(&out, &graph->heap, &graph->typing);
  FUZZ_CHECK(dmd_out_flush(&out));
}

static void write_image(fuzz_text_t *bytes, dmd_bundle_graph_t *graph) {
  dmd_bundlewriter_t writer;
  dmd_bundlewriter_init(&writer, &dmdv_env, fuzz_keep, bytes);
  dmd_bundlewriter_add_graph(&writer, &graph->heap, &graph->types, &graph->typing);
  dmd_imagevariables_write(&writer, 0, &graph->variables);
  FUZZ_CHECK(dmd_bundlewriter_end(&writer));
}

static void check_again(const fuzz_text_t *bytes, const fuzz_text_t *expected) {
  dmd_bundle_t image;
  dmd_bundle_graph_t graph;
  dmd_strbuf_t why;
  fuzz_text_t text = {0};
  dmd_strbuf_init(&why, &dmdv_env);
  FUZZ_CHECK(dmd_bundle_map(&image, &dmdv_env, bytes->bytes, bytes->n, &why));
  FUZZ_CHECK(dmd_bundle_open_graph(&graph, &image, 0, &why));
  analyse(&text, &graph);
  fuzz_check_equal(&text, expected);
  fuzz_text_free(&text);
  dmd_bundle_close_graph(&graph);
  dmd_bundle_destroy(&image);
  dmd_strbuf_destroy(&why);
}

static void use_graph(const dmd_bundle_t *image, uint32_t i, dmd_strbuf_t *why) {
  dmd_bundle_graph_t graph;
  fuzz_text_t bytes = {0}, text = {0};
  if (!dmd_bundle_open_graph(&graph, image, i, why)) {
    FUZZ_CHECK(why->n > 0);
    return;
  }
  write_image(&bytes, &graph);
  analyse(&text, &graph);
  check_again(&bytes, &text);
  fuzz_text_free(&text);
  fuzz_text_free(&bytes);
  dmd_bundle_close_graph(&graph);
}

/* ---- Histories. ---- */

static void write_history(fuzz_text_t *bytes, const dmd_history_t *history) {
  dmd_bundlewriter_t writer;
  dmd_bundlewriter_init(&writer, &dmdv_env, fuzz_keep, bytes);
  dmd_imagehistory_write(&writer, history);
  FUZZ_CHECK(dmd_bundlewriter_end(&writer));
}

static void make_builds(const dmd_history_t *history) {
  enum { MOST = 16 };
  for (uint32_t id = 1; id <= history->kept.last && id <= MOST; id++) {
    dmd_profile_t profile;
    dmd_profile_init(&profile, &dmdv_env);
    dmd_history_fill(&profile, history, id);
    dmd_profile_destroy(&profile);
  }
  for (uint32_t id = 1; id <= history->alarms.last; id++) {
    dmd_alarm_t told = dmd_history_told(history, id);
    dmd_alarm_delta(&told);
  }
}

/* Written again, it is the same history. */
static void use_history(const dmd_bundle_t *image, dmd_strbuf_t *why) {
  dmd_history_t history, again;
  dmd_bundle_t copy;
  fuzz_text_t bytes = {0}, same = {0};
  if (!dmd_imagehistory_read(&history, image, why)) {
    FUZZ_CHECK(why->n > 0);
    dmd_history_destroy(&history);
    return;
  }
  write_history(&bytes, &history);
  FUZZ_CHECK(dmd_bundle_map(&copy, &dmdv_env, bytes.bytes, bytes.n, why));
  FUZZ_CHECK(dmd_imagehistory_read(&again, &copy, why));
  write_history(&same, &again);
  FUZZ_CHECK(bytes.n == same.n && memcmp(bytes.bytes, same.bytes, same.n) == 0);
  make_builds(&again);
  dmd_history_destroy(&again);
  dmd_bundle_destroy(&copy);
  dmd_history_destroy(&history);
  fuzz_text_free(&same);
  fuzz_text_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char *bytes = fuzz_string(data, n); /* where malloc aligns it */
  dmd_bundle_t image;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  if (dmd_bundle_map(&image, &dmdv_env, bytes, n, &why)) {
    for (uint32_t i = 0; i < image.n_profiles; i++) {
      size_t length;
      const char *document = dmd_bundle_profile(&image, i, &length);
      FUZZ_CHECK(document >= bytes && length <= n && document + length <= bytes + n);
    }
    for (uint32_t i = 0; i < image.n_graphs; i++)
      use_graph(&image, i, &why);
    if (dmd_imagehistory_is_there(&image))
      use_history(&image, &why);
  } else {
    FUZZ_CHECK(why.n > 0);
  }
  dmd_bundle_destroy(&image);
  dmd_strbuf_destroy(&why);
  free(bytes);
  return 0;
}
