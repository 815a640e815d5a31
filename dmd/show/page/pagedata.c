/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/pagedata.h"

#include "analyse/graph/stale.h"
#include "base/path.h"
#include "base/str.h"
#include "files/bundle/bundlehistory.h"
#include "files/graph/graphreader.h"
#include "files/graph/graphwriter.h"
#include "files/profile/profilereader.h"
#include "show/page/pagegraph.h"
#include "show/page/pagehistory.h"
#include "show/page/view.h"

void dmd_session_data_init(dmd_session_data_t *data, const dmd_env_t *env) {
  data->env = env;
  data->history = NULL;
  dmd_pool_init(&data->images, env, "dmd.page.images", sizeof(dmd_bundle_t *));
  dmd_pool_init(&data->graphs, env, "dmd.page.images", sizeof(dmd_bundle_graph_t *));
}

void dmd_session_data_destroy(dmd_session_data_t *data) {
  if (data->history != NULL)
    dmd_history_destroy(data->history);
  dmd_env_free(data->env, data->history);
  for (uint32_t i = 1; i <= data->graphs.last; i++) {
    dmd_bundle_graph_t *graph = *DMD_POOL_AT(&data->graphs, dmd_bundle_graph_t *, i);
    dmd_bundle_close_graph(graph);
    dmd_env_free(data->env, graph);
  }
  for (uint32_t i = 1; i <= data->images.last; i++) {
    dmd_bundle_t *image = *DMD_POOL_AT(&data->images, dmd_bundle_t *, i);
    dmd_bundle_destroy(image);
    dmd_env_free(data->env, image);
  }
  dmd_pool_destroy(&data->graphs);
  dmd_pool_destroy(&data->images);
}

/* ---- Documents. ---- */

/* Formats an error like host/process.h. */
static void say(dmd_strbuf_t *why, const char *name, const dmd_fail_t *fail) {
  dmd_strbuf_str(why, name);
  if (fail->line > 0) {
    dmd_strbuf_str(why, ":");
    dmd_strbuf_u64(why, fail->line);
  }
  dmd_strbuf_str(why, ": ");
  dmd_strbuf_str(why, fail->reason);
  if (fail->line > 0 || fail->has_byte) {
    dmd_strbuf_str(why, " (byte ");
    dmd_strbuf_u64(why, fail->byte);
    dmd_strbuf_str(why, ")");
  }
}

/* Reads a profile or, with is_either, a profile or memory reports. */
static bool read_document(dmd_session_file_t *file, bool is_either, const dmd_source_t *source,
                          const dmd_frame_view_t *view, dmd_fail_t *fail) {
  const dmd_load_options_t options = {.frame_view = *view, .moment = DMD_MOMENT_ALL};
  const dmd_env_t *env = file->profile.env;
  bool is_profile = true;
  if (!is_either)
    return dmd_load_profile(&file->profile, source, &options, fail);
  file->reports = dmd_env_alloc(env, "dmd.page", sizeof *file->reports);
  dmd_amounts_init(file->reports, env, false);
  bool good = dmd_load_either(&file->profile, file->reports, source, &options, &is_profile, fail);
  if (is_profile) {
    dmd_amounts_destroy(file->reports);
    dmd_env_free(env, file->reports);
    file->reports = NULL;
  }
  return good;
}

/* Adds a file whose other fields are copied from `as`. */
static bool add_document_as(dmd_session_t *page, const dmd_bundle_file_t *as, bool is_either,
                            const dmd_source_t *source, const dmd_frame_view_t *view,
                            dmd_strbuf_t *why) {
  dmd_fail_t fail = {.line = 0};
  dmd_session_file_t *file = dmd_session_begin_file(page, as->name);
  file->reduced = as->reduced;
  bool good = read_document(file, is_either, source, view, &fail);
  if (!good)
    say(why, as->name, &fail);
  dmd_session_end_file(page, file, good);
  return good;
}

