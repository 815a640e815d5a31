/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv retained: shows how much of a heap each block or root keeps alive.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphcommand.h"
#include "show/text/text_graph.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  const char *of;
  uint32_t max_depth, min_percent;
} options_t;

enum { MAX_DEPTH = 30 };

static const dmd_option_t options[] = {
    {"of", "WHAT", NULL,
     "only what these blocks keep alive: a type, a function that allocated them, a reporter, an "
     "address, unreported, or unreported:N",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, of)},
    {"max-depth", "N", "8", "levels shown", DMD_OPTION_NUMBER, DMD_OPTION_AT(options_t, max_depth),
     .least = 1, .most = MAX_DEPTH},
    {"min-percent", "N", "1", "hide rows that keep less than this share of the heap alive",
     DMD_OPTION_NUMBER, DMD_OPTION_AT(options_t, min_percent), .least = 0, .most = 100},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv retained [OPTION...] FILE\n\n"
             "Shows what keeps the blocks of a heap graph alive, which dmd writes with\n"
             "--graph=yes. A variable or block retains the bytes that would be freed with it.\n"
             "The tree begins at the variables, those that retain most first. Blocks of one\n"
             "kind that are reached in the same way share a row, also if they point to each\n"
             "other, as in a list. FILE may be gzipped; - is standard input.\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_retainedrows_t rows;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  (result->options->graph.json ? dmd_retained_json : dmd_retained_print)(out, &result->rows);
}

/* chosen: NULL for all nodes. */
static bool show_rows(options_t *o, dmdv_graph_t *graph, const dmd_bitset_t *chosen) {
  dmd_retained_t retained;
  result_t result = {.options = o};
  dmd_retained_limits_t limits = {.max_depth = o->max_depth, .min_share = o->min_percent / 100.0};
  dmd_retained_init(&retained, &graph->typed.heap, &graph->typed.typing);
  dmd_retainedrows_init(&result.rows, &retained, &graph->kinds, limits, chosen);
  bool good = dmdv_graph_show(&o->graph, print, &result);
  dmd_retainedrows_destroy(&result.rows);
  dmd_retained_destroy(&retained);
  return good;
}

static bool show_file(options_t *o, dmdv_graph_t *graph) {
  dmd_bitset_t chosen;
  if (o->of == NULL && o->graph.n_filters == 0)
    return show_rows(o, graph, NULL);
  bool good = dmdv_choose(&chosen, graph, &o->graph, "of", o->of) && show_rows(o, graph, &chosen);
  dmd_bitset_destroy(&chosen);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  dmdv_graph_t graph;
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_retained_command, argc, argv);
  if (status < 0 && !(dmdv_graph_check_files("retained", &o.graph, 1) &&
                      dmdv_graph_open(&graph, o.graph.files.names[0], &o.graph)))
    status = 2;
  if (status < 0) {
    status = show_file(&o, &graph) ? 0 : 2;
    dmdv_graph_close(&graph);
  }
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_retained_command = {
    "retained", "show what keeps how much of a heap alive", parts, run};
