/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphloader.h: what the parts of load_graph.c have in common.
 *
 * load_graph.c reads the whole, load_graph_nodes.c roots, blocks and edges, load_graph_names.c
 * everything else. Nobody else includes this. Functions that read return false when something is
 * wrong with the file, after they have said so with dmd_graph_reject.
 */
#ifndef DMD_LOAD_GRAPHLOADER_H
#define DMD_LOAD_GRAPHLOADER_H

#include "base/strbuf.h"
#include "load/graphmessages.h"
#include "load/graphparts.h"
#include "load/load_graph.h"

/* Numbers of the fields of a part. */
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

typedef struct dmd_graphloader {
  const dmd_env_t *env;
  dmd_heapgraph_t *graph;
  const dmd_load_graph_options_t *options;
  dmd_graphparts_t parts;
  dmd_fail_t *fail;

  /* What the first reading finds out. */
  uint64_t
      n[N_PARTS]; /* elements, by the field of a part that they are of; BLOCKS, EDGES: in all */
  uint64_t n_interiors, n_first_words;
  uint64_t n_data_parts; /* roots, once data was cut */
  dmd_pool_t objects;    /* dmd_graph_object_t with bias alone: to cut data by */
  uint64_t word_szB;
  dmd_graphend_t end;
  int stage; /* of the latest part, see load_graph.c */

  /* What the second keeps. */
  dmd_pool_t first_root; /* by root of the file + 1: uint32_t, the node of its first part, minus 1;
                            one more for the end */
  uint32_t n_rooted;     /* roots of the file that have their edges */
  uint32_t n_root_codes; /* codes that roots brought */
  dmd_pool_t code_kinds; /* by code, as far as they are more than others: dmd_code_kind_t */
  uint32_t n_blocks;     /* that were added so far, */
  uint64_t latest_addr;  /* and the address of the latest */
  uint64_t total_szB;
  dmd_pool_t names, tags, report_sets; /* by id of the file: the profile's (uint32_t) */
} dmd_graphloader_t;

/* Fills in the reason, with the part at hand as the place. Returns false. */
#define dmd_graph_reject(l, ...) dmd_graphparts_reject(&(l)->parts, (l)->fail, __VA_ARGS__)

/* A number as the %llu of a reason has it. */
static inline unsigned long long dmd_graph_llu(uint64_t v) {
  return v;
}

/* Of a message that is no message. */
static inline bool dmd_graph_damaged(dmd_graphloader_t *l) {
  return dmd_graph_reject(l, "a part is damaged");
}

/* Whether an id is one of the n things of its kind, or 0; else says which it is. */
bool dmd_graph_check_id(dmd_graphloader_t *l, const char *what, uint64_t id, uint64_t n);

/* Adds a number to a pool that is an array. */
static inline void dmd_graph_note(dmd_pool_t *ids, uint32_t id) {
  uint32_t place = dmd_pool_add(ids);
  *DMD_POOL_AT(ids, uint32_t, place) = id;
}

/* ---- The first reading, load_graph_names.c and load_graph_nodes.c. ---- */

bool dmd_graph_check_header(dmd_graphloader_t *l, const dmd_graphheader_t *header);
bool dmd_graph_look_at_objects(dmd_graphloader_t *l, const dmd_graphpart_t *part);
bool dmd_graph_count_roots(dmd_graphloader_t *l, const dmd_graphpart_t *part);

/* ---- The second. ---- */

bool dmd_graph_load_run(dmd_graphloader_t *l, const dmd_graphheader_t *header);
bool dmd_graph_load_objects(dmd_graphloader_t *l, const dmd_graphpart_t *part);
bool dmd_graph_load_code(dmd_graphloader_t *l, dmd_wire_span_t message, uint32_t *id);
bool dmd_graph_load_names(dmd_graphloader_t *l, const dmd_graphpart_t *part);

bool dmd_graph_load_roots(dmd_graphloader_t *l, const dmd_graphpart_t *part);
/* Ends the roots that have no edges, once there are no more of their edges. */
void dmd_graph_end_roots(dmd_graphloader_t *l);
/* A part with edges, of roots or of the blocks in it. */
bool dmd_graph_load_nodes(dmd_graphloader_t *l, const dmd_graphpart_t *part);
/* Gives blocks the profile's tags and report sets in place of the file's. */
void dmd_graph_translate_blocks(dmd_graphloader_t *l);
/* Whether edges into the middle of blocks are within them. */
bool dmd_graph_check_interiors(dmd_graphloader_t *l);

#endif
