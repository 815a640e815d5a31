/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * block.h: the record of a live block of the program. blocks.h owns the records and says which lock
 * guards them.
 */
#ifndef DMD_RECORD_HEAP_BLOCK_H
#define DMD_RECORD_HEAP_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
  DMD_BLOCK_ANNOUNCED = 1, /* announced by a client request, not by the allocator */
  DMD_BLOCK_SAMPLED = 2,   /* stands for sample_below bytes of small blocks, see sample.h */
  DMD_BLOCK_UNSAMPLED = 4, /* small and not sampled: left out of dumps */
  DMD_BLOCK_TWICE = 8,     /* with DMD_BLOCK_SAMPLED: stands for twice as much */
  DMD_BLOCK_POOLED = 16,   /* with DMD_BLOCK_ANNOUNCED: a chunk of a memory pool */
  DMD_BLOCK_FLAGS = 31     /* mask of all flags */
};

/* The block's address follows from the place of its record: see heap.h. The flags have a byte of
 * their own so that they can be set without a read: a processor stalls when it reads data that it
 * has just written in another width. */
typedef struct __attribute__((packed, aligned(4))) dmd_block {
  uint32_t next;        /* next in the slot's chain; private to record/heap/addressmap */
  uint32_t offset : 20; /* in a slot: start within its chunk; private to record/heap/addressmap */
  uint32_t is_live : 3; /* whether the block exists; private to heap, or in a slot to addressmap */
  uint32_t is_moving : 1; /* being reallocated, and not found by its address: see blocks.h */
  uint32_t flags : 8;     /* DMD_BLOCK_... */
  uint64_t req;           /* requested bytes */
  uint32_t slop;          /* usable minus requested bytes */
  uint32_t stack;         /* where allocated: an id of record/heap/stack; DMD_NONE: not recorded */
  uint32_t reports;       /* who reported it: the id of a report set */
  uint16_t tag;           /* id of a tag name */
  uint16_t thread;        /* the thread that allocated it */
  uint32_t born;          /* number by which peak.h knows whether it is of the peak */
} dmd_block_t;

_Static_assert(sizeof(dmd_block_t) == 36, "no padding");

static inline uint64_t dmd_block_usable(const dmd_block_t *block) {
  return block->req + block->slop;
}

/* True if one of the block's usable bytes has this address; an empty block contains its start. */
static inline bool dmd_block_is_around(const dmd_block_t *block, uint64_t start, uint64_t addr) {
  uint64_t szB = dmd_block_usable(block);
  return addr - start < (szB > 0 ? szB : 1);
}

#endif
