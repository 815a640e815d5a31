/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphreaderstate.h: internals of graphreader.c and the read_graph_*.c files, and of no others.
 *
 * graphreader.c reads the file as a whole, read_graph_nodes.c reads roots, blocks and edges, and
 * read_graph_names.c everything else. If the file is wrong, a function that reads reports that with
 * dmd_graph_reject and returns false.
 */
#ifndef DMD_FILES_GRAPH_GRAPHREADERSTATE_H
#define DMD_FILES_GRAPH_GRAPHREADERSTATE_H

#include "base/env.h"
#include "base/strbuf.h"
#include "base/wire.h"
#include "files/profile/source.h"
#include "model/graph/heapgraph.h"
#include "model/graph/types.h"
#include "model/profile/frame.h"

/* ---- Messages. ----
 *
 * Decodes the messages of a heap graph file (docs/dmd-graph.proto).
 *
 * Nested strings and messages point into the file's bytes (base/wire.h). Only the encoding is
 * checked. Each function returns false if the message is damaged. */

typedef struct dmd_graphpart {
  dmd_wire_span_t header;
  dmd_wire_list_t objects, roots;
  dmd_wire_span_t blocks, edges;
  dmd_wire_list_t codes, stacks, names, tags, report_sets, claim_functions, claims, residents;
  dmd_wire_span_t end;
} dmd_graphpart_t;

typedef struct dmd_graphheader {
  dmd_wire_span_t format;
  uint64_t version, word_szB;
  dmd_wire_span_t dmd_version, valgrind_version, mode;
  dmd_wire_list_t arguments;
  dmd_wire_span_t folder, host, time, label, trigger, allocator;
  uint64_t pid, dump_number, has_contents, fill, peak_szB;
} dmd_graphheader_t;

typedef struct dmd_graphobject {
  dmd_wire_span_t path, soname, build_id;
  uint64_t bias, start, szB;
} dmd_graphobject_t;

typedef struct dmd_graphroot {
  uint64_t kind, addr, szB, object, thread, origin;
  dmd_wire_span_t frame, name;
} dmd_graphroot_t;

typedef struct dmd_graphcode {
  uint64_t object, addr;
  dmd_wire_list_t functions;
} dmd_graphcode_t;

typedef struct dmd_graphfunction {
  dmd_wire_span_t name, file;
  uint64_t line;
} dmd_graphfunction_t;

typedef struct dmd_graphstack {
  dmd_wire_list_t codes;
} dmd_graphstack_t;

typedef struct dmd_graphreports {
  uint64_t is_shared, count;
  dmd_wire_list_t stacks, reporters;
} dmd_graphreports_t;

typedef struct dmd_graphclaim {
  uint64_t function, argument, value, stack, count, is_outdated, set, blocks, req, usable;
} dmd_graphclaim_t;

typedef struct dmd_graphresident {
  uint64_t gap, pages;
} dmd_graphresident_t;

typedef struct dmd_graphblocks {
  uint64_t count;
  dmd_wire_list_t addr, req, slop, stack, reports, tag, thread, outer, flags;
  dmd_wire_list_t first_word_block, first_word_object, first_word_addr;
  dmd_wire_list_t contents_block, same, tail, tail_byte;
} dmd_graphblocks_t;

typedef struct dmd_graphedges {
  dmd_wire_list_t count, word, target, interior, into, heuristic;
  dmd_wire_list_t number_edge, number_word, number;
} dmd_graphedges_t;

typedef struct dmd_graphend {
  uint64_t roots, blocks, edges;
} dmd_graphend_t;

bool dmd_graphpart_read(dmd_wire_span_t message, dmd_graphpart_t *part);
bool dmd_graphheader_read(dmd_wire_span_t message, dmd_graphheader_t *header);
bool dmd_graphobject_read(dmd_wire_span_t message, dmd_graphobject_t *object);
bool dmd_graphroot_read(dmd_wire_span_t message, dmd_graphroot_t *root);
bool dmd_graphcode_read(dmd_wire_span_t message, dmd_graphcode_t *code);
bool dmd_graphfunction_read(dmd_wire_span_t message, dmd_graphfunction_t *function);
bool dmd_graphstack_read(dmd_wire_span_t message, dmd_graphstack_t *stack);
bool dmd_graphreports_read(dmd_wire_span_t message, dmd_graphreports_t *reports);
bool dmd_graphclaim_read(dmd_wire_span_t message, dmd_graphclaim_t *claim);
bool dmd_graphresident_read(dmd_wire_span_t message, dmd_graphresident_t *resident);
bool dmd_graphblocks_read(dmd_wire_span_t message, dmd_graphblocks_t *blocks);
bool dmd_graphedges_read(dmd_wire_span_t message, dmd_graphedges_t *edges);
bool dmd_graphend_read(dmd_wire_span_t message, dmd_graphend_t *end);

/* ---- Parts. ----
 *
 * Reads a heap graph file one part at a time.
 *
 * A part is a length followed by a protobuf message (docs/dmd-graph.proto). Only one part is in
 * memory. The buffer grows with the bytes that were read, not with the length that the file claims.
 */

typedef struct dmd_graphparts {
  const dmd_env_t *env;
  const dmd_source_t *source;
  const char *piece; /* unread rest of the current piece of the file */
  size_t n_piece;
  uint64_t at;           /* offset of the piece in the decompressed file */
  dmd_wire_span_t bytes; /* the current part */
  uint64_t start;        /* offset of its length in the file */
  char *kept;            /* buffer for a part that spans several pieces */
  size_t room;
} dmd_graphparts_t;

