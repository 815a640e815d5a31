/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/pinned.h"

#include "base/limits.h"
#include "base/str.h"

/* Neighbouring pages that are returned together, and the outermost blocks in them. */
typedef struct {
  uint64_t start, end;
  uint64_t live, slop;  /* requested bytes; what the allocator adds to them */
  uint32_t first, last; /* blocks; those between them are in it, too */
  uint32_t n;           /* blocks that are not nested */
  uint64_t resident, free;
} unit_t;

typedef struct walk {
  const dmd_heapgraph_t *graph;
  dmd_allocator_t allocator; /* DMD_N_ALLOCATORS: unknown */
  uint64_t word_szB;
  uint32_t run; /* of resident pages, none of which before it matter any more */
  unit_t unit;
  dmd_pagebytes_t bytes;
  void (*visit)(void *ctx, const unit_t *unit);
  void *ctx;
} walk_t;

/* ---- Units. ---- */

/* A slab of jemalloc: as many pages as a whole number of regions fill. There is one place for it
 * that the block's address allows. */
static bool find_jemalloc_slab(unit_t *unit, uint64_t addr, uint64_t region_szB) {
  enum { MOST_PAGES = 8 };
  uint64_t szB = DMD_PAGE_SZB;
  while (szB % region_szB != 0 && szB <= MOST_PAGES * DMD_PAGE_SZB)
    szB += DMD_PAGE_SZB;
  if (szB > MOST_PAGES * DMD_PAGE_SZB)
    return false;
  unit->start = addr / DMD_PAGE_SZB * DMD_PAGE_SZB;
  while ((addr - unit->start) % region_szB != 0 && unit->start >= DMD_PAGE_SZB)
    unit->start -= DMD_PAGE_SZB;
  unit->end = unit->start + szB;
  return true;
}

/* False if the block is in a unit of its own, or pages are returned one by one. */
static bool find_slab(const walk_t *walk, uint32_t node, unit_t *unit) {
  enum {
    JEMALLOC_SMALL = 14336,
    TCMALLOC_PAGE = 8192,
    MIMALLOC_PAGE = 65536,
    MIMALLOC_SMALL = 16384
  };
  uint64_t addr = dmd_heapgraph_block(walk->graph, node)->addr,
           usable = walk->graph->graph.size[node];
  uint64_t aligned = walk->allocator == DMD_ALLOCATOR_TCMALLOC ? TCMALLOC_PAGE : MIMALLOC_PAGE;
  if (walk->allocator == DMD_ALLOCATOR_JEMALLOC && usable >= sizeof(uint64_t) &&
      usable <= JEMALLOC_SMALL)
    return find_jemalloc_slab(unit, addr, usable);
  if ((walk->allocator != DMD_ALLOCATOR_TCMALLOC || usable > TCMALLOC_PAGE) &&
      (walk->allocator != DMD_ALLOCATOR_MIMALLOC || usable > MIMALLOC_SMALL))
    return false;
  unit->start = addr / aligned * aligned;
  unit->end = unit->start + aligned;
  return true;
}

/* ---- Pages. ---- */

uint64_t dmd_resident_between(const dmd_heapgraph_t *graph, uint32_t *run, uint64_t from,
                              uint64_t to) {
  const dmd_pool_t *runs = &graph->residents;
  uint64_t szB = 0;
  for (uint32_t i = *run; i <= runs->last; i++) {
    const dmd_graph_resident_t *one = DMD_POOL_AT(runs, const dmd_graph_resident_t, i);
    uint64_t end = one->addr + one->szB;
    if (one->addr >= to)
      break;
    if (end <= from) {
      *run = i + 1;
      continue;
    }
    szB += (end < to ? end : to) - (one->addr > from ? one->addr : from);
  }
  return szB;
}

static uint64_t resident_between(walk_t *walk, uint64_t from, uint64_t to) {
  return dmd_resident_between(walk->graph, &walk->run, from, to);
}

static void end_unit(walk_t *walk) {
  unit_t *unit = &walk->unit;
  dmd_pagebytes_t *bytes = &walk->bytes;
  if (unit->n == 0)
    return;
  unit->resident = resident_between(walk, unit->start, unit->end);
  if (unit->live > unit->resident)
    unit->live = unit->resident;
  if (unit->slop > unit->resident - unit->live)
    unit->slop = unit->resident - unit->live;
  unit->free = unit->resident - unit->live - unit->slop;
  bytes->live += unit->live;
  bytes->slop += unit->slop;
  bytes->free += unit->free;
  if (unit->resident > 0 && walk->visit != NULL)
    walk->visit(walk->ctx, unit);
  unit->n = 0;
}

/* Makes the unit the current one, if it is not. Units do not overlap. */
static void begin_unit(walk_t *walk, uint32_t node, uint64_t start, uint64_t end) {
  uint64_t before = walk->unit.end;
  if (start >= before || end > before || walk->unit.n == 0) {
    end_unit(walk);
    walk->unit = (unit_t){.start = start > before ? start : before, .end = end, .first = node};
    if (walk->unit.end < walk->unit.start)
      walk->unit.end = walk->unit.start;
  }
  walk->unit.last = node;
  walk->unit.n++;
}

/* The part of a block between two addresses. */
static void split(const walk_t *walk, uint32_t node, uint64_t from, uint64_t to, uint64_t *live,
                  uint64_t *slop) {
  uint64_t addr = dmd_heapgraph_block(walk->graph, node)->addr;
  uint64_t end = addr + dmd_heapgraph_requested(walk->graph, node);
  from = from > addr ? from : addr;
  end = end < from ? from : end < to ? end : to;
  *live = end - from;
  *slop = to - end;
}

