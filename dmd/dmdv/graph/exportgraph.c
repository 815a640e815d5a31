/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/graph/exportgraph.h"

#include "base/format.h"
#include "host/message.h"
#include "host/output.h"

#include <inttypes.h>

/* Reports what the snapshot leaves out. */
static void say_what_is_missing(const dmd_heapsnapshot_t *s) {
  char n[DMD_FORMAT_MAX], szB[DMD_FORMAT_MAX];
  if (s->shown.up_to > 0) {
    dmd_format_commas(n, s->graph->graph.n_nodes);
    dmd_format_commas(szB, (int64_t)s->shown.up_to);
    dmdv_note("export: %s nodes are too many: siblings that retain up to %s bytes each are merged, "
              "which leaves %" PRIu32,
              n, szB, s->shown.n_nodes);
  }
  if (!s->shown.fits)
    dmdv_note("export: the graph is still larger than its readers accept");
  if (s->n_too_large > 0)
    dmdv_note("export: %" PRIu32
              " nodes larger than 4 GiB are written with 4 GiB, the format's limit",
              s->n_too_large);
}

static bool write_snapshot(dmd_heapsnapshot_t *snapshot, const dmdv_export_graph_t *export) {
  dmdv_output_t *file =
      dmdv_output_open(export->output, export->gzip || dmdv_output_is_gzip(export->output));
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_output_write, file);
  export->write(snapshot, &out);
  dmd_out_flush(&out);
  if (!dmdv_output_close(file, true))
    return false;
  say_what_is_missing(snapshot);
  return true;
}

bool dmdv_export_graph(const char *name, const dmdv_export_graph_t *export) {
  dmdv_typedgraph_t graph;
  dmd_fail_t fail;
  if (!dmdv_typedgraph_open(&graph, name, &export->graph, &fail))
    return dmdv_error_in(name, &fail);
  dmd_heapsnapshot_t snapshot;
  dmd_heapsnapshot_init(&snapshot, &graph.heap, &graph.typing, export->max_nodes);
  bool good = write_snapshot(&snapshot, export);
  dmd_heapsnapshot_destroy(&snapshot);
  dmdv_typedgraph_close(&graph);
  return good;
}
