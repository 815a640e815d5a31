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

/* Whether a new block gets the record that its slab has for it. Where the program announced a block
 * at the same address, and has not said that it is gone, the order in which they came is kept by
 * having both in slots. */
static bool belongs_in_slab(const dmd_heap_t *heap, uint64_t addr, const dmd_block_t *record,
                            uint32_t flags) {
  return record != NULL && !record->is_live && !(flags & DMD_BLOCK_ANNOUNCED) &&
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
  if (block != NULL && block->is_live)
    return block;
  return heap->may_nest ? NULL : dmd_slots_find(&heap->slots, addr);
}

bool dmd_heap_remove(dmd_heap_t *heap, uint64_t addr, dmd_block_t *removed) {
  bool found = heap->may_nest && dmd_slots_remove(&heap->slots, addr, removed);
  if (!found) {
    dmd_block_t *block = dmd_slabs_record_to_free(&heap->slabs, addr);
    if (block != NULL && block->is_live) {
      *removed = *block;
      block->is_live = 0;
      found = true;
    }
  }
  if (!found && !heap->may_nest)
    found = dmd_slots_remove(&heap->slots, addr, removed);
  heap->n_blocks -= found;
  return found;
}

dmd_block_t *dmd_heap_find_containing(const dmd_heap_t *heap, uint64_t addr, uint64_t *start) {
  uint64_t slab_start;
  dmd_block_t *in_slab = dmd_slabs_record_around(&heap->slabs, addr, &slab_start);
  bool is_around =
      in_slab != NULL && in_slab->is_live && dmd_block_is_around(in_slab, slab_start, addr);
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
  dmd_slab_walk_t slabs;
  dmd_block_t *block; /* the next one in a slab, or NULL */
  uint64_t addr;      /* of that one */
} walk_t;

static void next_in_slabs(walk_t *w) {
  do
    w->block = dmd_slab_walk_next(&w->slabs, &w->addr);
  while (w->block != NULL && !w->block->is_live);
}

static void visit_slot(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *w = ctx;
  for (; w->block != NULL && w->addr < addr; next_in_slabs(w))
    w->visit(w->ctx, w->addr, w->block);
  w->visit(w->ctx, addr, block);
}

void dmd_heap_walk(const dmd_heap_t *heap,
                   void (*visit)(void *ctx, uint64_t addr, dmd_block_t *block), void *ctx) {
  walk_t w = {.visit = visit, .ctx = ctx};
  dmd_slab_walk_begin(&w.slabs, &heap->slabs);
  next_in_slabs(&w);
  dmd_slots_walk(&heap->slots, visit_slot, &w);
  for (; w.block != NULL; next_in_slabs(&w))
    visit(ctx, w.addr, w.block);
  dmd_slab_walk_end(&w.slabs);
}