static void add_part(walk_t *walk, uint32_t node, uint64_t to) {
  uint64_t live, slop;
  if (to <= walk->unit.start)
    return;
  split(walk, node, walk->unit.start, to, &live, &slop);
  walk->unit.live += live;
  walk->unit.slop += slop;
}

/* Whole pages of a block. */
static void add_inside(walk_t *walk, uint32_t node, uint64_t from, uint64_t to) {
  uint64_t live, slop;
  end_unit(walk);
  split(walk, node, from, to, &live, &slop);
  walk->bytes.live += resident_between(walk, from, from + live);
  walk->bytes.slop += resident_between(walk, from + live, to);
}

static void add_block(walk_t *walk, uint32_t node) {
  uint64_t addr = dmd_heapgraph_block(walk->graph, node)->addr, szB = walk->graph->graph.size[node];
  uint64_t end = addr + szB, page = addr / DMD_PAGE_SZB * DMD_PAGE_SZB;
  uint64_t last = (szB > 0 ? end - 1 : addr) / DMD_PAGE_SZB * DMD_PAGE_SZB;
  unit_t slab;
  if (find_slab(walk, node, &slab) && slab.end >= end) {
    begin_unit(walk, node, slab.start, slab.end);
    add_part(walk, node, end);
    return;
  }
  begin_unit(walk, node, page, page + DMD_PAGE_SZB);
  if (walk->allocator < DMD_N_ALLOCATORS)
    walk->unit.slop += dmd_allocator_header(walk->allocator, walk->word_szB);
  add_part(walk, node, end < page + DMD_PAGE_SZB ? end : page + DMD_PAGE_SZB);
  if (last == page)
    return;
  if (last > page + DMD_PAGE_SZB)
    add_inside(walk, node, page + DMD_PAGE_SZB, last);
  begin_unit(walk, node, last, last + DMD_PAGE_SZB);
  add_part(walk, node, end);
}

static void find_model(walk_t *walk) {
  const dmd_run_t *run = &walk->graph->profile.run;
  walk->word_szB = run->word_szB == 4 ? 4 : 8;
  walk->allocator = DMD_N_ALLOCATORS;
  for (int i = 0; run->allocator != NULL && i < DMD_N_ALLOCATORS; i++)
    if (dmd_str_equal(run->allocator, dmd_allocator_name((dmd_allocator_t)i)))
      walk->allocator = (dmd_allocator_t)i;
}

static void go(walk_t *walk) {
  const dmd_heapgraph_t *graph = walk->graph;
  if (graph->residents.last == 0)
    return;
  walk->run = 1;
  find_model(walk);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    if (dmd_heapgraph_block(graph, node)->outer == DMD_NONE)
      add_block(walk, node);
  end_unit(walk);
  dmd_pagebytes_t *bytes = &walk->bytes;
  for (uint32_t i = 1; i <= graph->residents.last; i++)
    bytes->resident += DMD_POOL_AT(&graph->residents, const dmd_graph_resident_t, i)->szB;
  uint64_t known = bytes->live + bytes->slop + bytes->free;
  bytes->empty = bytes->resident > known ? bytes->resident - known : 0;
}

dmd_pagebytes_t dmd_pagebytes_of(const dmd_heapgraph_t *graph) {
  walk_t walk = {.graph = graph};
  go(&walk);
  return walk.bytes;
}

/* ---- Findings. ---- */

typedef struct {
  dmd_waste_t *waste;
  /* A block, which may be in another unit, too: */
  uint32_t node;
  uint64_t bytes; /* its part of what is free */
  uint64_t alone; /* pages on which there are only blocks of its finding */
} work_t;

static void settle(work_t *work) {
  dmd_waste_t *w = work->waste;
  uint32_t id = work->bytes == 0 ? DMD_NONE
                                 : dmd_waste_add(w, DMD_WASTE_PINNED, work->node, work->node,
                                                 DMD_NONE, work->bytes);
  if (id != DMD_NONE)
    dmd_waste_finding(w, id)->values += work->alone;
}

static bool is_outermost(const work_t *work, uint32_t node) {
  return dmd_heapgraph_block(work->waste->graph, node)->outer == DMD_NONE;
}

static void look_at_unit(void *ctx, const unit_t *unit) {
  work_t *work = ctx;
  bool is_pinned = 2 * unit->free >= unit->resident, is_alone = is_pinned;
  for (uint32_t node = unit->first + 1; node <= unit->last && is_alone; node++)
    is_alone = !is_outermost(work, node) || dmd_waste_are_alike(work->waste, unit->first, node);
  for (uint32_t node = unit->first; node <= unit->last && is_pinned; node++) {
    if (!is_outermost(work, node))
      continue;
    if (node != work->node) {
      settle(work);
      *work = (work_t){.waste = work->waste, .node = node};
    }
    work->bytes += unit->free / unit->n + (node == unit->first ? unit->free % unit->n : 0);
    work->alone += is_alone && node == unit->first ? unit->resident : 0;
  }
}

void dmd_waste_find_pinned(dmd_waste_t *w) {
  work_t work = {.waste = w};
  walk_t walk = {.graph = w->graph, .visit = look_at_unit, .ctx = &work};
  go(&walk);
  settle(&work);
  w->pages = walk.bytes;
}
