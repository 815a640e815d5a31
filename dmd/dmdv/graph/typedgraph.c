/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/typedgraph.h"

#include "analyse/graph/scangraph.h"
#include "analyse/graph/stale.h"
#include "base/str.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/input/profilefile.h"
#include "files/graph/graphwriter.h"
#include "host/process.h"
#include "show/text/escape.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Loads a heap graph from a graph file or from a profile of mode scan. */

static bool make_graph(dmd_heapgraph_t *graph, const dmd_profile_t *profile, dmd_fail_t *fail) {
  dmd_strbuf_t why;
  if (profile->mode != DMD_MODE_SCAN)
    return dmd_fail(fail,
                    "is a profile of mode %s: only a scan (--mode=scan) and a heap graph "
                    "(--graph=yes) contain pointers",
                    dmd_mode_name(profile->mode));
  dmd_strbuf_init(&why, &dmdv_env);
  bool good = dmd_scangraph_init(graph, &dmdv_env, profile, &why);
  if (!good)
    dmd_fail(fail, "%s", why.text);
  dmd_strbuf_destroy(&why);
  return good;
}

static bool load_scan(dmd_heapgraph_t *graph, dmdv_input_t *input,
                      const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  dmd_load_options_t load = {
      .contents = true, .frame_view = options->frame_view, .namer = options->namer};
  dmd_profile_t profile;
  dmd_profile_init(&profile, &dmdv_env);
  bool good = dmdv_load_input(&profile, input, &load, fail) && make_graph(graph, &profile, fail);
  dmd_profile_destroy(&profile);
  return good;
}

/* Makes a graph, uninitialised so far, from the file with this name ("-": standard input). False,
 * with *fail filled in and nothing to destroy, if that fails. */
static bool load_graph_or_scan(dmd_heapgraph_t *graph, const char *name,
                               const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  const char *bytes;
  size_t n;
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_input_for_graph(input, fail) && dmdv_input_peek(input, &bytes, &n, fail);
  if (good)
    good = dmd_graphwriter_is(bytes, n) ? dmdv_load_graph_input(graph, input, options, fail)
                                        : load_scan(graph, input, options, fail);
  dmdv_input_close(input);
  return good;
}

/* dmd_data_cutter_t.add_object */
static void add_object(void *ctx, uint32_t id, const dmd_graph_object_t *object) {
  dmdv_typefinder_add_object(ctx, id, object);
}

/* dmd_data_cutter_t.part */
static dmd_cut_part_t part(void *ctx, const dmd_uncut_t *rest) {
  dmd_cut_part_t part;
  part.szB = dmdv_typefinder_part(ctx, rest, &part.name);
  return part;
}

static void free_types(dmdv_typedgraph_t *graph) {
  if (graph->finder != NULL)
    dmdv_typefinder_free(graph->finder);
  dmd_types_destroy(&graph->types);
}

bool dmdv_typedgraph_open(dmdv_typedgraph_t *graph, const char *name,
                          const dmdv_typedgraph_options_t *options, dmd_fail_t *fail) {
  dmd_types_init(&graph->types, &dmdv_env, sizeof(uint64_t));
  graph->finder =
      options->with_types ? dmdv_typefinder_new(&graph->types, options->debug_dir) : NULL;
  dmd_data_cutter_t cutter = {.ctx = graph->finder, .add_object = add_object, .part = part};
  dmd_load_graph_options_t load = {.cutter = graph->finder == NULL ? NULL : &cutter,
                                   .frame_view = options->frame_view,
                                   .namer = dmdv_namer_with(options->debug_dir),
                                   .is_wanted = options->is_wanted,
                                   .ctx = options->ctx};
  if (!(options->or_scan ? load_graph_or_scan : dmdv_load_graph)(&graph->heap, name, &load, fail)) {
    free_types(graph);
    return false;
  }
  dmd_typing_init(&graph->typing, &graph->heap, &graph->types);
  if (options->with_types && graph->heap.objects.last > 0)
    dmdv_typefinder_run(graph->finder, &graph->typing, options->is_quiet);
  dmd_liveparts_find(&graph->typing);
  return true;
}

void dmdv_typedgraph_close(dmdv_typedgraph_t *graph) {
  dmd_typing_destroy(&graph->typing);
  dmd_heapgraph_destroy(&graph->heap);
  free_types(graph);
}

/* ---- Beside a profile. ---- */

/* In a folder that others can write, anybody may put a file beside a profile, or a pipe that would
 * block dmdv. */
static bool is_of_same_owner(const char *profile, const char *graph) {
  struct stat of_profile, of_graph;
  if (stat(profile, &of_profile) != 0 || stat(graph, &of_graph) != 0 ||
      !S_ISREG(of_graph.st_mode) || access(graph, R_OK) != 0)
    return false;
  return of_graph.st_uid == of_profile.st_uid || of_graph.st_uid == geteuid() ||
         of_graph.st_uid == 0;
}

