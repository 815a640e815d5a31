/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_arena.h: the memory that the program's blocks are made of.
 *
 * Small blocks lie in slabs (live/slabs.h), which are pieces of Valgrind's arena for the program;
 * all others are blocks of that arena themselves.
 */
#ifndef DMD_TOOL_DM_ARENA_H
#define DMD_TOOL_DM_ARENA_H

#include "pub_tool_basics.h"

#include "live/slabs.h"

/* Where the engine's slabs come from. */
extern const dmd_slab_source_t dm_arena_slabs;

/* At least szB bytes, aligned to alignB, a power of two, and as --alignment has it; NULL when there
 * is no memory. */
void *dm_arena_alloc(SizeT alignB, SizeT szB);

/* The same for a block that takes the place of a smaller one. Slabs leave it some room to grow on
 * in place; beyond them it gets an eighth more, which as long as the program does not use it is
 * address space only. */
void *dm_arena_alloc_grown(SizeT szB);

/* A block that is in no slab: the others are freed with their records. */
void dm_arena_free(void *p);

/* The bytes that the block at p has room for. */
SizeT dm_arena_room(void *p);

#endif