/* A source whose first bytes were read already. */
typedef struct {
  const dmd_source_t *source;
  const char *bytes; /* these; NULL once they were returned */
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

/* ---- Profiles and their graphs. ---- */

/* The length of a file's name without this ending, gzipped or not; 0 if it has another ending. */
static size_t stem_of(const char *name, const char *gzipped) {
  size_t n = dmd_str_length(name), ending = dmd_str_length(gzipped), plain = ending - 3;
  if (n > ending && dmd_str_equal(name + n - ending, gzipped))
    return n - ending;
  return n > plain && dmd_str_equal_n(name + n - plain, gzipped, plain) ? n - plain : 0;
}

/* By their names, which are equal if one file has both. */
static bool lie_beside(const char *profile, const char *graph) {
  profile = dmd_path_base(profile);
  graph = dmd_path_base(graph);
  if (dmd_str_equal(profile, graph))
    return true;
  size_t n = stem_of(profile, ".json.gz");
  return n > 0 && n == stem_of(graph, ".graph.gz") && dmd_str_equal_n(profile, graph, n);
}

/* Attaches a graph to its profile. Views are forgotten, since they were made without the graph. */
static void find_beside(dmd_session_t *page, dmd_session_graph_t *graph) {
  for (uint32_t i = 0; i < dmd_session_n_files(page) && graph->beside == DMD_SESSION_ALONE; i++)
    if (lie_beside(dmd_session_file(page, i)->name.text, graph->name.text) &&
        dmd_session_graph_beside(page, i) == NULL) {
      graph->beside = i;
      dmd_session_forget_views(page);
    }
}

static void find_all_beside(dmd_session_t *page) {
  for (uint32_t i = 0; i < dmd_session_n_graphs(page); i++)
    find_beside(page, dmd_session_graph(page, i));
}

/* ---- Original files. ---- */

static void keep_graph(dmd_session_t *page, dmd_session_data_t *data, dmd_bundle_graph_t *graph,
                       const char *name, uint32_t beside) {
  uint32_t id = dmd_pool_add(&data->graphs);
  *DMD_POOL_AT(&data->graphs, dmd_bundle_graph_t *, id) = graph;
  dmd_session_add_graph(page, name, beside, &graph->heap, &graph->typing);
  dmd_session_graph(page, dmd_session_n_graphs(page) - 1)->namer = &graph->variables.namer;
}

static bool read_graph(dmd_session_t *page, dmd_session_data_t *data, const char *name,
                       const dmd_source_t *source, dmd_fail_t *fail) {
  const dmd_load_graph_options_t options = {.cutter = NULL};
  dmd_bundle_graph_t *graph = dmd_env_alloc(data->env, "dmd.page.graph", sizeof *graph);
  if (!source->rewind(source->ctx, fail) ||
      !dmd_load_graph(&graph->heap, data->env, source, &options, fail)) {
    dmd_env_free(data->env, graph);
    return false;
  }
  dmd_types_init(&graph->types, data->env, graph->heap.profile.run.word_szB);
  dmd_typing_init(&graph->typing, &graph->heap, &graph->types);
  dmd_liveparts_find(&graph->typing);
  dmd_knownvariables_init(&graph->variables, data->env);
  keep_graph(page, data, graph, name, DMD_SESSION_ALONE);
  return true;
}

bool dmd_session_add_file(dmd_session_t *page, dmd_session_data_t *data, const char *name,
                          const dmd_source_t *source, dmd_strbuf_t *why) {
  peeked_t peeked = {.source = source};
  const dmd_source_t whole = {.next = next_of_peeked, .ctx = &peeked, .number = source->number};
  dmd_fail_t fail = {.line = 0};
  bool good = source->next(source->ctx, &peeked.bytes, &peeked.n, &fail);
  if (good && !dmd_graphwriter_is(peeked.bytes, peeked.n))
    good = add_document_as(page, &(dmd_bundle_file_t){.name = name}, true, &whole,
                           &(dmd_frame_view_t){0}, why);
  else if (!good || !(good = read_graph(page, data, name, source, &fail)))
    say(why, name, &fail);
  find_all_beside(page);
  return good;
}

/* ---- Bundles. ---- */

/* A source for a document that is in memory as a whole: returns it in one piece. */
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

static bool add_document(dmd_session_t *page, const dmd_bundle_t *image, uint32_t i,
                         dmd_number_fn number, dmd_strbuf_t *why) {
  const dmd_bundle_file_t *file = dmd_bundle_file(image, i);
  document_t document = {.n = 0};
  document.bytes = dmd_bundle_profile(image, file->index, &document.n);
  const dmd_source_t source = {.next = next, .ctx = &document, .number = number};
  if (!add_document_as(page, file, false, &source, &image->settings.frame_view, why))
    return false;
  dmd_session_file_t *added = dmd_session_file(page, dmd_session_n_files(page) - 1);
  added->image = image;
  added->claims.bytes = dmd_bundle_claims(image, i, &added->claims.n);
  if (image->settings.moment != DMD_MOMENT_AUTO)
    added->opens_peak = added->n_others > 0 && image->settings.moment == DMD_MOMENT_PEAK;
  return true;
}

/* The page's number of a profile in the bundle; first: the page's number of the bundle's first
 * file. */
static uint32_t number_of(const dmd_bundle_t *image, uint32_t index, uint32_t first) {
  uint32_t number = first;
  for (uint32_t i = 0; i < dmd_bundle_n_files(image); i++) {
    const dmd_bundle_file_t *file = dmd_bundle_file(image, i);
    if (file->kind != DMD_BUNDLE_IS_PROFILE)
      continue;
    if (file->index == index)
      return number;
    number++;
  }
  return DMD_SESSION_ALONE;
}

static bool add_graph(dmd_session_t *page, dmd_session_data_t *data, const dmd_bundle_t *image,
                      uint32_t i, uint32_t first, dmd_strbuf_t *why) {
  const dmd_bundle_file_t *file = dmd_bundle_file(image, i);
  dmd_bundle_graph_t *graph = dmd_env_alloc(data->env, "dmd.page.image", sizeof *graph);
  if (!dmd_bundle_open_graph(graph, image, file->index, why)) {
    dmd_env_free(data->env, graph);
    return false;
  }
  keep_graph(page, data, graph, file->name, number_of(image, file->beside, first));
  dmd_session_graph_t *added = dmd_session_graph(page, dmd_session_n_graphs(page) - 1);
  added->claims.bytes = dmd_bundle_claims(image, i, &added->claims.n);
  return true;
}

/* Profiles come first, since graphs are attached to them. */
static bool add_files(dmd_session_t *page, dmd_session_data_t *data, const dmd_bundle_t *image,
                      dmd_number_fn number, dmd_strbuf_t *why) {
  uint32_t n = dmd_bundle_n_files(image), first = dmd_session_n_files(page);
  for (uint32_t i = 0; i < n; i++)
    if (dmd_bundle_file(image, i)->kind == DMD_BUNDLE_IS_PROFILE &&
        !add_document(page, image, i, number, why))
      return false;
  for (uint32_t i = 0; i < n; i++)
    if (dmd_bundle_file(image, i)->kind == DMD_BUNDLE_IS_GRAPH &&
        !add_graph(page, data, image, i, first, why))
      return false;
  return true;
}

/* Only the first bundle with a history counts. */
static bool add_history(dmd_session_t *page, dmd_session_data_t *data, const dmd_bundle_t *image,
                        dmd_strbuf_t *why) {
  if (data->history != NULL || !dmd_imagehistory_is_there(image))
    return true;
  data->history = dmd_env_alloc(data->env, "dmd.page.history", sizeof *data->history);
  if (!dmd_imagehistory_read(data->history, image, why))
    return false;
  dmd_session_add_history(page, data->history);
  return true;
}

bool dmd_session_add_image(dmd_session_t *page, dmd_session_data_t *data, void *bytes, size_t n,
                           dmd_number_fn number, dmd_strbuf_t *why) {
  uint32_t id = dmd_pool_add(&data->images);
  dmd_bundle_t *image = dmd_env_alloc(data->env, "dmd.page.image", sizeof *image);
  *DMD_POOL_AT(&data->images, dmd_bundle_t *, id) = image;
  return dmd_bundle_map(image, data->env, bytes, n, why) &&
         add_files(page, data, image, number, why) && add_history(page, data, image, why);
}
