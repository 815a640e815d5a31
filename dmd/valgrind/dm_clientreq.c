/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_tooliface.h"

/* Only the enum of dmd.h is used here, so that it needs nothing from a libc. */
#define DMD_NATIVE_USABLE_SIZE(p) ((void)(p), 0)
#include "include/valgrind/dmd.h"
#include "record/engine/allocation.h"
#include "record/engine/dump.h"
#include "record/engine/mempool.h"
#include "record/engine/monitor.h"
#include "record/engine/requests.h"
#include "valgrind/dm_clientreq.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_malloc.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)
SAME(DMD_REQUEST_RUNNING, VG_USERREQ__DMD_RUNNING);
SAME(DMD_REQUEST_REPORT, VG_USERREQ__DMD_REPORT);
SAME(DMD_REQUEST_REPORT_ON_ALLOC, VG_USERREQ__DMD_REPORT_ON_ALLOC);
SAME(DMD_REQUEST_UNREPORT, VG_USERREQ__DMD_UNREPORT);
SAME(DMD_REQUEST_CLEAR_REPORTS, VG_USERREQ__DMD_CLEAR_REPORTS);
SAME(DMD_REQUEST_DUMP, VG_USERREQ__DMD_DUMP);
SAME(DMD_REQUEST_REPORTER_BEGIN, VG_USERREQ__DMD_REPORTER_BEGIN);
SAME(DMD_REQUEST_REPORTER_END, VG_USERREQ__DMD_REPORTER_END);
SAME(DMD_REQUEST_TAG_PUSH, VG_USERREQ__DMD_TAG_PUSH);
SAME(DMD_REQUEST_TAG_POP, VG_USERREQ__DMD_TAG_POP);
SAME(DMD_REQUEST_REPORT_NAMED, VG_USERREQ__DMD_REPORT_NAMED);
SAME(DMD_REQUEST_REPORT_SHARED, VG_USERREQ__DMD_REPORT_SHARED);
SAME(DMD_REQUEST_SET_TAG, VG_USERREQ__DMD_SET_HEAP_BLOCK_TAG);
SAME(DMD_REQUEST_CLEAR_TAG, VG_USERREQ__DMD_CLEAR_HEAP_BLOCK_TAG);
SAME(DMD_REQUEST_TAG_BYTES, VG_USERREQ__DMD_TAG_BYTES);
SAME(DMD_REQUEST_TAG_BLOCKS, VG_USERREQ__DMD_TAG_BLOCKS);
SAME(DMD_REQUEST_MEMORY_REPORT, VG_USERREQ__DMD_MEMORY_REPORT);
SAME(DMD_REQUEST_REPORTER_HANDLE, VG_USERREQ__DMD_REPORTER_HANDLE);
SAME(DMD_REQUEST_REPORTER_JOIN, VG_USERREQ__DMD_REPORTER_JOIN);
SAME(DMD_REQUEST_REPORTER_LEAVE, VG_USERREQ__DMD_REPORTER_LEAVE);
SAME(DMD_REQUEST_GRAPH, VG_USERREQ__DMD_GRAPH);
SAME(DMD_REQUEST_MARK, VG_USERREQ__DMD_MARK);
SAME(DMD_REQUEST_REPORT_ENCLOSING, VG_USERREQ__DMD_REPORT_ENCLOSING);
SAME(DMD_REQUEST_REPORT_MAPPED, VG_USERREQ__DMD_REPORT_MAPPED);
SAME(DMD_REQUEST_EXCLUSIVE, DMD_REPORTER_EXCLUSIVE);
SAME(DMD_REQUEST_IGNORED, DMD_REPORTER_IGNORED);
SAME(DMD_REQUEST_ABANDONED, DMD_REPORTER_ABANDONED_);
SAME(DMD_REQUEST_SHARED, DMD_ENCLOSING_SHARED_);
SAME(DMD_MEMREPORT_NONHEAP, DMD_KIND_NONHEAP);
SAME(DMD_MEMREPORT_HEAP, DMD_KIND_HEAP);
SAME(DMD_MEMREPORT_OTHER, DMD_KIND_OTHER);
SAME(DMD_MEMREPORT_BYTES, DMD_UNITS_BYTES);
SAME(DMD_MEMREPORT_COUNT, DMD_UNITS_COUNT);
SAME(DMD_MEMREPORT_CUMULATIVE, DMD_UNITS_COUNT_CUMULATIVE);
SAME(DMD_MEMREPORT_PERCENTAGE, DMD_UNITS_PERCENTAGE);
#define SAME_PLACE(field)                                                                          \
  SAME(offsetof(dmd_request_memreport_t, field), offsetof(struct dmd_memory_report, field))
