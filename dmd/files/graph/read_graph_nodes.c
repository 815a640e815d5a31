/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Roots, blocks and edges.
 *
 * Roots are added when they are read. Their edges are in separate parts and follow in the same
 * order. If a root was cut into variables, its edges are distributed among them.
 */
#include "base/limits.h"
#include "base/wire.h"
#include "files/graph/graphreader.h"
#include "files/graph/graphreaderstate.h"

/* Data is cut into this many parts at most; the rest stays whole. Real programs have some hundred
 * thousand variables, but roots that overlap in a malformed file could have any number. */
enum { MAX_DATA_PARTS = 1 << 24 };

static bool check_column(dmd_graphreaderstate_t *l, const char *name, size_t n, size_t wanted) {
  return n == 0 || n == wanted ||
         dmd_graph_reject(l, "a column of %s has %zu elements, and not %zu", name, n, wanted);
}

/* ---- Roots. ---- */

/* True if a root may be cut into variables. Fills in *rest except for address and size. */
static bool may_cut(const dmd_graphreaderstate_t *l, const dmd_graphroot_t *root,
                    const dmd_graph_root_t *kept, dmd_uncut_t *rest) {
  *rest = (dmd_uncut_t){.kind = kept->kind, .object = kept->object};
  if (l->options->cutter == NULL)
    return false;
  if (kept->kind == DMD_ROOT_DATA)
    return kept->object != DMD_NONE;
  dmd_graphcode_t code;
  if (kept->kind == DMD_ROOT_STACK && root->frame.at != NULL) {
    if (!dmd_graphcode_read(root->frame, &code) || code.object > l->objects.last)
      return false;
    rest->object = (uint32_t)code.object;
    rest->code = code.addr;
    return kept->origin != 0 && rest->object != DMD_NONE;
  }
  return kept->kind == DMD_ROOT_THREAD && kept->origin != 0;
}

/* Calls a function for each part of a root, in order. n_parts: parts of all roots so far. */
static void cut(dmd_graphreaderstate_t *l, const dmd_graphroot_t *root, uint64_t *n_parts,
                void (*do_it)(dmd_graphreaderstate_t *l, const dmd_graph_root_t *part),
                dmd_graph_root_t kept) {
  const dmd_data_cutter_t *cutter = l->options->cutter;
  dmd_uncut_t rest;
  bool is_cut = may_cut(l, root, &kept, &rest);
  uint64_t origin = kept.origin;
  if (is_cut && kept.kind == DMD_ROOT_DATA)
    origin = DMD_POOL_AT(&l->objects, dmd_graph_object_t, kept.object)->bias;
  uint64_t done = 0;
  do {
    uint64_t left = root->szB - done;
    kept.addr = root->addr + done;
    kept.szB = left;
    if (is_cut && left > 0 && *n_parts < MAX_DATA_PARTS) {
      rest.addr = kept.addr - origin;
      rest.szB = left;
      dmd_cut_part_t part = cutter->part(cutter->ctx, &rest);
      kept.name = part.name;
      kept.szB = part.szB > 0 && part.szB < left ? part.szB : left;
    }
    do_it(l, &kept);
    ++*n_parts;
    done += kept.szB;
  } while (done < root->szB);
}

static dmd_root_kind_t kind_of(uint64_t kind) {
  return kind < DMD_N_ROOT_KINDS ? (dmd_root_kind_t)kind : DMD_ROOT_OTHER;
}

static void drop(dmd_graphreaderstate_t *l, const dmd_graph_root_t *part) {
  (void)l, (void)part;
}

bool dmd_graph_count_roots(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_wire_list_t roots = part->roots;
  dmd_wire_span_t message;
  dmd_graphroot_t root;
  while (dmd_wire_list_next(&roots, &message)) {
    if (!dmd_graphroot_read(message, &root))
      return dmd_graph_damaged(l);
    if (!dmd_graph_check_id(l, "object", root.object, l->objects.last))
      return false;
    if (root.addr + root.szB < root.addr)
      return dmd_graph_reject(l, "a root ends beyond all addresses");
    cut(l, &root, &l->n_data_parts, drop,
        (dmd_graph_root_t){
            .kind = kind_of(root.kind), .object = (uint32_t)root.object, .origin = root.origin});
  }
  return true;
}

/* There may be more parts than were counted if the file changed meanwhile. */
static void add_root(dmd_graphreaderstate_t *l, const dmd_graph_root_t *part) {
  if (l->graph->roots.last < l->graph->n_roots)
    dmd_heapgraph_add_root(l->graph, part);
}

