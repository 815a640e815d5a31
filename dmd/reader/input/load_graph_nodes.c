/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Roots, blocks and edges.
 *
 * Roots are added when they are read; their edges, which are in parts of their own, follow in the
 * same order. A root that was cut into variables has its edges dealt out to these.
 */
#include "base/limits.h"
#include "reader/host/host.h"
#include "reader/input/graphloader.h"

#include <inttypes.h>

/* So many parts data is cut into at most; what comes then stays whole. Real programs have some
 * hundred thousand variables; in a file, roots that lie on one another may have any number. */
enum { MAX_DATA_PARTS = 1 << 24 };

/* Of a column that may have been left out. */
static uint64_t at(const uint64_t *column, size_t n, size_t i) {
  return i < n ? column[i] : 0;
}

static uint32_t at_32(const uint32_t *column, size_t n, size_t i) {
  return i < n ? column[i] : 0;
}

static bool check_column(dmdv_graphloader_t *l, const char *name, size_t n, size_t wanted) {
  return n == 0 || n == wanted ||
         dmdv_graph_reject(l, "a column of %s has %zu elements, and not %zu", name, n, wanted);
}

/* ---- Roots. ---- */

/* Whether a root may be cut into variables, and what it is then, without address and size. */
static bool may_cut(const dmdv_graphloader_t *l, const Dmd__Graph__Root *root,
                    const dmd_graph_root_t *kept, dmd_uncut_t *rest) {
  *rest = (dmd_uncut_t){.kind = kept->kind, .object = kept->object};
  if (l->options->cutter == NULL)
    return false;
  if (kept->kind == DMD_ROOT_DATA)
    return kept->object != DMD_NONE;
  if (kept->kind == DMD_ROOT_STACK && root->frame != NULL) {
    rest->object = root->frame->object;
    rest->code = root->frame->address;
    return kept->origin != 0 && rest->object != DMD_NONE && rest->object <= l->objects.last;
  }
  return kept->kind == DMD_ROOT_THREAD && kept->origin != 0;
}

/* Does this with each part of a root's memory, in order. n_parts: of all roots so far. */
static void cut(dmdv_graphloader_t *l, const Dmd__Graph__Root *root, uint64_t *n_parts,
                void (*do_it)(dmdv_graphloader_t *l, const dmd_graph_root_t *part),
                dmd_graph_root_t kept) {
  const dmdv_data_cutter_t *cutter = l->options->cutter;
  dmd_uncut_t rest;
  bool is_cut = may_cut(l, root, &kept, &rest);
  uint64_t origin = kept.origin;
  if (is_cut && kept.kind == DMD_ROOT_DATA)
    origin = DMD_POOL_AT(&l->objects, dmd_graph_object_t, kept.object)->bias;
  uint64_t done = 0;
  do {
    uint64_t left = root->size - done;
    kept.addr = root->address + done;
    kept.szB = left;
    if (is_cut && left > 0 && *n_parts < MAX_DATA_PARTS) {
      rest.addr = kept.addr - origin;
      rest.szB = left;
      dmdv_data_part_t part = cutter->part(cutter->ctx, &rest);
      kept.name = part.name;
      kept.szB = part.szB > 0 && part.szB < left ? part.szB : left;
    }
    do_it(l, &kept);
    ++*n_parts;
    done += kept.szB;
  } while (done < root->size);
}

static dmd_root_kind_t kind_of(Dmd__Graph__RootKind kind) {
  return (unsigned)kind < DMD_N_ROOT_KINDS ? (dmd_root_kind_t)kind : DMD_ROOT_OTHER;
}

static void drop(dmdv_graphloader_t *l, const dmd_graph_root_t *part) {
  (void)l, (void)part;
}

