/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * table.h: finds an element of a pool by its contents.
 *
 * A hash table of ids (open addressing, linear probing, at most 3/4 full). The elements stay in
 * their owner's pool; the owner hashes and compares them. No single element is removed. A slot
 * holds the hash beside the id, so that growing and passing over other elements touch no element: 8
 * bytes, which makes 11 to 22 bytes an element.
 *
 * Concurrency: nothing locks. Adding needs the table to itself, finding does too while somebody
 * adds: slots move when the table grows.
 */
#ifndef DMD_BASE_TABLE_H
#define DMD_BASE_TABLE_H

#include "base/env.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_table {
  const dmd_env_t *env;
  const char *cost_centre;
  /* Whether the element with this id equals the key that is looked for. */
  bool (*equal)(const void *owner, uint32_t id, const void *key);
  const void *owner;
  struct dmd_table_slot {
    uint32_t hash; /* the lower half */
    uint32_t id;   /* DMD_NONE where empty */
  } * slots;
  uint32_t n_slots;
  uint32_t n_used;
} dmd_table_t;

void dmd_table_init(dmd_table_t *table, const dmd_env_t *env, const char *cost_centre,
                    bool (*equal)(const void *owner, uint32_t id, const void *key),
                    const void *owner);
void dmd_table_destroy(dmd_table_t *table);

/* The hash of a number with the seed of the table's host: the first step of a hash of several,
 * whose next one is dmd_hash_u64(this ^ next number). dmd_hash_bytes gets the seed itself. */
static inline uint64_t dmd_table_hash(const dmd_table_t *table, uint64_t number) {
  return dmd_hash_u64(number ^ table->env->hash_seed);
}

/* The id of the element that equals key, whose hash is given; DMD_NONE when there is none. */
uint32_t dmd_table_find(const dmd_table_t *table, uint64_t hash, const void *key);

/* For callers that look up many keys: fetch starts to load the place of this hash into the caches,
 * without waiting for it; guess returns the id that is most probably found there, or DMD_NONE. */
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

/* Adds an id whose element is not in the table yet, with its element's hash: equal elements have
 * equal hashes. */
void dmd_table_add(dmd_table_t *table, uint64_t hash, uint32_t id);

/* Forgets all ids. Cost: in proportion to the ids that were added since the last clear. */
void dmd_table_clear(dmd_table_t *table);

#endif
