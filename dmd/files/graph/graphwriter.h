/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphwriter.h: writes a heap graph to a file in the format of docs/dmd-graph.proto.
 *
 * Call order is file order: the header, all objects, all roots; each root again with its edges;
 * each block with its edges; resident pages; then codes, stacks, names, tags, report sets,
 * functions of claims and claims. Ids are positions in the file: the n-th code written is code n.
 * Only counts of written items are kept, so memory is that of one part: some ten thousand blocks
 * with their edges, at a few bytes each.
 *
 * Write errors are reported once, by dmd_graphwriter_end.
 */
#ifndef DMD_FILES_GRAPH_GRAPHWRITER_H
#define DMD_FILES_GRAPH_GRAPHWRITER_H

#include "base/out.h"
#include "base/strbuf.h"
#include "model/graph/heapgraph.h"

#define DMD_GRAPH_FORMAT "dmd-graph"
#define DMD_GRAPH_VERSION 1

/* True if a file that begins with these bytes (32, or the whole file if shorter) is a heap
 * graph. */
bool dmd_graphwriter_is(const char *bytes, size_t n);

/* A column of a part: packed numbers. */
typedef struct dmd_graph_column {
  dmd_strbuf_t bytes;
  uint64_t last; /* previous element, for differences */
  bool has_any;  /* contains a number other than 0 */
} dmd_graph_column_t;

/* Number of columns of blocks and edges plus one, since fields count from 1. */
enum { DMD_GRAPH_BLOCK_COLUMNS = 18, DMD_GRAPH_EDGE_COLUMNS = 10 };

typedef struct dmd_graphwriter {
  const dmd_env_t *env;
  dmd_write_fn write;
  void *ctx;
  bool failed;
  dmd_strbuf_t part;           /* the current part, without its length */
  uint32_t field;              /* field number of its elements; 0: no elements yet */
  dmd_strbuf_t message, inner; /* scratch: an element of the part, and a message within it */
  dmd_graph_column_t blocks[DMD_GRAPH_BLOCK_COLUMNS], edges[DMD_GRAPH_EDGE_COLUMNS];
  uint32_t n_in_part, n_edges_in_part; /* nodes, and their edges */
  uint32_t n_of_node;                  /* edges of the latest node */
  bool has_node;                       /* this part has a node */
  bool is_of_blocks;                   /* nodes are blocks now, no longer roots */
  uint64_t n_roots, n_blocks, n_edges; /* in the whole file */
  uint64_t resident_end;               /* of the latest resident pages */
} dmd_graphwriter_t;

/* write receives the uncompressed bytes of the file. */
void dmd_graphwriter_init(dmd_graphwriter_t *file, const dmd_env_t *env, dmd_write_fn write,
                          void *ctx);
void dmd_graphwriter_destroy(dmd_graphwriter_t *file);

/* Writes what the profile says about the run: mode, run and arguments. has_contents: blocks will
 * have contents. fill: what new blocks were filled with; 0: they were not. */
void dmd_graphwriter_header(dmd_graphwriter_t *file, const dmd_profile_t *profile,
                            bool has_contents, uint8_t fill);

void dmd_graphwriter_object(dmd_graphwriter_t *file, const dmd_graph_object_t *object);

/* A function that contains an address, see Code in the .proto. */
typedef struct dmd_graphwriter_function {
  const char *name, *file; /* file is NULL if unknown */
  uint32_t line;
} dmd_graphwriter_function_t;

typedef struct dmd_graphwriter_code {
  uint32_t object; /* 0: no object */
  uint64_t addr;   /* in the object */
  const dmd_graphwriter_function_t *functions;
  uint32_t n_functions;
} dmd_graphwriter_code_t;

typedef struct dmd_graphwriter_root {
  dmd_root_kind_t kind;
  uint64_t addr, szB;
  uint32_t object, thread;
  const dmd_graphwriter_code_t *frame; /* NULL: none */
  const char *name;                    /* NULL: none */
  uint64_t origin;                     /* 0: unknown */
} dmd_graphwriter_root_t;

void dmd_graphwriter_root(dmd_graphwriter_t *file, const dmd_graphwriter_root_t *root);

typedef struct dmd_graphwriter_block {
  uint64_t addr, req, slop;
  uint32_t stack, reports, tag, thread;
  uint32_t outer; /* the block around it comes this many blocks before it; 0: no such block */
  uint32_t flags; /* DMD_GRAPH_... */
} dmd_graphwriter_block_t;

/* Begins the next root, or block, whose edges follow. */
void dmd_graphwriter_begin_root(dmd_graphwriter_t *file);
void dmd_graphwriter_block(dmd_graphwriter_t *file, const dmd_graphwriter_block_t *block);

/* The block's first word is this address in an object. */
void dmd_graphwriter_first_word(dmd_graphwriter_t *file, uint32_t object, uint64_t addr);

/* Facts about the block's contents; at least one of same and tail is not 0. */
typedef struct dmd_graphwriter_contents {
  uint32_t same; /* a block of equal contents comes this many blocks before it; 0: none */
  uint64_t tail; /* requested bytes at its end that all equal `byte` */
  uint32_t byte;
} dmd_graphwriter_contents_t;

void dmd_graphwriter_contents(dmd_graphwriter_t *file, const dmd_graphwriter_contents_t *contents);

/* Adds an edge from the latest node: its word with this number is an address `into` bytes into
 * block `target`, counted from 1. Words must be in ascending order. */
typedef struct dmd_graphwriter_edge {
  uint32_t word;
  uint32_t target;
  uint64_t into;
  dmd_heuristic_t heuristic; /* if into is not 0 */
} dmd_graphwriter_edge_t;

void dmd_graphwriter_edge(dmd_graphwriter_t *file, const dmd_graphwriter_edge_t *edge);

/* A number beside the pointer that is the latest edge, `words` words behind it or, if negative,
 * before it. A node's numbers come in ascending order. */
void dmd_graphwriter_number(dmd_graphwriter_t *file, int words, uint64_t number);

/* Pages in memory, behind the ones before. */
void dmd_graphwriter_resident(dmd_graphwriter_t *file, const dmd_graph_resident_t *resident);

void dmd_graphwriter_code(dmd_graphwriter_t *file, const dmd_graphwriter_code_t *code);
void dmd_graphwriter_stack(dmd_graphwriter_t *file, const uint32_t *codes, uint32_t n);
void dmd_graphwriter_name(dmd_graphwriter_t *file, const char *name);
void dmd_graphwriter_tag(dmd_graphwriter_t *file, const char *tag);

typedef struct dmd_graphwriter_report {
  uint32_t stack, reporter;
} dmd_graphwriter_report_t;

/* A report set of `count` reports, n of which are kept. */
void dmd_graphwriter_report_set(dmd_graphwriter_t *file, bool shared, uint32_t count,
                                const dmd_graphwriter_report_t *kept, uint32_t n);

/* A function that made claims, and a claim; its function is a number of these. */
void dmd_graphwriter_claim_function(dmd_graphwriter_t *file, const char *name);
void dmd_graphwriter_claim(dmd_graphwriter_t *file, const dmd_graph_claim_t *claim);

/* Ends the file. Returns false if not all of it could be written. */
bool dmd_graphwriter_end(dmd_graphwriter_t *file);

#endif
