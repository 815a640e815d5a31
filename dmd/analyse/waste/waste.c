/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/waste/waste.h"

#include "analyse/graph/leaks.h"
#include "analyse/waste/containers.h"
#include "analyse/waste/contents.h"
#include "analyse/waste/padding.h"
#include "analyse/waste/pinned.h"
#include "base/sort.h"
#include "base/str.h"

/* ---- The kinds that the graph alone shows. ---- */

/* A type's padding, and whether it was computed. */
typedef struct {
  dmd_padding_t padding;
  bool is_known;
} known_padding_t;

static const dmd_padding_t *padding_of(dmd_waste_t *w, uint32_t type) {
  dmd_pool_reach(&w->paddings, type);
  known_padding_t *known = DMD_POOL_AT(&w->paddings, known_padding_t, type);
  if (!known->is_known)
    *known = (known_padding_t){dmd_padding_of(w->keys->kinds->typing->types, type), true};
  return &known->padding;
}

/* False if the block's size contradicts its type: then it is not worth a word about the type. */
static bool is_whole(const dmd_waste_t *w, uint32_t node, uint32_t type) {
  const dmd_typing_t *typing = w->keys->kinds->typing;
  uint64_t one = dmd_type_at(typing->types, type)->szB;
  return dmd_type_is_flexible(typing->types, type, NULL, NULL) ||
         (one > 0 &&
          (dmd_heapgraph_requested(w->graph, node) - typing->nodes[node].lead) % one == 0);
}

static void look_at_padding(dmd_waste_t *w, uint32_t node) {
  const dmd_typing_t *typing = w->keys->kinds->typing;
  uint32_t type = dmd_typing_type(typing, node);
  if (!dmd_type_is(typing->types, type, DMD_TYPE_STRUCT) || !is_whole(w, node, type))
    return;
  const dmd_padding_t *padding = padding_of(w, type);
  uint64_t n = dmd_typing_count(typing, node), less = n * (padding->szB - padding->best_szB);
  if (less == 0)
    return;
  uint32_t id =
      dmd_waste_add(w, DMD_WASTE_PADDING, node, node, type, dmd_waste_saved(w, node, less));
  if (id != DMD_NONE)
    dmd_waste_finding(w, id)->values += n;
}

static void look_at_slop(dmd_waste_t *w, uint32_t node) {
  uint64_t slop = dmd_nesting_own(&w->sizes, node).slop;
  uint32_t id = dmd_waste_add(w, DMD_WASTE_SLOP, node, node, DMD_NONE, slop);
  if (id != DMD_NONE)
    dmd_waste_add_size(w, id, dmd_heapgraph_requested(w->graph, node), w->graph->graph.size[node],
                       slop);
}

static void look_at_small(dmd_waste_t *w, uint32_t node) {
  uint64_t requested = dmd_heapgraph_requested(w->graph, node);
  uint64_t header = w->has_model ? dmd_allocator_header(w->allocator, w->word_szB) : 0;
  uint64_t added = dmd_nesting_own(&w->sizes, node).slop + header;
  if (requested <= DMD_WASTE_SMALL_SZB && 3 * added >= requested)
    dmd_waste_add(w, DMD_WASTE_SMALL, node, node, DMD_NONE, added);
}

static void find_lost(dmd_waste_t *w) {
  dmd_leaks_t leaks;
  dmd_leaks_init(&leaks, w->graph, DMD_LEAKS_AS_MEMCHECK);
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < w->graph->graph.n_nodes;
       node++) {
    if (!dmd_leak_is_lost(dmd_leak_state(&leaks, node)))
      continue;
    uint32_t leader = dmd_leak_leader(&leaks, node);
    uint32_t id = dmd_waste_add(w, DMD_WASTE_LOST, node, leader, DMD_NONE,
                                dmd_nesting_own(&w->sizes, node).szB);
    if (id != DMD_NONE)
      dmd_waste_finding(w, id)->values += leader == node;
  }
  dmd_leaks_destroy(&leaks);
}

static void find_in_blocks(dmd_waste_t *w) {
  for (uint32_t node = dmd_heapgraph_first_block(w->graph); node < w->graph->graph.n_nodes;
       node++) {
    dmd_env_tell(w->graph->env, "waste", node, w->graph->graph.n_nodes);
    look_at_padding(w, node);
    if (!dmd_waste_is_allocated(w, node))
      continue;
    look_at_small(w, node);
    look_at_slop(w, node);
  }
}

/* ---- Advice. ---- */

static void find_usual(dmd_waste_t *w) {
  for (uint32_t id = 1; id <= w->by_size.last; id++) {
    const dmd_waste_size_t *size = dmd_waste_size(w, id);
    dmd_waste_finding_t *finding = dmd_waste_finding(w, size->finding);
    if (finding->kind == DMD_WASTE_SLOP && size->bytes > finding->usual.bytes)
      finding->usual = *size;
  }
  for (uint32_t id = 1; id <= w->findings.last; id++) {
    dmd_waste_finding_t *finding = dmd_waste_finding(w, id);
    if (finding->kind == DMD_WASTE_SLOP && w->has_model &&
        dmd_waste_usable(w, finding->usual.szB) == finding->usual.usable)
      finding->lower = dmd_allocator_size_below(w->allocator, w->word_szB, finding->usual.szB);
  }
}

static int by_need(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_waste_size_t *x = dmd_waste_size(ctx, a), *y = dmd_waste_size(ctx, b);
  if (x->finding != y->finding)
    return x->finding < y->finding ? -1 : 1;
  return (x->szB > y->szB) - (x->szB < y->szB);
}

