/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * show GRAPH [FOLDER]: prints dmdv's information about each block and each pointer of a heap graph.
 * Tests compare it with the program's own output:
 *
 *   block ADDRESS EVIDENCE NAME
 *   edge ADDRESS NAME            the address of the word that points, and its member's name
 */
#include "analyse/graph/kinds.h"
#include "dmdv/graph/typedgraph.h"
#include "host/process.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t address_of(const dmd_heapgraph_t *graph, uint32_t node) {
  return dmd_heapgraph_is_block(graph, node) ? dmd_heapgraph_block(graph, node)->addr
                                             : dmd_heapgraph_root(graph, node)->addr;
}

static void show_node(dmdv_typedgraph_t *graph, uint32_t node, dmd_strbuf_t *text) {
  uint64_t addr = address_of(&graph->heap, node);
  if (dmd_heapgraph_is_block(&graph->heap, node)) {
    dmd_strbuf_cut(text, 0);
    dmd_typing_name(&graph->typing, node, text);
    printf("block 0x%" PRIx64 " %s %s\n", addr,
           dmd_type_evidence_name(dmd_typing_evidence(&graph->typing, node)), text->text);
  }
  const dmd_graph_t *g = &graph->heap.graph;
  for (uint32_t edge = g->first[node]; edge < g->first[node + 1]; edge++) {
    dmd_strbuf_cut(text, 0);
    dmd_edge_name(&graph->typing, node, edge, text);
    printf("edge 0x%" PRIx64 " %s\n", addr + g->offset[edge], text->text);
  }
}

int main(int argc, char **argv) {
  dmdv_typedgraph_options_t options = {.with_types = true, .debug_dir = argc > 2 ? argv[2] : NULL};
  dmdv_typedgraph_t graph;
  dmd_fail_t fail;
  dmd_strbuf_t text;
  if (argc < 2)
    return 2;
  dmdv_host_init();
  if (!dmdv_typedgraph_open(&graph, argv[1], &options, &fail)) {
    dmdv_error_in(argv[1], &fail);
    return 2;
  }
  dmd_strbuf_init(&text, &dmdv_env);
  for (uint32_t node = 1; node < graph.heap.graph.n_nodes; node++)
    show_node(&graph, node, &text);
  dmd_strbuf_destroy(&text);
  dmdv_typedgraph_close(&graph);
  return 0;
}
