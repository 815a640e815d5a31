/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page/pagedata.h"

#include "graph/graphfile.h"
#include "load/load.h"
#include "page/pagegraph.h"

void dmd_page_data_init(dmd_page_data_t *data, const dmd_env_t *env) {
  data->env = env;
  dmd_pool_init(&data->images, env, "dmd.page.images", sizeof(dmd_image_t *));
  dmd_pool_init(&data->graphs, env, "dmd.page.images", sizeof(dmd_image_graph_t *));
}

void dmd_page_data_destroy(dmd_page_data_t *data) {
  for (uint32_t i = 1; i <= data->graphs.last; i++) {
    dmd_image_graph_t *graph = *DMD_POOL_AT(&data->graphs, dmd_image_graph_t *, i);
    dmd_image_close_graph(graph);
    dmd_env_free(data->env, graph);
  }
  for (uint32_t i = 1; i <= data->images.last; i++) {
    dmd_image_t *image = *DMD_POOL_AT(&data->images, dmd_image_t *, i);
    dmd_image_destroy(image);
    dmd_env_free(data->env, image);
  }
  dmd_pool_destroy(&data->graphs);
  dmd_pool_destroy(&data->images);
}

/* ---- Profiles. ---- */

/* As reader/host/message.h has it. */
static void say(dmd_strbuf_t *why, const char *name, const dmd_fail_t *fail) {
  dmd_strbuf_str(why, name);
  if (fail->line > 0) {
    dmd_strbuf_str(why, ":");
    dmd_strbuf_u64(why, fail->line);
  }
  dmd_strbuf_str(why, ": ");
  dmd_strbuf_str(why, fail->reason);
  if (fail->line > 0) {
    dmd_strbuf_str(why, " (byte ");
    dmd_strbuf_u64(why, fail->byte);
    dmd_strbuf_str(why, ")");
  }
}

/* Reads a file whose other fields are those of `as`. */
static bool add_profile(dmd_page_t *page, const dmd_image_file_t *as, const dmd_source_t *source,
                        const dmd_frame_view_t *view, dmd_strbuf_t *why) {
  const dmd_load_options_t options = {.frame_view = *view};
  dmd_fail_t fail = {.line = 0};
  dmd_page_file_t *file = dmd_page_begin_file(page, as->name);
  file->reduced = as->reduced;
  bool good = dmd_load_profile(&file->profile, source, &options, &fail);
  if (!good)
    say(why, as->name, &fail);
  dmd_page_end_file(page, file, good);
  return good;
}

/* A source of which the first bytes were looked at already. */
typedef struct {
  const dmd_source_t *source;
  const char *bytes; /* these; NULL: no more */
  size_t n;
} peeked_t;

static bool next_of_peeked(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  peeked_t *peeked = ctx;
  if (peeked->bytes == NULL)
    return peeked->source->next(peeked->source->ctx, bytes, n, fail);
  *bytes = peeked->bytes;
  *n = peeked->n;
  peeked->bytes = NULL;
  return true;
}

bool dmd_page_add_profile(dmd_page_t *page, const char *name, const dmd_source_t *source,
                          dmd_strbuf_t *why) {
  peeked_t peeked = {.source = source};
  const dmd_source_t whole = {.next = next_of_peeked, .ctx = &peeked, .number = source->number};
  dmd_fail_t fail = {.line = 0};
  bool good = source->next(source->ctx, &peeked.bytes, &peeked.n, &fail);
  if (good && dmd_graphfile_is(peeked.bytes, peeked.n))
    good = dmd_fail(&fail, "is a heap graph, of which dmdv view makes a page");
  if (!good) {
    say(why, name, &fail);
    return false;
  }
  return add_profile(page, &(dmd_image_file_t){.name = name}, &whole, &(dmd_frame_view_t){0}, why);
}

/* ---- Images. ---- */

/* A document that is in memory as a whole, which comes once. */
typedef struct {
  const char *bytes;
  size_t n;
} document_t;

static bool next(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  (void)fail;
  document_t *document = ctx;
  *bytes = document->bytes;
  *n = document->n;
  document->n = 0;
  return true;
}

static bool add_document(dmd_page_t *page, const dmd_image_t *image, const dmd_image_file_t *file,
                         dmd_number_fn number, dmd_strbuf_t *why) {
  document_t document = {.n = 0};
  document.bytes = dmd_image_profile(image, file->index, &document.n);
  const dmd_source_t source = {.next = next, .ctx = &document, .number = number};
  if (!add_profile(page, file, &source, &image->settings.frame_view, why))
    return false;
  dmd_page_file(page, dmd_page_n_files(page) - 1)->image = image;
  return true;
}

/* The number that the page has for a profile of the image, whose first file there is `first`. */
static uint32_t number_of(const dmd_image_t *image, uint32_t index, uint32_t first) {
  uint32_t number = first;
  for (uint32_t i = 0; i < dmd_image_n_files(image); i++) {
    const dmd_image_file_t *file = dmd_image_file(image, i);
    if (file->kind != DMD_IMAGE_IS_PROFILE)
      continue;
    if (file->index == index)
      return number;
    number++;
  }
  return DMD_PAGE_ALONE;
}

static bool add_graph(dmd_page_t *page, dmd_page_data_t *data, const dmd_image_t *image,
                      const dmd_image_file_t *file, uint32_t first, dmd_strbuf_t *why) {
  dmd_image_graph_t *graph = dmd_env_alloc(data->env, "dmd.page.image", sizeof *graph);
  if (!dmd_image_open_graph(graph, image, file->index, why)) {
    dmd_env_free(data->env, graph);
    return false;
  }
  uint32_t id = dmd_pool_add(&data->graphs);
  *DMD_POOL_AT(&data->graphs, dmd_image_graph_t *, id) = graph;
  dmd_page_add_graph(page, file->name, number_of(image, file->beside, first), &graph->heap,
                     &graph->typing);
  return true;
}

/* Profiles come first: graphs lie beside them. */
static bool add_files(dmd_page_t *page, dmd_page_data_t *data, const dmd_image_t *image,
                      dmd_number_fn number, dmd_strbuf_t *why) {
  uint32_t n = dmd_image_n_files(image), first = dmd_page_n_files(page);
  for (uint32_t i = 0; i < n; i++) {
    const dmd_image_file_t *file = dmd_image_file(image, i);
    if (file->kind == DMD_IMAGE_IS_PROFILE && !add_document(page, image, file, number, why))
      return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    const dmd_image_file_t *file = dmd_image_file(image, i);
    if (file->kind == DMD_IMAGE_IS_GRAPH && !add_graph(page, data, image, file, first, why))
      return false;
  }
  return true;
}

bool dmd_page_add_image(dmd_page_t *page, dmd_page_data_t *data, void *bytes, size_t n,
                        dmd_number_fn number, dmd_strbuf_t *why) {
  uint32_t id = dmd_pool_add(&data->images);
  dmd_image_t *image = dmd_env_alloc(data->env, "dmd.page.image", sizeof *image);
  *DMD_POOL_AT(&data->images, dmd_image_t *, id) = image;
  return dmd_image_map(image, data->env, bytes, n, why) &&
         add_files(page, data, image, number, why);
}
