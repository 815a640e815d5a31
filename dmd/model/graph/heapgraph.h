/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapgraph.h: the heap at one moment as a graph: blocks, roots, their attributes, and the pointers
 * between them.
 *
 * Nodes are numbered: DMD_GRAPH_ALL, whose edges lead to all roots; the roots, 1 to n_roots; then
 * the blocks in address order, outer before inner ones at the same address. Edges and sizes are in
 * `graph`, for analyses. Attributes of blocks are columns, indexed by the block's
 * place: its node minus dmd_heapgraph_first_block.
 *
 * Stacks, names, tags and report sets are in a profile without groups, so that frames are judged
 * and printed as everywhere. A stack of the graph consists of addresses, which debug information
 * needs, and is thus finer than one of the profile.
 *
 * Call order: dmd_heapgraph_init; objects, then codes of frames that roots belong to; the roots,
 * each with its edges; the blocks, each with its edges; then codes and stacks, which blocks may
 * reference before they exist; then only read. Ids of objects, codes and stacks count from 1.
 *
 * Memory: 44 bytes a block (12 of them in `graph`), 8 an edge, and 16 more for each edge into the
 * middle of a block and for each block with a first word, and 24 for each block of whose contents
 * something is known.
 */
#ifndef DMD_MODEL_GRAPH_HEAPGRAPH_H
#define DMD_MODEL_GRAPH_HEAPGRAPH_H

#include "base/env.h"
#include "base/strbuf.h"
#include "model/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Nodes and edges. ----
 *
 * A heap graph in compressed arrays (CSR): nodes, edges and sizes.
 *
 * All analyses of heap graphs work on this, whether the graph comes from a live heap, a file or a
 * test. Nodes are numbered from 0; node 0 is the super-root, whose edges lead to everything that
 * the program reaches directly. The edges of a node are contiguous, in the order in which they were
 * found; parallel edges and loops are allowed.
 *
 * Call order: init with the number of nodes and a bound for the number of edges; for each node in
 * order, dmd_graph_add_edge for its edges, then dmd_graph_end_node; then only read. Memory: 12
 * bytes a node, 4 an edge, and 4 more if pointer offsets are kept.
 *
 * Concurrency, for the whole folder: no shared state and no locks. An object belongs to one thread;
 * many queries (types, typing, kinds, keys) cache results and thus write. */

typedef struct dmd_graph {
  const dmd_env_t *env;
  uint32_t n_nodes;
  uint32_t max_edges; /* capacity */
  uint32_t n_ended;   /* nodes whose edges are complete */
  uint32_t *first;  /* n_nodes + 1 entries: the edges of node i are first[i] to first[i + 1] - 1 */
  uint32_t *target; /* by edge */
  uint32_t *offset; /* by edge: offset of the pointer in its node, in bytes; NULL: not kept */
  uint64_t *size;   /* by node: usable bytes; 0 for the root */
  bool is_borrowed; /* the arrays belong to someone else */
} dmd_graph_t;

/* Sizes are initially 0; the caller sets them. */
void dmd_graph_init(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t max_edges,
                    bool with_offsets);
void dmd_graph_destroy(dmd_graph_t *graph);

/* Replaces init and building: a graph over these complete arrays, which must stay in place. Taking
 * edges out (edgemask.h) writes to them. */
void dmd_graph_borrow(dmd_graph_t *graph, const dmd_env_t *env, uint32_t n_nodes, uint32_t *first,
                      uint32_t *target, uint32_t *offset, uint64_t *size);

/* Adds an edge to the current node: the first one that was not ended. */
void dmd_graph_add_edge(dmd_graph_t *graph, uint32_t target, uint32_t offset);
void dmd_graph_end_node(dmd_graph_t *graph);

/* The source node of an edge. Binary search. */
uint32_t dmd_graph_source(const dmd_graph_t *graph, uint32_t edge);

/* Frees memory for an analysis that reads no offsets: until unpacked, offsets take a byte or two an
 * edge, and `offset` is NULL. Does nothing for a graph without offsets or with borrowed arrays. */
typedef struct dmd_packed_offsets {
  dmd_graph_t *graph;
  char *bytes; /* differences within each node; NULL: nothing is packed */
} dmd_packed_offsets_t;

void dmd_graph_pack_offsets(dmd_graph_t *graph, dmd_packed_offsets_t *packed);
void dmd_graph_unpack_offsets(dmd_packed_offsets_t *packed);

static inline uint32_t dmd_graph_n_edges(const dmd_graph_t *graph) {
  return graph->first[graph->n_ended];
}

/* ---- Blocks, roots and places. ---- */

#define DMD_GRAPH_ALL 0u /* the super-root, which leads to all roots */

