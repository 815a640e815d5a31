/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabs.h: an allocator for the program's small blocks.
 *
 * A slab is a piece of the program's memory that holds blocks of one size class. All that is known
 * of it is kept in the host's own memory: blocks have no headers that a program could overwrite,
 * and nothing here ever reads or writes the program's memory. A slab without any block left goes
 * back to where it came from, so that its memory can serve blocks of any size; one slab of each
 * class stays.
 *
 * This module does not know what a block is for, or whose it is. A block has a place: its slab, and
 * its number there. Memory of the host's can be attached to a slab, for what its user keeps of the
 * blocks (slabrecords.h does); it goes when the slab goes.
 *
 * There are 48 size classes: multiples of 16 bytes up to 256, then eight for each doubling. A block
 * takes at most an eighth more than was asked for, and for small ones at most 15 bytes more. Within
 * a slab the lowest free block is taken first.
 *
 * Concurrency: nothing locks; one thread at a time, under the lock of the blocks that lie in the
 * slabs (blocks.h): finding a block's record and freeing its memory read the same slab. The
 * source's functions are called meanwhile.
 *
 * Cost: constant time for all; 600 bytes a slab. In a large heap a block that is freed is in none
 * of the processor's caches, and neither is the bit that says that it is taken. So freeing takes
 * two steps, and what the second one reads is fetched in the first: if you have other work to do,
 * do it between them.
 */
#ifndef DMD_LIVE_SLABS_H
#define DMD_LIVE_SLABS_H

#include "base/pool.h"
#include "live/slabmap.h"

#include <stdbool.h>

enum {
  DMD_SLAB_UNIT = 16,        /* bytes that blocks are aligned to */
  DMD_SLAB_MAX_BLOCK = 4096, /* bytes */
  DMD_SLAB_CLASSES = 48,
  DMD_SLAB_LINE = 64 /* bytes of a line of the processor's caches */
};

/* Where slabs come from: pieces of DMD_SLAB_SZB bytes of the program's memory, aligned to
 * DMD_SLAB_UNIT. take answers 0 when there are no more. */
typedef struct dmd_slab_source {
  uint64_t (*take)(void *ctx);
  void (*give_back)(void *ctx, uint64_t addr);
  void *ctx;
} dmd_slab_source_t;

/* As small as it can be: heaps have thousands of slabs, programs go from one to another, and what
 * does not fit into the nearer caches costs more than all that is done with it. */
typedef struct dmd_slab {
  uint64_t addr;
  char *attached;          /* see dmd_slabs_attach; NULL at first */
  uint32_t n_blocks;       /* that it has room for */
  uint32_t id;             /* in both pools; this and the rest are the allocator's own */
  uint64_t *free;          /* bits, set for blocks that are free, by their number */
  uint64_t summary;        /* the words of these that are not 0 */
  uint32_t next, previous; /* in the list of its class */
  uint16_t n_taken;
  uint16_t n_used; /* blocks ever taken: the first ones */
  uint8_t size_class;
  uint8_t skipped; /* bytes before what is attached, to align it */
} dmd_slab_t;

/* A block of a slab. */
typedef struct dmd_slab_place {
  dmd_slab_t *slab;
  uint32_t number;
  uint64_t start; /* the block's address */
} dmd_slab_place_t;

typedef struct dmd_slab_class {
  uint32_t block_szB;
  uint32_t n_blocks;   /* that a slab has room for */
  uint32_t inverse;    /* what a division by block_szB is done with */
  dmd_slab_t *current; /* that blocks are taken from, or NULL */
  dmd_slab_t *open;    /* the first of the others that have room, or NULL */
} dmd_slab_class_t;

typedef struct dmd_slabs {
  const dmd_env_t *env;
  dmd_slab_source_t source;
  dmd_pool_t pool; /* of dmd_slab_t */
  dmd_pool_t bits; /* which blocks of each are free, by the same ids */
  dmd_slabmap_t map;
  /* The block taken last, which is looked for next; its slab is current, and so not gone. */
  dmd_slab_place_t newest;
  dmd_slab_class_t classes[DMD_SLAB_CLASSES];
  uint8_t class_of[DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT + 1]; /* by size in units */
} dmd_slabs_t;

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, const dmd_slab_source_t *source);

/* Forgets all slabs; they are not given back. */
void dmd_slabs_destroy(dmd_slabs_t *slabs);

/* The address of a new block of at most DMD_SLAB_MAX_BLOCK bytes; 0 when there is no memory. */
uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB);

/* What dmd_slabs_find does if addr is not that of the newest block. */
bool dmd_slabs_search(const dmd_slabs_t *slabs, uint64_t addr, dmd_slab_place_t *place);

/* The block whose room addr lies in, taken or free; false where no block that was ever taken has
 * it. */
static inline bool dmd_slabs_find(const dmd_slabs_t *slabs, uint64_t addr,
                                  dmd_slab_place_t *place) {
  if (addr != slabs->newest.start)
    return dmd_slabs_search(slabs, addr, place);
  if (__builtin_expect(slabs->newest.slab == NULL, 0)) /* no block was ever taken */
    return false;
  /* One by one: they were written a moment ago, and the processor would wait for them to get to its
   * cache before it could read them as a whole. */
  place->slab = slabs->newest.slab;
  place->number = slabs->newest.number;
  place->start = slabs->newest.start;
  return true;
}

/* Whether the block, as dmd_slabs_find found it, is taken. It is to be freed: what that reads is on
 * its way from memory when this returns. */
static inline bool dmd_slabs_is_taken(const dmd_slab_place_t *place) {
  const uint64_t *word = &place->slab->free[place->number / 64];
  /* If all are taken, so is this one; the word can be loaded without waiting for it. */
  if (place->slab->summary == 0) {
    __builtin_prefetch(word);
    return true;
  }
  return (*word >> place->number % 64 & 1) == 0;
}

/* Takes the block back, which must be taken. */
void dmd_slabs_free(dmd_slabs_t *slabs, const dmd_slab_place_t *place);

/* Attaches szB bytes, aligned to DMD_SLAB_LINE, to a slab that nothing is attached to. */
void dmd_slabs_attach(const dmd_slabs_t *slabs, dmd_slab_t *slab, const char *cost_centre,
                      size_t szB);

/* The bytes that the block at addr has room for; 0 where addr lies in no slab. */
uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr);

/* Goes over the blocks that are taken, by ascending address. None may come or go meanwhile. */
typedef struct dmd_slab_walk {
  const dmd_slabs_t *slabs;
  dmd_slabmap_walk_t map;
  dmd_slab_t *slab; /* NULL at the end */
  uint32_t word;    /* of its bits */
  uint64_t taken;   /* the blocks of this word that are left to visit */
} dmd_slab_walk_t;

void dmd_slab_walk_begin(dmd_slab_walk_t *walk, const dmd_slabs_t *slabs);

/* False when there are no more. */
bool dmd_slab_walk_next(dmd_slab_walk_t *walk, dmd_slab_place_t *place);

void dmd_slab_walk_end(dmd_slab_walk_t *walk);

#endif
