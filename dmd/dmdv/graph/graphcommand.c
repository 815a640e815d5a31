/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/graphcommand.h"

#include <string.h>

#include "analyse/graph/owners.h"
#include "analyse/graph/select.h"
#include "base/limits.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/input/input.h"
#include "files/graph/graphwriter.h"
#include "host/output.h"
#include "host/process.h"
#include "show/text/text_graph.h"

/* ---- Options. ---- */

/* filters has room for as many as there are arguments. */
static bool take_filter(void *target, const char *value, dmd_strbuf_t *why) {
  dmdv_graph_options_t *options = target;
  (void)why;
  dmd_nodefilter_init(&options->filters[options->n_filters++], &dmdv_env, value);
  return true;
}

static bool take_alloc_fn(void *target, const char *value, dmd_strbuf_t *why) {
  dmdv_graph_options_t *options = target;
  return dmdv_add_alloc_fn(&options->typed.frame_view, options->alloc_fns, value, why);
}

static const dmd_option_t graph_options[] = {
    DMDV_OUTPUT_OPTION(dmdv_graph_options_t, output, NULL, DMDV_TO_FILE),
    {"filter", "[KEY=]TEXT", NULL,
     "only blocks whose KEY contains TEXT; KEY is type, stack, function, file, library, reporter, "
     "state, tag, thread, size, root or holder, by default stack; !TEXT: those that do not; "
     "several filters must all match",
     DMD_OPTION_OWN, .take = take_filter, .words = DMD_NODEKEY_WORDS, .joint = '='},
    DMDV_MAX_RECORDS_OPTION(dmdv_graph_options_t, max_rows, "rows shown at each level"),
    DMDV_MAX_FRAMES_OPTION(dmdv_graph_options_t, max_frames, DMDV_FRAMES_COMPARED),
    DMDV_ALLOC_FN_OPTION(take_alloc_fn),
    DMDV_FULL_NAMES_OPTION(dmdv_graph_options_t, typed.frame_view),
    DMDV_TYPEDGRAPH_OPTIONS(dmdv_graph_options_t, typed),
    DMDV_JSON_OPTION(dmdv_graph_options_t, json, "print the whole result as JSON"),
    DMDV_NO_PAGER_OPTION(dmdv_graph_options_t, no_pager),
};
const dmd_option_table_t dmdv_graph_option_table = {graph_options,
                                                    sizeof graph_options / sizeof *graph_options};

int dmdv_graph_options_read(dmdv_graph_options_t *o, size_t szB, const dmdv_command_t *command,
                            int argc, char **argv) {
  memset(o, 0, szB);
  o->filters = dmd_env_alloc(&dmdv_env, "dmdv.filters", (size_t)argc * sizeof *o->filters);
  o->alloc_fns = dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *o->alloc_fns);
  o->lists = "rows";
  o->max_rows = DMDV_NOT_GIVEN;
  int status = dmdv_read_command_line(command, o, argc, argv, &o->files);
  o->max_rows = dmdv_max_records(o->max_rows, o->json);
  return status;
}

void dmdv_graph_options_destroy(dmdv_graph_options_t *o) {
  for (uint32_t i = 0; i < o->n_filters; i++)
    dmd_nodefilter_destroy(&o->filters[i]);
  dmd_env_free(&dmdv_env, o->alloc_fns);
  dmd_env_free(&dmdv_env, o->filters);
}

bool dmdv_graph_check_files(const char *command, const dmdv_graph_options_t *o, int most) {
  int n_stdin = 0;
  for (int i = 0; i < o->files.n; i++)
    n_stdin += strcmp(o->files.names[i], "-") == 0;
  if (o->files.n < 1 || o->files.n > most)
    return dmdv_error("%s: give %s, not %d; see dmdv %s --help", command,
                      most == 1 ? "one file" : "one or two files", o->files.n, command);
  if (n_stdin > 1)
    return dmdv_error("%s: only one of the files can be standard input", command);
  return true;
}

/* ---- Graphs. ---- */

bool dmdv_graph_open(dmdv_graph_t *graph, const char *name, const dmdv_graph_options_t *o) {
  if (!dmdv_typedgraph_open_or_say(&graph->typed, name, &o->typed))
    return false;
  dmd_kinds_init(&graph->kinds, &graph->typed.typing);
  dmd_nodekeys_init(&graph->keys, &graph->kinds, o->max_frames);
  return true;
}

void dmdv_graph_close(dmdv_graph_t *graph) {
  dmd_nodekeys_destroy(&graph->keys);
  dmd_kinds_destroy(&graph->kinds);
  dmdv_typedgraph_close(&graph->typed);
}

bool *dmdv_graph_picks(dmdv_graph_t *graph, dmdv_graph_options_t *o) {
  if (o->n_filters == 0)
    return NULL;
  uint32_t n = graph->typed.heap.graph.n_nodes;
  bool *picks = dmd_env_alloc(&dmdv_env, "dmdv.picks", n * sizeof *picks);
  for (uint32_t node = 0; node < n; node++)
    picks[node] = dmd_heapgraph_is_block(&graph->typed.heap, node) &&
                  dmd_nodefilters_pass(o->filters, o->n_filters, &graph->keys, node);
  return picks;
}

