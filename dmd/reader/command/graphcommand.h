/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphcommand.h: what the commands that read heap graphs have in common: options, loading, picking
 * blocks, output.
 *
 *   dmdv_graph_options_t first in the command's own options; `dmdv_graph_options` in its parts
 *   dmdv_graph_options_read   the command line
 *   dmdv_graph_open           a file
 *   dmdv_graph_picks          by node, whether --filter picks it
 *   dmdv_graph_show           the command's own output, where the options want it
 *   dmdv_graph_close, dmdv_graph_options_destroy
 */
#ifndef DMD_READER_COMMAND_GRAPHCOMMAND_H
#define DMD_READER_COMMAND_GRAPHCOMMAND_H

#include "base/out.h"
#include "graph/nodefilter.h"
#include "reader/command/commandline.h"
#include "reader/command/typedgraph.h"

typedef struct dmdv_graph_options {
  const char *output;  /* NULL: standard output */
  uint32_t max_rows;   /* 0: all; not of JSON */
  uint32_t max_frames; /* of stacks */
  bool json;
  bool no_pager;
  dmdv_typedgraph_options_t typed;
  const char **alloc_fns; /* of its frame view */
  dmd_nodefilter_t *filters;
  uint32_t n_filters;
  dmdv_files_t files;
} dmdv_graph_options_t;

/* Stored in a dmdv_graph_options_t. */
extern const dmd_option_table_t dmdv_graph_option_table;

/* Reads the command line of such a command, as dmdv_read_command_line does. options: its own, which
 * begin with a dmdv_graph_options_t and are zeroed, all szB bytes of them. */
int dmdv_graph_options_read(dmdv_graph_options_t *options, size_t szB,
                            const dmdv_command_t *command, int argc, char **argv);
void dmdv_graph_options_destroy(dmdv_graph_options_t *options);

/* Whether as many files were given; else says so. At most one may be standard input. */
bool dmdv_graph_check_files(const char *command, const dmdv_graph_options_t *options, int least,
                            int most);

/* A graph with all that is asked of it. */
typedef struct dmdv_graph {
  dmdv_typedgraph_t typed;
  dmd_kinds_t kinds;
  dmd_nodekeys_t keys;
} dmdv_graph_t;

/* Loads the file with this name. False, with the reason on stderr and nothing to close, when that
 * fails. Must stay where it is until it is closed. */
bool dmdv_graph_open(dmdv_graph_t *graph, const char *name, const dmdv_graph_options_t *options);
void dmdv_graph_close(dmdv_graph_t *graph);

/* By node, whether it is a block that all filters pick; NULL where there are no filters. The caller
 * frees it with dmdv_env. */
bool *dmdv_graph_picks(dmdv_graph_t *graph, dmdv_graph_options_t *options);

/* Lets print write to where the options say, and then says which filters found nothing. False, with
 * the reason on stderr, when it cannot be written. */
bool dmdv_graph_show(dmdv_graph_options_t *options, void (*print)(void *ctx, dmd_out_t *out),
                     void *ctx);

/* Whether the file with this name is a heap graph; false of standard input, and where it cannot be
 * read. */
bool dmdv_is_graph_file(const char *name);

#endif