bool dmdv_graph_beside(dmd_strbuf_t *to, const char *profile) {
  static const char *const endings[] = {".json.gz", ".json"};
  size_t n = strlen(profile), before = to->n;
  if (dmdv_input_has_graph(profile)) {
    dmd_strbuf_str(to, profile);
    return true;
  }
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (n <= ending || strcmp(profile + n - ending, endings[i]) != 0)
      continue;
    dmd_strbuf_bytes(to, profile, n - ending);
    dmd_strbuf_str(to, ".graph.gz");
    return is_of_same_owner(profile, to->text + before);
  }
  return false;
}

bool dmdv_is_of_same_moment(const dmd_run_t *a, dmd_mode_t a_mode, const dmd_run_t *b,
                            dmd_mode_t b_mode) {
  return a->is_known && a_mode == b_mode && a->pid == b->pid && a->dump_number == b->dump_number;
}

static bool is_document(const char *name) {
  dmd_fail_t fail = {0};
  const char *bytes;
  size_t n;
  dmdv_input_t *input = dmdv_input_open(name, &fail);
  bool is = input != NULL && dmdv_input_next(input, &bytes, &n, &fail) && n > 0 && bytes[0] == '{';
  if (input != NULL)
    dmdv_input_close(input);
  return is;
}

/* Reports that the file is no graph and, if it is a profile that may have one, how to record one,
 * or what is wrong with the profile. Returns false. */
static bool say_how_to_record(const char *name, const dmd_fail_t *fail) {
  dmd_profile_t profile;
  dmd_fail_t other = {0};
  dmd_strbuf_t command;
  const dmd_load_options_t load = {.moment = DMD_MOMENT_ALL};
  dmd_profile_init(&profile, &dmdv_env);
  dmd_strbuf_init(&command, &dmdv_env);
  bool is_named = strcmp(name, "-") != 0;
  bool is_loaded = is_named && dmdv_load(&profile, name, &load, &other);
  bool is_profile = is_loaded && profile.mode != DMD_MODE_SCAN;
  if (is_profile && profile.run.command != NULL)
    dmd_escape_append(&command, profile.run.command);
  if (is_profile)
    dmdv_error("%s: has no heap graph; to record one: dmdv run --graph=yes %s", name,
               command.n > 0 ? command.text : "PROGRAM");
  else
    dmdv_error_in(name, is_named && !is_loaded && is_document(name) ? &other : fail);
  dmd_strbuf_destroy(&command);
  dmd_profile_destroy(&profile);
  return false;
}

/* Whether the graph beside a profile was written together with it; reports it if not. */
static bool is_of_profile(const dmd_heapgraph_t *graph, const char *beside, const char *name) {
  dmd_profile_t profile;
  dmd_fail_t fail = {0};
  const dmd_load_options_t load = {.moment = DMD_MOMENT_ALL};
  dmd_profile_init(&profile, &dmdv_env);
  bool is_loaded = dmdv_load(&profile, name, &load, &fail);
  bool good = is_loaded && dmdv_is_of_same_moment(&profile.run, profile.mode, &graph->profile.run,
                                                  graph->profile.mode);
  if (!is_loaded)
    dmdv_error_in(name, &fail);
  else if (!good)
    dmdv_error("%s was not written together with %s", beside, name);
  dmd_profile_destroy(&profile);
  return good;
}

/* dmdv run once left graphs in files of their own. */
static bool is_in_profile(dmd_strbuf_t *profile, const char *name) {
  static const char ending[] = ".graph.gz";
  size_t n = strlen(name);
  if (!dmd_str_ends(name, n, ending) || access(name, F_OK) == 0)
    return false;
  dmd_strbuf_bytes(profile, name, n - (sizeof ending - 1));
  dmd_strbuf_str(profile, ".json.gz");
  bool is_there = dmdv_input_has_graph(profile->text);
  if (is_there)
    dmdv_note("%s: the heap graph is in %s now", name, profile->text);
  else
    dmd_strbuf_cut(profile, 0);
  return is_there;
}

bool dmdv_typedgraph_open_or_say(dmdv_typedgraph_t *typed, const char *name,
                                 const dmdv_typedgraph_options_t *options) {
  dmd_fail_t fail = {0};
  dmd_strbuf_t beside;
  dmd_strbuf_init(&beside, &dmdv_env);
  bool is_beside =
      strcmp(name, "-") != 0 && (is_in_profile(&beside, name) || dmdv_graph_beside(&beside, name));
  const char *read = is_beside ? beside.text : name;
  bool good = dmdv_typedgraph_open(typed, read, options, &fail);
  if (!good && is_beside)
    dmdv_error_in(read, &fail);
  else if (!good)
    say_how_to_record(name, &fail);
  else if (is_beside && !dmdv_input_has_graph(read) && !is_of_profile(&typed->heap, read, name)) {
    dmdv_typedgraph_close(typed);
    good = false;
  }
  dmd_strbuf_destroy(&beside);
  return good;
}
