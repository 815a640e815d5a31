/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapmap.h: where the blocks of a heap graph lie: addresses as cells, and how much of the pages is
 * free.
 *
 * Addresses are those of the arena in which the program ran, Valgrind's: how blocks lie beside each
 * other is the program's, what lies between them is not its allocator's. A block in another one is
 * that one's.
 *
 * Where no block lies for DMD_HEAPMAP_GAP bytes, one region ends; the next begins with the next
 * block. Cells are counted through all regions, which are as if they followed each other. Regions
 * begin and end with pages.
 *
 * Time: in proportion to blocks and cells.
 */
#ifndef DMD_PAGE_HEAPMAP_H
#define DMD_PAGE_HEAPMAP_H

#include "graph/nodekeys.h"

#define DMD_HEAPMAP_GAP (UINT64_C(1) << 20)

typedef struct dmd_heapmap_region {
  uint64_t from, to; /* addresses */
  uint64_t before;   /* bytes of the regions before it */
} dmd_heapmap_region_t;

/* How full the pages are. */
typedef struct dmd_heapmap_figures {
  uint64_t blocks, bytes;     /* usable */
  uint64_t pages;             /* of DMD_PAGE_SZB bytes, in which there is any of a block */
  uint64_t hole, hole_at;     /* the largest gap between blocks of a region */
  uint64_t holes, hole_bytes; /* all such gaps */
} dmd_heapmap_figures_t;

typedef struct dmd_heapmap {
  const dmd_heapgraph_t *graph;
  uint32_t *order; /* nodes of the outermost blocks, by address */
  uint32_t n;
  dmd_pool_t regions;
  uint64_t szB; /* of all regions */
  dmd_heapmap_figures_t figures;
} dmd_heapmap_t;

void dmd_heapmap_init(dmd_heapmap_t *map, const dmd_heapgraph_t *graph);
void dmd_heapmap_destroy(dmd_heapmap_t *map);

typedef struct dmd_heapmap_cell {
  uint64_t used;  /* bytes of blocks */
  uint64_t lead;  /* by how much a value leads while bytes are counted */
  uint32_t value; /* of the key: whatever has more than half of these bytes, if something has; else
                     one that has much. DMD_NONE: the cell is empty */
} dmd_heapmap_cell_t;

/* Fills n cells of szB bytes each, from so many bytes of the regions on. */
void dmd_heapmap_cells(const dmd_heapmap_t *map, dmd_nodekeys_t *keys, dmd_nodekey_t key,
                       uint64_t from, uint64_t szB, dmd_heapmap_cell_t *cells, uint32_t n);

/* The address of a place in the regions. */
uint64_t dmd_heapmap_address(const dmd_heapmap_t *map, uint64_t place);

#endif
