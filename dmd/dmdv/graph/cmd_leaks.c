/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/leaks.h"
#include "analyse/limits/ignore.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/graph/graphcommand.h"
#include "host/process.h"
#include "show/text/text_graph.h"

/* Checks a loaded heap graph for leaks, for dmdv leaks and dmdv check. */

typedef struct dmdv_leakcheck {
  dmd_kinds_t *kinds;
  dmd_leaks_t leaks;
  dmd_records_t records;
  uint32_t *ignored_by;
  dmd_leakrows_t rows;
} dmdv_leakcheck_t;

/* ignore may have no patterns; picks: by node, NULL: all blocks. The struct must not move. */
static void leakcheck_init(dmdv_leakcheck_t *check, dmdv_graph_t *graph, uint32_t max_frames,
                           dmd_ignore_t *ignore, const bool *picks) {
  *check = (dmdv_leakcheck_t){.kinds = &graph->kinds};
  if (ignore->n > 0)
    check->ignored_by = dmd_ignore_stacks(ignore, &graph->typed.heap.profile);
  dmd_leaks_init(&check->leaks, &graph->typed.heap, DMD_LEAKS_AS_MEMCHECK);
  dmd_records_init(&check->records, &graph->typed.heap.profile, max_frames, DMD_SORT_USABLE);
  dmd_leakrows_init(&check->rows, &check->leaks, &graph->kinds, &check->records, check->ignored_by,
                    picks);
}

static void leakcheck_destroy(dmdv_leakcheck_t *check) {
  dmd_leakrows_destroy(&check->rows);
  dmd_records_destroy(&check->records);
  dmd_leaks_destroy(&check->leaks);
  dmd_env_free(&dmdv_env, check->ignored_by);
}

/* dmdv leaks: shows the blocks that no root of a heap graph reaches, classified as Memcheck's leak
 * check does it. */

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
    leakcheck_init(&result.check, &graph, o->graph.max_frames, &ignore, picks);
    good = dmdv_graph_show(&o->graph, print, &result);
    dmdv_ignore_warn(&ignore, o->ignore);
    leakcheck_destroy(&result.check);
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
