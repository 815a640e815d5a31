/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_xarray.h"

#include "pub_tool_addrinfo.h" /* uses the types of those above */

#include "valgrind/dm_address.h"

static void describe_stack(const AddrInfo *ai, HChar *text, SizeT szB) {
  const HChar *fn;
  ThreadId tid = ai->Addr.Stack.tinfo.tid;
  if (ai->Addr.Stack.IP != 0 && VG_(get_fnname)(ai->Addr.Stack.epoch, ai->Addr.Stack.IP, &fn))
    VG_(snprintf)(text, szB, "the stack of thread %u, in the frame of %s", tid, fn);
  else
    VG_(snprintf)(text, szB, "the stack of thread %u", tid);
}

static void describe_mapping(const AddrInfo *ai, HChar *text, SizeT szB) {
  if (ai->Addr.SegmentKind.segkind == SkFileC)
    VG_(snprintf)(text, szB, "a mapping of %s", ai->Addr.SegmentKind.filename);
  else if (ai->Addr.SegmentKind.segkind == SkShmC)
    VG_(snprintf)(text, szB, "shared memory");
  else
    VG_(snprintf)(text, szB, "memory that the program mapped");
}

/* Valgrind's description of an address in the program's memory, as text and as a kind. */
static dmd_fault_kind_t describe(const AddrInfo *ai, HChar *text, SizeT szB) {
  switch (ai->tag) {
  case Addr_Stack:
    describe_stack(ai, text, szB);
    return DMD_FAULT_REPORT_STACK;
  case Addr_DataSym:
    VG_(snprintf)(text, szB, "the global variable %s", ai->Addr.DataSym.name);
    return DMD_FAULT_REPORT_GLOBAL;
  case Addr_Variable: /* with --read-var-info=yes only: a sentence composed by Valgrind */
    VG_(snprintf)(text, szB, "a variable: %s", (HChar *)VG_(indexXA)(ai->Addr.Variable.descr1, 0));
    return DMD_FAULT_REPORT_GLOBAL;
  case Addr_SectKind:
    VG_(snprintf)(text, szB, "the data of %s", ai->Addr.SectKind.objname);
    return DMD_FAULT_REPORT_GLOBAL;
  case Addr_BrkSegment:
    VG_(snprintf)(text, szB, "memory that the program took with brk");
    return DMD_FAULT_REPORT_MAPPED;
  case Addr_SegmentKind:
    describe_mapping(ai, text, szB);
    return DMD_FAULT_REPORT_MAPPED;
  default:
    return DMD_FAULT_REPORT_NO_ADDRESS;
  }
}

dmd_fault_kind_t dm_classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  (void)ctx;
  const NSegment *seg = VG_(am_find_nsegment)(addr);
  if (seg != NULL && seg->isCH)
    return DMD_FAULT_REPORT_NO_BLOCK;
  AddrInfo ai = {.tag = Addr_Undescribed};
  VG_(describe_addr)(VG_(current_DiEpoch)(), addr, &ai);
  dmd_fault_kind_t kind = describe(&ai, text, szB);
  VG_(clear_addrinfo)(&ai);
  return kind;
}
