/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv paths: shows the paths from a program's variables to chosen blocks.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphcommand.h"
#include "host/process.h"
#include "show/text/text_graph.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  const char *to;
} options_t;

static const dmd_option_t options[] = {
    {"to", "WHAT", NULL,
     "target blocks: a type, a function that allocated them, a reporter, an address, unreported, "
     "or unreported:N for those of the N-th record of dmdv owners",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, to)},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv paths --to=WHAT [OPTION...] FILE\n\n"
             "Shows the paths from a program's variables to some blocks of a heap graph,\n"
             "which dmd writes with --graph=yes: the shortest path to each block. Paths that\n"
             "differ only in the elements of an array or list are shown as one; those to most\n"
             "blocks come first. FILE may be gzipped; - is standard input.\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_paths_t paths;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  const dmdv_graph_options_t *o = &result->options->graph;
  if (o->json)
    dmd_paths_json(out, &result->paths);
  else
    dmd_paths_print(out, &result->paths, o->max_rows);
}

static bool show_file(options_t *o, dmdv_graph_t *graph) {
  dmd_bitset_t to;
  result_t result = {.options = o};
  bool good = dmdv_choose(&to, graph, &o->graph, "to", o->to);
  if (good) {
    dmd_paths_init(&result.paths, &graph->kinds, &to);
    good = dmdv_graph_show(&o->graph, print, &result);
    dmd_paths_destroy(&result.paths);
  }
  dmd_bitset_destroy(&to);
  return good;
}

static bool options_fit(const options_t *o) {
  if (o->to == NULL && o->graph.n_filters == 0)
    return dmdv_error("paths: choose blocks with --to=WHAT or --filter; see dmdv paths --help");
  return dmdv_graph_check_files("paths", &o->graph, 1);
}

static int run(int argc, char **argv) {
  options_t o = {0};
  dmdv_graph_t graph;
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_paths_command, argc, argv);
  o.graph.lists = "paths";
  if (status < 0 && !(options_fit(&o) && dmdv_graph_open(&graph, o.graph.files.names[0], &o.graph)))
    status = 2;
  if (status < 0) {
    status = show_file(&o, &graph) ? 0 : 2;
    dmdv_graph_close(&graph);
  }
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_paths_command = {"paths", "show how a program's variables lead to blocks",
                                           parts, run};
