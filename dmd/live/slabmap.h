/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabmap.h: which slab an address lies in.
 *
 * Slabs are 64 KiB long and start anywhere, so that in each 64 KiB of address space, a page here,
 * at most one starts and at most one ends. For each page there are 12 bytes: these two, and where
 * one gives way to the other. Pages are in regions of 256 MiB, which are made when the first slab
 * comes into them and stay.
 *
 * A look-up is made for each block that is freed, wherever that lies: of a heap of a gigabyte it
 * reads 192 KiB.
 *
 * Concurrency: that of slabs.h, of which it is a part.
 */
#ifndef DMD_LIVE_SLABMAP_H
#define DMD_LIVE_SLABMAP_H

#include "base/map.h"
#include "base/pool.h"

#include <stdbool.h>

#define DMD_SLAB_BITS 16
#define DMD_SLAB_SZB (1u << DMD_SLAB_BITS) /* bytes */
#define DMD_SLAB_REGION_BITS 12            /* pages */

typedef struct dmd_slab_page {
  uint32_t first, second; /* the slab before the offset and that from there on, or DMD_NONE */
  uint32_t offset;        /* DMD_SLAB_SZB where none starts */
} dmd_slab_page_t;

typedef struct dmd_slabmap {
  const dmd_env_t *env;
  dmd_map_t regions; /* of dmd_slab_page_t[], by number */
} dmd_slabmap_t;

void dmd_slabmap_init(dmd_slabmap_t *map, const dmd_env_t *env);
void dmd_slabmap_destroy(dmd_slabmap_t *map);

/* A slab with this id, which is not DMD_NONE, starts at addr. */
void dmd_slabmap_add(dmd_slabmap_t *map, uint64_t addr, uint32_t slab);

/* Removes the slab at addr, which must have been added. */
void dmd_slabmap_remove(dmd_slabmap_t *map, uint64_t addr);

/* Only for the map's own functions: the page with this number, or NULL where its region is not
 * there. */
static inline dmd_slab_page_t *dmd_slabmap_page(const dmd_slabmap_t *map, uint64_t number) {
  dmd_slab_page_t *pages = dmd_map_find(&map->regions, number >> DMD_SLAB_REGION_BITS);
  return pages == NULL ? NULL : &pages[number & ((1u << DMD_SLAB_REGION_BITS) - 1)];
}

/* The only slab that addr can lie in, or DMD_NONE. The caller has to check that it does: an address
 * between two slabs is also answered with one of them. */
static inline uint32_t dmd_slabmap_find(const dmd_slabmap_t *map, uint64_t addr) {
  const dmd_slab_page_t *page = dmd_slabmap_page(map, addr >> DMD_SLAB_BITS);
  if (page == NULL)
    return DMD_NONE;
  return ((uint32_t)addr & (DMD_SLAB_SZB - 1)) < page->offset ? page->first : page->second;
}

/* Goes over the slabs by ascending address. None may come or go meanwhile. */
typedef struct dmd_slabmap_walk {
  const dmd_slabmap_t *map;
  uint32_t *order; /* places of the regions */
  uint32_t region, page;
} dmd_slabmap_walk_t;

void dmd_slabmap_walk_begin(dmd_slabmap_walk_t *walk, const dmd_slabmap_t *map);

/* The next slab, or DMD_NONE. */
uint32_t dmd_slabmap_walk_next(dmd_slabmap_walk_t *walk);

void dmd_slabmap_walk_end(dmd_slabmap_walk_t *walk);

#endif
