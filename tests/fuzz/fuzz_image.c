/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_image: the image in a page of dmdv view, from a stranger. What is not refused can be
 * analysed whole, and written once more it is an image of which the same is computed.
 */
#include "fuzz.h"

#include "../profiles/analyses.h"
#include "image/image.h"
#include "image/imagevariables.h"
#include "image/imagewriter.h"
#include "reader/host/host.h"

#include <stdlib.h>
#include <string.h>

static void analyse(fuzz_text_t *text, dmd_image_graph_t *graph) {
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  write_analyses(&out, &graph->heap, &graph->typing);
  FUZZ_CHECK(dmd_out_flush(&out));
}

static void write_image(fuzz_text_t *bytes, dmd_image_graph_t *graph) {
  dmd_imagewriter_t writer;
  dmd_imagewriter_init(&writer, &dmdv_env, fuzz_keep, bytes);
  dmd_imagewriter_add_graph(&writer, &graph->heap, &graph->types, &graph->typing);
  dmd_imagevariables_write(&writer, 0, &graph->variables);
  FUZZ_CHECK(dmd_imagewriter_end(&writer));
}

static void check_again(const fuzz_text_t *bytes, const fuzz_text_t *expected) {
  dmd_image_t image;
  dmd_image_graph_t graph;
  dmd_strbuf_t why;
  fuzz_text_t text = {0};
  dmd_strbuf_init(&why, &dmdv_env);
  FUZZ_CHECK(dmd_image_map(&image, &dmdv_env, bytes->bytes, bytes->n, &why));
  FUZZ_CHECK(dmd_image_open_graph(&graph, &image, 0, &why));
  analyse(&text, &graph);
  fuzz_check_equal(&text, expected);
  fuzz_text_free(&text);
  dmd_image_close_graph(&graph);
  dmd_image_destroy(&image);
  dmd_strbuf_destroy(&why);
}

static void use_graph(const dmd_image_t *image, uint32_t i, dmd_strbuf_t *why) {
  dmd_image_graph_t graph;
  fuzz_text_t bytes = {0}, text = {0};
  if (!dmd_image_open_graph(&graph, image, i, why)) {
    FUZZ_CHECK(why->n > 0);
    return;
  }
  write_image(&bytes, &graph);
  analyse(&text, &graph);
  check_again(&bytes, &text);
  fuzz_text_free(&text);
  fuzz_text_free(&bytes);
  dmd_image_close_graph(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char *bytes = fuzz_string(data, n); /* where malloc aligns it */
  dmd_image_t image;
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &dmdv_env);
  if (dmd_image_map(&image, &dmdv_env, bytes, n, &why)) {
    for (uint32_t i = 0; i < image.n_profiles; i++) {
      size_t length;
      const char *document = dmd_image_profile(&image, i, &length);
      FUZZ_CHECK(document >= bytes && length <= n && document + length <= bytes + n);
    }
    for (uint32_t i = 0; i < image.n_graphs; i++)
      use_graph(&image, i, &why);
  } else {
    FUZZ_CHECK(why.n > 0);
  }
  dmd_image_destroy(&image);
  dmd_strbuf_destroy(&why);
  free(bytes);
  return 0;
}
