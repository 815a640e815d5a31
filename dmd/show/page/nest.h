/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nest.h: a tree that adds up blocks along paths, such as the frames of stacks or the parts of
 * names.
 *
 * A node is a key below a parent node; whatever is added to it counts for all its ancestors. Node 1
 * is the root. A node's id is higher than its parent's.
 *
 * Call order: init; any number of reach and add; finish; then shape and step, as often as wanted.
 * No function is recursive, so paths may have any length. Memory: about 80 bytes a node.
 */
#ifndef DMD_SHOW_PAGE_NEST_H
#define DMD_SHOW_PAGE_NEST_H

#include "analyse/records/sums.h"

enum { DMD_NEST_ROOT = 1 };

typedef struct dmd_nest_node {
  dmd_tally_t tally;    /* after finish: including all descendants */
  uint64_t extent;      /* after finish: the largest magnitude of bytes in it or a descendant */
  uint32_t key, parent; /* DMD_NONE for the root */
  /* After shape: first child and next sibling, the largest first. */
  uint32_t first, next;
  uint32_t level; /* 0 for the root */
} dmd_nest_node_t;

typedef struct dmd_nest {
  dmd_pool_t nodes;
  dmd_table_t index;
} dmd_nest_t;

/* A nest must not be moved in memory until it is destroyed. */
void dmd_nest_init(dmd_nest_t *nest, const dmd_env_t *env);
void dmd_nest_destroy(dmd_nest_t *nest);

/* The node with this key (not DMD_NONE) below a node; adds it if it is new. */
uint32_t dmd_nest_reach(dmd_nest_t *nest, uint32_t parent, uint32_t key);

/* Walks down paths key by key. What a path has in common with the previous one is not looked up
 * again. Call order: init; for each path: begin, then any number of steps, after which `id` is the
 * node; destroy. */
typedef struct dmd_nest_way {
  dmd_nest_t *nest;
  uint32_t *keys, *ids; /* of the latest path */
  size_t n, room;       /* used and allocated length of both */
  size_t at;            /* steps taken on this path */
  uint32_t id;
} dmd_nest_way_t;

void dmd_nest_way_init(dmd_nest_way_t *way, dmd_nest_t *nest);
void dmd_nest_way_destroy(dmd_nest_way_t *way);
void dmd_nest_way_begin(dmd_nest_way_t *way);
void dmd_nest_way_step(dmd_nest_way_t *way, uint32_t key);

static inline dmd_nest_node_t *dmd_nest_at(const dmd_nest_t *nest, uint32_t id) {
  return DMD_POOL_AT(&nest->nodes, dmd_nest_node_t, id);
}

void dmd_nest_add(dmd_nest_t *nest, uint32_t id, const dmd_tally_t *tally);

/* Call when everything was added. */
void dmd_nest_finish(dmd_nest_t *nest);

/* The number of nodes in the subtree of `top`, without those of less extent than `least`. */
uint32_t dmd_nest_count(dmd_nest_t *nest, uint32_t top, uint64_t least);

/* Links the subtree of `top` for step, without nodes of less extent than `least`. (The extent
 * counts, since sizes in a difference may cancel out.) Returns how many nodes are left, including
 * `top`. */
uint32_t dmd_nest_shape(dmd_nest_t *nest, uint32_t top, uint64_t least);

/* After shape: the next node that is left, in preorder. DMD_NONE after the last. */
uint32_t dmd_nest_step(const dmd_nest_t *nest, uint32_t top, uint32_t id);

#endif
