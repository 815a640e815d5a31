/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * map.h: a hash table from numbers to pointers.
 *
 * Open addressing with linear probing, at most half full: 32 to 64 bytes per entry. A removal
 * closes the gap that it leaves, so that searches stay short.
 */
#ifndef DMD_BASE_MAP_H
#define DMD_BASE_MAP_H

#include "base/env.h"

#include <stdint.h>

typedef struct dmd_map_place {
  uint64_t number;
  void *value; /* NULL: the place is empty */
} dmd_map_place_t;

typedef struct dmd_map {
  const dmd_env_t *env;
  const char *cost_centre;
  dmd_map_place_t *places;
  uint32_t n_places; /* 0 or a power of two */
  uint32_t n;        /* entries */
} dmd_map_t;

void dmd_map_init(dmd_map_t *map, const dmd_env_t *env, const char *cost_centre);

/* The map does not own the objects that its values point to: free them first. */
void dmd_map_destroy(dmd_map_t *map);

/* The number must not be in the map; the value must not be NULL. */
void dmd_map_add(dmd_map_t *map, uint64_t number, void *value);

/* The number must be in the map. */
void dmd_map_remove(dmd_map_t *map, uint64_t number);

/* Returns the places of the n entries in ascending order of their numbers; NULL if the map is
 * empty. The caller frees the array with the map's env. */
uint32_t *dmd_map_in_order(const dmd_map_t *map);

static inline uint32_t dmd_map_home(const dmd_map_t *map, uint64_t number) {
  return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->n_places - 1);
}

/* The place of the number, or the empty place where its search ends. The map must not be empty.
 * Only for the map's own functions. */
static inline uint32_t dmd_map_place(const dmd_map_t *map, uint64_t number) {
  uint32_t i = dmd_map_home(map, number);
  while (map->places[i].value != NULL && map->places[i].number != number)
    i = (i + 1) & (map->n_places - 1);
  return i;
}

/* The value, or NULL. */
static inline void *dmd_map_find(const dmd_map_t *map, uint64_t number) {
  return map->n == 0 ? NULL : map->places[dmd_map_place(map, number)].value;
}

#endif
