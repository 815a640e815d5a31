/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * nest.h: blocks added up along ways: of the frames of their stacks, or the parts of their names.
 *
 * A node is a key below another node; what is added to it counts for all above it. Node 1 is the
 * root, which has everything; a node's id is higher than that of the one above it.
 *
 * In order: init, any number of reach and add, finish; then shape, as often as wanted, and step.
 * There is no recursion, so that ways may have any length. Memory: about 80 bytes a node.
 */
#ifndef DMD_PAGE_NEST_H
#define DMD_PAGE_NEST_H

#include "analysis/tally.h"

enum { DMD_NEST_ROOT = 1 };

typedef struct dmd_nest_node {
  dmd_tally_t tally;    /* after finish with all that is below */
  uint64_t extent;      /* after finish the largest bytes, whatever their sign, in it and below */
  uint32_t key, parent; /* of the root DMD_NONE */
  /* After shape: one of those below, whose `next` is another; the largest first. */
  uint32_t first, next;
  uint32_t level; /* of the root 0 */
} dmd_nest_node_t;

typedef struct dmd_nest {
  dmd_pool_t nodes;
  dmd_table_t index;
} dmd_nest_t;

/* Must stay where it is until it is destroyed. */
void dmd_nest_init(dmd_nest_t *nest, const dmd_env_t *env);
void dmd_nest_destroy(dmd_nest_t *nest);

/* The node with this key, not DMD_NONE, below a node. */
uint32_t dmd_nest_reach(dmd_nest_t *nest, uint32_t parent, uint32_t key);

/* The same along a way, key by key, one way after the other: what a way has in common with the one
 * before it is not looked up again. In order: init; for each way begin, any number of steps, and
 * `id` is where it leads; destroy. */
typedef struct dmd_nest_way {
  dmd_nest_t *nest;
  uint32_t *keys, *ids; /* of the latest way, */
  size_t n, room;       /* so many, with room for more */
  size_t at;            /* steps of this way */
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

/* All is added. */
void dmd_nest_finish(dmd_nest_t *nest);

/* How many nodes there are below this one, with it, without those of less extent than `least`. */
uint32_t dmd_nest_count(dmd_nest_t *nest, uint32_t top, uint64_t least);

/* Lists what is below this node, without nodes of less extent than `least`: in a difference parts
 * may cancel out. Returns how many are left, the node itself too. */
uint32_t dmd_nest_shape(dmd_nest_t *nest, uint32_t top, uint64_t least);

/* After shape: the node after this one, of those that are left, each before what is below it.
 * DMD_NONE after the last. */
uint32_t dmd_nest_step(const dmd_nest_t *nest, uint32_t top, uint32_t id);

#endif
