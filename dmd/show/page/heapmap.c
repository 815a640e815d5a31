/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/page/heapmap.h"

#include "base/limits.h"

static uint64_t start_of(const dmd_heapmap_t *map, uint32_t i) {
  return dmd_heapgraph_block(map->graph, map->order[i])->addr;
}

/* Where a block ends; at most the last address. */
static uint64_t end_of(const dmd_heapmap_t *map, uint32_t i) {
  uint64_t start = start_of(map, i), szB = map->graph->graph.size[map->order[i]];
  return szB < UINT64_MAX - start ? start + szB : UINT64_MAX;
}

static dmd_heapmap_region_t *region_at(const dmd_heapmap_t *map, uint32_t id) {
  return DMD_POOL_AT(&map->regions, dmd_heapmap_region_t, id);
}

static uint64_t page_of(uint64_t addr) {
  return addr / DMD_PAGE_SZB;
}

/* Adds the gap before a block, and the block. *end: where the previous blocks end. */
static void add_block(dmd_heapmap_t *map, uint32_t i, uint64_t *end, uint64_t *next_page) {
  dmd_heapmap_figures_t *f = &map->figures;
  uint64_t from = start_of(map, i), to = end_of(map, i);
  if (map->regions.last == 0 || (from > *end && from - *end >= DMD_HEAPMAP_GAP)) {
    uint32_t id = dmd_pool_add(&map->regions);
    *region_at(map, id) = (dmd_heapmap_region_t){.from = page_of(from) * DMD_PAGE_SZB};
  } else if (from > *end) {
    f->holes++;
    f->hole_bytes += from - *end;
    if (from - *end > f->hole) {
      f->hole = from - *end;
      f->hole_at = *end;
    }
  }
  uint64_t first = page_of(from) > *next_page ? page_of(from) : *next_page;
  uint64_t last = to > from ? page_of(to - 1) + 1 : first;
  if (last > first) {
    f->pages += last - first;
    *next_page = last;
  }
  *end = to > *end ? to : *end;
  region_at(map, map->regions.last)->to = *end;
  f->blocks++;
  f->bytes += to - from;
}

/* Rounds the ends of regions up to pages, except beyond the last address. */
static void settle_regions(dmd_heapmap_t *map) {
  for (uint32_t id = 1; id <= map->regions.last; id++) {
    dmd_heapmap_region_t *region = region_at(map, id);
    uint64_t rest = (DMD_PAGE_SZB - region->to % DMD_PAGE_SZB) % DMD_PAGE_SZB;
    region->to = rest <= UINT64_MAX - region->to ? region->to + rest : UINT64_MAX;
    /* This region may begin in the last page of the previous one. */
    if (id > 1 && region->from < region_at(map, id - 1)->to)
      region->from = region_at(map, id - 1)->to;
    if (region->to < region->from)
      region->to = region->from;
    region->before = map->szB;
    map->szB += region->to - region->from;
  }
}

void dmd_heapmap_init(dmd_heapmap_t *map, const dmd_heapgraph_t *graph) {
  const dmd_env_t *env = graph->env;
  uint32_t first = dmd_heapgraph_first_block(graph), n_nodes = graph->graph.n_nodes;
  *map = (dmd_heapmap_t){.graph = graph};
  dmd_pool_init(&map->regions, env, "dmd.heapmap", sizeof(dmd_heapmap_region_t));
  map->order = dmd_env_alloc(env, "dmd.heapmap", ((size_t)n_nodes + 1) * sizeof *map->order);
  for (uint32_t node = first; node < n_nodes; node++)
    if (dmd_heapgraph_block(graph, node)->outer == DMD_NONE)
      map->order[map->n++] = node;
  uint64_t end = 0, next_page = 0;
  for (uint32_t i = 0; i < map->n; i++)
    add_block(map, i, &end, &next_page);
  settle_regions(map);
}

void dmd_heapmap_destroy(dmd_heapmap_t *map) {
  dmd_env_free(map->graph->env, map->order);
  dmd_pool_destroy(&map->regions);
}

uint64_t dmd_heapmap_address(const dmd_heapmap_t *map, uint64_t place) {
  uint32_t low = 1, high = map->regions.last;
  if (high == 0)
    return 0;
  while (low < high) {
    uint32_t middle = low + (high - low + 1) / 2;
    if (region_at(map, middle)->before <= place)
      low = middle;
    else
      high = middle - 1;
  }
  return region_at(map, low)->from + (place - region_at(map, low)->before);
}

/* Adds bytes of one value to a cell (Boyer-Moore majority vote, weighted by bytes). */
static void add_to_cell(dmd_heapmap_cell_t *cell, uint32_t value, uint64_t szB) {
  cell->used += szB;
  if (cell->value == value) {
    cell->lead += szB;
  } else if (cell->lead >= szB && cell->value != DMD_NONE) {
    cell->lead -= szB;
  } else {
    cell->value = value;
    cell->lead = szB - cell->lead;
  }
}

void dmd_heapmap_cells(const dmd_heapmap_t *map, dmd_nodekeys_t *keys, dmd_nodekey_t key,
                       uint64_t from, uint64_t szB, dmd_heapmap_cell_t *cells, uint32_t n) {
  dmd_mem_zero(cells, n * sizeof *cells);
  uint32_t region = 1;
  uint64_t covered = 0; /* the address up to which blocks were added: some may overlap */
  for (uint32_t i = 0; i < map->n; i++) {
    uint64_t start = start_of(map, i), end = end_of(map, i);
    while (region < map->regions.last && start >= region_at(map, region + 1)->from)
      region++;
    const dmd_heapmap_region_t *r = region_at(map, region);
    start = start > covered ? start : covered;
    start = start > r->from ? start : r->from;
    end = end < r->to ? end : r->to;
    if (end <= start)
      continue;
    covered = end;
    uint64_t place = r->before + (start - r->from), stop = r->before + (end - r->from);
    if (place < from)
      place = from;
    if (stop <= from || place >= from + n * szB)
      continue;
    uint32_t value = dmd_nodekeys_value(keys, key, map->order[i]);
    while (place < stop && (place - from) / szB < n) {
      uint64_t cell = (place - from) / szB, cell_end = from + (cell + 1) * szB;
      uint64_t part = (stop < cell_end ? stop : cell_end) - place;
      add_to_cell(&cells[cell], value, part);
      place += part;
    }
  }
}
