/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/view/viewfiles.h"

#include "analyse/transform/anonymize.h"
#include "analyse/transform/reduce.h"
#include "base/format.h"
#include "base/limits.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/claimfaults.h"
#include "dmdv/graph/graphbeside.h"
#include "dmdv/graph/graphcommand.h"
#include "dmdv/view/sourcelines.h"
#include "files/bundle/bundletypes.h"
#include "files/bundle/bundlewriter.h"
#include "host/process.h"
#include "host/progress.h"

#include <string.h>
#include <sys/stat.h>

/* ---- Which files. ---- */

/* A file, and what became of it. */
typedef struct {
  char *name;
  bool is_graph;
  bool is_beside; /* found beside a file that was given */
  bool is_in;     /* written to the bundle */
  uint32_t other; /* the graph of a profile, or the profile of a graph; DMD_NONE: none */
  dmd_bundle_file_t file;
  dmd_run_t run; /* of a profile, to recognise its graph; its strings are freed */
  dmd_mode_t mode;
  dmd_strbuf_t claims; /* a document; empty: none */
} entry_t;

typedef struct {
  const dmdv_view_options_t *options;
  dmd_pool_t entries;
  dmd_bundlewriter_t writer;
  dmd_anonymizer_t anonymizer;
  dmdv_sourcelines_t *lines; /* NULL: not wanted */
  dmdv_progress_t progress;
  dmd_write_fn write;
  void *ctx;
  uint64_t written;
} view_t;

static entry_t *entry_at(const view_t *view, uint32_t id) {
  return DMD_POOL_AT(&view->entries, entry_t, id);
}

static uint32_t add_entry(view_t *view, const char *name) {
  uint32_t id = dmd_pool_add(&view->entries);
  *entry_at(view, id) = (entry_t){.name = dmd_env_alloc(&dmdv_env, "dmdv.view", strlen(name) + 1)};
  strcpy(entry_at(view, id)->name, name);
  dmd_strbuf_init(&entry_at(view, id)->claims, &dmdv_env);
  return id;
}

/* The entry of the graph that is this file, under whatever name; DMD_NONE: none. */
static uint32_t find_graph(const view_t *view, const char *name) {
  struct stat wanted, st;
  if (stat(name, &wanted) != 0)
    return DMD_NONE;
  for (uint32_t id = 1; id <= view->entries.last; id++) {
    const entry_t *entry = entry_at(view, id);
    if (entry->is_graph && stat(entry->name, &st) == 0 && st.st_dev == wanted.st_dev &&
        st.st_ino == wanted.st_ino)
      return id;
  }
  return DMD_NONE;
}

static void add_beside(view_t *view, uint32_t profile) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  if (dmdv_graph_beside(&name, entry_at(view, profile)->name)) {
    uint32_t graph = find_graph(view, name.text);
    if (graph == DMD_NONE && view->options->with_graphs_beside) {
      graph = add_entry(view, name.text);
      entry_at(view, graph)->is_graph = entry_at(view, graph)->is_beside = true;
    }
    if (graph != DMD_NONE && entry_at(view, graph)->other == DMD_NONE) {
      entry_at(view, graph)->other = profile;
      entry_at(view, profile)->other = graph;
    }
  }
  dmd_strbuf_destroy(&name);
}

static void list_files(view_t *view, const dmdv_files_t *files) {
  for (int i = 0; i < files->n; i++) {
    uint32_t id = add_entry(view, files->names[i]);
    entry_at(view, id)->is_graph = dmdv_is_graph_file(files->names[i]);
  }
  uint32_t n_given = view->entries.last;
  for (uint32_t id = 1; id <= n_given; id++)
    if (!entry_at(view, id)->is_graph)
      add_beside(view, id);
}

/* ---- Their contents. ---- */

static void note_reduced(const char *name, const dmd_reduced_t *reduced) {
  char stacks[DMD_FORMAT_MAX], szB[DMD_FORMAT_MAX];
  dmd_format_commas(stacks, (int64_t)reduced->stacks);
  dmd_format_commas(szB, (int64_t)reduced->bytes);
  dmdv_note("view: %s is too large for a page: the smallest %s stacks, with %s bytes together, "
            "became one, \"%s\"",
            name, stacks, szB, DMD_SMALLER_RECORDS);
}

