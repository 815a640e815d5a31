/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphfile.h: writes the file of a heap graph, as docs/dmd-graph.proto describes it.
 *
 * What is to be written is handed over in the order of the file: the header, all objects, all
 * roots; each root once more with its edges; each block with its edges; then codes, stacks, names,
 * tags and report sets. Numbers of things are theirs in the file: the n-th code handed over is
 * code n. Nothing is kept of what was written but counts, so memory is that of one part: some
 * ten thousand blocks with their edges, some bytes each.
 *
 * What goes wrong with writing is told once, by dmd_graphfile_end.
 */
#ifndef DMD_GRAPH_GRAPHFILE_H
#define DMD_GRAPH_GRAPHFILE_H

#include "base/out.h"
#include "base/strbuf.h"
#include "graph/heapgraph.h"

#define DMD_GRAPH_FORMAT "dmd-graph"
#define DMD_GRAPH_VERSION 1

/* Whether what begins with these bytes, 32 or more if it is that long, is a heap graph's file. */
bool dmd_graphfile_is(const char *bytes, size_t n);

/* A column of a part: packed numbers. */
typedef struct dmd_graph_column {
  dmd_strbuf_t bytes;
  uint64_t last; /* where differences are written: the element before */
  bool has_any;  /* but zeroes */
} dmd_graph_column_t;

/* How many columns blocks and edges have, and one more, since fields count from 1. */
enum { DMD_GRAPH_BLOCK_COLUMNS = 14, DMD_GRAPH_EDGE_COLUMNS = 7 };

typedef struct dmd_graphfile {
  const dmd_env_t *env;
  dmd_write_fn write;
  void *ctx;
  bool failed;
  dmd_strbuf_t part;           /* that is being made, without its length */
  uint32_t field;              /* what it consists of, a field's number; 0: nothing so far */
  dmd_strbuf_t message, inner; /* scratch: an element of the part, and a message in it */
  dmd_graph_column_t blocks[DMD_GRAPH_BLOCK_COLUMNS], edges[DMD_GRAPH_EDGE_COLUMNS];
  uint32_t n_in_part, n_edges_in_part; /* nodes, and their edges */
  uint32_t n_of_node;                  /* edges of the latest node */
  bool has_node;                       /* there is one in this part */
  bool is_of_blocks;                   /* nodes are blocks now */
  uint64_t n_roots, n_blocks, n_edges; /* of the whole file */
} dmd_graphfile_t;

/* write gets the bytes of the file, which is not compressed yet. */
void dmd_graphfile_init(dmd_graphfile_t *file, const dmd_env_t *env, dmd_write_fn write, void *ctx);
void dmd_graphfile_destroy(dmd_graphfile_t *file);

/* What the profile says of the run: mode, run and arguments. */
void dmd_graphfile_header(dmd_graphfile_t *file, const dmd_profile_t *profile);

void dmd_graphfile_object(dmd_graphfile_t *file, const dmd_graph_object_t *object);

/* A function that an address lies in, see Code in the .proto. */
typedef struct dmd_graphfile_function {
  const char *name, *file; /* file is NULL where it is not known */
  uint32_t line;
} dmd_graphfile_function_t;

typedef struct dmd_graphfile_code {
  uint32_t object; /* 0: none */
  uint64_t addr;   /* in the object */
  const dmd_graphfile_function_t *functions;
  uint32_t n_functions;
} dmd_graphfile_code_t;

typedef struct dmd_graphfile_root {
  dmd_root_kind_t kind;
  uint64_t addr, szB;
  uint32_t object, thread;
  const dmd_graphfile_code_t *frame; /* NULL: none */
  const char *name;                  /* NULL: none */
  uint64_t origin;                   /* 0: unknown */
} dmd_graphfile_root_t;

void dmd_graphfile_root(dmd_graphfile_t *file, const dmd_graphfile_root_t *root);

typedef struct dmd_graphfile_block {
  uint64_t addr, req, slop;
  uint32_t stack, reports, tag, thread;
  uint32_t outer; /* so many blocks before it is the one around it; 0: there is none */
  uint32_t flags; /* DMD_GRAPH_... */
} dmd_graphfile_block_t;

/* The next root, or block, whose edges follow. */
void dmd_graphfile_begin_root(dmd_graphfile_t *file);
void dmd_graphfile_block(dmd_graphfile_t *file, const dmd_graphfile_block_t *block);

/* The block's first word is this address in an object. */
void dmd_graphfile_first_word(dmd_graphfile_t *file, uint32_t object, uint64_t addr);

/* From the latest node: its word with this number is an address so many bytes into this block, the
 * first of which is 1. Words come in ascending order. */
typedef struct dmd_graphfile_edge {
  uint32_t word;
  uint32_t target;
  uint64_t into;
  dmd_heuristic_t heuristic; /* where into is not 0 */
} dmd_graphfile_edge_t;

void dmd_graphfile_edge(dmd_graphfile_t *file, const dmd_graphfile_edge_t *edge);

void dmd_graphfile_code(dmd_graphfile_t *file, const dmd_graphfile_code_t *code);
void dmd_graphfile_stack(dmd_graphfile_t *file, const uint32_t *codes, uint32_t n);
void dmd_graphfile_name(dmd_graphfile_t *file, const char *name);
void dmd_graphfile_tag(dmd_graphfile_t *file, const char *tag);

typedef struct dmd_graphfile_report {
  uint32_t stack, reporter;
} dmd_graphfile_report_t;

/* A report set of `count` reports, n of which are kept. */
void dmd_graphfile_report_set(dmd_graphfile_t *file, bool shared, uint32_t count,
                              const dmd_graphfile_report_t *kept, uint32_t n);

/* All was handed over. False where not all of it could be written. */
bool dmd_graphfile_end(dmd_graphfile_t *file);

#endif
