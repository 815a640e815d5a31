/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * calltree.h: stacks that have their outer frames in common, as a tree.
 *
 * A call is a frame and who called it. It stands for the stack from there outwards, so that formats
 * which write each call once need no stack twice.
 *
 * Memory: 40 bytes a call, and 4 a stack of the profile.
 */
#ifndef DMD_EXPORT_CALLTREE_H
#define DMD_EXPORT_CALLTREE_H

#include "profile/profile.h"

typedef struct dmd_call {
  uint64_t szB;      /* of the blocks whose stacks begin here, and */
  uint32_t n_blocks; /* how many there are */
  uint32_t frame;    /* of the profile */
  uint32_t caller;   /* DMD_NONE: an outermost frame */
  uint32_t callee;   /* one that it calls, whose `next` is another; DMD_NONE: none */
  uint32_t next;
} dmd_call_t;

typedef struct dmd_calltree {
  const dmd_profile_t *profile;
  uint32_t max_frames;
  dmd_pool_t calls;
  dmd_table_t index;
  dmd_pool_t of_stack; /* uint32_t: call ids */
  uint32_t outermost;  /* one of the outermost frames, whose `next` is another */
} dmd_calltree_t;

/* Must stay where it is. Of longer stacks the innermost frames are kept. */
void dmd_calltree_init(dmd_calltree_t *tree, const dmd_profile_t *profile, uint32_t max_frames);
void dmd_calltree_destroy(dmd_calltree_t *tree);

/* The call of a stack's innermost frame; DMD_NONE of a stack without frames. The stacks of the
 * profile must all be there. */
uint32_t dmd_calltree_stack(dmd_calltree_t *tree, uint32_t stack);

static inline uint32_t dmd_calltree_count(const dmd_calltree_t *tree) {
  return tree->calls.last;
}

static inline dmd_call_t *dmd_calltree_at(const dmd_calltree_t *tree, uint32_t id) {
  return DMD_POOL_AT(&tree->calls, dmd_call_t, id);
}

#endif