static bool load_root(dmd_graphreaderstate_t *l, const dmd_graphroot_t *root) {
  dmd_graph_root_t kept = {.kind = kind_of(root->kind),
                           .object = (uint32_t)root->object,
                           .thread = (uint32_t)root->thread,
                           .origin = root->origin};
  if (root->frame.at != NULL && !dmd_graph_load_code(l, root->frame, &kept.code))
    return false;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, l->env);
  dmd_strbuf_bytes(&name, (const char *)root->name.at, root->name.n);
  kept.name = name.n > 0 ? name.text : NULL;
  uint64_t n_parts = l->graph->roots.last;
  dmd_graph_note(&l->first_root, (uint32_t)n_parts);
  cut(l, root, &n_parts, add_root, kept);
  dmd_strbuf_destroy(&name);
  return true;
}

bool dmd_graph_load_roots(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_wire_list_t roots = part->roots;
  dmd_wire_span_t message;
  dmd_graphroot_t root;
  while (dmd_wire_list_next(&roots, &message)) {
    if (!dmd_graphroot_read(message, &root))
      return dmd_graph_damaged(l);
    if (!load_root(l, &root))
      return false;
  }
  l->n_root_codes = part->roots.n > 0 ? l->graph->codes.last : l->n_root_codes;
  return true;
}

/* ---- Edges. ---- */

/* The position in a part's edges, whose columns are read element by element. */
typedef struct {
  dmd_graphedges_t edges;
  uint64_t next;           /* number of the next edge */
  uint64_t target;         /* of the latest edge */
  uint64_t n_interiors;    /* interior edges still to come */
  uint64_t interior_place; /* number of the next interior edge */
  uint64_t n_numbers;      /* numbers still to come */
  uint64_t number_place;   /* the edge of the next one */
} cursor_t;

/* Checks that the edge counts of the nodes add up to the number of edges. */
static bool check_counts(dmd_graphreaderstate_t *l, const dmd_graphedges_t *edges) {
  dmd_wire_list_t count = edges->count;
  uint64_t n = 0;
  for (size_t i = 0; i < count.n; i++) {
    uint64_t more = dmd_wire_column_next(&count);
    n = n + more >= n ? n + more : UINT64_MAX;
  }
  return n == edges->target.n || dmd_graph_reject(l, "nodes have %llu edges, and there are %zu",
                                                  dmd_graph_llu(n), edges->target.n);
}

static bool read_edges(dmd_graphreaderstate_t *l, dmd_wire_span_t message, cursor_t *cursor) {
  uint64_t n_edges = dmd_graph_n_edges(&l->graph->graph) - l->graph->n_roots;
  *cursor = (cursor_t){.next = 0};
  if (!dmd_graphedges_read(message, &cursor->edges))
    return dmd_graph_damaged(l);
  return cursor->edges.target.n <= l->n[PART_EDGES] - n_edges ||
         dmd_fail(l->fail, "changed while it was read");
}

static bool start_edges(dmd_graphreaderstate_t *l, cursor_t *cursor) {
  dmd_graphedges_t *edges = &cursor->edges;
  cursor->n_interiors = edges->interior.n;
  cursor->interior_place = dmd_wire_column_next(&edges->interior);
  cursor->n_numbers = edges->number_edge.n;
  cursor->number_place = dmd_wire_column_next(&edges->number_edge);
  return check_counts(l, edges) &&
         check_column(l, "words of numbers", edges->number_word.n, edges->number_edge.n) &&
         check_column(l, "numbers", edges->number.n, edges->number_edge.n) &&
         check_column(l, "words", edges->word.n, edges->target.n) &&
         check_column(l, "bytes into blocks", edges->into.n, edges->interior.n) &&
         check_column(l, "heuristics", edges->heuristic.n, edges->interior.n);
}

/* Decodes a zigzag difference (protobuf's sint64): the lowest bit is the sign. */
static uint64_t difference(uint64_t coded) {
  return dmd_wire_unfold(coded);
}