SAME_PLACE(process);
SAME_PLACE(path);
SAME_PLACE(kind);
SAME_PLACE(units);
SAME_PLACE(amount);
SAME_PLACE(description);
SAME(sizeof(dmd_request_memreport_t), sizeof(struct dmd_memory_report));

/* The requests of dmd.h. */
static Bool handle_own(ThreadId tid, const UWord *arg, UWord *ret) {
  dmd_request_t request = {.number = arg[0], .arg = {arg[1], arg[2], arg[3]}, .thread = tid};
  uint64_t answer;
  if (!dmd_engine_request(&g_engine, &request, &answer))
    return False;
  *ret = answer;
  return True;
}

/* Valgrind's own requests for memory pools. */
static Bool handle_mempool(ThreadId tid, const UWord *arg, UWord *ret) {
  switch (arg[0]) {
  case VG_USERREQ__CREATE_MEMPOOL:
    dmd_engine_mempool_create(&g_engine, tid, arg[1], arg[4] & VALGRIND_MEMPOOL_AUTO_FREE);
    return True;
  case VG_USERREQ__DESTROY_MEMPOOL:
    dmd_engine_mempool_destroy(&g_engine, tid, arg[1]);
    return True;
  case VG_USERREQ__MEMPOOL_ALLOC:
    dmd_engine_mempool_alloc(&g_engine, tid, arg[1], arg[2], arg[3]);
    return True;
  case VG_USERREQ__MEMPOOL_FREE:
    dmd_engine_mempool_free(&g_engine, tid, arg[1], arg[2]);
    return True;
  case VG_USERREQ__MEMPOOL_TRIM:
    dmd_engine_mempool_trim(&g_engine, tid, arg[1], arg[2], arg[3]);
    return True;
  case VG_USERREQ__MOVE_MEMPOOL:
    dmd_engine_mempool_move(&g_engine, tid, arg[1], arg[2]);
    return True;
  case VG_USERREQ__MEMPOOL_CHANGE:
    dmd_engine_mempool_change(&g_engine, tid, arg[1], arg[2], arg[3], arg[4]);
    return True;
  case VG_USERREQ__MEMPOOL_EXISTS:
    *ret = dmd_engine_mempool_exists(&g_engine, arg[1]);
    return True;
  default:
    return False;
  }
}

/* Makes the dump that an allocation by one of our replacements left for the core. */
static Bool handle_preload(ThreadId tid, UWord *arg, UWord *ret) {
  Bool is_handled = dm_answer_preload(tid, arg, ret);
  if (is_handled && g_engine.due != NULL)
    dmd_engine_dump_due(&g_engine);
  return is_handled;
}

Bool dm_handle_client_request(ThreadId tid, UWord *arg, UWord *ret) {
  if (VG_IS_TOOL_USERREQ('D', 'M', arg[0]))
    return handle_preload(tid, arg, ret) || handle_own(tid, arg, ret);
  *ret = 0;
  switch (arg[0]) {
  case VG_USERREQ__MALLOCLIKE_BLOCK:
    dmd_engine_announce(&g_engine, tid, arg[1], arg[2]);
    return True;
  case VG_USERREQ__RESIZEINPLACE_BLOCK:
    dmd_engine_resize_announced(&g_engine, tid, arg[1], arg[2], arg[3]);
    return True;
  case VG_USERREQ__FREELIKE_BLOCK:
    dmd_engine_free(&g_engine, tid, arg[1]);
    return True;
  case VG_USERREQ__GDB_MONITOR_COMMAND:
    *ret = dmd_engine_monitor(&g_engine, (const HChar *)arg[1]);
    return *ret != 0;
  default:
    return handle_mempool(tid, arg, ret);
  }
}

Bool dm_answer_frequent_request(ThreadId tid, UWord *arg, UWord *ret) {
  switch (arg[0]) {
  case VG_USERREQ__DMD_REPORT:
  case VG_USERREQ__DMD_REPORT_ON_ALLOC:
  case VG_USERREQ__DMD_REPORT_SHARED:
  case VG_USERREQ__DMD_REPORT_ENCLOSING:
  case VG_USERREQ__DMD_UNREPORT:
    return handle_own(tid, arg, ret);
  case VG_USERREQ__MALLOCLIKE_BLOCK:
  case VG_USERREQ__FREELIKE_BLOCK:
    /* with address 0 they do not reach a tool */
    return arg[1] != 0 && dm_handle_client_request(tid, arg, ret);
  default:
    return False;
  }
}
