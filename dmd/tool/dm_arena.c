/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_replacemalloc.h"

#include "tool/dm_arena.h"
#include "tool/dm_env.h"

static uint64_t take(void *ctx) {
  (void)ctx;
  return (Addr)VG_(cli_malloc)(DMD_SLAB_UNIT, DMD_SLAB_SZB);
}

static void give_back(void *ctx, uint64_t addr) {
  (void)ctx;
  VG_(cli_free)((void *)(Addr)addr);
}

const dmd_slab_source_t dm_arena_slabs = {.take = take, .give_back = give_back};

void *dm_arena_alloc(SizeT alignB, SizeT szB) {
  if (VG_(clo_alignment) > alignB)
    alignB = VG_(clo_alignment);
  if (LIKELY(szB <= DMD_SLAB_MAX_BLOCK && alignB <= DMD_SLAB_UNIT))
    return (void *)(Addr)dmd_slabs_alloc(&g_engine.slabs, szB);
  return VG_(cli_malloc)(alignB, szB);
}

void *dm_arena_alloc_grown(SizeT szB) {
  void *p = szB > DMD_SLAB_MAX_BLOCK ? dm_arena_alloc(1, szB + szB / 8) : NULL;
  return p != NULL ? p : dm_arena_alloc(1, szB);
}

void dm_arena_free(void *p) {
  VG_(cli_free)(p);
}

SizeT dm_arena_room(void *p) {
  SizeT room_szB = dmd_slabs_room(&g_engine.slabs, (Addr)p);
  return room_szB != 0 ? room_szB : VG_(cli_malloc_usable_size)(p);
}