bool dmdv_graph_count_roots(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  for (size_t i = 0; i < part->n_roots; i++) {
    const Dmd__Graph__Root *root = part->roots[i];
    if (!dmdv_graph_check_id(l, "object", root->object, l->objects.last))
      return false;
    if (root->address + root->size < root->address)
      return dmdv_graph_reject(l, "a root ends beyond all addresses");
    cut(l, root, &l->n_data_parts, drop,
        (dmd_graph_root_t){
            .kind = kind_of(root->kind), .object = root->object, .origin = root->origin});
  }
  return true;
}

/* There may be more than were counted if the file changes meanwhile. */
static void add_root(dmdv_graphloader_t *l, const dmd_graph_root_t *part) {
  if (l->graph->roots.last < l->graph->n_roots)
    dmd_heapgraph_add_root(l->graph, part);
}

static bool load_root(dmdv_graphloader_t *l, const Dmd__Graph__Root *root) {
  dmd_graph_root_t kept = {.kind = kind_of(root->kind),
                           .object = root->object,
                           .thread = root->thread,
                           .origin = root->origin};
  if (root->frame != NULL && !dmdv_graph_load_code(l, root->frame, &kept.code))
    return false;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_bytes(&name, (const char *)root->name.data, root->name.len);
  kept.name = name.n > 0 ? name.text : NULL;
  uint64_t n_parts = l->graph->roots.last;
  dmdv_graph_note(&l->first_root, (uint32_t)n_parts);
  cut(l, root, &n_parts, add_root, kept);
  dmd_strbuf_destroy(&name);
  return true;
}

bool dmdv_graph_load_roots(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  for (size_t i = 0; i < part->n_roots; i++)
    if (!load_root(l, part->roots[i]))
      return false;
  l->n_root_codes = part->n_roots > 0 ? l->graph->codes.last : l->n_root_codes;
  return true;
}

/* ---- Edges. ---- */

/* Where in a part's edges the reading is. */
typedef struct {
  const Dmd__Graph__Edges *edges;
  size_t n; /* that the part has */
  size_t next;
  uint64_t target;         /* of the latest edge */
  size_t next_interior;    /* of the interior ones, */
  uint64_t interior_place; /* and which edge it is */
} cursor_t;

static bool start_edges(dmdv_graphloader_t *l, const Dmd__Graph__Edges *edges, cursor_t *cursor) {
  *cursor = (cursor_t){.edges = edges, .n = edges->n_target};
  uint64_t n = 0;
  for (size_t i = 0; i < edges->n_count; i++)
    n += edges->count[i];
  if (n != edges->n_target)
    return dmdv_graph_reject(l, "nodes have %" PRIu64 " edges, and there are %zu", n,
                             edges->n_target);
  if (edges->n_interior > 0)
    cursor->interior_place = edges->interior[0];
  return check_column(l, "words", edges->n_word, edges->n_target) &&
         check_column(l, "bytes into blocks", edges->n_into, edges->n_interior) &&
         check_column(l, "heuristics", edges->n_heuristic, edges->n_interior);
}

/* Adds the next edge to the current node, at this offset in it. */
static bool add_edge(dmdv_graphloader_t *l, cursor_t *c, uint64_t offset) {
  const Dmd__Graph__Edges *edges = c->edges;
  c->target += (uint64_t)edges->target[c->next];
  if (c->target == 0 || c->target > l->n[PART_BLOCKS])
    return dmdv_graph_reject(l, "an edge leads to block %" PRIu64 ", of %" PRIu64, c->target,
                             l->n[PART_BLOCKS]);
  uint32_t target = l->graph->n_roots + (uint32_t)c->target;
  /* Names of members are not looked for beyond 4 GiB. */
  uint32_t kept = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
  if (c->next_interior >= edges->n_interior || c->interior_place != c->next) {
    dmd_heapgraph_add_edge(l->graph, target, kept);
  } else {
    size_t i = c->next_interior++;
    unsigned heuristic = i < edges->n_heuristic ? (unsigned)edges->heuristic[i] : 0;
    dmd_heapgraph_add_interior(l->graph, target, kept, at(edges->into, edges->n_into, i),
                               heuristic < DMD_N_HEURISTICS ? heuristic : DMD_HEURISTIC_NONE);
    if (c->next_interior < edges->n_interior)
      c->interior_place += edges->interior[c->next_interior];
  }
  c->next++;
  return true;
}

