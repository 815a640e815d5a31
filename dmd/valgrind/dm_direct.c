/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "valgrind/dm_clientreq.h"
#include "valgrind/dm_direct.h"
#include "valgrind/dm_entry.h"
#include "valgrind/dm_malloc.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_registers.h"

/* The registers that hold a request's argument block and its result, as valgrind.h compiles a
 * request. */
#if defined(VGA_amd64)
#include "libvex_guest_amd64.h"
#define ARGUMENTS(guest) (((VexGuestAMD64State *)(guest))->guest_RAX)
#define ANSWER(guest) (((VexGuestAMD64State *)(guest))->guest_RDX)
#elif defined(VGA_x86)
#include "libvex_guest_x86.h"
#define ARGUMENTS(guest) (((VexGuestX86State *)(guest))->guest_EAX)
#define ANSWER(guest) (((VexGuestX86State *)(guest))->guest_EDX)
#elif defined(VGA_arm64)
#include "libvex_guest_arm64.h"
#define ARGUMENTS(guest) (((VexGuestARM64State *)(guest))->guest_X4)
#define ANSWER(guest) (((VexGuestARM64State *)(guest))->guest_X3)
#else
#error "which registers do client requests use here?"
#endif

static ULong g_n_answered;

IRDirty *dm_direct_call(IRTemp answered, const HChar *name, void *function,
                        const VexGuestLayout *layout) {
  IRDirty *call = unsafeIRDirty_1_N(answered, 0, name, VG_(fnptr_to_fnentry)(function),
                                    mkIRExprVec_1(IRExpr_GSPTR()));
  call->nFxState = 1;
  call->fxState[0].fx = Ifx_Modify;
  call->fxState[0].offset = 0;
  call->fxState[0].size = layout->total_sizeB;
  call->fxState[0].nRepeats = 0;
  call->fxState[0].repeatLen = 0;
  return call;
}

/* Called from translated code with the running thread's guest state. Returns False if it did
 * nothing. */
static UWord answer(void *guest) {
  UWord *arg = (UWord *)(Addr)ARGUMENTS(guest);
  ThreadId tid = dm_running_thread(guest);
  UWord ret;
  if (!dm_answer_allocator_call(tid, arg, &ret) && !dm_answer_frequent_request(tid, arg, &ret))
    return 0;
  ANSWER(guest) = ret;
  g_n_answered++;
  return 1;
}

static void answer_request(IRSB *sb, const VexGuestLayout *layout) {
  if (sb->jumpkind != Ijk_ClientReq || sb->next->tag != Iex_Const)
    return;
  Bool is_64 = sizeof(UWord) == 8;
  IRTemp answered = newIRTemp(sb->tyenv, is_64 ? Ity_I64 : Ity_I32);
  IRTemp guard = newIRTemp(sb->tyenv, Ity_I1);
  IRDirty *call = dm_direct_call(answered, "dm_direct: answer", answer, layout);
  /* Stacks begin at the end of the request, as when the scheduler handles it. */
  addStmtToIRSB(sb, IRStmt_Put(sb->offsIP, sb->next));
  addStmtToIRSB(sb, IRStmt_Dirty(call));
  IRExpr *is_answered =
      is_64 ? IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U64(0)))
            : IRExpr_Binop(Iop_CmpNE32, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U32(0)));
  addStmtToIRSB(sb, IRStmt_WrTmp(guard, is_answered));
  addStmtToIRSB(sb,
                IRStmt_Exit(IRExpr_RdTmp(guard), Ijk_Boring, sb->next->Iex.Const.con, sb->offsIP));
}

void dm_direct_instrument(IRSB *sb, const VgCallbackClosure *closure,
                          const VexGuestLayout *layout) {
  if (g_test_options.direct_requests && !dm_entry_instrument(sb, closure, layout))
    answer_request(sb, layout);
}

void dm_direct_print_stats(void) {
  VG_(umsg)("dmd: %llu requests answered in translated code\n", g_n_answered);
}
