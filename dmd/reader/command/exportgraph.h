/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * exportgraph.h: dmdv export of a heap graph, for the memory tools of browsers.
 */
#ifndef DMD_READER_COMMAND_EXPORTGRAPH_H
#define DMD_READER_COMMAND_EXPORTGRAPH_H

#include "export/heapsnapshot.h"
#include "reader/command/typedgraph.h"

typedef struct dmdv_export_graph {
  dmd_export_heapsnapshot_fn write;
  dmdv_typedgraph_options_t graph;
  bool gzip;
  const char *output; /* NULL: standard output */
  uint32_t max_nodes; /* at least 1 */
} dmdv_export_graph_t;

/* Writes the graph of this file. Says on stderr what of it is left out, and what is wrong. */
bool dmdv_export_graph(const char *name, const dmdv_export_graph_t *export);

#endif