/* Gives n nodes, which together are one of the file that begins at addr, so many edges. */
static bool add_edges(dmdv_graphloader_t *l, cursor_t *c, uint64_t addr, uint32_t n_nodes,
                      uint32_t n_edges) {
  const dmd_graph_t *graph = &l->graph->graph;
  uint64_t word = 0, start = 0; /* start: of the current node in that of the file */
  uint64_t first = (0 - addr) & (l->word_szB - 1); /* where its first aligned word is */
  uint32_t last = graph->n_ended + n_nodes - 1;
  for (uint32_t i = 0; i < n_edges; i++) {
    word += at_32(c->edges->word, c->edges->n_word, c->next);
    uint64_t place = first + word * l->word_szB;
    while (graph->n_ended < last && place >= start + graph->size[graph->n_ended]) {
      start += graph->size[graph->n_ended];
      dmd_heapgraph_end_node(l->graph);
    }
    uint64_t offset = place - start;
    if (offset >= graph->size[graph->n_ended])
      return dmdv_graph_reject(l, "an edge starts at word %" PRIu64 ", beyond its node", word);
    if (!add_edge(l, c, offset))
      return false;
  }
  while (graph->n_ended <= last)
    dmd_heapgraph_end_node(l->graph);
  return true;
}

/* All must have been used. */
static bool end_edges(dmdv_graphloader_t *l, const cursor_t *c) {
  return c->next_interior == c->edges->n_interior ||
         dmdv_graph_reject(l, "an edge into the middle of a block is not in its part");
}

/* How many nodes there are of a root of the file, by its number from 0. */
static uint32_t n_parts_of(const dmdv_graphloader_t *l, uint32_t root) {
  uint32_t first = *DMD_POOL_AT(&l->first_root, uint32_t, root + 1);
  uint32_t next = root + 1 < l->first_root.last ? *DMD_POOL_AT(&l->first_root, uint32_t, root + 2)
                                                : l->graph->roots.last;
  return next - first;
}

static bool load_root_edges(dmdv_graphloader_t *l, const Dmd__Graph__Edges *edges) {
  cursor_t cursor;
  if (edges->n_count > l->first_root.last - l->n_rooted)
    return dmdv_graph_reject(l, "edges of more roots than there are");
  if (!start_edges(l, edges, &cursor))
    return false;
  for (size_t i = 0; i < edges->n_count; i++) {
    uint32_t n_nodes = n_parts_of(l, l->n_rooted++);
    if (n_nodes == 0)
      return dmd_fail(l->fail, "changed while it was read");
    uint64_t addr = dmd_heapgraph_root(l->graph, l->graph->graph.n_ended)->addr;
    if (!add_edges(l, &cursor, addr, n_nodes, edges->count[i]))
      return false;
  }
  return end_edges(l, &cursor);
}

void dmdv_graph_end_roots(dmdv_graphloader_t *l) {
  while (l->graph->graph.n_ended <= l->graph->roots.last)
    dmd_heapgraph_end_node(l->graph);
  l->n_rooted = l->first_root.last;
}

/* ---- Blocks. ---- */

/* A block as the file has it. */
typedef struct {
  uint64_t addr, req, slop;
  uint32_t stack, reports, tag, thread, outer, flags;
} raw_block_t;

/* addr: of the block before it in the part. */
static raw_block_t block_at(const Dmd__Graph__Blocks *b, size_t i, uint64_t addr) {
  return (raw_block_t){.addr = addr + b->address[i],
                       .req = at(b->requested, b->n_requested, i),
                       .slop = at(b->slop, b->n_slop, i),
                       .stack = at_32(b->stack, b->n_stack, i),
                       .reports = at_32(b->report_set, b->n_report_set, i),
                       .tag = at_32(b->tag, b->n_tag, i),
                       .thread = at_32(b->thread, b->n_thread, i),
                       .outer = at_32(b->outer, b->n_outer, i),
                       .flags = at_32(b->flags, b->n_flags, i)};
}

