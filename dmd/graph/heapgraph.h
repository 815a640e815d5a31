/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapgraph.h: the heap at one moment as a graph: blocks and roots, what is known of each, and the
 * pointers between them.
 *
 * Nodes are numbered: DMD_GRAPH_ALL, from which edges lead to all roots; the roots, 1 to n_roots;
 * then the blocks in the order of their addresses, of equal ones the outer before the inner. Edges
 * and sizes are in `graph` (graph.h), where analyses find them. What blocks have are columns, by
 * the block's place: its node less dmd_heapgraph_first_block.
 *
 * Stacks, names, tags and report sets are in a profile that has no groups, so that frames are
 * judged and printed as everywhere. A stack of the graph is finer than one of the profile: it is
 * made of addresses, which debug information wants.
 *
 * Building, then only reading: dmd_heapgraph_init; objects, then codes of frames that roots are of;
 * the roots, each with its edges; the blocks, each with its edges; then codes and stacks, which
 * blocks may refer to before they are there. Ids of objects, codes and stacks count from 1.
 *
 * Memory: 44 bytes a block (12 of them are `graph`'s), 8 an edge, and 16 more for each edge that
 * leads into the middle of a block and for each block with a first word.
 *
 * Concurrency: nothing locks. A graph belongs to the thread that makes or reads it.
 */
#ifndef DMD_GRAPH_HEAPGRAPH_H
#define DMD_GRAPH_HEAPGRAPH_H

#include "graph/graph.h"
#include "profile/profile.h"

#define DMD_GRAPH_ALL 0u /* the node from which all roots are reached */

/* A file that is mapped: with addresses in the program from start on, of which `bias` is subtracted
 * to get those that the file's symbols and debug information have. */
typedef struct dmd_graph_object {
  const char *path, *soname;
  const char *build_id; /* of n_build_id bytes; any bytes */
  size_t n_build_id;
  uint64_t bias, start, szB;
} dmd_graph_object_t;

/* Where a call is; of a caller an address in its call: return address - 1. Its frames, inlined
 * calls first, are n_frames of code_frames, from `first` on. */
typedef struct dmd_graph_code {
  uint32_t object;          /* DMD_NONE: in none, and the address is the program's */
  uint32_t first, n_frames; /* may be none where nothing but the address is known */
  uint64_t addr;            /* in the object */
} dmd_graph_code_t;

/* n codes of stack_codes, from `first` on, the innermost first. */
typedef struct dmd_graph_stack {
  uint32_t first, n;
  uint32_t in_profile; /* the profile's stack of the same calls */
} dmd_graph_stack_t;

typedef enum {
  DMD_ROOT_OTHER,     /* mapped memory, neither of these: */
  DMD_ROOT_DATA,      /* of an object: a variable, or what lies between */
  DMD_ROOT_STACK,     /* of a thread: one frame's part */
  DMD_ROOT_REGISTERS, /* of a thread */
  DMD_ROOT_THREAD,    /* thread-local storage */
  DMD_N_ROOT_KINDS
} dmd_root_kind_t;

typedef struct dmd_graph_root {
  dmd_root_kind_t kind;
  uint32_t object; /* whose data it is */
  uint32_t thread; /* whose stack or registers it is */
  uint32_t code;   /* of a stack: the function whose frame it is; an id of codes */
  uint64_t addr, szB;
  uint64_t origin;  /* what variables are counted from: of a stack the frame's canonical address, of
                     thread-local storage the thread pointer; 0: unknown */
  const char *name; /* of a variable, or of the file that is mapped; NULL: none */
} dmd_graph_root_t;

/* What a pointer into a block may be the usual one of, as Memcheck's leak check has it. */
typedef enum {
  DMD_HEURISTIC_NONE,
  DMD_HEURISTIC_STRING,      /* the text of a std::string's buffer */
  DMD_HEURISTIC_LENGTH,      /* past a word with the size of what follows */
  DMD_HEURISTIC_NEW_ARRAY,   /* past the number of elements */
  DMD_HEURISTIC_INHERITANCE, /* a base class's part of an object */
  DMD_N_HEURISTICS
} dmd_heuristic_t;

/* An edge that leads into the middle of its target. */
typedef struct dmd_graph_interior {
  uint64_t into; /* bytes from the block's start */
  uint32_t edge;
  uint32_t heuristic; /* a dmd_heuristic_t */
} dmd_graph_interior_t;

/* A block whose first word is an address in an object, as that of a virtual table is. */
typedef struct dmd_graph_first_word {
  uint64_t addr; /* in the object */
  uint32_t node;
  uint32_t object;
} dmd_graph_first_word_t;

enum {
  DMD_GRAPH_ANNOUNCED = 1, /* by a client request */
  DMD_GRAPH_POOLED = 2     /* a chunk of a memory pool */
};

/* The node's size is its usable bytes; requested are these less the slop. */
typedef struct dmd_graph_block {
  uint64_t addr;
  uint32_t slop;
  uint32_t stack;   /* of `stacks`; DMD_NONE: not recorded */
  uint32_t reports; /* a report set of the profile; DMD_NONE: unreported */
  uint32_t outer;   /* the node of the block around it; DMD_NONE: none */
  uint16_t tag, thread;
  uint8_t flags; /* DMD_GRAPH_... */
} dmd_graph_block_t;

_Static_assert(sizeof(dmd_graph_block_t) == 32, "what a block costs");

typedef struct dmd_heapgraph {
  const dmd_env_t *env;
  dmd_profile_t profile;
  dmd_graph_t graph; /* with offsets */
  uint32_t n_roots;
  dmd_pool_t objects, codes, stacks;
  dmd_pool_t roots;       /* by node */
  dmd_pool_t blocks;      /* by place + 1 */
  dmd_pool_t code_frames; /* uint32_t: frames of the profile */
  dmd_pool_t stack_codes; /* uint32_t */
  dmd_pool_t interiors;   /* ascending by edge */
  dmd_pool_t first_words; /* ascending by node */
} dmd_heapgraph_t;

/* Must stay where it is until it is destroyed. The numbers are of what will be added. */
void dmd_heapgraph_init(dmd_heapgraph_t *graph, const dmd_env_t *env, uint32_t n_roots,
                        uint32_t n_blocks, uint32_t n_edges);
void dmd_heapgraph_destroy(dmd_heapgraph_t *graph);

/* The large columns of a graph that is complete. Arrays are by node, edge or in their order. */
typedef struct dmd_heapgraph_columns {
  uint32_t n_roots, n_blocks, n_interiors, n_first_words;
  uint32_t *first, *target, *offset; /* dmd_graph_t's */
  uint64_t *size;
  dmd_graph_block_t *blocks;
  dmd_graph_interior_t *interiors;
  dmd_graph_first_word_t *first_words;
} dmd_heapgraph_columns_t;

/* In place of init and of adding blocks and edges: a graph whose columns lie somewhere else, and
 * stay there. Objects, codes, stacks and roots are added as usual. */
void dmd_heapgraph_borrow(dmd_heapgraph_t *graph, const dmd_env_t *env,
                          const dmd_heapgraph_columns_t *columns);

/* These return ids. Strings become copies (dmd_profile_keep) of what is given. */
uint32_t dmd_heapgraph_add_object(dmd_heapgraph_t *graph, const dmd_graph_object_t *object);
uint32_t dmd_heapgraph_add_code(dmd_heapgraph_t *graph, uint32_t object, uint64_t addr,
                                const uint32_t *frames, uint32_t n_frames);
uint32_t dmd_heapgraph_add_stack(dmd_heapgraph_t *graph, const uint32_t *codes, uint32_t n);

/* The next node, which then gets its edges: to a node, which may be added later, from `offset`
 * bytes of the current one on. dmd_heapgraph_end_node comes after the last edge. */
void dmd_heapgraph_add_root(dmd_heapgraph_t *graph, const dmd_graph_root_t *root);
void dmd_heapgraph_add_block(dmd_heapgraph_t *graph, const dmd_graph_block_t *block,
                             uint64_t usable_szB);
void dmd_heapgraph_add_edge(dmd_heapgraph_t *graph, uint32_t target, uint32_t offset);
/* The same, into the middle of the target. */
void dmd_heapgraph_add_interior(dmd_heapgraph_t *graph, uint32_t target, uint32_t offset,
                                uint64_t into, dmd_heuristic_t heuristic);
/* Of the current node. */
void dmd_heapgraph_set_first_word(dmd_heapgraph_t *graph, uint32_t object, uint64_t addr);
void dmd_heapgraph_end_node(dmd_heapgraph_t *graph);

static inline uint32_t dmd_heapgraph_first_block(const dmd_heapgraph_t *graph) {
  return graph->n_roots + 1;
}

static inline bool dmd_heapgraph_is_block(const dmd_heapgraph_t *graph, uint32_t node) {
  return node > graph->n_roots;
}

/* What is known of a block, by its node. */
static inline const dmd_graph_block_t *dmd_heapgraph_block(const dmd_heapgraph_t *graph,
                                                           uint32_t node) {
  return DMD_POOL_AT(&graph->blocks, const dmd_graph_block_t, node - graph->n_roots);
}

/* Of a root, by its node, which is not DMD_GRAPH_ALL. */
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

/* The codes of a stack id, the innermost first: *n ids. DMD_NONE has none. They do not lie together
 * in memory: the i-th is dmd_heapgraph_stack_code(graph, stack, i). */
uint32_t dmd_heapgraph_n_codes(const dmd_heapgraph_t *graph, uint32_t stack);
uint32_t dmd_heapgraph_stack_code(const dmd_heapgraph_t *graph, uint32_t stack, uint32_t i);

/* The i-th frame of a code, an id of the profile's frames. */
uint32_t dmd_heapgraph_code_frame(const dmd_heapgraph_t *graph, uint32_t code, uint32_t i);

/* The profile's stack of a block's allocation; DMD_NONE: not recorded. */
uint32_t dmd_heapgraph_profile_stack(const dmd_heapgraph_t *graph, uint32_t stack);

/* Requested bytes of a block. */
static inline uint64_t dmd_heapgraph_requested(const dmd_heapgraph_t *graph, uint32_t node) {
  return graph->graph.size[node] - dmd_heapgraph_block(graph, node)->slop;
}

/* Where an edge leads in its target: NULL where to the start. A search of log n. */
const dmd_graph_interior_t *dmd_heapgraph_interior(const dmd_heapgraph_t *graph, uint32_t edge);
/* NULL where a block's first word is no address in an object. A search of log n. */
const dmd_graph_first_word_t *dmd_heapgraph_first_word(const dmd_heapgraph_t *graph, uint32_t node);

/* The innermost block around an address of the program; DMD_GRAPH_ALL: none. A search of log n. */
uint32_t dmd_heapgraph_find(const dmd_heapgraph_t *graph, uint64_t addr);

#endif