/* Adds the next edge to the current node, at this offset. */
static bool add_edge(dmd_graphreaderstate_t *l, cursor_t *c, uint64_t offset) {
  c->target += difference(dmd_wire_column_next(&c->edges.target));
  if (c->target == 0 || c->target > l->n[PART_BLOCKS])
    return dmd_graph_reject(l, "an edge leads to block %llu, of %llu", dmd_graph_llu(c->target),
                            dmd_graph_llu(l->n[PART_BLOCKS]));
  uint32_t target = l->graph->n_roots + (uint32_t)c->target;
  /* Member names are not looked up beyond 4 GiB, so larger offsets are cut. */
  uint32_t kept = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
  if (c->n_interiors == 0 || c->interior_place != c->next) {
    dmd_heapgraph_add_edge(l->graph, target, kept);
  } else {
    uint64_t into = dmd_wire_column_next(&c->edges.into);
    uint64_t heuristic = dmd_wire_column_next(&c->edges.heuristic);
    dmd_heapgraph_add_interior(l->graph, target, kept, into,
                               heuristic < DMD_N_HEURISTICS ? (dmd_heuristic_t)heuristic
                                                            : DMD_HEURISTIC_NONE);
    c->n_interiors--;
    c->interior_place += dmd_wire_column_next(&c->edges.interior);
  }
  c->next++;
  return true;
}

static bool is_behind(const dmd_pool_t *numbers, uint32_t node, uint64_t offset) {
  if (numbers->last == 0)
    return true;
  const dmd_graph_number_t *last = DMD_POOL_AT(numbers, const dmd_graph_number_t, numbers->last);
  return last->node < node || last->offset < offset;
}

/* Adds the numbers beside an edge of the current node, at this offset: those within the node, which
 * may be a part of the file's. */
static bool add_numbers(dmd_graphreaderstate_t *l, cursor_t *c, uint64_t offset) {
  enum { FARTHEST = 3 };
  const dmd_graph_t *graph = &l->graph->graph;
  uint32_t node = graph->n_ended;
  for (; c->n_numbers > 0 && c->number_place == c->next - 1; c->n_numbers--) {
    uint64_t words = difference(dmd_wire_column_next(&c->edges.number_word));
    uint64_t value = dmd_wire_column_next(&c->edges.number), at = offset + words * l->word_szB;
    c->number_place += dmd_wire_column_next(&c->edges.number_edge);
    if (words + FARTHEST > 2 * FARTHEST)
      return dmd_graph_reject(l, "a number is %lld words from its pointer", (long long)words);
    if (at >= graph->size[node] || at >= UINT32_MAX)
      continue;
    if (!is_behind(&l->graph->numbers, node, at))
      return dmd_graph_reject(l, "a number is not behind the one before");
    dmd_heapgraph_add_number(l->graph, &(dmd_graph_number_t){value, node, (uint32_t)at});
  }
  return true;
}

/* Adds a number of edges to n_nodes nodes, which together are one node of the file that begins at
 * addr. */
static bool add_edges(dmd_graphreaderstate_t *l, cursor_t *c, uint64_t addr, uint32_t n_nodes,
                      uint64_t n_edges) {
  const dmd_graph_t *graph = &l->graph->graph;
  uint64_t word = 0, start = 0; /* start: offset of the current node in the file's node */
  uint64_t first = (0 - addr) & (l->word_szB - 1); /* offset of its first aligned word */
  uint32_t last = graph->n_ended + n_nodes - 1;
  for (uint64_t i = 0; i < n_edges; i++) {
    uint64_t more = dmd_wire_column_next(&c->edges.word);
    word += more;
    if (more > UINT32_MAX)
      return dmd_graph_reject(l, "an edge starts more than 2^32 words behind the one before it");
    uint64_t place = first + word * l->word_szB;
    while (graph->n_ended < last && place >= start + graph->size[graph->n_ended]) {
      start += graph->size[graph->n_ended];
      dmd_heapgraph_end_node(l->graph);
    }
    uint64_t offset = place - start;
    if (offset >= graph->size[graph->n_ended])
      return dmd_graph_reject(l, "an edge starts at word %llu, beyond its node",
                              dmd_graph_llu(word));
    if (!add_edge(l, c, offset) || !add_numbers(l, c, offset))
      return false;
  }
  while (graph->n_ended <= last)
    dmd_heapgraph_end_node(l->graph);
  return true;
}

/* Checks that all edges were used. */
static bool end_edges(dmd_graphreaderstate_t *l, const cursor_t *c) {
  if (c->n_numbers > 0)
    return dmd_graph_reject(l, "a number is beside an edge that is not in its part");
  return c->n_interiors == 0 ||
         dmd_graph_reject(l, "an edge into the middle of a block is not in its part");
}

