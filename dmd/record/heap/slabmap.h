/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabmap.h: finds the slab that an address lies in. A part of slabs.h, which says which lock
 * guards it.
 *
 * Slabs are 64 KiB long and start anywhere, so in each aligned 64 KiB of address space (a page
 * here) at most one starts and at most one ends. A page takes 12 bytes: these two slabs, and the
 * offset at which the second begins. Pages are grouped in regions of 256 MiB, which are created
 * when the first slab comes into them and stay.
 *
 * Every free makes a look-up, wherever its block lies: for a heap of one gigabyte the map is 192
 * KiB.
 */
#ifndef DMD_RECORD_HEAP_SLABMAP_H
#define DMD_RECORD_HEAP_SLABMAP_H

#include "base/map.h"
#include "base/pool.h"

#include <stdbool.h>

#define DMD_SLAB_BITS 16
#define DMD_SLAB_SZB (1u << DMD_SLAB_BITS) /* bytes */
#define DMD_SLAB_REGION_BITS 12            /* pages */

typedef struct dmd_slab_page {
  uint32_t first, second; /* the slab before the offset and the slab from there on, or DMD_NONE */
  uint32_t offset;        /* DMD_SLAB_SZB if none starts in the page */
} dmd_slab_page_t;

typedef struct dmd_slabmap {
  const dmd_env_t *env;
  dmd_map_t regions; /* of dmd_slab_page_t[], by region number */
} dmd_slabmap_t;

void dmd_slabmap_init(dmd_slabmap_t *map, const dmd_env_t *env);
void dmd_slabmap_destroy(dmd_slabmap_t *map);

/* Adds a slab with this id (not DMD_NONE) that starts at addr. */
void dmd_slabmap_add(dmd_slabmap_t *map, uint64_t addr, uint32_t slab);

/* Removes the slab at addr, which must have been added. */
void dmd_slabmap_remove(dmd_slabmap_t *map, uint64_t addr);

/* Private to the map: the page with this number, or NULL if its region does not exist. */
static inline dmd_slab_page_t *dmd_slabmap_page(const dmd_slabmap_t *map, uint64_t number) {
  dmd_slab_page_t *pages = dmd_map_find(&map->regions, number >> DMD_SLAB_REGION_BITS);
  return pages == NULL ? NULL : &pages[number & ((1u << DMD_SLAB_REGION_BITS) - 1)];
}

/* The only slab that can contain addr, or DMD_NONE. The caller must check that it does: an address
 * between two slabs also yields one of them. */
static inline uint32_t dmd_slabmap_find(const dmd_slabmap_t *map, uint64_t addr) {
  const dmd_slab_page_t *page = dmd_slabmap_page(map, addr >> DMD_SLAB_BITS);
  if (page == NULL)
    return DMD_NONE;
  return ((uint32_t)addr & (DMD_SLAB_SZB - 1)) < page->offset ? page->first : page->second;
}

/* Iterates over the slabs in address order. None may come or go meanwhile. */
typedef struct dmd_slabmap_walk {
  const dmd_slabmap_t *map;
  uint32_t *order; /* places of the regions, sorted */
  uint32_t region, page;
} dmd_slabmap_walk_t;

void dmd_slabmap_walk_begin(dmd_slabmap_walk_t *walk, const dmd_slabmap_t *map);

/* The next slab, or DMD_NONE. */
uint32_t dmd_slabmap_walk_next(dmd_slabmap_walk_t *walk);

void dmd_slabmap_walk_end(dmd_slabmap_walk_t *walk);

#endif
