/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Overview of operation
 * ---------------------
 * The only code that dmd adds to the program's is the answer to its requests (dm_direct), with
 * --claim-fn calls at the entries and returns of some functions (dm_claims), and with --time-unit=i
 * a count of instructions (dm_code); otherwise it runs as
 * under --tool=none. The tool sees the program in two places. The program's allocator is
 * replaced (dm_malloc), so every allocation and free passes through here. And the program's
 * reporters make client requests (dm_clientreq), with the macros of dmd.h.
 *
 * Both lead to g_engine, which decides what they mean (record/engine/engine.h). The engine does not
 * know Valgrind: it gets stacks, names, memory, the log and files through the functions of dm_host.
 */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"
#include "record/engine/dump.h"
#include "record/engine/mapping.h"
#include "valgrind/dm_claims.h"
#include "valgrind/dm_clientreq.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_direct.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_files.h"
#include "valgrind/dm_host.h"
#include "valgrind/dm_malloc.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_roots.h"
#include "valgrind/dm_unwind.h"

static void post_clo_init(void) {
  dm_check_core_options();
  dm_start_engine();
  dm_inlined_init();
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *sb_in, const VexGuestLayout *layout,
                        const VexGuestExtents *vge, const VexArchInfo *archinfo, IRType gWordTy,
                        IRType hWordTy) {
  (void)vge, (void)archinfo, (void)gWordTy, (void)hWordTy;
  dm_direct_instrument(sb_in, closure, layout);
  return dm_claims_instrument(dm_instructions_instrument(sb_in), closure, layout);
}

/* Valgrind finds the stack by the child's stack pointer. The program may have provided a block. */
static void map_stack(ThreadId parent, ThreadId child) {
  Addr high = VG_(thread_get_stack_max)(child);
  SizeT szB = VG_(thread_get_stack_size)(child);
  const NSegment *segment = high == 0 ? NULL : VG_(am_find_nsegment)(high);
  if (segment != NULL && !segment->isCH && szB > 0)
    dmd_engine_map_stack(&g_engine, child, high + 1, szB, dmd_engine_capture(&g_engine, parent));
}

/* Called in the parent, before the child runs; for the first thread, once the options are known and
 * without a parent. Not called for clone(2) used as fork. */
static void start_thread(ThreadId parent, ThreadId child) {
  dmd_engine_start_thread(&g_engine, parent, child);
  if (parent != VG_INVALID_THREADID)
    map_stack(parent, child);
}

static void end_thread(ThreadId tid) {
  enum { FIRST_THREAD = 1 };
  if (tid == FIRST_THREAD)
    dmd_engine_end_main(&g_engine, tid);
  dmd_engine_end_thread(&g_engine, tid);
  dm_claims_end_thread(tid);
  dm_unwind_end_thread(tid);
  dm_roots_end_thread(tid);
}

static void continue_program(ThreadId tid, ULong n_blocks) {
  (void)tid, (void)n_blocks;
  dm_claims_continue();
}

static void begin_handler(ThreadId tid, Int signal, Bool alt_stack) {
  (void)signal, (void)alt_stack;
  dmd_engine_begin_handler(&g_engine, tid, VG_(get_SP)(tid));
}

static void end_handler(ThreadId tid, Int signal) {
  (void)signal;
  dmd_engine_end_handler(&g_engine, tid);
}

static void start_child(ThreadId tid) {
  dmd_engine_forked(&g_engine, tid);
  dm_unwind_forked();
}

static void protected(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx) {
  (void)ww, (void)xx;
  if (!rr)
    dm_unwind_unmapped(a, szB);
}

static void mapped(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx, ULong di_handle) {
  protected(a, szB, rr, ww, xx);
  dm_inlined_mapped(a, szB, xx, di_handle);
}

static void mapped_by_program(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx, ULong di_handle) {
  ThreadId tid = VG_(get_running_tid)();
  mapped(a, szB, rr, ww, xx, di_handle);
  if (tid != VG_INVALID_THREADID && (rr || ww || xx))
    dmd_engine_map(&g_engine, tid, a, szB);
}

static void unmapped(Addr a, SizeT szB) {
  dm_unwind_unmapped(a, szB);
  dmd_engine_unmap(&g_engine, a, szB);
}

static void break_raised(Addr a, SizeT szB, ThreadId tid) {
  dmd_engine_map_break(&g_engine, tid, a, szB);
}

static void remapped(Addr from, Addr to, SizeT szB) {
  dmd_engine_remap(&g_engine, from, to, szB);
}

static void fini(Int exit_code) {
  (void)exit_code;
  dm_claims_find_inlined();
  dmd_engine_exit(&g_engine);
  if (VG_(clo_stats)) {
    dm_direct_print_stats();
    dm_unwind_print_stats();
    dm_claims_print_stats();
  }
}

static void pre_clo_init(void) {
  VG_(details_name)("dmd");
  VG_(details_version)(DMD_VERSION);
  VG_(details_description)("a dark matter detector");
  VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by the dmd authors.");
  VG_(details_bug_reports_to)("the dmd authors, see its README");
  VG_(details_avg_translation_sizeB)(190);

  dm_files_start();
  dm_init_options();
  VG_(basic_tool_funcs)(post_clo_init, instrument, fini);
  VG_(needs_libc_freeres)();
  VG_(needs_cxx_freeres)();
  VG_(needs_command_line_options)(dm_process_option, dm_print_usage, dm_print_debug_usage);
  VG_(needs_client_requests)(dm_handle_client_request);
  dm_register_malloc();
  VG_(track_new_mem_startup)(mapped);
  VG_(track_new_mem_mmap)(mapped_by_program);
  VG_(track_change_mem_mprotect)(protected);
  VG_(track_die_mem_munmap)(unmapped);
  VG_(track_copy_mem_remap)(remapped);
  VG_(track_new_mem_brk)(break_raised);
  VG_(track_die_mem_brk)(unmapped);
  dm_inlined_default();
  VG_(track_pre_thread_ll_create)(start_thread);
  VG_(track_pre_thread_ll_exit)(end_thread);
  VG_(track_pre_deliver_signal)(begin_handler);
  VG_(track_post_deliver_signal)(end_handler);
  VG_(track_start_client_code)(continue_program);
  VG_(atfork)(NULL, NULL, start_child);
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