static void want_lines_of(view_t *view, dmd_profile_t *profile, dmd_moment_side_t *side) {
  dmd_moment_swap(profile, side);
  dmdv_sourcelines_want_records(view->lines, profile, view->options->max_frames);
  dmd_moment_swap(profile, side);
  dmd_moment_side_destroy(side);
}

/* For all moments that there are. */
static void want_lines(view_t *view, dmd_profile_t *profile) {
  dmd_moment_side_t side;
  dmdv_sourcelines_want_records(view->lines, profile, view->options->max_frames);
  if (!profile->has_peak)
    return;
  dmd_moment_side_init_peak(&side, profile);
  want_lines_of(view, profile, &side);
  if (!profile->has_recent)
    return;
  dmd_moment_side_init_recent(&side, profile);
  want_lines_of(view, profile, &side);
}

/* Does not keep any string in entry->run. */
static void write_profile(view_t *view, entry_t *entry, dmd_profile_t *profile) {
  entry->file.kind = DMD_BUNDLE_IS_PROFILE;
  entry->file.index = dmd_bundlewriter_add_profile(&view->writer, profile);
  entry->run = profile->run;
  entry->mode = profile->mode;
  entry->is_in = true;
  if (view->lines != NULL)
    want_lines(view, profile);
}

static void write_without_names(view_t *view, entry_t *entry, dmd_profile_t *profile) {
  dmd_profile_t anonymous;
  if (!view->options->anonymize) {
    write_profile(view, entry, profile);
    return;
  }
  dmd_profile_init(&anonymous, &dmdv_env);
  dmd_anonymize_profile(&view->anonymizer, &anonymous, profile);
  write_profile(view, entry, &anonymous);
  dmd_profile_destroy(&anonymous);
}

static bool add_profile(view_t *view, entry_t *entry) {
  static const dmd_reduce_limits_t limits = {.max_groups = DMD_MAX_VIEW_GROUPS,
                                             .max_frames = DMD_MAX_VIEW_FRAMES};
  dmd_profile_t profile, smaller;
  if (!dmdv_load_or_say(&profile, entry->name, &view->options->load))
    return false;
  if (!view->options->anonymize)
    dmdv_add_claim_faults(&profile, entry->name, &entry->claims);
  if (view->options->moment == DMD_MOMENT_PEAK && !profile.has_peak) {
    dmd_profile_destroy(&profile);
    return dmdv_error_no_peak(entry->name);
  }
  if (!dmd_reduce_is_needed(&profile, &limits)) {
    write_without_names(view, entry, &profile);
    dmd_profile_destroy(&profile);
    return true;
  }
  dmd_profile_init(&smaller, &dmdv_env);
  dmd_reduced_t reduced = dmd_reduce(&smaller, &profile, &limits);
  dmd_profile_destroy(&profile);
  note_reduced(entry->name, &reduced);
  entry->file.reduced = (dmd_bundle_reduced_t){.records = reduced.stacks, .bytes = reduced.bytes};
  write_without_names(view, entry, &smaller);
  dmd_profile_destroy(&smaller);
  return true;
}

/* A file that was only found, not given, is dropped if it is from another run: if these fields
 * differ. */
static bool is_of_profile(const view_t *view, const entry_t *entry,
                          const dmd_graph_preview_t *graph) {
  if (!entry->is_beside)
    return true;
  const entry_t *profile = entry_at(view, entry->other);
  return dmdv_is_of_same_moment(&profile->run, profile->mode, &graph->run, graph->mode);
}

/* Whether the page has room for the graph. If not, reports that it is left out. */
static bool fits_page(const entry_t *entry, const dmd_graph_preview_t *graph) {
  char texts[4][DMD_FORMAT_MAX];
  const uint64_t numbers[] = {graph->n_nodes, graph->n_edges, DMD_MAX_VIEW_NODES,
                              DMD_MAX_VIEW_EDGES};
  for (int i = 0; i < 4; i++)
    dmd_format_commas(texts[i], (int64_t)numbers[i]);
  if (graph->n_nodes <= DMD_MAX_VIEW_NODES && graph->n_edges <= DMD_MAX_VIEW_EDGES)
    return true;
  dmdv_note("view: %s is left out: it has %s blocks and roots with %s pointers, and a page holds "
            "%s with %s; use dmdv census, retained and the like",
            entry->name, texts[0], texts[1], texts[2], texts[3]);
  return false;
}

