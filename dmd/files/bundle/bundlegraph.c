/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/graph/stale.h"
#include "analyse/graph/typing.h"
#include "base/limits.h"
#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlenames.h"
#include "files/bundle/bundletypes.h"

/* ---- Checks. ---- */

/* Checks the properties of a bundle's graph that analyses rely on:
 *
 *   - edges lead from the common root to each root, in order, and from all other nodes to blocks
 *   - the edges of a node are ordered by offset, and offsets are within the node, except beyond 4
 *     GiB
 *   - blocks are ordered by address; a nested block starts within its outer block and follows it
 *   - sizes add up to less than 2^61 bytes, no block ends beyond the last address, slop is within
 *     its block
 *   - interior edges, first words, contents and types are in order and refer to valid ids
 *
 * Time is linear in the columns. The functions return NULL, or what is damaged. */

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

/* Call first: checks what dmd_heapgraph_borrow relies on. */
static const char *check_edges(const dmd_heapgraph_columns_t *c, uint32_t n_edges) {
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

/* ---- Interior edges, first words and contents. ---- */

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

static const char *check_contents(const dmd_heapgraph_t *heap) {
  uint32_t first = dmd_heapgraph_first_block(heap), next = first;
  for (uint32_t id = 1; id <= heap->contents.last; id++) {
    const dmd_graph_contents_t *contents =
        DMD_POOL_AT(&heap->contents, const dmd_graph_contents_t, id);
    if (contents->node < next || contents->node >= heap->graph.n_nodes ||
        (contents->same != DMD_NONE &&
         (contents->same < first || contents->same >= contents->node)) ||
        contents->tail > dmd_heapgraph_requested(heap, contents->node))
      return "a block's contents";
    next = contents->node + 1;
  }
  return NULL;
}

/* Call these when the graph is complete. */
static const char *check_residents(const dmd_heapgraph_t *heap) {
  uint64_t end = 0;
  for (uint32_t i = 1; i <= heap->residents.last; i++) {
    const dmd_graph_resident_t *resident =
        DMD_POOL_AT(&heap->residents, const dmd_graph_resident_t, i);
    if (resident->addr < end || resident->szB > UINT64_MAX - resident->addr)
      return "its resident pages";
    end = resident->addr + resident->szB;
  }
  return NULL;
}

static const char *check_numbers(const dmd_heapgraph_t *heap) {
  uint64_t before = 0;
  for (uint32_t i = 1; i <= heap->numbers.last; i++) {
    const dmd_graph_number_t *number = DMD_POOL_AT(&heap->numbers, const dmd_graph_number_t, i);
    uint64_t place = (uint64_t)number->node << 32 | number->offset;
    if (place < before || number->node >= heap->graph.n_nodes)
      return "its numbers";
    before = place;
  }
  return NULL;
}

static const char *check_graph(const dmd_heapgraph_t *heap) {
  const char *wrong = heap->graph.size[DMD_GRAPH_ALL] != 0 ? "the root of all" : NULL;
  if (wrong == NULL)
    wrong = check_blocks(heap);
  if (wrong == NULL)
    wrong = check_interiors(heap);
  if (wrong == NULL)
    wrong = check_first_words(heap);
  if (wrong == NULL)
    wrong = check_contents(heap);
  if (wrong == NULL)
    wrong = check_residents(heap);
  return wrong != NULL ? wrong : check_numbers(heap);
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

static const char *check_typed(const dmd_typing_t *typing) {
  for (uint32_t node = 0; node < typing->graph->graph.n_nodes; node++)
    if (!is_typed_good(typing, node))
      return "a node's type";
  return NULL;
}

/* ---- Reading. ---- */

/* Arrays are used in place, so the layout must be the same on all machines. */
#define LIES_AT(type, field, place)                                                                \
  _Static_assert(offsetof(type, field) == (place), "layout in a bundle")
LIES_AT(dmd_graph_block_t, addr, 0);
LIES_AT(dmd_graph_block_t, slop, 8);
LIES_AT(dmd_graph_block_t, stack, 12);
LIES_AT(dmd_graph_block_t, reports, 16);
LIES_AT(dmd_graph_block_t, outer, 20);
LIES_AT(dmd_graph_block_t, tag, 24);
LIES_AT(dmd_graph_block_t, thread, 26);
LIES_AT(dmd_graph_block_t, flags, 28);
LIES_AT(dmd_graph_interior_t, edge, 8);
LIES_AT(dmd_graph_interior_t, heuristic, 12);
LIES_AT(dmd_graph_first_word_t, node, 8);
LIES_AT(dmd_graph_first_word_t, object, 12);
LIES_AT(dmd_graph_contents_t, node, 8);
LIES_AT(dmd_graph_contents_t, same, 12);
LIES_AT(dmd_graph_contents_t, byte, 16);
LIES_AT(dmd_typed_t, lead, 4);
LIES_AT(dmd_typed_t, evidence, 6);
_Static_assert(sizeof(dmd_graph_interior_t) == 16 && sizeof(dmd_graph_first_word_t) == 16 &&
                   sizeof(dmd_graph_contents_t) == 24,
               "layout in a bundle");

static bool complain(dmd_strbuf_t *why, uint32_t graph, const char *what) {
  dmd_strbuf_str(why, "graph ");
  dmd_strbuf_u64(why, graph);
  dmd_strbuf_str(why, " of the bundle is damaged: ");
  dmd_strbuf_str(why, what);
  return false;
}

/* ---- Columns. ---- */

/* The column of this kind with *n elements; NULL if it is missing or its size is not a multiple of
 * an element's. */
static void *column(const dmd_bundle_t *image, dmd_bundle_kind_t kind, uint32_t index,
                    size_t element_szB, uint32_t *n) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, kind, index);
  *n = 0;
  if (section == NULL || section->n % element_szB != 0 || section->n / element_szB >= UINT32_MAX)
    return NULL;
  *n = (uint32_t)(section->n / element_szB);
  return section->bytes;
}

