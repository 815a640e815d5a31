/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabs.h: memory for the program's small blocks, and a record of each.
 *
 * A slab is a piece of the program's memory that holds blocks of one size class. All that is known
 * of it is kept in the tool's own memory: blocks have no headers that a program could overwrite,
 * and nothing here ever reads or writes the program's memory. A slab of which no block is left goes
 * back to the host, so that its memory can serve blocks of any size; of each class one stays.
 *
 * For each block that a slab has room for there is a record, for the user of the slabs to keep in
 * it what he likes. Records lie one behind the other, as the blocks do.
 *
 * There are 48 size classes: multiples of 16 bytes up to 256, then eight for each doubling. A block
 * takes at most an eighth more than was asked for, and for small ones at most 15 bytes more. Within
 * a slab the lowest free block is taken first.
 *
 * Cost: constant time for all; 600 bytes a slab, and a record for each block that it has room for,
 * written from the first to the last that was ever taken. In a large heap a block that is freed is
 * in none of the processor's caches, nor is its record. So freeing takes two steps, and what the
 * second one reads is fetched in the first: who has other things to do does them in between.
 */
#ifndef DMD_LIVE_SLABS_H
#define DMD_LIVE_SLABS_H

#include "base/pool.h"
#include "live/slabmap.h"

#include <stdbool.h>

enum {
  DMD_SLAB_UNIT = 16,        /* bytes that blocks are aligned to */
  DMD_SLAB_MAX_BLOCK = 4096, /* bytes */
  DMD_SLAB_CLASSES = 48
};

/* Where slabs come from: pieces of DMD_SLAB_SZB bytes of the program's memory, aligned to
 * DMD_SLAB_UNIT. take answers 0 when there are no more. */
typedef struct dmd_slab_source {
  uint64_t (*take)(void *ctx);
  void (*give_back)(void *ctx, uint64_t addr);
  void *ctx;
} dmd_slab_source_t;

typedef struct dmd_slab dmd_slab_t;

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
  size_t record_szB;
  dmd_pool_t pool; /* of dmd_slab_t */
  dmd_pool_t bits; /* which blocks of each are free, by the same ids */
  dmd_slabmap_t map;
  /* The block taken last, whose record is wanted next; its slab is current, and so not gone. */
  uint64_t newest;
  void *newest_record;
  dmd_slab_class_t classes[DMD_SLAB_CLASSES];
  uint8_t class_of[DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT + 1]; /* by size in units */
} dmd_slabs_t;

/* A block of a slab. */
typedef struct dmd_slab_block {
  dmd_slab_t *slab; /* NULL: none */
  void *record;
  uint32_t number;
} dmd_slab_block_t;

/* There is no memory until dmd_slabs_use says where it comes from. */
void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, size_t record_szB);
void dmd_slabs_use(dmd_slabs_t *slabs, const dmd_slab_source_t *source);

/* Forgets all slabs; they are not given back. */
void dmd_slabs_destroy(dmd_slabs_t *slabs);

/* The address of a new block of at most DMD_SLAB_MAX_BLOCK bytes; 0 when there is no memory. Its
 * record is what the last block there left in it, at first all zero. */
uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB);

/* The block that starts at addr; false, and slab is NULL, where none that is taken does. It is to
 * be freed: what that reads, and the record, is on its way from memory when this returns. */
bool dmd_slabs_find_to_free(const dmd_slabs_t *slabs, uint64_t addr, dmd_slab_block_t *block);

/* Takes the block back. */
void dmd_slabs_free(dmd_slabs_t *slabs, const dmd_slab_block_t *block);

/* The bytes that the block at addr has room for; 0 where addr lies in no slab. */
uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr);

/* The record of the block that starts at addr, taken or free; NULL where none of a slab does, or
 * none that was ever taken. */
void *dmd_slabs_record(const dmd_slabs_t *slabs, uint64_t addr);

/* The same of the block whose room addr lies in, and its start in *start. */
void *dmd_slabs_record_around(const dmd_slabs_t *slabs, uint64_t addr, uint64_t *start);

/* Goes over the blocks of all slabs that were ever taken, by ascending address; the records have to
 * tell which are still there. None may come or go meanwhile. */
typedef struct dmd_slab_walk {
  const dmd_slabs_t *slabs;
  dmd_slabmap_walk_t map;
  const dmd_slab_t *slab; /* NULL at the end */
  uint32_t block;
} dmd_slab_walk_t;

void dmd_slab_walk_begin(dmd_slab_walk_t *walk, const dmd_slabs_t *slabs);

/* The next block's record, and its address in *addr; NULL when there are no more. */
void *dmd_slab_walk_next(dmd_slab_walk_t *walk, uint64_t *addr);

void dmd_slab_walk_end(dmd_slab_walk_t *walk);

#endif
