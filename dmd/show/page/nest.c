/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/nest.h"

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

/* ---- Paths. ---- */

void dmd_nest_way_init(dmd_nest_way_t *way, dmd_nest_t *nest) {
  *way = (dmd_nest_way_t){.nest = nest, .id = DMD_NEST_ROOT};
}

void dmd_nest_way_destroy(dmd_nest_way_t *way) {
  dmd_env_free(way->nest->nodes.env, way->ids);
  dmd_env_free(way->nest->nodes.env, way->keys);
}

void dmd_nest_way_begin(dmd_nest_way_t *way) {
  way->at = 0;
  way->id = DMD_NEST_ROOT;
}

static uint32_t *enlarged(const dmd_nest_way_t *way, uint32_t *old, size_t room) {
  const dmd_env_t *env = way->nest->nodes.env;
  uint32_t *more = dmd_env_alloc(env, "dmd.page.nest", room * sizeof *more);
  dmd_mem_copy(more, old, way->room * sizeof *more);
  dmd_env_free(env, old);
  return more;
}

void dmd_nest_way_step(dmd_nest_way_t *way, uint32_t key) {
  if (way->at == way->room) {
    size_t room = 2 * way->room + 64;
    way->keys = enlarged(way, way->keys, room);
    way->ids = enlarged(way, way->ids, room);
    way->room = room;
  }
  if (way->at == way->n || way->keys[way->at] != key) {
    way->keys[way->at] = key;
    way->ids[way->at] = dmd_nest_reach(way->nest, way->id, key);
    way->n = way->at + 1;
  }
  way->id = way->ids[way->at++];
}

/* ---- The visible subtree. ---- */

/* Marks in `next` which nodes of the subtree are left, and returns how many. left: receives their
 * ids; may be NULL. */
static uint32_t mark(dmd_nest_t *nest, uint32_t top, uint64_t least, uint32_t *left) {
  uint32_t n = 0;
  for (uint32_t id = 1; id <= nest->nodes.last; id++) {
    dmd_nest_node_t *node = dmd_nest_at(nest, id);
    node->first = node->next = DMD_NONE;
    bool is_below = node->parent != DMD_NONE && dmd_nest_at(nest, node->parent)->next != DMD_NONE;
    if (id != top && (!is_below || node->extent < least))
      continue;
    node->next = id;
    if (left != NULL)
      left[n] = id;
    n++;
  }
  return n;
}

uint32_t dmd_nest_count(dmd_nest_t *nest, uint32_t top, uint64_t least) {
  return mark(nest, top, least, NULL);
}

static uint64_t total_of(const void *ctx, uint32_t id) {
  return dmd_magnitude(dmd_nest_at(ctx, id)->tally.total);
}

uint32_t dmd_nest_shape(dmd_nest_t *nest, uint32_t top, uint64_t least) {
  const dmd_env_t *env = nest->nodes.env;
  uint32_t *left =
      dmd_env_alloc(env, "dmd.page.nest", ((size_t)nest->nodes.last + 1) * sizeof *left);
  uint32_t n = mark(nest, top, least, left);
  dmd_sort_by_number(env, left, n, total_of, nest);
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
