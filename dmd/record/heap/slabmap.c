/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/slabmap.h"

#include "base/mem.h"

enum { N_PAGES = 1 << DMD_SLAB_REGION_BITS };

void dmd_slabmap_init(dmd_slabmap_t *map, const dmd_env_t *env) {
  map->env = env;
  dmd_map_init(&map->regions, env, "dmd.slabmap.regions");
}

void dmd_slabmap_destroy(dmd_slabmap_t *map) {
  for (uint32_t i = 0; i < map->regions.n_places; i++)
    dmd_env_free(map->env, map->regions.places[i].value);
  dmd_map_destroy(&map->regions);
}

static uint64_t number_of_page(uint64_t addr) {
  return addr >> DMD_SLAB_BITS;
}

static dmd_slab_page_t *page_at(dmd_slabmap_t *map, uint64_t number) {
  dmd_slab_page_t *page = dmd_slabmap_page(map, number);
  if (page != NULL)
    return page;
  dmd_slab_page_t *pages = dmd_env_alloc(map->env, "dmd.slabmap", N_PAGES * sizeof *pages);
  for (uint32_t i = 0; i < N_PAGES; i++)
    pages[i] = (dmd_slab_page_t){.offset = DMD_SLAB_SZB};
  dmd_map_add(&map->regions, number >> DMD_SLAB_REGION_BITS, pages);
  return dmd_slabmap_page(map, number);
}

static uint32_t offset_in_page(uint64_t addr) {
  return (uint32_t)addr & (DMD_SLAB_SZB - 1);
}

void dmd_slabmap_add(dmd_slabmap_t *map, uint64_t addr, uint32_t slab) {
  dmd_slab_page_t *page = page_at(map, number_of_page(addr));
  page->second = slab;
  page->offset = offset_in_page(addr);
  page_at(map, number_of_page(addr) + 1)->first = slab;
}

void dmd_slabmap_remove(dmd_slabmap_t *map, uint64_t addr) {
  dmd_slab_page_t *page = dmd_slabmap_page(map, number_of_page(addr));
  page->second = DMD_NONE;
  page->offset = DMD_SLAB_SZB;
  dmd_slabmap_page(map, number_of_page(addr) + 1)->first = DMD_NONE;
}

void dmd_slabmap_walk_begin(dmd_slabmap_walk_t *walk, const dmd_slabmap_t *map) {
  *walk = (dmd_slabmap_walk_t){.map = map, .order = dmd_map_in_order(&map->regions)};
}

uint32_t dmd_slabmap_walk_next(dmd_slabmap_walk_t *walk) {
  const dmd_map_t *regions = &walk->map->regions;
  for (; walk->region < regions->n; walk->region++, walk->page = 0) {
    const dmd_slab_page_t *pages = regions->places[walk->order[walk->region]].value;
    while (walk->page < N_PAGES && pages[walk->page].second == DMD_NONE)
      walk->page++;
    if (walk->page < N_PAGES)
      return pages[walk->page++].second;
  }
  return DMD_NONE;
}

void dmd_slabmap_walk_end(dmd_slabmap_walk_t *walk) {
  dmd_env_free(walk->map->env, walk->order);
}