static const char *find_columns(const dmd_bundle_t *image, uint32_t i, dmd_heapgraph_columns_t *c) {
  uint32_t n_first, n_edges, n_offsets, n_nodes;
  c->first = column(image, DMD_BUNDLE_FIRST, i, sizeof *c->first, &n_first);
  c->target = column(image, DMD_BUNDLE_TARGET, i, sizeof *c->target, &n_edges);
  c->offset = column(image, DMD_BUNDLE_OFFSET, i, sizeof *c->offset, &n_offsets);
  c->size = column(image, DMD_BUNDLE_SIZE, i, sizeof *c->size, &n_nodes);
  c->blocks = column(image, DMD_BUNDLE_BLOCKS, i, sizeof *c->blocks, &c->n_blocks);
  c->interiors = column(image, DMD_BUNDLE_INTERIORS, i, sizeof *c->interiors, &c->n_interiors);
  c->first_words =
      column(image, DMD_BUNDLE_FIRST_WORDS, i, sizeof *c->first_words, &c->n_first_words);
  c->contents = column(image, DMD_BUNDLE_CONTENTS, i, sizeof *c->contents, &c->n_contents);
  c->residents = column(image, DMD_BUNDLE_RESIDENTS, i, sizeof *c->residents, &c->n_residents);
  c->numbers = column(image, DMD_BUNDLE_NUMBERS, i, sizeof *c->numbers, &c->n_numbers);
  if (c->first == NULL || c->target == NULL || c->offset == NULL || c->size == NULL ||
      c->blocks == NULL || c->interiors == NULL || c->first_words == NULL)
    return "a column is missing";
  if (n_nodes <= c->n_blocks || n_first != n_nodes + 1 || n_offsets != n_edges ||
      n_edges < n_nodes - 1 - c->n_blocks)
    return "its columns are not of one length";
  c->n_roots = n_nodes - 1 - c->n_blocks;
  return check_edges(c, n_edges);
}

/* ---- The graph. ---- */

static const char *read_rest(dmd_bundle_graph_t *graph, const dmd_bundle_section_t *section) {
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  if (dmd_bundlecursor_number(&c) != graph->heap.n_roots)
    return "its roots";
  dmd_imagenames_read(&c, &graph->heap.profile);
  if (c.failed)
    return "its frames, stacks or report sets";
  dmd_imageplaces_read(&c, &graph->heap);
  if (c.failed)
    return "its objects, codes or roots";
  dmd_imagetypes_read(&c, &graph->types);
  return dmd_bundlecursor_is_done(&c) ? check_graph(&graph->heap) : "its types";
}

static const char *read_typed(dmd_bundle_graph_t *graph, const dmd_bundle_t *image, uint32_t i) {
  uint32_t n;
  const dmd_typed_t *typed = column(image, DMD_BUNDLE_TYPED, i, sizeof *typed, &n);
  if (typed == NULL || n != graph->heap.graph.n_nodes)
    return "its nodes' types";
  dmd_mem_copy(graph->typing.nodes, typed, n * sizeof *typed);
  return check_typed(&graph->typing);
}

static const char *read_variables(dmd_bundle_graph_t *graph, const dmd_bundle_t *image,
                                  uint32_t i) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_VARIABLES, i);
  if (section == NULL)
    return NULL;
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  dmd_imagevariables_read(&c, &graph->variables, graph->heap.objects.last, graph->types.pool.last);
  return dmd_bundlecursor_is_done(&c) ? NULL : "its variables";
}

