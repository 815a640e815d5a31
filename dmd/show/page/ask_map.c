/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask=map: {"bytes", "from", "to", "cell", "by", "address": [...], "used": [...], "value": [...],
 * "values": [...], "regions": {"total", "rows": [{"address", "place", "bytes"}]}, "figures":
 * {...}}: the addresses of a heap graph's blocks as cells (heapmap.h). from and to are offsets in
 * `bytes`, the concatenated regions; cells is the number of cells requested. `by` is a key of dmdv
 * census. The columns have one entry for each cell: "used" has the bytes of blocks, "value" the
 * index in "values" of the blocks' key (-1: the cell is empty). figures.inMemory is `pages` of dmdv
 * waste
 * --json; missing if that is unknown.
 */
#include "analyse/waste/pinned.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/str.h"
#include "show/page/answer.h"
#include "show/page/asks.h"
#include "show/page/heapmap.h"
#include "show/page/pagegraph.h"
#include "show/text/text_waste.h"

enum { CELLS = 2048, MOST_CELLS = 65536, REGIONS = 1000 };

/* More address space than any heap spans. */
#define MOST_BYTES (UINT64_C(1) << 62)

typedef struct {
  dmd_jsonout_t *j;
  dmd_session_graph_t *graph;
  const dmd_heapmap_t *map;
  dmd_nodekey_t key;
  uint64_t from, to, cell_szB;
  dmd_heapmap_cell_t *cells;
  uint32_t n;
} writer_t;

/* Numbers values in the order in which cells first have them. */
static void write_values(const writer_t *w) {
  dmd_nodekeys_t *keys = &w->graph->keys;
  uint32_t n_values = dmd_intern_count(&keys->of[w->key].names);
  dmd_intern_t shown; /* ids of values */
  dmd_intern_init(&shown, w->graph->heap->env, "dmd.page.values");
  dmd_jsonout_key(w->j, "value");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < w->n; i++) {
    uint32_t value = w->cells[i].value;
    bool is_there = w->cells[i].used > 0 && value != DMD_NONE && value <= n_values;
    dmd_jsonout_i64(w->j,
                    is_there ? (int64_t)dmd_intern_bytes(&shown, &value, sizeof value) - 1 : -1);
  }
  dmd_jsonout_end(w->j);
  dmd_jsonout_key(w->j, "values");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t id = 1; id <= dmd_intern_count(&shown); id++) {
    size_t n;
    const uint32_t *value = dmd_intern_get(&shown, id, &n);
    dmd_jsonout_str(w->j, dmd_nodekeys_name(keys, w->key, *value));
  }
  dmd_jsonout_end(w->j);
  dmd_intern_destroy(&shown);
}

static void write_cells(const writer_t *w) {
  dmd_jsonout_key(w->j, "address");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < w->n; i++)
    dmd_jsonout_address(w->j, dmd_heapmap_address(w->map, w->from + i * w->cell_szB));
  dmd_jsonout_end(w->j);
  dmd_jsonout_key(w->j, "used");
  dmd_jsonout_array(w->j, DMD_JSONOUT_DENSE);
  for (uint32_t i = 0; i < w->n; i++)
    dmd_jsonout_u64(w->j, w->cells[i].used);
  dmd_jsonout_end(w->j);
  write_values(w);
}

