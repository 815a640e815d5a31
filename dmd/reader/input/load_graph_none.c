/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In a build without protobuf-c: stands in for load_graph.c.
 */
#include "reader/input/load_graph.h"

static bool cannot(dmd_fail_t *fail) {
  return dmd_fail(fail, "this dmdv was built without protobuf-c, which heap graphs need");
}

bool dmdv_load_graph(dmd_heapgraph_t *graph, const char *name,
                     const dmdv_load_graph_options_t *options, dmd_fail_t *fail) {
  (void)graph, (void)name, (void)options;
  return cannot(fail);
}

bool dmdv_load_graph_input(dmd_heapgraph_t *graph, dmdv_input_t *input,
                           const dmdv_load_graph_options_t *options, dmd_fail_t *fail) {
  (void)graph, (void)input, (void)options;
  return cannot(fail);
}