/* Reads from the start of the source. */
void dmd_graphparts_init(dmd_graphparts_t *parts, const dmd_env_t *env, const dmd_source_t *source);
void dmd_graphparts_destroy(dmd_graphparts_t *parts);

/* Call before the first part: the first bytes of the file, *n of them. */
bool dmd_graphparts_peek(dmd_graphparts_t *parts, const char **bytes, size_t *n, dmd_fail_t *fail);

/* Makes the next part available until the next call; sets *end at the end of the file. False, with
 * *fail filled in, if the file cannot be read. */
bool dmd_graphparts_next(dmd_graphparts_t *parts, bool *end, dmd_fail_t *fail);

/* After the last part: false, with *fail filled in, unless the file ends there. */
bool dmd_graphparts_end(dmd_graphparts_t *parts, dmd_fail_t *fail);

/* Fills in the reason (printf-like), with the current part as the place. Returns false. */
bool dmd_graphparts_reject(const dmd_graphparts_t *parts, dmd_fail_t *fail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Field numbers of a part. */
enum {
  PART_HEADER = 1,
  PART_OBJECTS,
  PART_ROOTS,
  PART_BLOCKS,
  PART_EDGES,
  PART_CODES,
  PART_STACKS,
  PART_NAMES,
  PART_TAGS,
  PART_REPORT_SETS,
  PART_END,
  PART_CLAIM_FUNCTIONS,
  PART_CLAIMS,
  PART_RESIDENTS,
  N_PARTS
};

/* ---- The state. ---- */

typedef struct dmd_graphreaderstate {
  const dmd_env_t *env;
  dmd_heapgraph_t *graph;
  const struct dmd_load_graph_options *options; /* graphreader.h */
  dmd_graphparts_t parts;
  dmd_fail_t *fail;

  /* Found by the first pass. */
  uint64_t n[N_PARTS]; /* number of elements, by field of a part; BLOCKS, EDGES: totals */
  uint64_t n_interiors, n_first_words, n_contents, n_numbers;
  uint64_t n_data_parts; /* roots, after data was cut into variables */
  dmd_pool_t objects;    /* dmd_graph_object_t, only the bias set: for cutting data */
  uint64_t word_szB;
  struct dmd_graph_preview *preview; /* graphreader.h */
  dmd_graphend_t end;
  int stage; /* of the latest part, see graphreader.c */

  /* Kept by the second pass. */
  dmd_pool_t first_root; /* by root of the file + 1: uint32_t, the node of its first part, minus 1;
                            one more marks the end */
  uint32_t n_rooted;     /* roots of the file whose edges were read */
  uint32_t n_root_codes; /* codes added for roots */
  dmd_pool_t code_kinds; /* by code: dmd_code_kind_t; codes beyond its end are DMD_CODE_OTHER */
  uint32_t n_blocks;     /* added so far */
  uint64_t latest_addr;  /* address of the latest block */
  uint64_t resident_end; /* of the latest resident pages */
  uint64_t total_szB;
  dmd_pool_t names, tags, report_sets; /* by id in the file: id in the profile (uint32_t) */
  dmd_pool_t claim_functions;          /* by id in the file: id in the graph (uint32_t) */
} dmd_graphreaderstate_t;

/* Fills in the reason, with the current part as the place. Returns false. */
#define dmd_graph_reject(l, ...) dmd_graphparts_reject(&(l)->parts, (l)->fail, __VA_ARGS__)

/* Converts a number for %llu. */
static inline unsigned long long dmd_graph_llu(uint64_t v) {
  return v;
}

/* Rejects a part that is not a valid protobuf message. */
static inline bool dmd_graph_damaged(dmd_graphreaderstate_t *l) {
  return dmd_graph_reject(l, "a part is damaged");
}

/* Checks that an id is at most n, the number of things of its kind (0 is valid); else reports
 * it. */
bool dmd_graph_check_id(dmd_graphreaderstate_t *l, const char *what, uint64_t id, uint64_t n);

/* Appends an id to a pool that is used as an array. */
static inline void dmd_graph_note(dmd_pool_t *ids, uint32_t id) {
  uint32_t place = dmd_pool_add(ids);
  *DMD_POOL_AT(ids, uint32_t, place) = id;
}

/* ---- The first pass: read_graph_names.c and read_graph_nodes.c. ---- */

bool dmd_graph_check_header(dmd_graphreaderstate_t *l, const dmd_graphheader_t *header);
bool dmd_graph_look_at_objects(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);
bool dmd_graph_count_roots(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);

/* ---- The second pass. ---- */

bool dmd_graph_load_run(dmd_graphreaderstate_t *l, const dmd_graphheader_t *header);
bool dmd_graph_load_objects(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);
bool dmd_graph_load_code(dmd_graphreaderstate_t *l, dmd_wire_span_t message, uint32_t *id);
bool dmd_graph_load_names(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);

bool dmd_graph_load_roots(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);
/* Ends the roots that have no edges. Call it after all edges of roots were read. */
void dmd_graph_end_roots(dmd_graphreaderstate_t *l);
/* Loads a part with edges: edges of roots, or of the blocks in the part. */
bool dmd_graph_load_nodes(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);
bool dmd_graph_load_residents(dmd_graphreaderstate_t *l, const dmd_graphpart_t *part);
/* Replaces the file's ids of tags and report sets in the blocks with the profile's. */
void dmd_graph_translate_blocks(dmd_graphreaderstate_t *l);
/* Checks that edges into the middle of blocks lie within those blocks. */
bool dmd_graph_check_interiors(dmd_graphreaderstate_t *l);

#endif
