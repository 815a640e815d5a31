/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * table.h: finds an element of a pool by its contents.
 *
 * A hash table of ids (open addressing, linear probing, at most 3/4 full). The elements stay in
 * their owner's pool; the owner hashes and compares them. Single elements cannot be removed. Each
 * slot has the hash next to the id, so that growing, and skipping other elements, does not access
 * elements; it has 8 bytes, which makes 11 to 22 bytes per element.
 *
 * Concurrency: adding needs exclusive access to the table. Finding needs a lock while another
 * thread may add, since slots move when the table grows.
 */
#ifndef DMD_BASE_TABLE_H
#define DMD_BASE_TABLE_H

#include "base/env.h"
#include "base/mem.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_table {
  const dmd_env_t *env;
  const char *cost_centre;
  /* Whether the element with this id equals the key. */
  bool (*equal)(const void *owner, uint32_t id, const void *key);
  const void *owner;
  struct dmd_table_slot {
    uint32_t hash; /* lower half of the hash */
    uint32_t id;   /* DMD_NONE: empty */
  } * slots;
  uint32_t n_slots;
  uint32_t n_used;
} dmd_table_t;

void dmd_table_init(dmd_table_t *table, const dmd_env_t *env, const char *cost_centre,
                    bool (*equal)(const void *owner, uint32_t id, const void *key),
                    const void *owner);
void dmd_table_destroy(dmd_table_t *table);

/* Hashes a number with the seed of the table's host. To hash several numbers, continue with
 * dmd_hash_u64(hash ^ next number). For dmd_hash_bytes, pass the seed itself. */
static inline uint64_t dmd_table_hash(const dmd_table_t *table, uint64_t number) {
  return dmd_hash_u64(number ^ table->env->hash_seed);
}

/* The id of the element that equals key, which has the given hash; else DMD_NONE. */
uint32_t dmd_table_find(const dmd_table_t *table, uint64_t hash, const void *key);

/* For callers that look up many keys. fetch prefetches the slot of this hash into the caches; guess
 * returns the id that is probably there, or DMD_NONE. */
static inline void dmd_table_fetch(const dmd_table_t *table, uint64_t hash) {
  if (table->n_slots > 0)
    __builtin_prefetch(&table->slots[(uint32_t)hash & (table->n_slots - 1)]);
}

static inline uint32_t dmd_table_guess(const dmd_table_t *table, uint64_t hash) {
  if (table->n_slots == 0)
    return 0;
  const struct dmd_table_slot *slot = &table->slots[(uint32_t)hash & (table->n_slots - 1)];
  return slot->hash == (uint32_t)hash ? slot->id : 0;
}

/* Adds an id whose element is not in the table yet, with the element's hash. Equal elements must
 * have equal hashes. */
void dmd_table_add(dmd_table_t *table, uint64_t hash, uint32_t id);

/* The id of the element of the pool that equals *element, which has the given hash. If there is
 * none, adds a copy of *element to the pool and to the table. */
uint32_t dmd_table_find_or_add(dmd_table_t *table, dmd_pool_t *pool, uint64_t hash,
                               const void *element);

/* Removes all ids. Cost: proportional to the ids added since the last clear. */
void dmd_table_clear(dmd_table_t *table);

#endif