static void write_regions(const writer_t *w) {
  uint32_t n = w->map->regions.last;
  dmd_jsonout_key(w->j, "regions");
  dmd_jsonout_object(w->j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(w->j, "total", n);
  dmd_jsonout_key(w->j, "rows");
  dmd_jsonout_array(w->j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= n && id <= REGIONS; id++) {
    const dmd_heapmap_region_t *r = DMD_POOL_AT(&w->map->regions, dmd_heapmap_region_t, id);
    dmd_jsonout_object(w->j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_address(w->j, "address", r->from);
    dmd_jsonout_key_u64(w->j, "place", r->before);
    dmd_jsonout_key_u64(w->j, "bytes", r->to - r->from);
    dmd_jsonout_end(w->j);
  }
  dmd_jsonout_end(w->j);
  dmd_jsonout_end(w->j);
}

static void write_figures(const writer_t *w) {
  const dmd_heapmap_figures_t *f = &w->map->figures;
  uint64_t in_pages = f->pages * DMD_PAGE_SZB;
  uint64_t free = in_pages > f->bytes ? in_pages - f->bytes : 0;
  dmd_jsonout_key(w->j, "figures");
  dmd_jsonout_object(w->j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(w->j, "blocks", f->blocks);
  dmd_jsonout_key_u64(w->j, "bytes", f->bytes);
  dmd_jsonout_key_u64(w->j, "pages", f->pages);
  dmd_jsonout_key_u64(w->j, "pageBytes", in_pages);
  dmd_jsonout_key_u64(w->j, "free", free);
  dmd_answer_key_share(w->j, "freeShare", (int64_t)free, (int64_t)in_pages);
  dmd_jsonout_key_u64(w->j, "holes", f->holes);
  dmd_jsonout_key_u64(w->j, "holeBytes", f->hole_bytes);
  dmd_jsonout_key_u64(w->j, "largestHole", f->hole);
  dmd_jsonout_key_address(w->j, "largestHoleAt", f->hole_at);
  dmd_pagebytes_t pages = dmd_pagebytes_of(w->map->graph);
  if (pages.resident > 0) {
    dmd_jsonout_key(w->j, "inMemory");
    dmd_pagebytes_write(w->j, &pages);
  }
  dmd_jsonout_end(w->j);
}

static void write_map(const writer_t *w) {
  dmd_jsonout_object(w->j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_u64(w->j, "bytes", w->map->szB);
  dmd_jsonout_key_u64(w->j, "from", w->from);
  dmd_jsonout_key_u64(w->j, "to", w->to);
  dmd_jsonout_key_u64(w->j, "cell", w->cell_szB);
  dmd_jsonout_key_str(w->j, "by", dmd_nodekey_name(w->key));
  write_cells(w);
  write_regions(w);
  write_figures(w);
  dmd_jsonout_end(w->j);
}

/* Reads the requested range of the map and number of cells. */
static bool read_part(writer_t *w, dmd_query_t *query) {
  const dmd_heapmap_t *map = w->map;
  const char *by = dmd_query_str(query, "by", "state");
  w->key = dmd_nodekey_of(by, dmd_str_length(by));
  if (w->key == DMD_N_KEYS)
    dmd_query_reject(query, "by is not a key of dmdv census", by);
  if (map->szB > MOST_BYTES)
    dmd_query_reject(query, "the blocks lie too far apart to be drawn", NULL);
  if (query->failed)
    return false;
  w->from = dmd_query_number(query, "from", 0, map->szB, 0);
  w->to = dmd_query_number(query, "to", w->from, map->szB, map->szB);
  uint64_t wanted = dmd_query_number(query, "cells", 1, MOST_CELLS, CELLS), szB = w->to - w->from;
  w->cell_szB = szB > wanted ? (szB + wanted - 1) / wanted : 1;
  w->n = (uint32_t)((szB + w->cell_szB - 1) / w->cell_szB);
  return !query->failed;
}

bool dmd_ask_map(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out) {
  dmd_session_graph_t *graph = dmd_session_graph_of(page, query);
  if (graph == NULL)
    return false;
  dmd_heapmap_t map;
  dmd_heapmap_init(&map, graph->heap);
  writer_t w = {.graph = graph, .map = &map};
  if (read_part(&w, query)) {
    dmd_jsonout_t j;
    dmd_jsonout_init(&j, out);
    w.j = &j;
    w.cells = dmd_env_alloc(page->env, "dmd.page.cells", ((size_t)w.n + 1) * sizeof *w.cells);
    dmd_heapmap_cells(&map, &graph->keys, w.key, w.from, w.cell_szB, w.cells, w.n);
    write_map(&w);
    dmd_env_free(page->env, w.cells);
  }
  dmd_heapmap_destroy(&map);
  return !query->failed;
}
