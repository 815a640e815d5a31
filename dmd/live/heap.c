/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/heap.h"

#include "base/mem.h"

void dmd_heap_init(dmd_heap_t *heap, const dmd_env_t *env) {
  dmd_mem_zero(heap, sizeof *heap);
  heap->env = env;
  dmd_slabs_init(&heap->slabs, env, sizeof(dmd_block_t));
  dmd_slots_init(&heap->slots, env);
}

void dmd_heap_destroy(dmd_heap_t *heap) {
  dmd_slots_destroy(&heap->slots);
  dmd_slabs_destroy(&heap->slabs);
  dmd_heap_init(heap, heap->env);
}

/* Whether the record, of a slab, is that of a live block. */
static bool is_live(const dmd_heap_t *heap, const dmd_block_t *record) {
  return record->is_live && record != heap->removed.block;
}

/* Whether a new block gets the record that its slab has for it; it was just taken from that. Where
 * the program announced a block at the same address, and has not said that it is gone, the order in
 * which they came is kept by having both in slots. */
static bool belongs_in_slab(const dmd_heap_t *heap, uint64_t addr, const dmd_block_t *record,
                            uint32_t flags) {
  return record != NULL && !(flags & DMD_BLOCK_ANNOUNCED) &&
         (!heap->may_nest || dmd_slots_find(&heap->slots, addr) == NULL);
}

dmd_block_t *dmd_heap_add(dmd_heap_t *heap, uint64_t addr, uint32_t flags) {
  dmd_block_t *block = dmd_slabs_record(&heap->slabs, addr);
  heap->n_blocks++;
  if (belongs_in_slab(heap, addr, block, flags)) {
    *block = (dmd_block_t){.is_live = 1, .flags = flags & DMD_BLOCK_FLAGS};
    return block;
  }
  if (block != NULL || (flags & DMD_BLOCK_ANNOUNCED))
    heap->may_nest = true;
  block = dmd_slots_add(&heap->slots, addr);
  block->flags = flags & DMD_BLOCK_FLAGS;
  return block;
}

void dmd_heap_note_size(dmd_heap_t *heap, const dmd_block_t *block) {
  uint64_t szB = dmd_block_usable(block);
  if (szB > heap->max_szB)
    heap->max_szB = szB;
}

/* What is in slots came after what is in a slab at the same address. */
dmd_block_t *dmd_heap_find(const dmd_heap_t *heap, uint64_t addr) {
  dmd_block_t *block = heap->may_nest ? dmd_slots_find(&heap->slots, addr) : NULL;
  if (block != NULL)
    return block;
  block = dmd_slabs_record(&heap->slabs, addr);
  if (block != NULL && is_live(heap, block))
    return block;
  return heap->may_nest ? NULL : dmd_slots_find(&heap->slots, addr);
}

bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr) {
  dmd_removed_t *removed = &heap->removed;
  bool in_slab = dmd_slabs_find_to_free(&heap->slabs, addr, &removed->memory);
  removed->stays = false;
  removed->block = NULL;
  if (heap->may_nest || !in_slab)
    removed->block = dmd_slots_remove(&heap->slots, addr);
  if (removed->block != NULL) {
    /* What was announced takes no memory with it: there may be a malloc'd block at the address. */
    if (removed->block->flags & DMD_BLOCK_ANNOUNCED)
      removed->memory.slab = NULL;
  } else if (in_slab) {
    removed->block = removed->memory.record;
    removed->stays = true;
  } else {
    return false;
  }
  heap->n_blocks--;
  return true;
}

void dmd_heap_release(dmd_heap_t *heap) {
  dmd_removed_t *removed = &heap->removed;
  removed->block = NULL;
  if (removed->memory.slab == NULL)
    return;
  dmd_block_t *record = removed->memory.record;
  record->is_live = 0;
  dmd_slabs_free(&heap->slabs, &removed->memory);
}

dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start) {
  uint64_t slab_start;
  dmd_block_t *in_slab = dmd_slabs_record_around(&heap->slabs, addr, &slab_start);
  bool is_around =
      in_slab != NULL && is_live(heap, in_slab) && dmd_block_is_around(in_slab, slab_start, addr);
  dmd_block_t *in_slot = NULL;
  if (in_slab == NULL || heap->may_nest)
    in_slot = dmd_slots_find_containing(&heap->slots, addr, heap->max_szB, heap->may_nest, start);
  /* The innermost is the one that starts last, and of equal starts the later one. */
  if (is_around && (in_slot == NULL || *start < slab_start)) {
    *start = slab_start;
    return in_slab;
  }
  return in_slot;
}

/* ---- In order. ---- */

typedef struct {
  void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block);
  void *ctx;
  const dmd_heap_t *heap;
  dmd_slab_walk_t slabs;
  dmd_block_t *block; /* the next one in a slab, or NULL */
  uint64_t addr;      /* of that one */
} walk_t;

static void next_in_slabs(walk_t *w) {
  do
    w->block = dmd_slab_walk_next(&w->slabs, &w->addr);
  while (w->block != NULL && !is_live(w->heap, w->block));
}

static void visit_slot(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *w = ctx;
  for (; w->block != NULL && w->addr < addr; next_in_slabs(w))
    w->visit(w->ctx, w->addr, w->block);
  w->visit(w->ctx, addr, block);
}

void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  walk_t w = {.visit = visit, .ctx = ctx, .heap = heap};
  dmd_slab_walk_begin(&w.slabs, &heap->slabs);
  next_in_slabs(&w);
  dmd_slots_walk(&heap->slots, visit_slot, &w);
  for (; w.block != NULL; next_in_slabs(&w))
    visit(ctx, w.addr, w.block);
  dmd_slab_walk_end(&w.slabs);
}
