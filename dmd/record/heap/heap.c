/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/heap/heap.h"

#include "base/mem.h"
#include "record/heap/block.h"
#include "record/heap/slabs.h"

/* ---- The records (block.h) of the blocks in slabs. ----
 *
 * Records lie side by side in memory attached to the slab, in the order of its blocks. A block's
 * place in the slab thus gives its record without a further table.
 *
 * A record is defined from add_slabrecord on, which comes after the block was taken and before
 * anyone looks for it. It then stays readable until the slab goes, whether the block is taken or
 * free; dmd_block_t.is_live tells which, see heap.h.
 *
 * Cost: 36 bytes for each block that a slab has room for, written up to the last block ever taken.
 */

/* The record of a block that was added. */
static inline dmd_block_t *slabrecord_at(const dmd_slab_place_t *place) {
  return (dmd_block_t *)(void *)place->slab->attached + place->number;
}

/* The record of a block just taken from the slabs; the contents are undefined. */
static inline dmd_block_t *add_slabrecord(const dmd_slabs_t *slabs, const dmd_slab_place_t *place) {
  dmd_slab_t *slab = place->slab;
  if (slab->attached == NULL)
    dmd_slabs_attach(slabs, slab, "dmd.slabrecords", slab->n_blocks * sizeof(dmd_block_t));
  return slabrecord_at(place);
}

/* ---- The blocks. ---- */

void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env, dmd_slabs_t *slabs) {
  dmd_mem_zero(heap, sizeof *heap);
  heap->env = env;
  heap->slabs = slabs;
  dmd_addressmap_init(&heap->slots, env);
}

void dmd_heap_destroy(dmd_heap_t *heap) {
  dmd_addressmap_destroy(&heap->slots);
}

/* Finds the block of a slab, live or not, whose space contains addr. */
static bool find_in_slab(const dmd_heap_t *heap, uint64_t addr, dmd_slab_place_t *place) {
  return heap->slabs != NULL && dmd_slabs_find(heap->slabs, addr, place);
}

static inline bool find_start_in_slab(const dmd_heap_t *heap, uint64_t addr,
                                      dmd_slab_place_t *place) {
  return find_in_slab(heap, addr, place) && place->start == addr;
}

/* True if a new block, just taken from its slab, uses the slab's record for it. If the program has
 * announced a block at the same address and not withdrawn it, both go into slots, which keep the
 * order in which they came. */
static bool belongs_in_slab(const dmd_heap_t *heap, uint64_t addr) {
  return !heap->may_nest || dmd_addressmap_find(&heap->slots, addr) == NULL;
}

static dmd_block_t *add_in_slots(dmd_heap_t *heap, uint64_t addr, uint32_t flags) {
  dmd_block_t *block = dmd_addressmap_add(&heap->slots, addr, !(flags & DMD_BLOCK_ANNOUNCED));
  block->flags = flags & DMD_BLOCK_FLAGS;
  return block;
}

dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr, uint32_t flags) {
  dmd_slab_place_t place;
  heap->n_blocks++;
  if (flags & DMD_BLOCK_ANNOUNCED)
    heap->may_nest = true;
  if ((flags & DMD_BLOCK_ANNOUNCED) || !find_start_in_slab(heap, addr, &place))
    return add_in_slots(heap, addr, flags);
  dmd_block_t *block = add_slabrecord(heap->slabs, &place);
  bool belongs = belongs_in_slab(heap, addr);
  *block = (dmd_block_t){.is_live = belongs, .flags = flags & DMD_BLOCK_FLAGS};
  return belongs ? block : add_in_slots(heap, addr, flags);
}

void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block) {
  uint64_t szB = dmd_block_usable(block);
  if (szB > heap->max_szB)
    heap->max_szB = szB;
}

/* A block in slots is newer than one in a slab at the same address. */
dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr) {
  dmd_slab_place_t place;
  dmd_block_t *block = heap->may_nest ? dmd_addressmap_find(&heap->slots, addr) : NULL;
  if (block != NULL)
    return block;
  if (find_start_in_slab(heap, addr, &place) && slabrecord_at(&place)->is_live)
    return slabrecord_at(&place);
  return heap->may_nest ? NULL : dmd_addressmap_find(&heap->slots, addr);
}

dmd_block_t *dmd_heap_find_older(const dmd_heap_t *heap, uint64_t addr, const dmd_block_t *block) {
  dmd_slab_place_t place;
  bool in_slab = find_start_in_slab(heap, addr, &place) && slabrecord_at(&place)->is_live;
  if (in_slab && slabrecord_at(&place) == block)
    return NULL; /* blocks in slots are newer */
  dmd_block_t *older = dmd_addressmap_find_older(&heap->slots, block);
  return older == NULL && in_slab ? slabrecord_at(&place) : older;
}

/* True if an allocated block starts at addr in a slab. Prefetches its record. */
static bool find_taken(const dmd_heap_t *heap, uint64_t addr, dmd_slab_place_t *place) {
  if (!find_start_in_slab(heap, addr, place))
    return false;
  __builtin_prefetch(slabrecord_at(place));
  return dmd_slabs_is_taken(place);
}

bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr, dmd_removed_t *removed) {
  bool in_slab = find_taken(heap, addr, &removed->memory);
  dmd_block_t *block =
      heap->may_nest || !in_slab ? dmd_addressmap_remove(&heap->slots, addr) : NULL;
  removed->stays = block == NULL && in_slab;
  if (removed->stays)
    block = slabrecord_at(&removed->memory);
  /* An announced block has no memory of its own to give back: there may be a malloc'd block at the
   * address. */
  else if (!in_slab || (block->flags & DMD_BLOCK_ANNOUNCED))
    removed->memory.slab = NULL;
  removed->block = block;
  heap->n_blocks -= block != NULL;
  return block != NULL;
}

void dmd_heap_remove_this(dmd_heap_t *heap, uint64_t addr, dmd_block_t *block,
                          dmd_removed_t *removed) {
  dmd_addressmap_remove_this(&heap->slots, addr, block);
  *removed = (dmd_removed_t){.block = block};
  heap->n_blocks--;
}

dmd_block_t *dmd_heap_move_announced(dmd_heap_t *heap, uint64_t addr, dmd_block_t *block,
                                     dmd_heap_t *into, uint64_t to) {
  heap->n_blocks--;
  into->n_blocks++;
  into->may_nest = true;
  return dmd_addressmap_move(&heap->slots, addr, block, &into->slots, to);
}

static bool lies_before(const dmd_block_t *block, uint64_t start, uint64_t end) {
  return dmd_block_usable(block) <= end - start;
}

dmd_block_t *dmd_heap_find_announced(const dmd_heap_t *heap, uint64_t from, uint64_t end,
                                     uint64_t *start) {
  dmd_block_t *block = dmd_addressmap_find_from(&heap->slots, from, end, start);
  for (; block != NULL; block = dmd_addressmap_find_from(&heap->slots, *start + 1, end, start))
    for (dmd_block_t *at = block; at != NULL; at = dmd_addressmap_find_older(&heap->slots, at))
      if ((at->flags & DMD_BLOCK_ANNOUNCED) && !at->is_moving && !(at->flags & DMD_BLOCK_POOLED) &&
          lies_before(at, *start, end))
        return at;
  return NULL;
}

void dmd_heap_release(dmd_heap_t *heap, const dmd_removed_t *removed) {
  if (removed->memory.slab == NULL)
    return;
  slabrecord_at(&removed->memory)->is_live = 0;
  dmd_slabs_free(heap->slabs, &removed->memory);
}

dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start) {
  dmd_slab_place_t place;
  dmd_block_t *in_slab = find_in_slab(heap, addr, &place) ? slabrecord_at(&place) : NULL;
  bool is_around =
      in_slab != NULL && in_slab->is_live && dmd_block_is_around(in_slab, place.start, addr);
  dmd_block_t *in_slot = NULL;
  if (in_slab == NULL || heap->may_nest)
    in_slot =
        dmd_addressmap_find_containing(&heap->slots, addr, heap->max_szB, heap->may_nest, start);
  /* The innermost block starts last; among equal starts it is the newer one. */
  if (is_around && (in_slot == NULL || *start < place.start)) {
    *start = place.start;
    return in_slab;
  }
  return in_slot;
}

/* ---- Walking in address order. ---- */

typedef struct {
  void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block);
  void *ctx;
  dmd_slab_walk_t slabs;
  dmd_slab_place_t place; /* next block in a slab */
  bool has_place;         /* place is valid */
} walk_t;

static bool is_added(const dmd_slab_place_t *place) {
  return place->slab->attached != NULL && slabrecord_at(place)->is_live;
}

static void next_in_slabs(walk_t *w) {
  do
    w->has_place = dmd_slab_walk_next(&w->slabs, &w->place);
  while (w->has_place && !is_added(&w->place));
}

static void visit_in_slab(walk_t *w) {
  w->visit(w->ctx, w->place.start, slabrecord_at(&w->place));
  next_in_slabs(w);
}

static void visit_slot(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *w = ctx;
  while (w->has_place && w->place.start < addr)
    visit_in_slab(w);
  w->visit(w->ctx, addr, block);
}

void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  walk_t w = {.visit = visit, .ctx = ctx};
  if (heap->slabs == NULL) {
    dmd_addressmap_walk(&heap->slots, visit, ctx);
    return;
  }
  dmd_slab_walk_begin(&w.slabs, heap->slabs);
  next_in_slabs(&w);
  dmd_addressmap_walk(&heap->slots, visit_slot, &w);
  while (w.has_place)
    visit_in_slab(&w);
  dmd_slab_walk_end(&w.slabs);
}

void dmd_heap_each(const dmd_heap_t *heap, uint64_t not_new,
                   void (*visit)(void *ctx, dmd_block_t *block), void *ctx) {
  walk_t w = {.has_place = false};
  dmd_addressmap_each(&heap->slots, visit, ctx);
  if (heap->slabs == NULL)
    return;
  dmd_slab_walk_begin(&w.slabs, heap->slabs);
  for (next_in_slabs(&w); w.has_place; next_in_slabs(&w))
    if (~w.place.start != not_new)
      visit(ctx, slabrecord_at(&w.place));
  dmd_slab_walk_end(&w.slabs);
}