/* A mapped file, at addresses from start on. Subtract `bias` from an address to get one of the
 * file's symbols and debug information. */
typedef struct dmd_graph_object {
  const char *path, *soname;
  const char *build_id; /* n_build_id arbitrary bytes */
  size_t n_build_id;
  uint64_t bias, start, szB;
} dmd_graph_object_t;

/* The address of a call: in a caller it is the return address - 1. Its frames, inlined calls first,
 * are n_frames entries of code_frames, from `first` on. */
typedef struct dmd_graph_code {
  uint32_t object;          /* DMD_NONE: no object; the address is then the program's */
  uint32_t first, n_frames; /* n_frames may be 0 if only the address is known */
  uint64_t addr;            /* in the object */
} dmd_graph_code_t;

/* n entries of stack_codes, from `first` on, innermost first. */
typedef struct dmd_graph_stack {
  uint32_t first, n;
  uint32_t in_profile; /* the profile's stack for the same calls */
} dmd_graph_stack_t;

typedef enum {
  DMD_ROOT_OTHER,     /* mapped memory other than the following */
  DMD_ROOT_DATA,      /* of an object: a variable, or memory between variables */
  DMD_ROOT_STACK,     /* of a thread: one frame */
  DMD_ROOT_REGISTERS, /* of a thread */
  DMD_ROOT_THREAD,    /* thread-local storage */
  DMD_N_ROOT_KINDS
} dmd_root_kind_t;

typedef struct dmd_graph_root {
  dmd_root_kind_t kind;
  uint32_t object; /* the object whose data it is */
  uint32_t thread; /* the thread whose stack or registers it is */
  uint32_t code;   /* for a stack: the frame's function; an id of codes */
  uint64_t addr, szB;
  uint64_t origin;  /* base address for variables: for a stack the frame's canonical address, for
                       thread-local storage the thread pointer; 0: unknown */
  const char *name; /* of a variable, or of the mapped file; NULL: unnamed */
} dmd_graph_root_t;

/* Usual kinds of interior pointers, as in Memcheck's leak check. */
typedef enum {
  DMD_HEURISTIC_NONE,
  DMD_HEURISTIC_STRING,      /* the text of a std::string's buffer */
  DMD_HEURISTIC_LENGTH,      /* past a word with the size of the rest */
  DMD_HEURISTIC_NEW_ARRAY,   /* past the number of elements */
  DMD_HEURISTIC_INHERITANCE, /* to a base class within an object */
  DMD_N_HEURISTICS
} dmd_heuristic_t;

/* An edge into the middle of its target. */
typedef struct dmd_graph_interior {
  uint64_t into; /* bytes from the block's start */
  uint32_t edge;
  uint32_t heuristic; /* a dmd_heuristic_t */
} dmd_graph_interior_t;

/* A block whose first word is an address in an object, such as that of a virtual function table. */
typedef struct dmd_graph_first_word {
  uint64_t addr; /* in the object */
  uint32_t node;
  uint32_t object;
} dmd_graph_first_word_t;

/* Facts about a block's contents. */
typedef struct dmd_graph_contents {
  uint64_t tail; /* requested bytes at its end that all equal `byte`; 0: unknown, or few */
  uint32_t node;
  uint32_t same; /* the first block of equal contents and size, a node before; DMD_NONE: none */
  uint8_t byte;
} dmd_graph_contents_t;

/* A word of a node beside a pointer to a block of at least 32 bytes, if both of its halves are
 * numbers that are not larger than the block, and it is not 0. */
typedef struct dmd_graph_number {
  uint64_t value;
  uint32_t node, offset;
} dmd_graph_number_t;

/* A run of pages in memory, at least one, that begins at addr. */
typedef struct dmd_graph_resident {
  uint64_t addr, szB;
} dmd_graph_resident_t;

enum {
  DMD_GRAPH_ANNOUNCED = 1, /* by a client request */
  DMD_GRAPH_POOLED = 2     /* a chunk of a memory pool */
};

/* The node's size is its usable bytes; its requested bytes are these minus slop. */
typedef struct dmd_graph_block {
  uint64_t addr;
  uint32_t slop;
  uint32_t stack;   /* of `stacks`; DMD_NONE: not recorded */
  uint32_t reports; /* a report set of the profile; DMD_NONE: unreported */
  uint32_t outer;   /* the node of the block around it; DMD_NONE: not nested */
  uint16_t tag, thread;
  uint8_t flags; /* DMD_GRAPH_... */
} dmd_graph_block_t;

_Static_assert(sizeof(dmd_graph_block_t) == 32, "what a block costs");

/* The sum of some blocks: their number, and their bytes. */
typedef struct dmd_graph_sum {
  uint64_t blocks, req, usable;
} dmd_graph_sum_t;