static bool check_sizes(dmdv_graphloader_t *l, const raw_block_t *block) {
  uint64_t usable = block->req + block->slop;
  if (usable < block->req || usable > DMD_MAX_TOTAL || (l->total_szB += usable) > DMD_MAX_TOTAL)
    return dmdv_graph_reject(l, "blocks add up to more than " DMD_MAX_TOTAL_TEXT " bytes");
  if (block->slop > UINT32_MAX)
    return dmdv_graph_reject(l, "a block has 2^32 bytes of slop, or more");
  if (block->addr + usable < block->addr)
    return dmdv_graph_reject(l, "a block ends beyond all addresses");
  return true;
}

/* Whether it lies behind the block before it, and starts in the one around it. */
static bool check_place(dmdv_graphloader_t *l, const raw_block_t *block) {
  uint32_t number = l->n_blocks + 1;
  if (block->addr < l->latest_addr)
    return dmdv_graph_reject(l, "block %" PRIu32 " has a lower address than the one before it",
                             number);
  if (block->outer == 0)
    return true;
  if (block->outer > l->n_blocks)
    return dmdv_graph_reject(l, "block %" PRIu32 " lies in one %" PRIu32 " blocks before it",
                             number, block->outer);
  uint32_t outer = l->graph->n_roots + number - block->outer;
  uint64_t szB = l->graph->graph.size[outer];
  return block->addr - dmd_heapgraph_block(l->graph, outer)->addr < (szB > 0 ? szB : 1) ||
         dmdv_graph_reject(l, "block %" PRIu32 " does not start in the block around it", number);
}

static bool check_block(dmdv_graphloader_t *l, const raw_block_t *block) {
  return check_place(l, block) && check_sizes(l, block) &&
         dmdv_graph_check_id(l, "stack", block->stack, l->n[PART_STACKS]) &&
         dmdv_graph_check_id(l, "tag", block->tag, l->n[PART_TAGS]) &&
         dmdv_graph_check_id(l, "report set", block->reports, l->n[PART_REPORT_SETS]) &&
         dmdv_graph_check_id(l, "thread", block->thread, DMD_MAX_THREAD);
}

static void add_block(dmdv_graphloader_t *l, const raw_block_t *block) {
  uint32_t node = l->graph->n_roots + ++l->n_blocks;
  dmd_graph_block_t kept = {.addr = block->addr,
                            .slop = (uint32_t)block->slop,
                            .stack = block->stack,
                            .reports = block->reports,
                            .outer = block->outer > 0 ? node - block->outer : DMD_NONE,
                            .tag = (uint16_t)block->tag,
                            .thread = (uint16_t)block->thread,
                            .flags = (uint8_t)block->flags};
  dmd_heapgraph_add_block(l->graph, &kept, block->req + block->slop);
  l->latest_addr = block->addr;
}

static bool check_columns(dmdv_graphloader_t *l, const Dmd__Graph__Blocks *b) {
  if (b->n_address != b->count)
    return dmdv_graph_reject(l, "%" PRIu32 " blocks have %zu addresses", b->count, b->n_address);
  if (b->count > l->n[PART_BLOCKS] - l->n_blocks)
    return dmd_fail(l->fail, "changed while it was read");
  return check_column(l, "sizes", b->n_requested, b->count) &&
         check_column(l, "slop", b->n_slop, b->count) &&
         check_column(l, "stacks", b->n_stack, b->count) &&
         check_column(l, "report sets", b->n_report_set, b->count) &&
         check_column(l, "tags", b->n_tag, b->count) &&
         check_column(l, "threads", b->n_thread, b->count) &&
         check_column(l, "outer blocks", b->n_outer, b->count) &&
         check_column(l, "flags", b->n_flags, b->count) &&
         check_column(l, "objects of first words", b->n_first_word_object, b->n_first_word_block) &&
         check_column(l, "first words", b->n_first_word_address, b->n_first_word_block);
}