static const char *read_bit_fields(dmd_bundle_graph_t *graph, const dmd_bundle_t *image,
                                   uint32_t i) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_BIT_FIELDS, i);
  if (section == NULL)
    return NULL;
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  dmd_imagebitfields_read(&c, &graph->types);
  return dmd_bundlecursor_is_done(&c) ? NULL : "its bit fields";
}

static uint8_t read_fill(const dmd_bundle_t *image, uint32_t i) {
  uint32_t n;
  const uint8_t *fill = column(image, DMD_BUNDLE_FILL, i, sizeof *fill, &n);
  return fill != NULL && n > 0 ? *fill : 0;
}

bool dmd_bundle_open_graph(dmd_bundle_graph_t *graph, const dmd_bundle_t *image, uint32_t i,
                           dmd_strbuf_t *why) {
  dmd_heapgraph_columns_t columns;
  const char *wrong = find_columns(image, i, &columns);
  if (wrong != NULL)
    return complain(why, i, wrong);
  dmd_heapgraph_borrow(&graph->heap, image->env, &columns);
  graph->heap.profile.frame_view = image->settings.frame_view;
  graph->heap.has_contents = columns.contents != NULL;
  graph->heap.fill = read_fill(image, i);
  dmd_types_init(&graph->types, image->env, sizeof(uint64_t));
  wrong = read_rest(graph, dmd_bundle_find(image, DMD_BUNDLE_GRAPH, i));
  dmd_typing_init(&graph->typing, &graph->heap, &graph->types);
  dmd_knownvariables_init(&graph->variables, image->env);
  if (wrong == NULL)
    wrong = read_typed(graph, image, i);
  if (wrong == NULL)
    wrong = read_variables(graph, image, i);
  if (wrong == NULL)
    wrong = read_bit_fields(graph, image, i);
  if (wrong == NULL) {
    dmd_liveparts_find(&graph->typing);
    return true;
  }
  dmd_bundle_close_graph(graph);
  return complain(why, i, wrong);
}

void dmd_bundle_close_graph(dmd_bundle_graph_t *graph) {
  dmd_knownvariables_destroy(&graph->variables);
  dmd_typing_destroy(&graph->typing);
  dmd_types_destroy(&graph->types);
  dmd_heapgraph_destroy(&graph->heap);
}

/* ---- Writing. ---- */

/* Writes a graph's columns as described in bundle.h, and the rest of the graph. */

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

static void write_contents(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_CONTENTS, index);
  for (uint32_t i = 1; i <= heap->contents.last; i++) {
    const dmd_graph_contents_t *contents =
        DMD_POOL_AT(&heap->contents, const dmd_graph_contents_t, i);
    dmd_bundlewriter_fixed(w, contents->tail, 8);
    dmd_bundlewriter_fixed(w, contents->node, 4);
    dmd_bundlewriter_fixed(w, contents->same, 4);
    dmd_bundlewriter_fixed(w, contents->byte, 8);
  }
  dmd_bundlewriter_end_section(w);
}

static void write_fill(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_FILL, index);
  dmd_bundlewriter_fixed(w, heap->fill, 1);
  dmd_bundlewriter_end_section(w);
}

static void write_residents(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_RESIDENTS, index);
  for (uint32_t i = 1; i <= heap->residents.last; i++) {
    const dmd_graph_resident_t *resident =
        DMD_POOL_AT(&heap->residents, const dmd_graph_resident_t, i);
    dmd_bundlewriter_fixed(w, resident->addr, 8);
    dmd_bundlewriter_fixed(w, resident->szB, 8);
  }
  dmd_bundlewriter_end_section(w);
}

static void write_beside(dmd_bundlewriter_t *w, uint32_t index, const dmd_heapgraph_t *heap) {
  dmd_bundlewriter_begin(w, DMD_BUNDLE_NUMBERS, index);
  for (uint32_t i = 1; i <= heap->numbers.last; i++) {
    const dmd_graph_number_t *number = DMD_POOL_AT(&heap->numbers, const dmd_graph_number_t, i);
    dmd_bundlewriter_fixed(w, number->value, 8);
    dmd_bundlewriter_fixed(w, number->node, 4);
    dmd_bundlewriter_fixed(w, number->offset, 4);
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
  if (heap->has_contents)
    write_contents(w, index, heap);
  if (heap->fill != 0)
    write_fill(w, index, heap);
  if (heap->residents.last > 0)
    write_residents(w, index, heap);
  if (heap->numbers.last > 0)
    write_beside(w, index, heap);
  write_typed(w, index, typing);
  dmd_imagebitfields_write(w, index, types);
  return index;
}
