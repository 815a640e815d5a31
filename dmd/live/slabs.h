/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * slabs.h: memory for the program's small blocks.
 *
 * A slab is a piece of the program's memory that holds blocks of one size class. All that is known
 * of it is kept in the tool's own memory: blocks have no headers that a program could overwrite,
 * and nothing here ever reads or writes the program's memory. A slab of which no block is left goes
 * back to the host, so that its memory can serve blocks of any size.
 *
 * There are 48 size classes: multiples of 16 bytes up to 256, then eight for each doubling. A block
 * takes at most an eighth more than was asked for, and for small ones at most 15 bytes more. Within
 * a slab the lowest free block is taken first.
 *
 * Cost: constant time for all, but for a slab's first block; 600 bytes a slab.
 */
#ifndef DMD_LIVE_SLABS_H
#define DMD_LIVE_SLABS_H

#include "base/map.h"

#include <stdbool.h>

enum {
  DMD_SLAB_SZB = 1 << 16,    /* bytes */
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

typedef struct dmd_slabs {
  const dmd_env_t *env;
  dmd_slab_source_t source;
  dmd_map_t slabs;                    /* by start / DMD_SLAB_SZB: no two are equal */
  dmd_slab_t *open[DMD_SLAB_CLASSES]; /* the slabs of a class that have free blocks */
  dmd_slab_t *spare;                  /* descriptions of slabs that were given back */
  uint8_t class_of[DMD_SLAB_MAX_BLOCK / DMD_SLAB_UNIT + 1];
} dmd_slabs_t;

void dmd_slabs_init(dmd_slabs_t *slabs, const dmd_env_t *env, const dmd_slab_source_t *source);

/* Forgets all slabs; they are not given back. */
void dmd_slabs_destroy(dmd_slabs_t *slabs);

/* The address of a new block of at most DMD_SLAB_MAX_BLOCK bytes; 0 when there is no memory. */
uint64_t dmd_slabs_alloc(dmd_slabs_t *slabs, uint64_t szB);

/* Takes the block back that starts at addr. False, and nothing is done, where addr lies in no slab.
 */
bool dmd_slabs_free(dmd_slabs_t *slabs, uint64_t addr);

/* The bytes that the block at addr has room for; 0 where addr lies in no slab. */
uint64_t dmd_slabs_room(const dmd_slabs_t *slabs, uint64_t addr);

#endif