/* The number of nodes made from a root of the file; root: its number from 0. */
static uint32_t n_parts_of(const dmd_graphreaderstate_t *l, uint32_t root) {
  uint32_t first = *DMD_POOL_AT(&l->first_root, uint32_t, root + 1);
  uint32_t next = root + 1 < l->first_root.last ? *DMD_POOL_AT(&l->first_root, uint32_t, root + 2)
                                                : l->graph->roots.last;
  return next - first;
}

static bool load_root_edges(dmd_graphreaderstate_t *l, dmd_wire_span_t message) {
  cursor_t cursor;
  if (!read_edges(l, message, &cursor))
    return false;
  size_t n = cursor.edges.count.n;
  if (n > l->first_root.last - l->n_rooted)
    return dmd_graph_reject(l, "edges of more roots than there are");
  if (!start_edges(l, &cursor))
    return false;
  for (size_t i = 0; i < n; i++) {
    uint32_t n_nodes = n_parts_of(l, l->n_rooted++);
    if (n_nodes == 0)
      return dmd_fail(l->fail, "changed while it was read");
    uint64_t addr = dmd_heapgraph_root(l->graph, l->graph->graph.n_ended)->addr;
    if (!add_edges(l, &cursor, addr, n_nodes, dmd_wire_column_next(&cursor.edges.count)))
      return false;
  }
  return end_edges(l, &cursor);
}

void dmd_graph_end_roots(dmd_graphreaderstate_t *l) {
  while (l->graph->graph.n_ended <= l->graph->roots.last)
    dmd_heapgraph_end_node(l->graph);
  l->n_rooted = l->first_root.last;
}

/* ---- Blocks. ---- */

/* A block as it is in the file. */
typedef struct {
  uint64_t addr, req, slop, stack, reports, tag, thread, outer, flags;
} raw_block_t;

/* addr: address of the previous block in the part. */
static raw_block_t next_block(dmd_graphblocks_t *b, uint64_t addr) {
  return (raw_block_t){.addr = addr + dmd_wire_column_next(&b->addr),
                       .req = dmd_wire_column_next(&b->req),
                       .slop = dmd_wire_column_next(&b->slop),
                       .stack = dmd_wire_column_next(&b->stack),
                       .reports = dmd_wire_column_next(&b->reports),
                       .tag = dmd_wire_column_next(&b->tag),
                       .thread = dmd_wire_column_next(&b->thread),
                       .outer = dmd_wire_column_next(&b->outer),
                       .flags = dmd_wire_column_next(&b->flags)};
}

static bool check_sizes(dmd_graphreaderstate_t *l, const raw_block_t *block) {
  uint64_t usable = block->req + block->slop;
  if (usable < block->req || usable > DMD_MAX_TOTAL || (l->total_szB += usable) > DMD_MAX_TOTAL)
    return dmd_graph_reject(l, "blocks add up to more than " DMD_MAX_TOTAL_TEXT " bytes");
  if (block->slop > UINT32_MAX)
    return dmd_graph_reject(l, "a block has 2^32 bytes of slop, or more");
  if (block->addr + usable < block->addr)
    return dmd_graph_reject(l, "a block ends beyond all addresses");
  return true;
}

/* Checks that a block lies behind the previous one and starts within its outer block. */
static bool check_place(dmd_graphreaderstate_t *l, const raw_block_t *block) {
  uint32_t number = l->n_blocks + 1;
  if (block->addr < l->latest_addr)
    return dmd_graph_reject(l, "block %u has a lower address than the one before it", number);
  if (block->outer == 0)
    return true;
  if (block->outer > l->n_blocks)
    return dmd_graph_reject(l, "block %u lies in one %llu blocks before it", number,
                            dmd_graph_llu(block->outer));
  uint32_t outer = l->graph->n_roots + number - (uint32_t)block->outer;
  uint64_t szB = l->graph->graph.size[outer];
  return block->addr - dmd_heapgraph_block(l->graph, outer)->addr < (szB > 0 ? szB : 1) ||
         dmd_graph_reject(l, "block %u does not start in the block around it", number);
}

static bool check_block(dmd_graphreaderstate_t *l, const raw_block_t *block) {
  return check_place(l, block) && check_sizes(l, block) &&
         dmd_graph_check_id(l, "stack", block->stack, l->n[PART_STACKS]) &&
         dmd_graph_check_id(l, "tag", block->tag, l->n[PART_TAGS]) &&
         dmd_graph_check_id(l, "report set", block->reports, l->n[PART_REPORT_SETS]) &&
         dmd_graph_check_id(l, "thread", block->thread, DMD_MAX_THREAD);
}

