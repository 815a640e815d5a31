/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graphloader.h: what the parts of load_graph.c have in common.
 *
 * load_graph.c reads the whole, load_graph_nodes.c roots, blocks and edges, load_graph_names.c
 * everything else. Nobody else includes this. Functions that read return false when something is
 * wrong with the file, after they have said so with dmdv_graph_reject.
 */
#ifndef DMD_READER_INPUT_GRAPHLOADER_H
#define DMD_READER_INPUT_GRAPHLOADER_H

#include "base/strbuf.h"
#include "reader/input/dmd-graph.pb-c.h"
#include "reader/input/graphparts.h"
#include "reader/input/load_graph.h"

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

typedef struct dmdv_graphloader {
  dmd_heapgraph_t *graph;
  const dmdv_load_graph_options_t *options;
  dmdv_graphparts_t parts;
  dmd_fail_t *fail;

  /* What the first reading finds out. */
  uint64_t
      n[N_PARTS]; /* elements, by the field of a part that they are of; BLOCKS, EDGES: in all */
  uint64_t n_interiors, n_first_words;
  uint64_t n_data_parts; /* roots, once data was cut */
  dmd_pool_t objects;    /* dmd_graph_object_t with bias alone: to cut data by */
  uint64_t word_szB;
  Dmd__Graph__End end; /* without what is not known */
  int stage;           /* of the latest part, see load_graph.c */

  /* What the second keeps. */
  dmd_pool_t first_root; /* by root of the file + 1: uint32_t, the node of its first part, minus 1;
                            one more for the end */
  uint32_t n_rooted;     /* roots of the file that have their edges */
  uint32_t n_root_codes; /* codes that roots brought */
  uint32_t n_blocks;     /* that were added so far, */
  uint64_t latest_addr;  /* and the address of the latest */
  uint64_t total_szB;
  dmd_pool_t names, tags, report_sets; /* by id of the file: the profile's (uint32_t) */
} dmdv_graphloader_t;

/* Fills in the reason, with the part at hand as the place. Returns false. */
#define dmdv_graph_reject(l, ...) dmdv_graphparts_reject(&(l)->parts, (l)->fail, __VA_ARGS__)

/* Whether an id is one of the n things of its kind, or 0; else says which it is. */
bool dmdv_graph_check_id(dmdv_graphloader_t *l, const char *what, uint64_t id, uint64_t n);

/* Adds a number to a pool that is an array. */
static inline void dmdv_graph_note(dmd_pool_t *ids, uint32_t id) {
  uint32_t place = dmd_pool_add(ids);
  *DMD_POOL_AT(ids, uint32_t, place) = id;
}

/* ---- The first reading, load_graph_names.c and load_graph_nodes.c. ---- */

bool dmdv_graph_check_header(dmdv_graphloader_t *l, const Dmd__Graph__Header *header);
bool dmdv_graph_look_at_objects(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);
bool dmdv_graph_count_roots(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);

/* ---- The second. ---- */

bool dmdv_graph_load_run(dmdv_graphloader_t *l, const Dmd__Graph__Header *header);
bool dmdv_graph_load_objects(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);
bool dmdv_graph_load_code(dmdv_graphloader_t *l, const Dmd__Graph__Code *code, uint32_t *id);
bool dmdv_graph_load_names(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);

bool dmdv_graph_load_roots(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);
/* Ends the roots that have no edges, once there are no more of their edges. */
void dmdv_graph_end_roots(dmdv_graphloader_t *l);
/* A part with edges, of roots or of the blocks in it. */
bool dmdv_graph_load_nodes(dmdv_graphloader_t *l, const Dmd__Graph__Part *part);
/* Gives blocks the profile's tags and report sets in place of the file's. */
void dmdv_graph_translate_blocks(dmdv_graphloader_t *l);
/* Whether edges into the middle of blocks are within them. */
bool dmdv_graph_check_interiors(dmdv_graphloader_t *l);

#endif
