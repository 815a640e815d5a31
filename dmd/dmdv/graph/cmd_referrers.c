/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv referrers: shows what points to a block.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphcommand.h"
#include "host/process.h"
#include "show/text/text_graph.h"

#include "base/str.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  const char *of;
  bool chain, info;
} options_t;

static const dmd_option_t options[] = {
    {"of", "ADDRESS", NULL, "the block: an address in it, in hexadecimal", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, of)},
    {"chain", NULL, NULL, "while a single block points to it, continue with that block",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, chain)},
    {"info", NULL, NULL, "show instead what the block points to", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, info)},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv referrers --of=ADDRESS [OPTION...] FILE\n\n"
             "Shows which blocks and variables point to a block, and from where in them. FILE\n"
             "is a heap graph, which dmd writes with --graph=yes, or a profile that dmd or\n"
             "Firefox's DMD wrote with --mode=scan; it may be gzipped; - is standard input.\n"
             "With --filter, only pointers from matching blocks count.\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_referrers_view_t view;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  if (result->options->graph.json)
    dmd_referrers_json(out, &result->view);
  else
    dmd_referrers_print(out, &result->view);
}

static bool show_node(options_t *o, dmdv_graph_t *graph, uint32_t node) {
  const dmd_heapgraph_t *heap = &graph->typed.heap;
  dmd_referrers_t referrers;
  dmd_refchain_t chain;
  bool *picks = dmdv_graph_picks(graph, &o->graph);
  dmd_referrers_init(&referrers, &heap->graph);
  dmd_refchain_init(&chain, heap, &referrers, node, picks, o->chain);
  result_t result = {.options = o,
                     .view = {.kinds = &graph->kinds,
                              .referrers = o->info ? NULL : &referrers,
                              .chain = &chain,
                              .picks = picks,
                              .max_frames = o->graph.max_frames,
                              .max_rows = o->graph.max_rows}};
  bool good = dmdv_graph_show(&o->graph, print, &result);
  dmd_refchain_destroy(&chain);
  dmd_referrers_destroy(&referrers);
  dmd_env_free(&dmdv_env, picks);
  return good;
}

static bool show_file(options_t *o, dmdv_graph_t *graph, uint64_t addr) {
  uint32_t node = dmd_heapgraph_find(&graph->typed.heap, addr);
  if (node == DMD_GRAPH_ALL)
    return dmdv_error("--of=%s: no block at this address", o->of);
  return show_node(o, graph, node);
}

static bool options_fit(const options_t *o, uint64_t *addr) {
  if (o->of == NULL)
    return dmdv_error("referrers: give a block with --of=ADDRESS; see dmdv referrers --help");
  const char *digits = dmd_str_begins(o->of, "0x") ? o->of + 2 : o->of;
  if (!dmd_str_to_u64(digits, 16, addr))
    return dmdv_error("--of=%s: not an address", o->of);
  if (o->chain && o->info)
    return dmdv_error("referrers: --chain and --info exclude each other");
  return dmdv_graph_check_files("referrers", &o->graph, 1);
}

static int run(int argc, char **argv) {
  options_t o = {0};
  dmdv_graph_t graph;
  uint64_t addr;
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_referrers_command, argc, argv);
  o.graph.lists = "steps,referrers,pointers";
  o.graph.typed.or_scan = true;
  if (status < 0 &&
      !(options_fit(&o, &addr) && dmdv_graph_open(&graph, o.graph.files.names[0], &o.graph)))
    status = 2;
  if (status < 0) {
    status = show_file(&o, &graph, addr) ? 0 : 2;
    dmdv_graph_close(&graph);
  }
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_referrers_command = {"referrers", "show what points to a block", parts,
                                               run};
