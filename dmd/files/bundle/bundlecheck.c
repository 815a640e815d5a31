/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlecheck.h"

#include "base/limits.h"

/* ---- Edges. ---- */

static bool are_roots_first(const dmd_heapgraph_columns_t *c) {
  if (c->first[0] != 0 || c->first[1] != c->n_roots)
    return false;
  for (uint32_t i = 0; i < c->n_roots; i++)
    if (c->target[i] != i + 1)
      return false;
  return true;
}

static bool is_node_good(const dmd_heapgraph_columns_t *c, uint32_t node, uint32_t n_nodes) {
  uint32_t before = 0;
  for (uint32_t edge = c->first[node]; edge < c->first[node + 1]; edge++) {
    uint32_t offset = c->offset[edge], target = c->target[edge];
    if (target <= c->n_roots || target >= n_nodes || offset < before || offset >= c->size[node])
      return false;
    before = offset;
  }
  return true;
}

const char *dmd_imagecheck_edges(const dmd_heapgraph_columns_t *c, uint32_t n_edges) {
  uint32_t n_nodes = 1 + c->n_roots + c->n_blocks;
  for (uint32_t node = 0; node < n_nodes; node++)
    if (c->first[node] > c->first[node + 1])
      return "a node's edges";
  if (c->first[n_nodes] != n_edges || !are_roots_first(c))
    return "the roots' edges";
  for (uint32_t node = 1; node < n_nodes; node++)
    if (!is_node_good(c, node, n_nodes))
      return "an edge";
  return NULL;
}

/* ---- Blocks. ---- */

static bool is_place_good(const dmd_heapgraph_t *heap, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(heap, node);
  uint64_t szB = heap->graph.size[node];
  bool is_first = node == dmd_heapgraph_first_block(heap);
  if (block->addr + szB < block->addr || block->slop > szB ||
      (!is_first && block->addr < dmd_heapgraph_block(heap, node - 1)->addr))
    return false;
  if (block->outer == DMD_NONE)
    return true;
  if (!dmd_heapgraph_is_block(heap, block->outer) || block->outer >= node)
    return false;
  uint64_t outer_szB = heap->graph.size[block->outer];
  return block->addr - dmd_heapgraph_block(heap, block->outer)->addr <
         (outer_szB > 0 ? outer_szB : 1);
}

static bool is_block_good(const dmd_heapgraph_t *heap, uint32_t node) {
  const dmd_graph_block_t *block = dmd_heapgraph_block(heap, node);
  return is_place_good(heap, node) && block->stack <= heap->stacks.last &&
         block->reports <= dmd_reports_count(&heap->profile.reports) &&
         block->tag <= dmd_intern_count(&heap->profile.tags) && block->thread <= DMD_MAX_THREAD;
}

static const char *check_blocks(const dmd_heapgraph_t *heap) {
  uint64_t total = 0;
  for (uint32_t node = dmd_heapgraph_first_block(heap); node < heap->graph.n_nodes; node++) {
    uint64_t szB = heap->graph.size[node];
    if (szB > DMD_MAX_TOTAL || (total += szB) > DMD_MAX_TOTAL)
      return "the blocks' sizes";
    if (!is_block_good(heap, node))
      return "a block";
  }
  return NULL;
}

/* ---- Interior edges and first words. ---- */

static const char *check_interiors(const dmd_heapgraph_t *heap) {
  uint32_t n_edges = dmd_graph_n_edges(&heap->graph), next = heap->n_roots;
  for (uint32_t id = 1; id <= heap->interiors.last; id++) {
    const dmd_graph_interior_t *interior =
        DMD_POOL_AT(&heap->interiors, const dmd_graph_interior_t, id);
    if (interior->edge < next || interior->edge >= n_edges ||
        interior->heuristic >= DMD_N_HEURISTICS ||
        interior->into >= heap->graph.size[heap->graph.target[interior->edge]])
      return "an edge into a block";
    next = interior->edge + 1;
  }
  return NULL;
}

static const char *check_first_words(const dmd_heapgraph_t *heap) {
  uint32_t next = dmd_heapgraph_first_block(heap);
  for (uint32_t id = 1; id <= heap->first_words.last; id++) {
    const dmd_graph_first_word_t *word =
        DMD_POOL_AT(&heap->first_words, const dmd_graph_first_word_t, id);
    if (word->node < next || word->node >= heap->graph.n_nodes || word->object > heap->objects.last)
      return "a block's first word";
    next = word->node + 1;
  }
  return NULL;
}

const char *dmd_imagecheck_graph(const dmd_heapgraph_t *heap) {
  const char *wrong = heap->graph.size[DMD_GRAPH_ALL] != 0 ? "the root of all" : NULL;
  if (wrong == NULL)
    wrong = check_blocks(heap);
  if (wrong == NULL)
    wrong = check_interiors(heap);
  return wrong != NULL ? wrong : check_first_words(heap);
}

/* ---- Types. ---- */

static bool is_typed_good(const dmd_typing_t *typing, uint32_t node) {
  const dmd_typed_t *typed = &typing->nodes[node];
  uint64_t szB = dmd_heapgraph_is_block(typing->graph, node)
                     ? dmd_heapgraph_requested(typing->graph, node)
                     : typing->graph->graph.size[node];
  return typed->type <= typing->types->pool.last && typed->evidence < DMD_N_EVIDENCES &&
         typed->lead <= szB;
}

const char *dmd_imagecheck_typed(const dmd_typing_t *typing) {
  for (uint32_t node = 0; node < typing->graph->graph.n_nodes; node++)
    if (!is_typed_good(typing, node))
      return "a node's type";
  return NULL;
}
