/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * calltree.h: a tree of stacks, which share their outer frames.
 *
 * A call is a frame and its caller. It represents the stack from there outwards, so that formats
 * which write each call once need not repeat stacks.
 *
 * Memory: 40 bytes per call, and 4 per stack of the profile.
 */
#ifndef DMD_SHOW_EXPORT_CALLTREE_H
#define DMD_SHOW_EXPORT_CALLTREE_H

#include "model/profile/profile.h"

typedef struct dmd_call {
  uint64_t szB;      /* of the blocks whose stacks begin here */
  uint32_t n_blocks; /* number of these blocks */
  uint32_t frame;    /* of the profile */
  uint32_t caller;   /* DMD_NONE: an outermost frame */
  uint32_t callee;   /* its first callee, a list linked by `next`; DMD_NONE: none */
  uint32_t next;
} dmd_call_t;

typedef struct dmd_calltree {
  const dmd_profile_t *profile;
  uint32_t max_frames;
  dmd_pool_t calls;
  dmd_table_t index;
  dmd_pool_t of_stack; /* uint32_t: call ids */
  uint32_t outermost;  /* first of the outermost frames, a list linked by `next` */
} dmd_calltree_t;

/* Must not be moved in memory. Longer stacks are cut to their innermost max_frames frames. */
void dmd_calltree_init(dmd_calltree_t *tree, const dmd_profile_t *profile, uint32_t max_frames);
void dmd_calltree_destroy(dmd_calltree_t *tree);

/* The call of a stack's innermost frame; DMD_NONE if the stack has no frames. The profile must
 * already have all its stacks. */
uint32_t dmd_calltree_stack(dmd_calltree_t *tree, uint32_t stack);

static inline uint32_t dmd_calltree_count(const dmd_calltree_t *tree) {
  return tree->calls.last;
}

static inline dmd_call_t *dmd_calltree_at(const dmd_calltree_t *tree, uint32_t id) {
  return DMD_POOL_AT(&tree->calls, dmd_call_t, id);
}

#endif
