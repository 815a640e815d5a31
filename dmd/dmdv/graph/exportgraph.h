/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * exportgraph.h: exports a heap graph for the memory tools of browsers.
 */
#ifndef DMD_DMDV_GRAPH_EXPORTGRAPH_H
#define DMD_DMDV_GRAPH_EXPORTGRAPH_H

#include "dmdv/graph/typedgraph.h"
#include "show/export/heapsnapshot.h"

typedef struct dmdv_export_graph {
  dmd_export_heapsnapshot_fn write;
  dmdv_typedgraph_options_t graph;
  bool gzip;
  const char *output; /* NULL: standard output */
  uint32_t max_nodes; /* at least 1 */
} dmdv_export_graph_t;

/* Writes the graph in this file. Reports on stderr what is left out, and errors. */
bool dmdv_export_graph(const char *name, const dmdv_export_graph_t *export);

#endif
