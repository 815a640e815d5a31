/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv leaks: shows the blocks that no root of a heap graph reaches, classified as Memcheck's leak
 * check does it.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/ignoring.h"
#include "dmdv/graph/leakcheck.h"
#include "host/process.h"
#include "show/text/text_graph.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  const char *ignore;
  unsigned show; /* of `shown` */
} options_t;

enum {
  LOST = 1 << DMD_LEAK_DEFINITELY | 1 << DMD_LEAK_POSSIBLY,
  ALL = LOST | 1 << DMD_LEAK_INDIRECTLY | 1 << DMD_LEAK_REACHABLE
};
/* In the order of --show's words. */
static const unsigned shown[] = {LOST, ALL};

static const dmd_option_t options[] = {
    {"show", "lost|all", "lost",
     "which records: lost shows definitely and possibly lost blocks, all also indirectly lost and "
     "reachable ones",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, show)},
    {"ignore", "FILE", NULL, "patterns of stacks whose blocks are not leaks, as for dmdv check",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, ignore), .is_file = true},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv leaks [OPTION...] FILE\n\n"
             "Shows the blocks of a heap graph, which dmd writes with --graph=yes, that no\n"
             "root reaches, classified as by Memcheck's leak check. Bytes are requested\n"
             "bytes. FILE may be gzipped; - is standard input.\n\n"
             "  definitely lost   nothing points to it\n"
             "  indirectly lost   only lost blocks point to it\n"
             "  possibly lost     reached only by pointers into the middle of blocks\n"
             "  still reachable   reached from roots\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmdv_leakcheck_t check;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  const options_t *o = result->options;
  dmd_leaks_view_t view = {.rows = &result->check.rows,
                           .kinds = result->check.kinds,
                           .states = o->graph.json ? ALL : shown[o->show],
                           .max_rows = o->graph.max_rows};
  (o->graph.json ? dmd_leaks_json : dmd_leaks_print)(out, &view);
}

static bool check_file(options_t *o) {
  dmd_ignore_t ignore;
  dmdv_graph_t graph;
  if (!dmdv_ignore_read(&ignore, o->ignore))
    return false;
  bool good = dmdv_graph_open(&graph, o->graph.files.names[0], &o->graph);
  if (good) {
    result_t result = {.options = o};
    bool *picks = dmdv_graph_picks(&graph, &o->graph);
    dmdv_leakcheck_init(&result.check, &graph, o->graph.max_frames, &ignore, picks);
    good = dmdv_graph_show(&o->graph, print, &result);
    dmdv_ignore_warn(&ignore, o->ignore);
    dmdv_leakcheck_destroy(&result.check);
    dmd_env_free(&dmdv_env, picks);
    dmdv_graph_close(&graph);
  }
  dmd_ignore_destroy(&ignore);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_leaks_command, argc, argv);
  if (status < 0)
    status = dmdv_graph_check_files("leaks", &o.graph, 1) && check_file(&o) ? 0 : 2;
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_leaks_command = {
    "leaks", "show the blocks of a heap graph that no variable leads to", parts, run};
