/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/table.h"

#include "base/mem.h"

enum { FIRST_SIZE = 64, KEPT_SIZE = 1024 };

void dmd_table_init(dmd_table_t *table, const dmd_env_t *env, const char *cost_centre,
                    bool (*equal)(const void *owner, uint32_t id, const void *key),
                    const void *owner) {
  dmd_mem_zero(table, sizeof *table);
  table->env = env;
  table->cost_centre = cost_centre;
  table->equal = equal;
  table->owner = owner;
}

void dmd_table_destroy(dmd_table_t *table) {
  dmd_env_free(table->env, table->slots);
  table->slots = NULL;
  table->n_slots = table->n_used = 0;
}

uint32_t dmd_table_find(const dmd_table_t *table, uint64_t hash, const void *key) {
  if (table->n_slots == 0)
    return DMD_NONE;
  uint32_t mask = table->n_slots - 1;
  for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
    const struct dmd_table_slot *slot = &table->slots[i];
    if (slot->id == DMD_NONE ||
        (slot->hash == (uint32_t)hash && table->equal(table->owner, slot->id, key)))
      return slot->id;
  }
}

static void place(dmd_table_t *table, uint32_t hash, uint32_t id) {
  uint32_t mask = table->n_slots - 1;
  uint32_t i = hash & mask;
  while (table->slots[i].id != DMD_NONE)
    i = (i + 1) & mask;
  table->slots[i].hash = hash;
  table->slots[i].id = id;
}

static void grow(dmd_table_t *table) {
  struct dmd_table_slot *old = table->slots;
  uint32_t n_old = table->n_slots;
  table->n_slots = n_old == 0 ? FIRST_SIZE : n_old * 2;
  size_t szB = (size_t)table->n_slots * sizeof *table->slots;
  table->slots = dmd_env_alloc(table->env, table->cost_centre, szB);
  dmd_mem_zero(table->slots, szB);
  for (uint32_t i = 0; i < n_old; i++)
    if (old[i].id != DMD_NONE)
      place(table, old[i].hash, old[i].id);
  dmd_env_free(table->env, old);
}

void dmd_table_add(dmd_table_t *table, uint64_t hash, uint32_t id) {
  if ((uint64_t)(table->n_used + 1) * 4 > (uint64_t)table->n_slots * 3)
    grow(table);
  place(table, (uint32_t)hash, id);
  table->n_used++;
}

uint32_t dmd_table_find_or_add(dmd_table_t *table, dmd_pool_t *pool, uint64_t hash,
                               const void *element) {
  uint32_t id = dmd_table_find(table, hash, element);
  if (id == DMD_NONE) {
    id = dmd_pool_add(pool);
    dmd_mem_copy(dmd_pool_at(pool, id), element, pool->element_szB);
    dmd_table_add(table, hash, id);
  }
  return id;
}

void dmd_table_clear(dmd_table_t *table) {
  /* After one use with many elements, clearing must not stay expensive. */
  if (table->n_slots > KEPT_SIZE && (uint64_t)table->n_used * 16 < table->n_slots)
    dmd_table_destroy(table);
  if (table->n_used > 0)
    dmd_mem_zero(table->slots, table->n_slots * sizeof *table->slots);
  table->n_used = 0;
}
