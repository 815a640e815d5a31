/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes a graph's columns as described in bundle.h, and the rest of the graph.
 */
#include "files/bundle/bundlenames.h"
#include "files/bundle/bundletypes.h"

static void write_numbers(dmd_bundlewriter_t *w, dmd_bundle_kind_t kind, uint32_t index,
                          const uint32_t *numbers, uint32_t n) {
  dmd_bundlewriter_begin(w, kind, index);
  for (uint32_t i = 0; i < n; i++)
    dmd_bundlewriter_fixed(w, numbers[i], 4);
  dmd_bundlewriter_end_section(w);
}

static void write_edges(dmd_bundlewriter_t *w, uint32_t index, const dmd_graph_t *graph) {
  uint32_t n_edges = dmd_graph_n_edges(graph);
  write_numbers(w, DMD_BUNDLE_FIRST, index, graph->first, graph->n_nodes + 1);
  write_numbers(w, DMD_BUNDLE_TARGET, index, graph->target, n_edges);
  write_numbers(w, DMD_BUNDLE_OFFSET, index, graph->offset, n_edges);
  dmd_bundlewriter_begin(w, DMD_BUNDLE_SIZE, index);
  for (uint32_t node = 0; node < graph->n_nodes; node++)
    dmd_bundlewriter_fixed(w, graph->size[node], 8);
  dmd_bundlewriter_end_section(w);
}

static void write_blocks(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_BLOCKS, index);
  for (uint32_t i = 1; i <= heap->blocks.last; i++) {
    const dmd_graph_block_t *block = DMD_POOL_AT(&heap->blocks, const dmd_graph_block_t, i);
    dmd_bundlewriter_fixed(w, block->addr, 8);
    dmd_bundlewriter_fixed(w, block->slop, 4);
    dmd_bundlewriter_fixed(w, block->stack, 4);
    dmd_bundlewriter_fixed(w, block->reports, 4);
    dmd_bundlewriter_fixed(w, block->outer, 4);
    dmd_bundlewriter_fixed(w, block->tag, 2);
    dmd_bundlewriter_fixed(w, block->thread, 2);
    dmd_bundlewriter_fixed(w, block->flags, 4);
  }
  dmd_bundlewriter_end_section(w);
}

static void write_interiors(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_INTERIORS, index);
  for (uint32_t i = 1; i <= heap->interiors.last; i++) {
    const dmd_graph_interior_t *interior =
        DMD_POOL_AT(&heap->interiors, const dmd_graph_interior_t, i);
    dmd_bundlewriter_fixed(w, interior->into, 8);
    dmd_bundlewriter_fixed(w, interior->edge, 4);
    dmd_bundlewriter_fixed(w, interior->heuristic, 4);
  }
  dmd_bundlewriter_end_section(w);
}

static void write_first_words(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_FIRST_WORDS, index);
  for (uint32_t i = 1; i <= heap->first_words.last; i++) {
    const dmd_graph_first_word_t *word =
        DMD_POOL_AT(&heap->first_words, const dmd_graph_first_word_t, i);
    dmd_bundlewriter_fixed(w, word->addr, 8);
    dmd_bundlewriter_fixed(w, word->node, 4);
    dmd_bundlewriter_fixed(w, word->object, 4);
  }
  dmd_bundlewriter_end_section(w);
}

static void write_typed(dmd_bundlewriter_t *w, uint32_t index, const dmd_typing_t *typing) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_TYPED, index);
  for (uint32_t node = 0; node < typing->graph->graph.n_nodes; node++) {
    const dmd_typed_t *typed = &typing->nodes[node];
    dmd_bundlewriter_fixed(w, typed->type, 4);
    dmd_bundlewriter_fixed(w, typed->lead, 2);
    dmd_bundlewriter_fixed(w, typed->evidence, 2);
  }
  dmd_bundlewriter_end_section(w);
}

uint32_t dmd_bundlewriter_add_graph(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap,
                                    dmd_types_t *types, const dmd_typing_t *typing) {
  uint32_t index = w->n_graphs++;
  dmd_imagetypes_look_up(types, typing);
  dmd_bundlewriter_begin(w, DMD_BUNDLE_GRAPH, index);
  dmd_bundlewriter_number(w, heap->n_roots);
  dmd_imagenames_write(w, &heap->profile);
  dmd_imageplaces_write(w, heap);
  dmd_imagetypes_write(w, types);
  dmd_bundlewriter_end_section(w);
  write_edges(w, index, &heap->graph);
  write_blocks(w, index, heap);
  write_interiors(w, index, heap);
  write_first_words(w, index, heap);
  write_typed(w, index, typing);
  return index;
}
