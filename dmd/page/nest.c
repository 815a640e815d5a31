/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page/nest.h"

#include "base/sort.h"

static bool is_same(const void *owner, uint32_t id, const void *key) {
  const dmd_nest_node_t *node = dmd_nest_at(owner, id), *other = key;
  return node->parent == other->parent && node->key == other->key;
}

void dmd_nest_init(dmd_nest_t *nest, const dmd_env_t *env) {
  dmd_pool_init(&nest->nodes, env, "dmd.page.nest", sizeof(dmd_nest_node_t));
  dmd_table_init(&nest->index, env, "dmd.page.nest", is_same, nest);
  *dmd_nest_at(nest, dmd_pool_add(&nest->nodes)) = (dmd_nest_node_t){.key = DMD_NONE};
}

void dmd_nest_destroy(dmd_nest_t *nest) {
  dmd_table_destroy(&nest->index);
  dmd_pool_destroy(&nest->nodes);
}

uint32_t dmd_nest_reach(dmd_nest_t *nest, uint32_t parent, uint32_t key) {
  dmd_nest_node_t node = {.parent = parent, .key = key};
  uint64_t hash = dmd_hash_u64(dmd_table_hash(&nest->index, parent) ^ key);
  uint32_t id = dmd_table_find(&nest->index, hash, &node);
  if (id != DMD_NONE)
    return id;
  node.level = dmd_nest_at(nest, parent)->level + 1;
  id = dmd_pool_add(&nest->nodes);
  *dmd_nest_at(nest, id) = node;
  dmd_table_add(&nest->index, hash, id);
  return id;
}

void dmd_nest_add(dmd_nest_t *nest, uint32_t id, const dmd_tally_t *tally) {
  dmd_tally_t *to = &dmd_nest_at(nest, id)->tally;
  for (int section = 0; section < DMD_N_SECTIONS; section++)
    to->usable[section] += tally->usable[section];
  to->total += tally->total;
  to->num += tally->num;
}

void dmd_nest_finish(dmd_nest_t *nest) {
  for (uint32_t id = nest->nodes.last; id >= DMD_NEST_ROOT; id--) {
    dmd_nest_node_t *node = dmd_nest_at(nest, id);
    if (dmd_magnitude(node->tally.total) > node->extent)
      node->extent = dmd_magnitude(node->tally.total);
    if (id == DMD_NEST_ROOT)
      return;
    dmd_nest_add(nest, node->parent, &node->tally);
    dmd_nest_node_t *parent = dmd_nest_at(nest, node->parent);
    if (node->extent > parent->extent)
      parent->extent = node->extent;
  }
}

static int compare_nodes(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_nest_t *nest = ctx;
  int order =
      dmd_compare_magnitudes(dmd_nest_at(nest, a)->tally.total, dmd_nest_at(nest, b)->tally.total);
  return order != 0 ? order : (a > b) - (a < b);
}

uint32_t dmd_nest_shape(dmd_nest_t *nest, uint32_t top, uint64_t least) {
  const dmd_env_t *env = nest->nodes.env;
  uint32_t last = nest->nodes.last, n = 0;
  uint32_t *left = dmd_env_alloc(env, "dmd.page.nest", ((size_t)last + 1) * sizeof *left);
  /* While nodes are looked at, `next` of a node that is left is itself. */
  for (uint32_t id = 1; id <= last; id++) {
    dmd_nest_node_t *node = dmd_nest_at(nest, id);
    node->first = node->next = DMD_NONE;
    bool is_below = node->parent != DMD_NONE && dmd_nest_at(nest, node->parent)->next != DMD_NONE;
    if (id != top && (!is_below || node->extent < least))
      continue;
    node->next = id;
    left[n++] = id;
  }
  dmd_sort(env, left, n, compare_nodes, nest);
  for (uint32_t i = n; i > 0; i--) {
    dmd_nest_node_t *node = dmd_nest_at(nest, left[i - 1]);
    node->next = DMD_NONE;
    if (left[i - 1] == top)
      continue;
    dmd_nest_node_t *parent = dmd_nest_at(nest, node->parent);
    node->next = parent->first;
    parent->first = left[i - 1];
  }
  dmd_env_free(env, left);
  return n;
}

uint32_t dmd_nest_step(const dmd_nest_t *nest, uint32_t top, uint32_t id) {
  if (dmd_nest_at(nest, id)->first != DMD_NONE)
    return dmd_nest_at(nest, id)->first;
  while (id != top && dmd_nest_at(nest, id)->next == DMD_NONE)
    id = dmd_nest_at(nest, id)->parent;
  return id != top ? dmd_nest_at(nest, id)->next : DMD_NONE;
}
