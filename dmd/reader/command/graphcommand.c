/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/graphcommand.h"

#include "base/limits.h"
#include "graph/graphfile.h"
#include "reader/command/options.h"
#include "reader/host/host.h"
#include "reader/host/message.h"
#include "reader/host/outfile.h"
#include "reader/input/input.h"

#include <string.h>

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

#define AT(field) DMD_OPTION_AT(dmdv_graph_options_t, field)

static const dmd_option_t options[] = {
    {"output", "FILE", NULL, "write there instead of to standard output", DMD_OPTION_TEXT,
     AT(output), .letter = 'o', .is_file = true},
    {"filter", "[KEY=]TEXT", NULL,
     "only blocks whose KEY contains TEXT: type, stack, function, file, library, reporter, state, "
     "tag, thread, size, root or holder; without KEY the stack; !: those that do not; several "
     "filters must all match",
     DMD_OPTION_OWN, .take = take_filter, .words = DMD_NODEKEY_WORDS, .joint = '='},
    {"max-records", "N|all", "10", "rows shown at each level", DMD_OPTION_NUMBER_OR_ALL,
     AT(max_rows), .least = 1, .most = DMD_MAX_SHOWN},
    {"max-frames", "N", DMD_FRAMES_SHOWN, "frames that tell stacks apart, and that are shown",
     DMD_OPTION_NUMBER, AT(max_frames), .letter = 'f', .least = 1, .most = DMD_MAX_SHOWN},
    {"alloc-fn", "PATTERN", NULL,
     "a function that matches only allocates for its callers; may be given several times",
     DMD_OPTION_OWN, .take = take_alloc_fn},
    {"full-names", NULL, NULL, "names of functions as they are, however long", DMD_OPTION_SWITCH,
     AT(typed.frame_view.full_names)},
    DMDV_TYPEDGRAPH_OPTIONS(dmdv_graph_options_t, typed),
    {"json", NULL, NULL, "the result as JSON, all of it", DMD_OPTION_SWITCH, AT(json)},
    {"no-pager", NULL, NULL, "on a terminal too, print at once", DMD_OPTION_SWITCH, AT(no_pager)},
};
const dmd_option_table_t dmdv_graph_option_table = {options, sizeof options / sizeof *options};

int dmdv_graph_options_read(dmdv_graph_options_t *o, size_t szB, const dmdv_command_t *command,
                            int argc, char **argv) {
  memset(o, 0, szB);
  o->filters = dmd_env_alloc(&dmdv_env, "dmdv.filters", (size_t)argc * sizeof *o->filters);
  o->alloc_fns = dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *o->alloc_fns);
  return dmdv_read_command_line(command, o, argc, argv, &o->files);
}

void dmdv_graph_options_destroy(dmdv_graph_options_t *o) {
  for (uint32_t i = 0; i < o->n_filters; i++)
    dmd_nodefilter_destroy(&o->filters[i]);
  dmd_env_free(&dmdv_env, o->alloc_fns);
  dmd_env_free(&dmdv_env, o->filters);
}

bool dmdv_graph_check_files(const char *command, const dmdv_graph_options_t *o, int least,
                            int most) {
  int n_stdin = 0;
  for (int i = 0; i < o->files.n; i++)
    n_stdin += strcmp(o->files.names[i], "-") == 0;
  if (o->files.n < least || o->files.n > most)
    return dmdv_error("%s: give %s, not %d; see dmdv %s --help", command,
                      most == 1    ? "one file"
                      : least == 1 ? "one file or two"
                                   : "two files",
                      o->files.n, command);
  if (n_stdin > 1)
    return dmdv_error("%s: standard input can be one of the files only", command);
  return true;
}

/* ---- Graphs. ---- */

bool dmdv_graph_open(dmdv_graph_t *graph, const char *name, const dmdv_graph_options_t *o) {
  dmd_fail_t fail = {0};
  if (!dmdv_typedgraph_open(&graph->typed, name, &o->typed, &fail))
    return dmdv_error_in(name, &fail);
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
      input != NULL && dmdv_input_next(input, &bytes, &n, &fail) && dmd_graphfile_is(bytes, n);
  if (input != NULL)
    dmdv_input_close(input);
  return is_graph;
}

/* ---- Output. ---- */

bool dmdv_graph_show(dmdv_graph_options_t *o, void (*print)(void *ctx, dmd_out_t *out), void *ctx) {
  if (!dmdv_outfile_print(o->output, !o->no_pager, print, ctx))
    return false;
  for (uint32_t i = 0; i < o->n_filters; i++)
    if (!o->filters[i].found)
      dmdv_note("--filter=%s: no block's %s contains this", o->filters[i].given,
                dmd_nodekey_name(o->filters[i].key));
  return true;
}