typedef struct {
  const view_t *view;
  const entry_t *entry;
  bool is_left_out;
} decision_t;

/* dmd_load_graph_options_t.is_wanted: so a graph that is left out is not loaded. */
static bool is_wanted(void *ctx, const dmd_graph_preview_t *graph) {
  decision_t *decision = ctx;
  decision->is_left_out =
      !is_of_profile(decision->view, decision->entry, graph) || !fits_page(decision->entry, graph);
  return !decision->is_left_out;
}

/* Finds the variables for the proposals of dmdv owners here, since a page has no debug
 * information. */
static void find_variables(dmd_knownvariables_t *variables, const view_t *view,
                           dmdv_typedgraph_t *graph) {
  dmd_heapgraph_t *heap = &graph->heap;
  const dmd_variable_namer_t namer = dmdv_variable_namer(graph);
  dmd_kinds_t kinds;
  dmd_records_t records;
  dmd_owners_t owners;
  if (heap->profile.mode != DMD_MODE_DARK_MATTER || graph->finder == NULL)
    return;
  dmd_kinds_init(&kinds, &graph->typing);
  dmd_heapgraph_add_groups(heap, NULL);
  dmd_records_init(&records, &heap->profile, view->options->max_frames, DMD_SORT_USABLE);
  dmd_owners_init(&owners, heap, &kinds, &records, NULL);
  dmd_knownvariables_collect(variables, &owners, &namer);
  dmd_owners_destroy(&owners);
  dmd_records_destroy(&records);
  dmd_kinds_destroy(&kinds);
  /* The groups are not part of the bundle. */
  dmd_groups_destroy(&heap->profile.groups);
  dmd_groups_init(&heap->profile.groups, &dmdv_env);
}

static void write_variables(view_t *view, uint32_t graph, const dmd_knownvariables_t *variables) {
  dmd_knownvariables_t anonymous;
  if (!view->options->anonymize) {
    dmd_imagevariables_write(&view->writer, graph, variables);
    return;
  }
  dmd_knownvariables_init(&anonymous, &dmdv_env);
  for (uint32_t i = 1; i <= dmd_knownvariables_count(variables); i++) {
    const dmd_known_variable_t *v = dmd_knownvariables_at(variables, i);
    const char *name = dmd_intern_get_str(&variables->names, v->name);
    dmd_knownvariables_add(&anonymous, v->object, v->addr, v->type,
                           dmd_anonymous(&view->anonymizer, DMD_NAME_VARIABLE, name));
  }
  dmd_imagevariables_write(&view->writer, graph, &anonymous);
  dmd_knownvariables_destroy(&anonymous);
}

static void write_graph(view_t *view, entry_t *entry, dmdv_typedgraph_t *graph) {
  dmd_knownvariables_t variables;
  dmd_knownvariables_init(&variables, &dmdv_env);
  find_variables(&variables, view, graph);
  if (!view->options->anonymize && !entry->is_beside)
    dmdv_claims_of_graph(graph, &entry->claims);
  if (view->options->anonymize) {
    dmd_imagetypes_look_up(&graph->types, &graph->typing);
    dmd_anonymize_graph(&view->anonymizer, &graph->heap, &graph->types);
  }
  if (view->lines != NULL)
    dmdv_sourcelines_want_frames(view->lines, &graph->heap.profile.frames);
  entry->file.kind = DMD_BUNDLE_IS_GRAPH;
  entry->file.index =
      dmd_bundlewriter_add_graph(&view->writer, &graph->heap, &graph->types, &graph->typing);
  write_variables(view, entry->file.index, &variables);
  dmd_knownvariables_destroy(&variables);
  entry->is_in = true;
}

static bool add_graph(view_t *view, entry_t *entry) {
  dmdv_typedgraph_t graph;
  dmd_fail_t fail = {0};
  decision_t decision = {.view = view, .entry = entry};
  dmdv_typedgraph_options_t options = view->options->graph;
  options.is_wanted = is_wanted;
  options.ctx = &decision;
  if (!dmdv_typedgraph_open(&graph, entry->name, &options, &fail))
    return decision.is_left_out || dmdv_error_in(entry->name, &fail) || entry->is_beside;
  write_graph(view, entry, &graph);
  dmdv_typedgraph_close(&graph);
  return true;
}