static void add_block(dmd_graphreaderstate_t *l, const raw_block_t *block) {
  uint32_t node = l->graph->n_roots + ++l->n_blocks;
  dmd_graph_block_t kept = {.addr = block->addr,
                            .slop = (uint32_t)block->slop,
                            .stack = (uint32_t)block->stack,
                            .reports = (uint32_t)block->reports,
                            .outer = block->outer > 0 ? node - (uint32_t)block->outer : DMD_NONE,
                            .tag = (uint16_t)block->tag,
                            .thread = (uint16_t)block->thread,
                            .flags = (uint8_t)block->flags};
  dmd_heapgraph_add_block(l->graph, &kept, block->req + block->slop);
  l->latest_addr = block->addr;
}

static bool check_columns(dmd_graphreaderstate_t *l, const dmd_graphblocks_t *b) {
  if (b->addr.n != b->count)
    return dmd_graph_reject(l, "%llu blocks have %zu addresses", dmd_graph_llu(b->count),
                            b->addr.n);
  if (b->count > l->n[PART_BLOCKS] - l->n_blocks)
    return dmd_fail(l->fail, "changed while it was read");
  size_t n = b->addr.n, n_first_words = b->first_word_block.n, n_contents = b->contents_block.n;
  return check_column(l, "sizes", b->req.n, n) && check_column(l, "slop", b->slop.n, n) &&
         check_column(l, "stacks", b->stack.n, n) &&
         check_column(l, "report sets", b->reports.n, n) && check_column(l, "tags", b->tag.n, n) &&
         check_column(l, "threads", b->thread.n, n) &&
         check_column(l, "outer blocks", b->outer.n, n) &&
         check_column(l, "flags", b->flags.n, n) &&
         check_column(l, "objects of first words", b->first_word_object.n, n_first_words) &&
         check_column(l, "first words", b->first_word_addr.n, n_first_words) &&
         check_column(l, "equal contents", b->same.n, n_contents) &&
         check_column(l, "tails", b->tail.n, n_contents) &&
         check_column(l, "bytes of tails", b->tail_byte.n, n_contents);
}

/* The rest of a part's column that only some blocks are in, and the block that the next element
 * belongs to. */
typedef struct {
  uint64_t n, place;
} sparse_t;

static sparse_t begin_sparse(dmd_wire_list_t *places) {
  sparse_t sparse = {.n = places->n};
  sparse.place = dmd_wire_column_next(places);
  return sparse;
}

/* True if the i-th block of the part has an element, which the caller then reads. */
static bool next_sparse(sparse_t *sparse, uint64_t i) {
  bool has_one = sparse->n > 0 && sparse->place == i;
  sparse->n -= has_one;
  return has_one;
}

/* Sets the first word of the current node if the i-th block of the part has one. */
static bool set_first_word(dmd_graphreaderstate_t *l, dmd_graphblocks_t *b, sparse_t *words,
                           uint64_t i) {
  if (!next_sparse(words, i))
    return true;
  uint64_t object = dmd_wire_column_next(&b->first_word_object);
  if (!dmd_graph_check_id(l, "object", object, l->graph->objects.last))
    return false;
  dmd_heapgraph_set_first_word(l->graph, (uint32_t)object,
                               dmd_wire_column_next(&b->first_word_addr));
  words->place += dmd_wire_column_next(&b->first_word_block);
  return true;
}

/* Notes what is known of the contents of the current node, the i-th block of the part. */
static bool set_contents(dmd_graphreaderstate_t *l, dmd_graphblocks_t *b, sparse_t *contents,
                         uint64_t i) {
  if (!next_sparse(contents, i))
    return true;
  dmd_heapgraph_t *graph = l->graph;
  uint32_t node = graph->graph.n_ended;
  uint64_t same = dmd_wire_column_next(&b->same), tail = dmd_wire_column_next(&b->tail),
           byte = dmd_wire_column_next(&b->tail_byte);
  contents->place += dmd_wire_column_next(&b->contents_block);
  if (same >= l->n_blocks)
    return dmd_graph_reject(l, "block %u has the contents of one %llu blocks before it",
                            l->n_blocks, dmd_graph_llu(same));
  if (tail > dmd_heapgraph_requested(graph, node) || byte > UINT8_MAX)
    return dmd_graph_reject(l, "block %u has a tail of %llu bytes of %llu", l->n_blocks,
                            dmd_graph_llu(tail), dmd_graph_llu(byte));
  dmd_heapgraph_set_contents(
      graph, &(dmd_graph_contents_t){.tail = tail,
                                     .same = same > 0 ? node - (uint32_t)same : DMD_NONE,
                                     .byte = (uint8_t)byte});
  return true;
}

