/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabs.h: an allocator for the program's small blocks.
 *
 * A slab is a piece of the program's memory that holds blocks of one size class. All metadata is in
 * the host's own memory: blocks have no headers that a program could overwrite, and nothing here
 * reads or writes the program's memory. An empty slab is given back to its source; one slab of each
 * class stays.
 *
 * A block has a place: its slab, and its number there. Users can attach host memory to a slab for
 * their own data on the blocks (heap.c does); it is freed with the slab. A block is at most
 * an eighth larger than requested; small ones are at most 15 bytes larger.
 *
 * Cost: constant time for all functions; 600 bytes a slab. In a large heap neither a freed block
 * nor its taken bit is in the processor's caches. So freeing takes two steps, of which the first
 * prefetches what the second reads: do other work in between, if you have any.
 *
 * Concurrency: one thread at a time, under the lock of the blocks in the slabs (blocks.h): finding
 * a block's record and freeing its memory read the same slab. The source's functions are called
 * under that lock.
 */
#ifndef DMD_RECORD_HEAP_SLABS_H
#define DMD_RECORD_HEAP_SLABS_H

#include "base/pool.h"
#include "record/heap/slabmap.h"

#include <stdbool.h>

enum {
  DMD_SLAB_UNIT = 16,        /* alignment of blocks, in bytes */
  DMD_SLAB_MAX_BLOCK = 4096, /* bytes */
  DMD_SLAB_CLASSES = 48,
  DMD_SLAB_LINE = 64 /* size of a cache line in bytes */
};

/* Supplies slabs: pieces of DMD_SLAB_SZB bytes of the program's memory, aligned to DMD_SLAB_UNIT.
 * take returns 0 if memory is exhausted. */
typedef struct dmd_slab_source {
  uint64_t (*take)(void *ctx);
  void (*give_back)(void *ctx, uint64_t addr);
  void *ctx;
} dmd_slab_source_t;

/* Kept small: heaps have thousands of slabs, programs jump between them, and a cache miss costs
 * more than all the work on a slab. */
typedef struct dmd_slab {
  uint64_t addr;
  char *attached;          /* see dmd_slabs_attach; NULL at first */
  uint32_t n_blocks;       /* capacity */
  uint32_t id;             /* in both pools; this and the rest are private to the allocator */
  uint64_t *free;          /* bitmap of free blocks, by number */
  uint64_t summary;        /* bitmap of the words of `free` that are not 0 */
  uint32_t next, previous; /* in its class's list */
  uint16_t n_taken;
  uint16_t n_used; /* blocks ever taken: the first ones */
  uint8_t size_class;
  uint8_t skipped; /* bytes in front of `attached`, for its alignment */
} dmd_slab_t;

/* Identifies a block in a slab. */
typedef struct dmd_slab_place {
  dmd_slab_t *slab;
  uint32_t number;
  uint64_t start; /* the block's address */
} dmd_slab_place_t;

typedef struct dmd_slab_class {
  uint32_t block_szB;
  uint32_t n_blocks;   /* capacity of a slab */
  uint32_t inverse;    /* replaces division by block_szB, see slabs.c */
  dmd_slab_t *current; /* the slab from which blocks are taken, or NULL */
  dmd_slab_t *open;    /* first of the other slabs with free blocks, or NULL */
} dmd_slab_class_t;

typedef struct dmd_slabs {
  const dmd_env_t *env;
  dmd_slab_source_t source;
  dmd_pool_t pool; /* of dmd_slab_t */
  dmd_pool_t bits; /* the bitmaps of free blocks, with the same ids */
  dmd_slabmap_t map;
  /* The block taken last, since it is usually looked up next. Its slab is a current one and thus
   * exists. */
  dmd_slab_place_t newest;
  dmd_slab_class_t classes[DMD_SLAB_CLASSES];
  uint8_t class_of[DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT + 1]; /* by size in units */
} dmd_slabs_t;

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, const dmd_slab_source_t *source);

/* Forgets all slabs without giving them back. */
void dmd_slabs_destroy(dmd_slabs_t *slabs);

/* Allocates a block of at most DMD_SLAB_MAX_BLOCK bytes; returns its address, or 0 if there is no
 * memory. */
uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB);

/* The slow path of dmd_slabs_find, for addresses other than the newest block's. */
bool dmd_slabs_search(const dmd_slabs_t *slabs, uint64_t addr, dmd_slab_place_t *place);

/* Finds the block, taken or free, whose space contains addr; false if no block ever taken does. */
static inline bool dmd_slabs_find(const dmd_slabs_t *slabs, uint64_t addr,
                                  dmd_slab_place_t *place) {
  if (addr != slabs->newest.start)
    return dmd_slabs_search(slabs, addr, place);
  if (__builtin_expect(slabs->newest.slab == NULL, 0)) /* no block was ever taken */
    return false;
  /* Copied field by field: they were written a moment ago, and a wider read would stall until they
   * reach the cache. */
  place->slab = slabs->newest.slab;
  place->number = slabs->newest.number;
  place->start = slabs->newest.start;
  return true;
}

/* True if the block, found by dmd_slabs_find, is taken. For a block about to be freed: prefetches
 * what that reads. */
static inline bool dmd_slabs_is_taken(const dmd_slab_place_t *place) {
  const uint64_t *word = &place->slab->free[place->number / 64];
  /* If all blocks are taken, this one is; the word need not be waited for. */
  if (place->slab->summary == 0) {
    __builtin_prefetch(word);
    return true;
  }
  return (*word >> place->number % 64 & 1) == 0;
}

/* Frees a block, which must be taken. */
void dmd_slabs_free(dmd_slabs_t *slabs, const dmd_slab_place_t *place);

/* Attaches szB bytes, aligned to DMD_SLAB_LINE, to a slab that has no attached memory. */
void dmd_slabs_attach(const dmd_slabs_t *slabs, dmd_slab_t *slab, const char *cost_centre,
                      size_t szB);

/* Size of the space for the block at addr, in bytes; 0 if addr is in no slab. */
uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr);

/* Iterates over the taken blocks in address order. None may come or go meanwhile. */
typedef struct dmd_slab_walk {
  const dmd_slabs_t *slabs;
  dmd_slabmap_walk_t map;
  dmd_slab_t *slab; /* NULL at the end */
  uint32_t word;    /* index into its bitmap */
  uint64_t taken;   /* blocks of this word still to be visited */
} dmd_slab_walk_t;

void dmd_slab_walk_begin(dmd_slab_walk_t *walk, const dmd_slabs_t *slabs);

/* False at the end. */
bool dmd_slab_walk_next(dmd_slab_walk_t *walk, dmd_slab_place_t *place);

void dmd_slab_walk_end(dmd_slab_walk_t *walk);

#endif
