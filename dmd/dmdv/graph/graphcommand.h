/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphcommand.h: what the commands that read heap graphs share: options, loading, filters, output.
 *
 *   dmdv_graph_options_t      first in the command's own options; `dmdv_graph_options` in its parts
 *   dmdv_graph_options_read   the command line
 *   dmdv_graph_open           a file
 *   dmdv_graph_picks          by node, whether --filter matches it
 *   dmdv_graph_show           the command's output, to where the options say
 *   dmdv_graph_close, dmdv_graph_options_destroy
 */
#ifndef DMD_DMDV_GRAPH_GRAPHCOMMAND_H
#define DMD_DMDV_GRAPH_GRAPHCOMMAND_H

#include "analyse/graph/census.h"
#include "analyse/graph/nodekeys.h"
#include "base/bitset.h"
#include "base/out.h"
#include "dmdv/commandline/commandline.h"
#include "dmdv/graph/typedgraph.h"

typedef struct dmdv_graph_options {
  const char *output;  /* NULL: standard output */
  uint32_t max_rows;   /* 0: all */
  const char *lists;   /* those that it shortens in JSON (base/jsonlimit.h) */
  uint32_t max_frames; /* of stacks */
  bool json;
  bool no_pager;
  dmdv_typedgraph_options_t typed;
  const char **alloc_fns; /* of the frame view */
  dmd_nodefilter_t *filters;
  uint32_t n_filters;
  dmdv_files_t files;
} dmdv_graph_options_t;

/* The values are stored in a dmdv_graph_options_t. */
extern const dmd_option_table_t dmdv_graph_option_table;

/* Reads the command line of such a command, as dmdv_read_command_line does. options: the command's
 * own, szB bytes that begin with a dmdv_graph_options_t; they are zeroed first. */
int dmdv_graph_options_read(dmdv_graph_options_t *options, size_t szB,
                            const dmdv_command_t *command, int argc, char **argv);
void dmdv_graph_options_destroy(dmdv_graph_options_t *options);

/* Whether there are one to `most` files, and at most one of them is standard input; if not, reports
 * it. */
bool dmdv_graph_check_files(const char *command, const dmdv_graph_options_t *options, int most);

/* A graph with everything that the commands need of it. */
typedef struct dmdv_graph {
  dmdv_typedgraph_t typed;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
} dmdv_graph_t;

/* Loads the file with this name. False, with the reason on stderr and nothing to close, if that
 * fails. The graph must not move until it is closed. */
bool dmdv_graph_open(dmdv_graph_t *graph, const char *name, const dmdv_graph_options_t *options);
void dmdv_graph_close(dmdv_graph_t *graph);

/* By node, whether it is a block that matches all filters; NULL without filters. The caller frees
 * it with dmdv_env. */
bool *dmdv_graph_picks(dmdv_graph_t *graph, dmdv_graph_options_t *options);

/* Lets print write to where the options say, and then reports filters that matched nothing. False,
 * with the reason on stderr, if it cannot be written. */
bool dmdv_graph_show(dmdv_graph_options_t *options, void (*print)(void *ctx, dmd_out_t *out),
                     void *ctx);

/* Whether the file with this name is a heap graph; false for standard input and unreadable
 * files. */
bool dmdv_is_graph_file(const char *name);

/* ---- Chosen nodes. ----
 *
 * The nodes of a heap graph that a command works on: those of --of or --to, and --filter. */

/* Makes the set of nodes that the option's text selects (analyse/graph/select.h; NULL: all blocks)
 * and that match all filters. False, with the reason on stderr, if the text is invalid or selects
 * nothing. Destroy it either way. */
bool dmdv_choose(dmd_bitset_t *nodes, dmdv_graph_t *graph, dmdv_graph_options_t *options,
                 const char *option, const char *text);

/* ---- Census. ----
 *
 * The census of one heap graph, or of the difference of two, for dmdv census and
 * dmdv diff. */

/* Counts the blocks of one file, or of the second file less the first, and shows them. False, with
 * the reason on stderr, if that fails. */
bool dmdv_graph_census(dmdv_graph_options_t *options, const dmd_census_by_t *by);

#endif
