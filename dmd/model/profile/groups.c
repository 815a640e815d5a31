/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile/groups.h"

#include "base/limits.h"
#include "base/mem.h"

uint32_t dmd_tag_intern(dmd_intern_t *tags, const char *name) {
  static const char others[] = "(other tags)";
  if (dmd_intern_count(tags) >= DMD_MAX_TAGS - 1) {
    uint32_t id = dmd_intern_find_text(tags, name);
    return id != DMD_NONE ? id : dmd_intern_str(tags, others);
  }
  return dmd_intern_text(tags, name);
}

static uint64_t hash_of(const dmd_groups_t *groups, const dmd_group_t *g) {
  uint64_t h = dmd_table_hash(&groups->index, g->req);
  h = dmd_hash_u64(h ^ g->slop);
  h = dmd_hash_u64(h ^ g->stack ^ (uint64_t)g->reports << 32);
  return dmd_hash_u64(h ^ g->tag ^ (uint64_t)g->thread << 16 ^ (uint64_t)g->sampled << 32 ^
                      (uint64_t)g->after_peak << 33 ^ (uint64_t)g->never_measured << 34);
}

static bool group_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_group_t *a = dmd_groups_at(owner, id), *b = key;
  return a->req == b->req && a->slop == b->slop && a->stack == b->stack &&
         a->reports == b->reports && a->tag == b->tag && a->thread == b->thread &&
         a->sampled == b->sampled && a->after_peak == b->after_peak &&
         a->never_measured == b->never_measured;
}

void dmd_groups_init(dmd_groups_t *groups, const dmd_env_t *env) {
  dmd_pool_init(&groups->pool, env, "dmd.groups", sizeof(dmd_group_t));
  dmd_table_init(&groups->index, env, "dmd.groups.index", group_equal, groups);
}

void dmd_groups_destroy(dmd_groups_t *groups) {
  dmd_table_destroy(&groups->index);
  dmd_pool_destroy(&groups->pool);
}

uint32_t dmd_groups_append(dmd_groups_t *groups, const dmd_group_t *key) {
  uint32_t id = dmd_pool_add(&groups->pool);
  dmd_group_t *g = dmd_groups_at(groups, id);
  *g = *key;
  g->record = DMD_NONE;
  return id;
}

static void add_hashed(dmd_groups_t *groups, uint64_t hash, const dmd_group_t *key) {
  uint32_t id = dmd_table_find(&groups->index, hash, key);
  if (id != DMD_NONE)
    dmd_groups_at(groups, id)->num += key->num;
  else
    dmd_table_add(&groups->index, hash, dmd_groups_append(groups, key));
}

void dmd_groups_add(dmd_groups_t *groups, const dmd_group_t *key) {
  add_hashed(groups, hash_of(groups, key), key);
}

void dmd_groups_add_all(dmd_groups_t *groups, const dmd_group_t *keys, size_t n) {
  enum { AHEAD = 64 };
  uint64_t hashes[AHEAD];
  for (; n > 0;) {
    size_t part = n < AHEAD ? n : AHEAD;
    for (size_t i = 0; i < part; i++) {
      hashes[i] = hash_of(groups, &keys[i]);
      dmd_table_fetch(&groups->index, hashes[i]);
    }
    for (size_t i = 0; i < part; i++) {
      uint32_t id = dmd_table_guess(&groups->index, hashes[i]);
      if (id != DMD_NONE)
        __builtin_prefetch(dmd_groups_at(groups, id));
    }
    for (size_t i = 0; i < part; i++)
      add_hashed(groups, hashes[i], &keys[i]);
    keys += part;
    n -= part;
  }
}

void dmd_groups_close(dmd_groups_t *groups) {
  dmd_table_clear(&groups->index);
}

/* In place: the result never has more groups than were read. */
void dmd_groups_join(dmd_groups_t *groups) {
  uint32_t n = dmd_groups_count(groups);
  dmd_table_clear(&groups->index);
  dmd_pool_rewind(&groups->pool);
  for (uint32_t id = 1; id <= n; id++) {
    dmd_group_t group = *dmd_groups_at(groups, id);
    dmd_groups_add(groups, &group);
  }
}

void dmd_groups_finish(dmd_groups_t *groups) {
  dmd_table_destroy(&groups->index);
}

void dmd_groups_pass(dmd_groups_t *groups, uint32_t id) {
  dmd_pool_pass(&groups->pool, id);
}
