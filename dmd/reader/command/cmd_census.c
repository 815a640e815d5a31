/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv census: the blocks of a heap graph counted by what they are, or the difference of two.
 */
#include "graph/census.h"
#include "reader/command/commands.h"
#include "reader/command/graphcommand.h"
#include "reader/host/host.h"
#include "text/text_census.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  dmd_census_by_t by;
} options_t;

static bool take_by(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *options = target;
  return dmd_census_by_parse(&options->by, value, why);
}

static const dmd_option_t options[] = {
    {"by", "KEY[,KEY...]", "type",
     "what to count by, and within its rows by what: type, stack, function, file, library, "
     "reporter, state, tag, thread, size, root",
     DMD_OPTION_OWN, .take = take_by},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv census [OPTION...] FILE\n"
             "       dmdv census [OPTION...] OLD NEW\n"
             "\n"
             "Counts the blocks of a heap graph, which dmd writes with --graph=yes, by what\n"
             "they are: every block once, every byte in one block. Of two graphs, counts how\n"
             "much more (or, if negative, less) there is in NEW than in OLD. FILE is gzipped or\n"
             "not; - is standard input.\n"
             "\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_census_t census;
  int64_t heap_szB; /* of the graph, or of the new one, without filters */
} counted_t;

static int64_t heap_szB(const dmd_heapgraph_t *graph) {
  dmd_nesting_sizes_t sizes;
  int64_t szB = 0;
  dmd_nesting_init(&sizes, graph);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    szB += (int64_t)dmd_nesting_own(&sizes, node).szB;
  dmd_nesting_destroy(&sizes);
  return szB;
}

/* One graph at a time is in memory. */
static bool count_file(counted_t *counted, options_t *o, const char *name, int sign) {
  dmdv_graph_t graph;
  if (!dmdv_graph_open(&graph, name, &o->graph))
    return false;
  dmd_nodefilters_forget(o->graph.filters, o->graph.n_filters);
  dmd_census_add(&counted->census, &graph.keys, o->graph.filters, o->graph.n_filters, sign);
  counted->heap_szB = heap_szB(&graph.heap);
  dmdv_graph_close(&graph);
  return true;
}

static void print(void *ctx, dmd_out_t *out) {
  const counted_t *counted = ctx;
  const dmdv_graph_options_t *o = &counted->options->graph;
  if (o->json)
    dmd_census_json(out, &counted->census);
  else
    dmd_census_print(out, &counted->census, counted->heap_szB, o->max_rows);
}

static bool count_files(options_t *o) {
  counted_t counted = {.options = o};
  const dmdv_files_t *files = &o->graph.files;
  dmd_census_init(&counted.census, &dmdv_env, &o->by);
  bool good = files->n == 1 || count_file(&counted, o, files->names[0], -1);
  good = good && count_file(&counted, o, files->names[files->n - 1], 1);
  if (good) {
    dmd_census_finish(&counted.census);
    good = dmdv_graph_show(&o->graph, print, &counted);
  }
  dmd_census_destroy(&counted.census);
  return good;
}

static int run(int argc, char **argv) {
  options_t o;
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_census_command, argc, argv);
  if (status < 0)
    status = dmdv_graph_check_files("census", &o.graph, 1, 2) && count_files(&o) ? 0 : 2;
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_census_command = {
    "census", "count the blocks of a heap graph by type and more", parts, run};
