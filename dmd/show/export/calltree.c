/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/export/calltree.h"

static bool is_same(const void *owner, uint32_t id, const void *key) {
  const dmd_call_t *call = dmd_calltree_at(owner, id), *other = key;
  return call->caller == other->caller && call->frame == other->frame;
}

void dmd_calltree_init(dmd_calltree_t *tree, const dmd_profile_t *profile, uint32_t max_frames) {
  *tree = (dmd_calltree_t){.profile = profile, .max_frames = max_frames};
  dmd_pool_init(&tree->calls, profile->env, "dmd.calltree", sizeof(dmd_call_t));
  dmd_pool_init(&tree->of_stack, profile->env, "dmd.calltree", sizeof(uint32_t));
  dmd_table_init(&tree->index, profile->env, "dmd.calltree", is_same, tree);
}

void dmd_calltree_destroy(dmd_calltree_t *tree) {
  dmd_table_destroy(&tree->index);
  dmd_pool_destroy(&tree->of_stack);
  dmd_pool_destroy(&tree->calls);
}

static uint32_t add_call(dmd_calltree_t *tree, uint32_t caller, uint32_t frame) {
  dmd_call_t key = {.caller = caller, .frame = frame};
  uint64_t hash = dmd_hash_u64(dmd_table_hash(&tree->index, caller) ^ frame);
  uint32_t id = dmd_table_find(&tree->index, hash, &key);
  if (id != DMD_NONE)
    return id;
  id = dmd_pool_add(&tree->calls);
  uint32_t *first = caller == DMD_NONE ? &tree->outermost : &dmd_calltree_at(tree, caller)->callee;
  key.next = *first;
  *first = id;
  *dmd_calltree_at(tree, id) = key;
  dmd_table_add(&tree->index, hash, id);
  return id;
}

uint32_t dmd_calltree_stack(dmd_calltree_t *tree, uint32_t stack) {
  if (stack == DMD_NONE)
    return DMD_NONE;
  dmd_pool_reach(&tree->of_stack, stack);
  uint32_t *of_stack = DMD_POOL_AT(&tree->of_stack, uint32_t, stack);
  if (*of_stack == DMD_NONE) {
    size_t n;
    const uint32_t *frames = dmd_profile_frames(tree->profile, stack, &n);
    uint32_t call = DMD_NONE;
    for (size_t i = n < tree->max_frames ? n : tree->max_frames; i > 0; i--)
      call = add_call(tree, call, frames[i - 1]);
    *of_stack = call;
  }
  return *of_stack;
}
