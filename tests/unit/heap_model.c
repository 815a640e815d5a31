/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap_model.h"

model_entry_t *model_find(model_t *m, uint64_t addr) {
  model_entry_t *found = NULL;
  for (size_t i = 0; i < m->n; i++)
    if (m->list[i].addr == addr && (found == NULL || m->list[i].serial > found->serial))
      found = &m->list[i];
  return found;
}

/* As above, for blocks that are removed by their address. */
static model_entry_t *find_freeable(model_t *m, uint64_t addr) {
  model_entry_t *found = NULL;
  for (size_t i = 0; i < m->n; i++)
    if (m->list[i].addr == addr && !(m->list[i].flags & DMD_BLOCK_POOLED) &&
        (found == NULL || m->list[i].serial > found->serial))
      found = &m->list[i];
  return found;
}

model_entry_t *model_find_containing(model_t *m, uint64_t addr) {
  model_entry_t *found = NULL;
  for (size_t i = 0; i < m->n; i++) {
    model_entry_t *e = &m->list[i];
    uint64_t usable = e->req + e->slop;
    bool inside = e->addr <= addr && addr - e->addr < (usable > 0 ? usable : 1);
    if (inside && (found == NULL || e->addr > found->addr ||
                   (e->addr == found->addr && e->serial > found->serial)))
      found = e;
  }
  return found;
}

void model_add(dmd_heap_t *heap, model_t *m, uint64_t addr, uint64_t req, uint32_t slop,
               uint32_t flags) {
  assert_true(m->n < MODEL_MAX);
  m->list[m->n++] = (model_entry_t){addr, req, slop, ++m->serial, flags, false};
  dmd_block_t *block = dmd_heap_add(heap, addr, flags);
  assert_int_equal(block->flags, flags);
  assert_int_equal(block->req, 0);
  assert_int_equal(block->slop, 0);
  assert_int_equal(block->stack, DMD_NONE);
  assert_int_equal(block->reports, DMD_NONE);
  assert_int_equal(block->tag, DMD_NONE);
  assert_int_equal(block->thread, 0);
  block->req = req;
  block->slop = slop;
  block->stack = m->serial;
  dmd_heap_note_size(heap, block);
}

bool model_remove(dmd_heap_t *heap, model_t *m, uint64_t addr) {
  dmd_removed_t removed;
  model_entry_t *e = find_freeable(m, addr);
  assert_int_equal(dmd_heap_remove(heap, addr, &removed), e != NULL);
  if (e == NULL) {
    assert_null(removed.block);
    return false;
  }
  assert_int_equal(removed.block->stack, e->serial);
  assert_true(removed.block->req == e->req && removed.block->slop == e->slop);
  if (removed.stays)
    assert_ptr_equal(dmd_heap_find(heap, addr), removed.block);
  dmd_heap_release(heap, &removed);
  *e = m->list[--m->n];
  return removed.stays;
}

void check_find(const dmd_heap_t *heap, model_t *m, uint64_t addr) {
  const dmd_block_t *block = dmd_heap_find(heap, addr);
  const model_entry_t *e = model_find(m, addr);
  assert_int_equal(block != NULL, e != NULL);
  if (e != NULL)
    assert_int_equal(block->stack, e->serial);
}

void check_find_containing(const dmd_heap_t *heap, model_t *m, uint64_t addr) {
  uint64_t start = 0xabcd;
  const dmd_block_t *block = dmd_heap_find_containing(heap, addr, &start);
  const model_entry_t *e = model_find_containing(m, addr);
  assert_int_equal(block != NULL, e != NULL);
  if (e != NULL) {
    assert_true(start == e->addr);
    assert_int_equal(block->stack, e->serial);
  }
}

typedef struct {
  model_t *m;
  uint64_t addr; /* of the block before */
  uint32_t serial;
  size_t n;
} walk_t;

static void visit(void *ctx, uint64_t addr, dmd_block_t *block) {
  walk_t *w = ctx;
  if (w->n > 0) {
    assert_true(addr >= w->addr);
    if (addr == w->addr)
      assert_true(block->stack < w->serial); /* the latest came first */
  }
  w->addr = addr;
  w->serial = block->stack;
  w->n++;
  for (size_t i = 0; i < w->m->n; i++)
    if (w->m->list[i].serial == block->stack) {
      assert_true(w->m->list[i].addr == addr);
      assert_false(w->m->list[i].walked);
      w->m->list[i].walked = true;
      return;
    }
  fail_msg("a block that is not there");
}

/* Each block once. */
static void visit_again(void *ctx, dmd_block_t *block) {
  walk_t *w = ctx;
  size_t i = 0;
  while (i < w->m->n && w->m->list[i].serial != block->stack)
    i++;
  assert_true(i < w->m->n && w->m->list[i].walked);
  w->m->list[i].walked = false;
  w->n++;
}

void check_walk(const dmd_heap_t *heap, model_t *m) {
  for (size_t i = 0; i < m->n; i++)
    m->list[i].walked = false;
  walk_t w = {.m = m}, again = {.m = m};
  dmd_heap_walk(heap, visit, &w);
  assert_int_equal(w.n, m->n); /* each once, as visit saw */
  assert_int_equal(heap->n_blocks, m->n);
  dmd_heap_each(heap, UINT64_MAX, visit_again, &again);
  assert_int_equal(again.n, m->n);
}

uint64_t any_size(dice_t *dice) {
  uint64_t roll = dice_below(dice, 100);
  return roll < 5 ? 0 : roll < 8 ? dice_below(dice, 5u << 20) : dice_below(dice, 300);
}
