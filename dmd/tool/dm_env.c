/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

#include "tool/dm_env.h"
#include "tool/dm_unwind.h"

static void *env_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx;
  return VG_(malloc)(cost_centre, szB);
}

static void env_free(void *ctx, void *p) {
  (void)ctx;
  VG_(free)(p);
}

static void env_panic(void *ctx, const char *what) {
  (void)ctx;
  VG_(tool_panic)(what);
}

const dmd_env_t g_env = {.alloc = env_alloc, .free = env_free, .panic = env_panic};

dmd_live_t g_live;

UInt dm_note_stack(ExeContext *ec) {
  /* A context's number is a multiple of four; numbers are given out in order. */
  UInt id = VG_(get_ECU_from_ExeContext)(ec) >> 2;
  if (dmd_stacks_get(&g_live.stacks, id) == 0)
    dmd_stacks_set(&g_live.stacks, id, (uintptr_t)ec);
  return id;
}

UInt dm_capture_stack(ThreadId tid) {
  return dm_unwind(tid, dm_note_stack);
}

void dm_print_stack(UInt stack) {
  VG_(pp_ExeContext)((ExeContext *)dmd_stacks_get(&g_live.stacks, stack));
}