bool dmdv_is_graph_file(const char *name) {
  dmd_fail_t fail;
  dmdv_input_t *input = strcmp(name, "-") == 0 ? NULL : dmdv_input_open(name, &fail);
  const char *bytes;
  size_t n;
  bool is_graph =
      input != NULL && dmdv_input_next(input, &bytes, &n, &fail) && dmd_graphwriter_is(bytes, n);
  if (input != NULL)
    dmdv_input_close(input);
  return is_graph;
}

/* ---- Output. ---- */

bool dmdv_graph_show(dmdv_graph_options_t *o, void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
  bool good =
      o->json ? dmdv_output_print_json(o->output, !o->no_pager, o->lists, o->max_rows, print, ctx)
              : dmdv_output_print(o->output, !o->no_pager, print, ctx);
  if (!good)
    return false;
  for (uint32_t i = 0; i < o->n_filters; i++)
    if (!o->filters[i].found)
      dmdv_note("--filter=%s: no block's %s contains this text", o->filters[i].given,
                dmd_nodekey_name(o->filters[i].key));
  return true;
}

/* ---- Chosen nodes. ---- */

/* Makes records only if the text is the number of a record. */
static uint32_t select_nodes(dmd_bitset_t *nodes, dmdv_graph_t *graph, uint32_t max_frames,
                             const char *text, const char **why) {
  dmd_records_t records;
  if (strchr(text, ':') != NULL)
    dmd_heapgraph_add_groups(&graph->typed.heap, NULL);
  dmd_records_init(&records, &graph->typed.heap.profile, max_frames, DMD_SORT_USABLE);
  uint32_t n = dmd_select(nodes, &graph->kinds, &records, text, why);
  dmd_records_destroy(&records);
  return n;
}

static void keep_picked(dmd_bitset_t *nodes, const bool *picks, bool all, uint32_t n) {
  dmd_bitset_t picked;
  dmd_bitset_init(&picked, &dmdv_env, "dmdv.choose", n);
  for (uint32_t node = 0; node < n; node++)
    if (picks[node] && (all || dmd_bitset_has(nodes, node)))
      dmd_bitset_add(&picked, node);
  dmd_bitset_destroy(nodes);
  *nodes = picked;
}

bool dmdv_choose(dmd_bitset_t *nodes, dmdv_graph_t *graph, dmdv_graph_options_t *options,
                 const char *option, const char *text) {
  uint32_t n = graph->typed.heap.graph.n_nodes;
  const char *why = NULL;
  dmd_bitset_init(nodes, &dmdv_env, "dmdv.choose", n);
  if (text != NULL && select_nodes(nodes, graph, options->max_frames, text, &why) == 0)
    return dmdv_error("--%s=%s: %s", option, text,
                      why != NULL ? why : "no type, function, reporter or variable matches");
  bool *picks = dmdv_graph_picks(graph, options);
  if (picks != NULL)
    keep_picked(nodes, picks, text == NULL, n);
  dmd_env_free(&dmdv_env, picks);
  return true;
}

/* ---- Census. ---- */

typedef struct {
  const dmdv_graph_options_t *options;
  dmd_census_t census;
  int64_t heap_szB; /* of the graph, or of the new one, ignoring filters */
} counted_t;

/* Keeps only one graph at a time in memory. */
static bool count_file(counted_t *counted, dmdv_graph_options_t *o, const char *name, int sign) {
  dmdv_graph_t graph;
  if (!dmdv_graph_open(&graph, name, o))
    return false;
  dmd_nodefilters_forget(o->filters, o->n_filters);
  dmd_census_add(&counted->census, &graph.keys, o->filters, o->n_filters, sign);
  counted->heap_szB = dmd_nesting_heap_szB(&graph.typed.heap);
  dmdv_graph_close(&graph);
  return true;
}

static void print(void *ctx, dmd_out_t *out) {
  const counted_t *counted = ctx;
  if (counted->options->json)
    dmd_census_json(out, &counted->census);
  else
    dmd_census_print(out, &counted->census, counted->heap_szB, counted->options->max_rows);
}

bool dmdv_graph_census(dmdv_graph_options_t *o, const dmd_census_by_t *by) {
  counted_t counted = {.options = o};
  const dmdv_files_t *files = &o->files;
  dmd_census_init(&counted.census, &dmdv_env, by);
  bool good = files->n == 1 || count_file(&counted, o, files->names[0], -1);
  good = good && count_file(&counted, o, files->names[files->n - 1], 1);
  if (good) {
    dmd_census_finish(&counted.census);
    good = dmdv_graph_show(o, print, &counted);
  }
  dmd_census_destroy(&counted.census);
  return good;
}
