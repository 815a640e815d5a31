/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/map.h"

#include "base/mem.h"
#include "base/sort.h"

enum { FIRST_PLACES = 64 };

void dmd_map_init(dmd_map_t *map, const dmd_env_t *env, const char *cost_centre) {
  dmd_mem_zero(map, sizeof *map);
  map->env = env;
  map->cost_centre = cost_centre;
}

void dmd_map_destroy(dmd_map_t *map) {
  dmd_env_free(map->env, map->places);
  dmd_map_init(map, map->env, map->cost_centre);
}

static void grow(dmd_map_t *map) {
  dmd_map_place_t *old = map->places;
  uint32_t n_old = map->n_places;
  map->n_places = n_old == 0 ? FIRST_PLACES : n_old * 2;
  map->places = dmd_env_alloc(map->env, map->cost_centre, map->n_places * sizeof *map->places);
  dmd_mem_zero(map->places, map->n_places * sizeof *map->places);
  for (uint32_t i = 0; i < n_old; i++)
    if (old[i].value != NULL)
      map->places[dmd_map_place(map, old[i].number)] = old[i];
  dmd_env_free(map->env, old);
}

void dmd_map_add(dmd_map_t *map, uint64_t number, void *value) {
  if (map->n * 2 >= map->n_places)
    grow(map);
  map->places[dmd_map_place(map, number)] = (dmd_map_place_t){.number = number, .value = value};
  map->n++;
}

void dmd_map_remove(dmd_map_t *map, uint64_t number) {
  uint32_t mask = map->n_places - 1;
  uint32_t gap = dmd_map_place(map, number);
  /* Entries after the gap whose search passes it move into it. */
  for (uint32_t i = (gap + 1) & mask; map->places[i].value != NULL; i = (i + 1) & mask) {
    uint32_t home = dmd_map_home(map, map->places[i].number);
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      map->places[gap] = map->places[i];
      gap = i;
    }
  }
  map->places[gap].value = NULL;
  map->n--;
}

static int compare_numbers(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_map_place_t *places = ctx;
  return (places[a].number > places[b].number) - (places[a].number < places[b].number);
}

uint32_t *dmd_map_in_order(const dmd_map_t *map) {
  if (map->n == 0)
    return NULL;
  uint32_t *order = dmd_env_alloc(map->env, map->cost_centre, map->n * sizeof *order);
  uint32_t n = 0;
  for (uint32_t i = 0; i < map->n_places; i++)
    if (map->places[i].value != NULL)
      order[n++] = i;
  dmd_sort(map->env, order, n, compare_numbers, map->places);
  return order;
}
