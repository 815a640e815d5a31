/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * block.h: what is kept of a live block of the program.
 *
 * Concurrency: that of blocks.h, which has the records.
 */
#ifndef DMD_LIVE_BLOCK_H
#define DMD_LIVE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
  DMD_BLOCK_ANNOUNCED = 1, /* by a client request, not by the allocator */
  DMD_BLOCK_SAMPLED = 2,   /* stands for req bytes of small blocks, see sample.h */
  DMD_BLOCK_UNSAMPLED = 4, /* small and passed over: not part of any dump */
  DMD_BLOCK_TWICE = 8,     /* beside DMD_BLOCK_SAMPLED: stands for twice as much */
  DMD_BLOCK_POOLED = 16,   /* beside DMD_BLOCK_ANNOUNCED: a chunk of a memory pool */
  DMD_BLOCK_FLAGS = 31     /* all of them */
};

/* The block's address follows from the place of its record: see heap.h.
 *
 * The flags are a byte of their own, so that they can be set without being read: a processor has to
 * wait before it can read what was written a moment ago in another width. */
typedef struct dmd_block {
  uint32_t next;        /* in the slot's chain: live/slots' own */
  uint32_t offset : 20; /* in a slot, of its start in its 1 MiB of address space: live/slots' own */
  uint32_t is_live : 3; /* beside a slab, whether there is such a block: live/heap's own */
  uint32_t is_moving : 1; /* it is being reallocated, and not found by its address: see blocks.h */
  uint32_t flags : 8;     /* DMD_BLOCK_... */
  uint64_t req;           /* requested bytes */
  uint32_t slop;          /* usable minus requested bytes */
  uint32_t stack;         /* where allocated, an id of live/stack; DMD_NONE: not recorded */
  uint32_t reports;       /* by whom reported: an id of a report set */
  uint16_t tag;           /* id of a tag name */
  uint16_t thread;        /* that allocated it */
} dmd_block_t;

_Static_assert(sizeof(dmd_block_t) == 32, "two to a cache line");

static inline uint64_t dmd_block_usable(const dmd_block_t *block) {
  return block->req + block->slop;
}

/* Whether one of its usable bytes has this address; a block of none has its start. */
static inline bool dmd_block_is_around(const dmd_block_t *block, uint64_t start, uint64_t addr) {
  uint64_t szB = dmd_block_usable(block);
  return addr - start < (szB > 0 ? szB : 1);
}

#endif