/* Appends an anonymous name, such as "profile 1" or "graph 2". */
static void put_plain_name(dmd_strbuf_t *to, const dmd_bundle_file_t *file) {
  dmd_strbuf_str(to, file->kind == DMD_BUNDLE_IS_GRAPH ? "graph " : "profile ");
  dmd_strbuf_u64(to, (uint64_t)file->index + 1);
}

static void add_files(view_t *view) {
  dmd_strbuf_t plain;
  dmd_strbuf_init(&plain, &dmdv_env);
  for (uint32_t id = 1; id <= view->entries.last; id++) {
    entry_t *entry = entry_at(view, id);
    if (!entry->is_in)
      continue;
    bool has_other = entry->other != DMD_NONE && entry_at(view, entry->other)->is_in;
    dmd_strbuf_cut(&plain, 0);
    put_plain_name(&plain, &entry->file);
    entry->file.name = view->options->anonymize ? plain.text : entry->name;
    entry->file.beside = has_other ? entry_at(view, entry->other)->file.index : DMD_BUNDLE_ALONE;
    dmd_bundlewriter_add_file(&view->writer, &entry->file);
    if (entry->claims.n > 0)
      dmd_bundlewriter_add_claims(&view->writer, &entry->claims);
  }
  dmd_strbuf_destroy(&plain);
}

/* ---- The bundle. ---- */

/* A dmd_write_fn: passes the bytes on, and reports progress. */
static bool write_on(void *ctx, const char *bytes, size_t n) {
  view_t *view = ctx;
  view->written += n;
  dmdv_progress_update(&view->progress,
                       &(dmdv_read_t){.bytes = view->written, .verb = "of data written"});
  return view->write(view->ctx, bytes, n);
}

/* Anonymised functions have names that show that they are allocation functions, so that no list of
 * them is needed. */
static void add_settings(view_t *view) {
  dmd_bundle_settings_t settings = {.max_frames = view->options->max_frames,
                                    .frame_view = view->options->load.frame_view,
                                    .moment = view->options->moment};
  if (view->options->anonymize)
    settings.frame_view.n_alloc_fns = 0;
  dmd_bundlewriter_add_settings(&view->writer, &settings);
}

static bool has_any(const view_t *view) {
  for (uint32_t id = 1; id <= view->entries.last; id++)
    if (entry_at(view, id)->is_in)
      return true;
  return dmdv_error("view: nothing is left to show");
}

static bool add_entries(view_t *view) {
  bool good = true;
  for (uint32_t id = 1; id <= view->entries.last && good; id++) {
    entry_t *entry = entry_at(view, id);
    good = entry->is_graph ? add_graph(view, entry) : add_profile(view, entry);
    dmdv_progress_end(&view->progress);
  }
  add_files(view);
  return good && has_any(view);
}

bool dmdv_viewfiles_write(const dmdv_files_t *files, const dmdv_view_options_t *options,
                          dmd_write_fn write, void *ctx) {
  view_t view = {.options = options, .write = write, .ctx = ctx};
  if (options->source != NULL && (view.lines = dmdv_sourcelines_begin(options->source)) == NULL)
    return false;
  dmdv_namer_with(options->graph.debug_dir);
  dmd_pool_init(&view.entries, &dmdv_env, "dmdv.view", sizeof(entry_t));
  list_files(&view, files);
  dmd_anonymizer_init(&view.anonymizer, &dmdv_env);
  dmdv_progress_start(&view.progress);
  dmd_bundlewriter_init(&view.writer, &dmdv_env, write_on, &view);
  add_settings(&view);
  bool good = add_entries(&view);
  if (view.lines != NULL)
    dmdv_sourcelines_end(view.lines, &view.writer);
  dmd_bundlewriter_end(&view.writer);
  dmd_anonymizer_destroy(&view.anonymizer);
  for (uint32_t id = 1; id <= view.entries.last; id++) {
    dmd_strbuf_destroy(&entry_at(&view, id)->claims);
    dmd_env_free(&dmdv_env, entry_at(&view, id)->name);
  }
  dmd_pool_destroy(&view.entries);
  return good;
}