/* For each finding with parts in use, the smallest size that suffices for 95% of its blocks. */
static void find_enough(dmd_waste_t *w) {
  uint32_t *order = dmd_sorted_ids(w->graph->env, w->by_size.last, by_need, w);
  uint32_t finding = DMD_NONE;
  uint64_t n = 0;
  for (uint32_t i = 0; i < w->by_size.last; i++) {
    const dmd_waste_size_t *size = dmd_waste_size(w, order[i]);
    dmd_waste_finding_t *f = dmd_waste_finding(w, size->finding);
    n = size->finding == finding ? n : 0;
    finding = size->finding;
    if (f->kind != DMD_WASTE_SLOP && 20 * n < 19 * f->blocks)
      f->enough = size->szB;
    n += size->blocks;
  }
  dmd_env_free(w->graph->env, order);
}

/* ---- The whole. ---- */

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_waste_finding_t *x = dmd_waste_finding(ctx, a), *y = dmd_waste_finding(ctx, b);
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return (x->counted < y->counted) - (x->counted > y->counted);
}

/* The total's part that is not the blocks' own. */
static void count_pinned(dmd_waste_t *w) {
  for (uint32_t id = 1; id <= w->findings.last; id++) {
    dmd_waste_finding_t *finding = dmd_waste_finding(w, id);
    if (finding->kind != DMD_WASTE_PINNED)
      continue;
    finding->counted = finding->bytes;
    if (finding->bytes < w->options->least_szB)
      continue;
    w->of[DMD_WASTE_PINNED] += finding->bytes;
    w->bytes += finding->bytes;
    w->blocks += finding->only;
  }
}

/* Findings that are too small are never counted, not even where another one saves less. */
static void count(dmd_waste_t *w) {
  uint32_t n_blocks = w->graph->graph.n_nodes - dmd_heapgraph_first_block(w->graph);
  for (uint32_t place = 0; place < n_blocks; place++) {
    if (w->best[place] == 0)
      continue;
    dmd_waste_finding_t *finding = dmd_waste_finding(w, w->best_of[place]);
    finding->counted += w->best[place];
    if (finding->bytes < w->options->least_szB)
      continue;
    w->of[finding->kind] += w->best[place];
    w->bytes += w->best[place];
    w->blocks++;
  }
}

static void sort(dmd_waste_t *w) {
  uint32_t *order = dmd_sorted_ids(w->graph->env, w->findings.last, compare, w);
  while (w->n < w->findings.last &&
         dmd_waste_finding(w, order[w->n])->bytes >= w->options->least_szB)
    w->n++;
  w->n_less = w->findings.last - w->n;
  w->order = order;
}

void dmd_waste_init(dmd_waste_t *w, dmd_nodekeys_t *keys, const dmd_records_t *records,
                    const dmd_waste_options_t *options) {
  dmd_waste_findings_init(w, keys, records, options);
  dmd_pool_init(&w->paddings, w->graph->env, "dmd.waste", sizeof(known_padding_t));
  if (options->kinds >> DMD_WASTE_LOST & 1)
    find_lost(w);
  dmd_waste_find_contents(w);
  dmd_waste_find_containers(w);
  find_in_blocks(w);
  dmd_waste_find_pinned(w);
  find_usual(w);
  find_enough(w);
  count(w);
  count_pinned(w);
  sort(w);
}

void dmd_waste_destroy(dmd_waste_t *w) {
  dmd_env_free(w->graph->env, w->order);
  dmd_pool_destroy(&w->paddings);
  dmd_waste_findings_destroy(w);
}

/* ---- Sums. ---- */

static const char *name_of(const dmd_waste_t *w, const dmd_waste_finding_t *finding,
                           dmd_waste_by_t by) {
  static const dmd_nodekey_t keys[] = {[DMD_WASTE_BY_FUNCTION] = DMD_KEY_FUNCTION,
                                       [DMD_WASTE_BY_FILE] = DMD_KEY_FILE,
                                       [DMD_WASTE_BY_LIBRARY] = DMD_KEY_LIBRARY};
  if (by == DMD_WASTE_BY_KIND)
    return dmd_waste_kind_name((dmd_waste_kind_t)finding->kind);
  if (by == DMD_WASTE_BY_TYPE)
    return dmd_kinds_name(w->keys->kinds, finding->name);
  return dmd_nodekeys_name(w->keys, keys[by],
                           dmd_nodekeys_value(w->keys, keys[by], finding->example));
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const dmd_waste_rows_t *rows = ctx;
  uint64_t x = DMD_POOL_AT(&rows->rows, const dmd_waste_row_t, a)->counted,
           y = DMD_POOL_AT(&rows->rows, const dmd_waste_row_t, b)->counted;
  return (x < y) - (x > y);
}

void dmd_waste_rows_init(dmd_waste_rows_t *rows, const dmd_waste_t *w, dmd_waste_by_t by) {
  const dmd_env_t *env = w->graph->env;
  dmd_intern_init(&rows->names, env, "dmd.waste");
  dmd_pool_init(&rows->rows, env, "dmd.waste", sizeof(dmd_waste_row_t));
  for (uint32_t i = 0; i < w->n; i++) {
    const dmd_waste_finding_t *finding = dmd_waste_at(w, i);
    uint32_t name = dmd_intern_str(&rows->names, name_of(w, finding, by));
    dmd_pool_reach(&rows->rows, name);
    dmd_waste_row_t *row = DMD_POOL_AT(&rows->rows, dmd_waste_row_t, name);
    row->name = name;
    row->findings++;
    row->counted += finding->counted;
  }
  rows->order = dmd_sorted_ids(env, rows->rows.last, compare_rows, rows);
}

void dmd_waste_rows_destroy(dmd_waste_rows_t *rows) {
  dmd_env_free(rows->rows.env, rows->order);
  dmd_pool_destroy(&rows->rows);
  dmd_intern_destroy(&rows->names);
}