/* The size that a function returned, shortly before the graph was written: of what its argument
 * points to, or of a set of blocks (--claim-fn). */
typedef struct dmd_graph_claim {
  uint64_t argument, value;
  uint32_t function;   /* of claim_functions */
  uint32_t stack;      /* of `stacks`: the function, and who called it; DMD_NONE: not recorded */
  uint64_t count;      /* times that it said so */
  bool is_outdated;    /* the blocks that the argument led to have changed since */
  uint32_t set;        /* of claim_functions: "tag:NAME" or "alloc-fn:PATTERN"; DMD_NONE: none */
  dmd_graph_sum_t sum; /* of the set, at the claim */
  uint8_t result_szB;  /* of the function's result, as debug information has it; 0: unknown. Not in
                          files */
} dmd_graph_claim_t;

typedef struct dmd_heapgraph {
  const dmd_env_t *env;
  dmd_profile_t profile;
  dmd_graph_t graph; /* with offsets */
  uint32_t n_roots;
  bool has_contents; /* the engine compared contents (--waste=yes) */
  uint8_t fill;      /* new blocks were filled with this byte (--fill=yes); 0: they were not */
  uint64_t peak_szB; /* requested bytes of the heap when it was largest; 0: unknown */
  dmd_pool_t objects, codes, stacks;
  dmd_pool_t roots;             /* by node */
  dmd_pool_t blocks;            /* by place + 1 */
  dmd_pool_t code_frames;       /* uint32_t: frames of the profile */
  dmd_pool_t stack_codes;       /* uint32_t */
  dmd_pool_t interiors;         /* in ascending order of edges */
  dmd_pool_t first_words;       /* in ascending order of nodes */
  dmd_pool_t contents;          /* dmd_graph_contents_t, likewise */
  dmd_pool_t numbers;           /* dmd_graph_number_t, by node and offset */
  dmd_pool_t residents;         /* dmd_graph_resident_t, in ascending order, not adjacent: the pages
                                   in memory from the first to the last block of each mapping;
                                   empty: unknown */
  dmd_intern_t claim_functions; /* names, and sets of blocks */
  dmd_pool_t claims;            /* dmd_graph_claim_t, in the order in which they were first made */
} dmd_heapgraph_t;

/* Must not move until it is destroyed. The numbers are those of the nodes and edges to be added. */
void dmd_heapgraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, uint32_t n_roots,
                        uint32_t n_blocks, uint32_t n_edges);
void dmd_heapgraph_destroy(dmd_heapgraph_t *graph);

/* The large columns of a complete graph. Arrays are indexed by node or edge, or are in their
 * order. */
typedef struct dmd_heapgraph_columns {
  uint32_t n_roots, n_blocks, n_interiors, n_first_words, n_contents, n_residents, n_numbers;
  uint32_t *first, *target, *offset; /* for dmd_graph_t */
  uint64_t *size;
  dmd_graph_block_t *blocks;
  dmd_graph_interior_t *interiors;
  dmd_graph_first_word_t *first_words;
  dmd_graph_contents_t *contents;
  dmd_graph_resident_t *residents;
  dmd_graph_number_t *numbers;
} dmd_heapgraph_columns_t;

/* Replaces init and the addition of blocks and edges: a graph over existing columns, which must
 * stay in place. Objects, codes, stacks and roots are added as usual. */
void dmd_heapgraph_borrow(dmd_heapgraph_t *graph, const dmd_env_t *env,
                          const dmd_heapgraph_columns_t *columns);

/* Return ids. Strings are copied (dmd_profile_keep). */
uint32_t dmd_heapgraph_add_object(dmd_heapgraph_t *graph, const dmd_graph_object_t *object);
uint32_t dmd_heapgraph_add_code(dmd_heapgraph_t *graph, uint32_t object, uint64_t addr,
                                const uint32_t *frames, uint32_t n_frames);
uint32_t dmd_heapgraph_add_stack(dmd_heapgraph_t *graph, const uint32_t *codes, uint32_t n);

/* Add the next node, then its edges: from `offset` bytes into the current node to a node that may
 * be added later. Call dmd_heapgraph_end_node after the last edge. */
void dmd_heapgraph_add_root(dmd_heapgraph_t *graph, const dmd_graph_root_t *root);
void dmd_heapgraph_add_block(dmd_heapgraph_t *graph, const dmd_graph_block_t *block,
                             uint64_t usable_szB);
void dmd_heapgraph_add_edge(dmd_heapgraph_t *graph, uint32_t target, uint32_t offset);
/* Adds an edge into the middle of the target. */
void dmd_heapgraph_add_interior(dmd_heapgraph_t *graph, uint32_t target, uint32_t offset,
                                uint64_t into, dmd_heuristic_t heuristic);
