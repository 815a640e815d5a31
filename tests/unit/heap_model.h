/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heap_model.h: a naive model of the live heap, an array of blocks that is searched from end to
 * end, and operations that are done to both and compared.
 *
 * Blocks are distinguished by their stack field, which holds the serial number.
 */
#ifndef TESTS_UNIT_HEAP_MODEL_H
#define TESTS_UNIT_HEAP_MODEL_H

#include "host.h"

#include "record/heap/heap.h"

enum { MODEL_MAX = 1500 };

typedef struct {
  uint64_t addr, req;
  uint32_t slop, serial; /* later blocks have higher ones */
  uint32_t flags;
  bool walked;
} model_entry_t;

typedef struct {
  model_entry_t list[MODEL_MAX];
  size_t n;
  uint32_t serial;
} model_t;

/* The block at the address, or the innermost one that contains it; of several the newest. */
model_entry_t *model_find(model_t *m, uint64_t addr);
model_entry_t *model_find_containing(model_t *m, uint64_t addr);

void model_add(dmd_heap_t *heap, model_t *m, uint64_t addr, uint64_t req, uint32_t slop,
               uint32_t flags);

/* Removes the newest block at the address that is not a pool's, if there is one, from both. The
 * removed block can be read until it is released. Returns whether it stays until then. */
bool model_remove(dmd_heap_t *heap, model_t *m, uint64_t addr);

void check_find(const dmd_heap_t *heap, model_t *m, uint64_t addr);
void check_find_containing(const dmd_heap_t *heap, model_t *m, uint64_t addr);

/* A walk visits all blocks, in the order of their addresses, each once. */
void check_walk(const dmd_heap_t *heap, model_t *m);

/* Small sizes, nothing, and some that span several chunks. */
uint64_t any_size(dice_t *dice);

#endif