static bool load_blocks(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_graphblocks_t b;
  cursor_t cursor;
  if (!dmd_graphblocks_read(part->blocks, &b))
    return dmd_graph_damaged(l);
  if (!check_columns(l, &b) || !read_edges(l, part->edges, &cursor) ||
      !check_column(l, "edges", cursor.edges.count.n, b.addr.n) || !start_edges(l, &cursor))
    return false;
  sparse_t words = begin_sparse(&b.first_word_block), contents = begin_sparse(&b.contents_block);
  uint64_t addr = 0;
  for (uint64_t i = 0; i < b.count; i++) {
    raw_block_t block = next_block(&b, addr);
    addr = block.addr;
    if (!check_block(l, &block))
      return false;
    add_block(l, &block);
    if (!set_first_word(l, &b, &words, i) || !set_contents(l, &b, &contents, i) ||
        !add_edges(l, &cursor, addr, 1, dmd_wire_column_next(&cursor.edges.count)))
      return false;
  }
  if (words.n > 0)
    return dmd_graph_reject(l, "the first word of a block that is not in its part");
  if (contents.n > 0)
    return dmd_graph_reject(l, "the contents of a block that is not in its part");
  return end_edges(l, &cursor);
}

bool dmd_graph_load_nodes(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  return part->blocks.at != NULL ? load_blocks(l, part) : load_root_edges(l, part->edges);
}

/* ---- Pages. ---- */

static bool load_resident(dmd_graphreaderstate_t *l, dmd_wire_span_t message) {
  const uint64_t most = UINT64_MAX / DMD_PAGE_SZB;
  uint64_t at = l->resident_end / DMD_PAGE_SZB;
  dmd_graphresident_t resident;
  if (!dmd_graphresident_read(message, &resident))
    return dmd_graph_damaged(l);
  if (resident.pages == 0)
    return dmd_graph_reject(l, "resident pages that are none");
  if (resident.gap > most - at || resident.pages > most - at - resident.gap)
    return dmd_graph_reject(l, "resident pages end beyond all addresses");
  if (resident.gap == 0 && l->graph->residents.last > 0)
    return dmd_graph_reject(l, "resident pages without a gap between them");
  dmd_graph_resident_t kept = {.addr = (at + resident.gap) * DMD_PAGE_SZB,
                               .szB = resident.pages * DMD_PAGE_SZB};
  l->resident_end = kept.addr + kept.szB;
  dmd_heapgraph_add_resident(l->graph, &kept);
  return true;
}

bool dmd_graph_load_residents(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part) {
  dmd_wire_list_t residents = part->residents;
  dmd_wire_span_t message;
  while (dmd_wire_list_next(&residents, &message))
    if (!load_resident(l, message))
      return false;
  return true;
}

/* ---- At the end. ---- */

void dmd_graph_translate_blocks(dmd_graphreaderstate_t *l) {
  for (uint32_t i = 1; i <= l->graph->blocks.last; i++) {
    dmd_graph_block_t *block = DMD_POOL_AT(&l->graph->blocks, dmd_graph_block_t, i);
    if (block->tag != DMD_NONE)
      block->tag = (uint16_t)*DMD_POOL_AT(&l->tags, uint32_t, block->tag);
    if (block->reports != DMD_NONE)
      block->reports = *DMD_POOL_AT(&l->report_sets, uint32_t, block->reports);
  }
}

bool dmd_graph_check_interiors(dmd_graphreaderstate_t *l) {
  const dmd_graph_t *graph = &l->graph->graph;
  for (uint32_t i = 1; i <= l->graph->interiors.last; i++) {
    const dmd_graph_interior_t *interior =
        DMD_POOL_AT(&l->graph->interiors, const dmd_graph_interior_t, i);
    uint32_t target = graph->target[interior->edge];
    if (interior->into >= graph->size[target])
      return dmd_fail(l->fail, "an edge leads beyond block %u", target - l->graph->n_roots);
  }
  return true;
}