/* For the current node. */
void dmd_heapgraph_set_first_word(dmd_heapgraph_t *graph, uint32_t object, uint64_t addr);
/* Likewise; `node` is ignored. */
void dmd_heapgraph_set_contents(dmd_heapgraph_t *graph, const dmd_graph_contents_t *contents);
void dmd_heapgraph_end_node(dmd_heapgraph_t *graph);

/* Each behind the one before. */
void dmd_heapgraph_add_number(dmd_heapgraph_t *graph, const dmd_graph_number_t *number);
void dmd_heapgraph_add_resident(dmd_heapgraph_t *graph, const dmd_graph_resident_t *resident);

/* The function is one of claim_functions, to which callers add directly. */
void dmd_heapgraph_add_claim(dmd_heapgraph_t *graph, const dmd_graph_claim_t *claim);

static inline uint32_t dmd_heapgraph_first_block(const dmd_heapgraph_t *graph) {
  return graph->n_roots + 1;
}

static inline bool dmd_heapgraph_is_block(const dmd_heapgraph_t *graph, uint32_t node) {
  return node > graph->n_roots;
}

/* The attributes of a block, by its node. */
static inline const dmd_graph_block_t *dmd_heapgraph_block(const dmd_heapgraph_t *graph,
                                                           uint32_t node) {
  return DMD_POOL_AT(&graph->blocks, const dmd_graph_block_t, node - graph->n_roots);
}

/* The attributes of a root, by its node (not DMD_GRAPH_ALL). */
static inline const dmd_graph_root_t *dmd_heapgraph_root(const dmd_heapgraph_t *graph,
                                                         uint32_t node) {
  return DMD_POOL_AT(&graph->roots, const dmd_graph_root_t, node);
}

static inline const dmd_graph_object_t *dmd_heapgraph_object(const dmd_heapgraph_t *graph,
                                                             uint32_t id) {
  return DMD_POOL_AT(&graph->objects, const dmd_graph_object_t, id);
}

static inline const dmd_graph_code_t *dmd_heapgraph_code(const dmd_heapgraph_t *graph,
                                                         uint32_t id) {
  return DMD_POOL_AT(&graph->codes, const dmd_graph_code_t, id);
}

/* The number of codes in a stack (0 for DMD_NONE), and the i-th of them, innermost first. */
uint32_t dmd_heapgraph_n_codes(const dmd_heapgraph_t *graph, uint32_t stack);
uint32_t dmd_heapgraph_stack_code(const dmd_heapgraph_t *graph, uint32_t stack, uint32_t i);

/* The i-th frame of a code, a frame id of the profile. */
uint32_t dmd_heapgraph_code_frame(const dmd_heapgraph_t *graph, uint32_t code, uint32_t i);

/* The profile's stack for a block's allocation; DMD_NONE: not recorded. */
uint32_t dmd_heapgraph_profile_stack(const dmd_heapgraph_t *graph, uint32_t stack);

/* A block's requested bytes. */
static inline uint64_t dmd_heapgraph_requested(const dmd_heapgraph_t *graph, uint32_t node) {
  return graph->graph.size[node] - dmd_heapgraph_block(graph, node)->slop;
}

/* The interior pointer of an edge; NULL if it leads to its target's start. Binary search. */
const dmd_graph_interior_t *dmd_heapgraph_interior(const dmd_heapgraph_t *graph, uint32_t edge);
/* NULL if the block's first word is not an address in an object. Binary search. */
const dmd_graph_first_word_t *dmd_heapgraph_first_word(const dmd_heapgraph_t *graph, uint32_t node);

/* The number at an offset of a node; 0: none. Binary search. */
uint64_t dmd_heapgraph_number(const dmd_heapgraph_t *graph, uint32_t node, uint64_t offset);

/* NULL if nothing is known of the block's contents. Binary search. */
const dmd_graph_contents_t *dmd_heapgraph_contents(const dmd_heapgraph_t *graph, uint32_t node);

/* The innermost block that contains an address of the program; DMD_GRAPH_ALL if none. Binary
 * search. */
uint32_t dmd_heapgraph_find(const dmd_heapgraph_t *graph, uint64_t addr);

/* ---- Names of roots. ----
 *
 * The readable name of a root of a heap graph. */

/* Appends the name of a root, or of DMD_GRAPH_ALL. Variables have their own: "pantry", "shelf in
 * main" on a stack, "spare of thread 2". Others are named by location, such as "data of
 * libfoo.so.1", "stack of thread 2 in main", "registers of thread 1", "roots". Names need not be
 * unique. */
void dmd_root_name(const dmd_heapgraph_t *graph, uint32_t node, dmd_strbuf_t *to);

#endif
