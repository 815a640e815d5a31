/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heapmap.h: the layout of the blocks of a heap graph: addresses as cells, and how much of the
 * pages is free.
 *
 * Addresses are those of Valgrind's arena, in which the program ran: the order of blocks is the
 * program's, but the gaps between them are not those of its own allocator. A nested block counts as
 * part of its outer block.
 *
 * A gap of DMD_HEAPMAP_GAP bytes without blocks ends a region; the next region begins with the next
 * block. Cells cover all regions as if they were contiguous. Regions begin and end at page
 * boundaries.
 *
 * Time: linear in blocks and cells.
 */
#ifndef DMD_SHOW_PAGE_HEAPMAP_H
#define DMD_SHOW_PAGE_HEAPMAP_H

#include "analyse/graph/nodekeys.h"

#define DMD_HEAPMAP_GAP (UINT64_C(1) << 20)

typedef struct dmd_heapmap_region {
  uint64_t from, to; /* addresses */
  uint64_t before;   /* total bytes of the regions before it */
} dmd_heapmap_region_t;

/* Metrics of how full the pages are. */
typedef struct dmd_heapmap_figures {
  uint64_t blocks, bytes;     /* usable */
  uint64_t pages;             /* of DMD_PAGE_SZB bytes, that hold any part of a block */
  uint64_t hole, hole_at;     /* largest gap between blocks of a region */
  uint64_t holes, hole_bytes; /* all such gaps */
} dmd_heapmap_figures_t;

typedef struct dmd_heapmap {
  const dmd_heapgraph_t *graph;
  uint32_t *order; /* nodes of the outermost blocks, by address */
  uint32_t n;
  dmd_pool_t regions;
  uint64_t szB; /* total bytes of the regions */
  dmd_heapmap_figures_t figures;
} dmd_heapmap_t;

void dmd_heapmap_init(dmd_heapmap_t *map, const dmd_heapgraph_t *graph);
void dmd_heapmap_destroy(dmd_heapmap_t *map);

typedef struct dmd_heapmap_cell {
  uint64_t used;  /* bytes of blocks */
  uint64_t lead;  /* majority vote: by how much `value` leads */
  uint32_t value; /* of the key: the value with more than half of these bytes, if there is one; else
                     a frequent one. DMD_NONE: the cell is empty */
} dmd_heapmap_cell_t;

/* Fills n cells of szB bytes each, starting at an offset in the regions. */
void dmd_heapmap_cells(const dmd_heapmap_t *map, dmd_nodekeys_t *keys, dmd_nodekey_t key,
                       uint64_t from, uint64_t szB, dmd_heapmap_cell_t *cells, uint32_t n);

/* The address at an offset in the regions. */
uint64_t dmd_heapmap_address(const dmd_heapmap_t *map, uint64_t place);

#endif
