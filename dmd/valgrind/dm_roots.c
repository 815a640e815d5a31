/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"

#include "base/limits.h"
#include "base/machine.h"
#include "valgrind/dm_machine.h"
#include "valgrind/dm_memory.h"
#include "valgrind/dm_roots.h"

/*--- Mappings ---*/

/* Reading from a device may have side effects. /dev/zero, which some allocators map, is
 * harmless. */
static Bool is_device(const NSegment *segment, const HChar *path) {
  return segment->kind == SkFileC && (VKI_S_ISCHR(segment->mode) || VKI_S_ISBLK(segment->mode)) &&
         (path == NULL || VG_(strcmp)(path, "/dev/zero") != 0);
}

void dm_mappings(void *ctx, dmd_mapping_fn visit, void *visitor) {
  Int n;
  Addr *starts = dm_segment_starts(&n);
  (void)ctx;
  for (Int i = 0; i < n; i++) {
    const NSegment *segment = VG_(am_find_nsegment)(starts[i]);
    if (segment == NULL)
      continue;
    const HChar *path = VG_(am_get_filename)(segment);
    dmd_mapping_t mapping = {.start = segment->start,
                             .end = segment->end + 1,
                             .offset = segment->offset,
                             .path = path,
                             .is_file = segment->kind == SkFileC,
                             .is_readable = segment->hasR,
                             .is_writable = segment->hasW,
                             .is_heap = segment->isCH,
                             .is_device = is_device(segment, path),
                             .has_code = segment->hasT};
    visit(visitor, &mapping);
  }
  VG_(free)(starts);
}

/*--- Registers ---*/

enum { MAX_REGISTERS = 64 };

/* The core's callback has no context argument. */
static struct {
  ThreadId tid; /* the thread whose registers are wanted */
  uint64_t values[MAX_REGISTERS];
  UInt n;
} g_registers;

static void note_register(ThreadId tid, const HChar *name, UWord value) {
  (void)name;
  if (tid == g_registers.tid && g_registers.n < MAX_REGISTERS)
    g_registers.values[g_registers.n++] = value;
}

static void read_registers(ThreadId tid) {
  g_registers.tid = tid;
  g_registers.n = 0;
  VG_(apply_to_GP_regs)(note_register);
}

/*--- Threads ---*/

/* 0 on platforms whose guest state does not contain it. */
static Addr read_thread_pointer(ThreadId tid) {
  Addr pointer = 0;
  if (DM_STORAGE_OFFSET >= 0)
    VG_(get_shadow_regs_area)
  (tid, (UChar *)&pointer, 0, DM_STORAGE_OFFSET, sizeof pointer);
  return pointer;
}

/* Saved from the thread that ended last. */
static struct {
  ThreadId tid;
  Addr thread_pointer;
} g_ended;

void dm_roots_end_thread(ThreadId tid) {
  g_ended.tid = tid;
  g_ended.thread_pointer = read_thread_pointer(tid);
}

/* The stack that a thread was given, as far as it is mapped: the first thread's may grow. */
typedef struct {
  Addr start, end;
} stack_t;

static stack_t stack_of(ThreadId tid, Addr sp, Addr max) {
  stack_t stack = {max + 1 - VG_(thread_get_stack_size)(tid), max + 1};
  const NSegment *segment = VG_(am_find_nsegment)(sp);
  if (segment != NULL && segment->start > stack.start && segment->start <= sp)
    stack.start = segment->start;
  return stack;
}

static void visit_thread(ThreadId tid, stack_t stack, Addr thread_pointer, dmd_thread_fn visit,
                         void *visitor) {
  static Addr ips[DMD_MAX_FRAMES], sps[DMD_MAX_FRAMES];
  static dmd_code_t codes[DMD_MAX_FRAMES];
  static uint64_t frame_sps[DMD_MAX_FRAMES];
  UInt n = VG_(get_StackTrace)(tid, ips, DMD_MAX_FRAMES, sps, NULL, 0);
  for (UInt i = 0; i < n; i++) {
    codes[i] = (dmd_code_t){.ip = ips[i]};
    frame_sps[i] = sps[i];
  }
  read_registers(tid);
  dmd_thread_t thread = {.thread = tid,
                         .sp = VG_(get_SP)(tid),
                         .stack_start = stack.start,
                         .stack_end = stack.end,
                         .red_zone_szB = VG_STACK_REDZONE_SZB,
                         .thread_pointer = thread_pointer,
                         .storage_follows = DMD_STORAGE_FOLLOWS,
                         .registers = g_registers.values,
                         .n_registers = g_registers.n,
                         .codes = codes,
                         .sps = frame_sps,
                         .n_frames = n};
  visit(visitor, &thread);
}

/* At exit Valgrind has already removed the thread that ends the process, but still reports it as
 * running. Less is known of that thread: its stack is taken to be the mapping around its stack
 * pointer. */
void dm_threads(void *ctx, dmd_thread_fn visit, void *visitor) {
  ThreadId tid, running = VG_(get_running_tid)();
  Addr sp, max;
  Bool had_running = False;
  (void)ctx;
  VG_(thread_stack_reset_iter)(&tid);
  while (VG_(thread_stack_next)(&tid, &sp, &max)) {
    visit_thread(tid, stack_of(tid, sp, max), read_thread_pointer(tid), visit, visitor);
    had_running = had_running || tid == running;
  }
  const NSegment *segment =
      running == VG_INVALID_THREADID ? NULL : VG_(am_find_nsegment)(VG_(get_SP)(running));
  if (!had_running && segment != NULL)
    visit_thread(running, (stack_t){segment->start, segment->end + 1},
                 running == g_ended.tid ? g_ended.thread_pointer : 0, visit, visitor);
}
