/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#include "record/heap/stack.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_machine.h"

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

dmd_engine_t g_engine;

/* The ExeContext of each stack id: Valgrind's own lookup by number is slow. */
static dmd_stacks_t g_stacks;

void dm_env_init(void) {
  dmd_stacks_init(&g_stacks, &g_env);
}

UInt dm_note_stack(ExeContext *ec) {
  /* Context numbers are multiples of four, assigned in sequence. */
  UInt id = VG_(get_ECU_from_ExeContext)(ec) >> 2;
  if (dmd_stacks_get(&g_stacks, id) == 0)
    dmd_stacks_set(&g_stacks, id, (uintptr_t)ec);
  return id;
}

ExeContext *dm_stack(UInt stack) {
  return (ExeContext *)dmd_stacks_get(&g_stacks, stack);
}

/*--- Registers ---*/

/* The thread for which a helper was last called, and its guest state; NULL: none yet. */
static const void *g_guest;
static ThreadId g_tid;

ThreadId dm_running_thread(const void *guest) {
  if (guest != g_guest) {
    g_tid = VG_(get_running_tid)();
    g_guest = guest;
  }
  return g_tid;
}

dm_registers_t dm_registers(ThreadId tid) {
  const dm_guest_t *guest = g_guest;
  if (guest != NULL && tid == g_tid)
    return (dm_registers_t){.ip = guest->DM_IP, .sp = guest->DM_SP, .fp = guest->DM_FP};
  dm_registers_t registers = {.ip = VG_(get_IP)(tid), .sp = VG_(get_SP)(tid)};
  if (DM_FP_OFFSET >= 0)
    VG_(get_shadow_regs_area)
  (tid, (UChar *)&registers.fp, 0, DM_FP_OFFSET, sizeof registers.fp);
  return registers;
}