/* Of the current node, if it is the place-th of the part that has one. *next: of first words. */
static bool set_first_word(dmdv_graphloader_t *l, const Dmd__Graph__Blocks *b, size_t *next,
                           uint64_t *place, size_t i) {
  if (*next >= b->n_first_word_block || *place != i)
    return true;
  uint32_t object = at_32(b->first_word_object, b->n_first_word_object, *next);
  if (!dmdv_graph_check_id(l, "object", object, l->graph->objects.last))
    return false;
  dmd_heapgraph_set_first_word(l->graph, object,
                               at(b->first_word_address, b->n_first_word_address, *next));
  if (++*next < b->n_first_word_block)
    *place += b->first_word_block[*next];
  return true;
}

static bool load_blocks(dmdv_graphloader_t *l, const Dmd__Graph__Blocks *b,
                        const Dmd__Graph__Edges *edges) {
  static const Dmd__Graph__Edges none = DMD__GRAPH__EDGES__INIT;
  cursor_t cursor;
  size_t first_word = 0;
  uint64_t addr = 0, place = b->n_first_word_block > 0 ? b->first_word_block[0] : 0;
  edges = edges != NULL ? edges : &none;
  if (!check_columns(l, b) || !check_column(l, "edges", edges->n_count, b->count) ||
      !start_edges(l, edges, &cursor))
    return false;
  for (size_t i = 0; i < b->count; i++) {
    raw_block_t block = block_at(b, i, addr);
    addr = block.addr;
    if (!check_block(l, &block))
      return false;
    add_block(l, &block);
    if (!set_first_word(l, b, &first_word, &place, i) ||
        !add_edges(l, &cursor, block.addr, 1, at_32(edges->count, edges->n_count, i)))
      return false;
  }
  if (first_word < b->n_first_word_block)
    return dmdv_graph_reject(l, "the first word of a block that is not in its part");
  return end_edges(l, &cursor);
}

bool dmdv_graph_load_nodes(dmdv_graphloader_t *l, const Dmd__Graph__Part *part) {
  uint64_t n_edges = dmd_graph_n_edges(&l->graph->graph) - l->graph->n_roots;
  if (part->edges != NULL && part->edges->n_target > l->n[PART_EDGES] - n_edges)
    return dmd_fail(l->fail, "changed while it was read");
  return part->blocks != NULL ? load_blocks(l, part->blocks, part->edges)
                              : load_root_edges(l, part->edges);
}

/* ---- At the end. ---- */

void dmdv_graph_translate_blocks(dmdv_graphloader_t *l) {
  for (uint32_t i = 1; i <= l->graph->blocks.last; i++) {
    dmd_graph_block_t *block = DMD_POOL_AT(&l->graph->blocks, dmd_graph_block_t, i);
    if (block->tag != DMD_NONE)
      block->tag = (uint16_t)*DMD_POOL_AT(&l->tags, uint32_t, block->tag);
    if (block->reports != DMD_NONE)
      block->reports = *DMD_POOL_AT(&l->report_sets, uint32_t, block->reports);
  }
}

bool dmdv_graph_check_interiors(dmdv_graphloader_t *l) {
  const dmd_graph_t *graph = &l->graph->graph;
  for (uint32_t i = 1; i <= l->graph->interiors.last; i++) {
    const dmd_graph_interior_t *interior =
        DMD_POOL_AT(&l->graph->interiors, const dmd_graph_interior_t, i);
    uint32_t target = graph->target[interior->edge];
    if (interior->into >= graph->size[target])
      return dmd_fail(l->fail, "an edge leads beyond block %" PRIu32, target - l->graph->n_roots);
  }
  return true;
}
