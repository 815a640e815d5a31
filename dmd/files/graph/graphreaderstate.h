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

#include "base/strbuf.h"
#include "files/graph/graphmessages.h"
#include "files/graph/graphparts.h"
#include "files/graph/graphreader.h"

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
  N_PARTS
};

typedef struct dmd_graphreaderstate {
  const dmd_env_t *env;
  dmd_heapgraph_t *graph;
  const dmd_load_graph_options_t *options;
  dmd_graphparts_t parts;
  dmd_fail_t *fail;

  /* Found by the first pass. */
  uint64_t n[N_PARTS]; /* number of elements, by field of a part; BLOCKS, EDGES: totals */
  uint64_t n_interiors, n_first_words;
  uint64_t n_data_parts; /* roots, after data was cut into variables */
  dmd_pool_t objects;    /* dmd_graph_object_t, only the bias set: for cutting data */
  uint64_t word_szB;
  dmd_graph_preview_t preview;
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
  uint64_t total_szB;
  dmd_pool_t names, tags, report_sets; /* by id in the file: id in the profile (uint32_t) */
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
/* Replaces the file's ids of tags and report sets in the blocks with the profile's. */
void dmd_graph_translate_blocks(dmd_graphreaderstate_t *l);
/* Checks that edges into the middle of blocks lie within those blocks. */
bool dmd_graph_check_interiors(dmd_graphreaderstate_t *l);

#endif
