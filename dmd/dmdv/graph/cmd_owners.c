/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv owners: shows who should have measured the unreported blocks, and the line that is missing.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphbeside.h"
#include "dmdv/graph/graphcommand.h"
#include "host/process.h"
#include "show/text/text_graph.h"

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv owners [OPTION...] FILE\n\n"
             "Shows for each record of unreported blocks of a heap graph, which dmd writes\n"
             "with --graph=yes, the reporter that owns them and the type and member that\n"
             "point to them, and proposes the line that the reporter's function lacks. The\n"
             "owner is the nearest reported block on every path from the program's variables\n"
             "to the blocks. FILE may be gzipped; - is standard input.\n\n",
     .options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const dmdv_graph_options_t *options;
  dmd_variable_namer_t namer;
  dmd_owners_t owners;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  dmd_owners_view_t view = {
      .owners = &result->owners, .namer = &result->namer, .max_records = result->options->max_rows};
  (result->options->json ? dmd_owners_json : dmd_owners_print)(out, &view);
}

static bool show_file(dmdv_graph_options_t *o, dmdv_graph_t *graph) {
  result_t result = {.options = o, .namer = dmdv_variable_namer(&graph->typed)};
  dmd_records_t records;
  if (graph->typed.heap.profile.mode != DMD_MODE_DARK_MATTER)
    return dmdv_error("%s: only mode dark-matter records reports", o->files.names[0]);
  bool *picks = dmdv_graph_picks(graph, o);
  dmd_heapgraph_add_groups(&graph->typed.heap, picks);
  dmd_records_init(&records, &graph->typed.heap.profile, o->max_frames, DMD_SORT_USABLE);
  dmd_owners_init(&result.owners, &graph->typed.heap, &graph->kinds, &records, picks);
  bool good = dmdv_graph_show(o, print, &result);
  dmd_owners_destroy(&result.owners);
  dmd_records_destroy(&records);
  dmd_env_free(&dmdv_env, picks);
  return good;
}

static int run(int argc, char **argv) {
  dmdv_graph_options_t o = {0};
  dmdv_graph_t graph;
  int status = dmdv_graph_options_read(&o, sizeof o, &dmdv_owners_command, argc, argv);
  if (status < 0 &&
      !(dmdv_graph_check_files("owners", &o, 1) && dmdv_graph_open(&graph, o.files.names[0], &o)))
    status = 2;
  if (status < 0) {
    status = show_file(&o, &graph) ? 0 : 2;
    dmdv_graph_close(&graph);
  }
  dmdv_graph_options_destroy(&o);
  return status;
}

const dmdv_command_t dmdv_owners_command = {
    "owners", "show which reporters should have measured unreported blocks", parts, run};
