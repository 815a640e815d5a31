/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"
#include "record/engine/allocation.h"
#include "valgrind/dm_clientreq.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_direct.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_malloc.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_private.h"

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

/* A call of one of our functions in a translation. It gets the running thread's guest state, which
 * it may change; its result, a word, is stored in answered. */
static IRDirty *call_of(IRTemp answered, const HChar *name, void *function,
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

/* ---- Calls of the allocator, at the entry of the replacement ---- */

static ULong g_n_calls;

#if defined(VGA_amd64)
static UWord finish(VexGuestAMD64State *guest, UWord result) {
  guest->guest_RAX = result;
  g_n_calls++;
  return 1;
}

/* Sizes and element counts up to which a call is answered here: the product of two such numbers
 * neither overflows nor is absurd. */
enum { MOST = 0x7fffffff };

/* If memory is exhausted or the size is absurd, errno has to be set or the process ended. That is
 * left to Valgrind's code, which makes the request again. */
static UWord answer_malloc(void *state) {
  VexGuestAMD64State *guest = state;
  if (guest->guest_RDI > MOST)
    return 0;
  UWord p = dmd_engine_malloc(&g_engine, dm_running_thread(guest), guest->guest_RDI);
  return p == 0 ? 0 : finish(guest, p);
}

static UWord answer_calloc(void *state) {
  VexGuestAMD64State *guest = state;
  UWord n = guest->guest_RDI, szB = guest->guest_RSI;
  if (n > MOST || szB > MOST)
    return 0;
  UWord p = dmd_engine_calloc(&g_engine, dm_running_thread(guest), n, szB);
  return p == 0 ? 0 : finish(guest, p);
}

static UWord answer_free(void *state) {
  VexGuestAMD64State *guest = state;
  dmd_engine_free(&g_engine, dm_running_thread(guest), guest->guest_RDI);
  return finish(guest, guest->guest_RAX);
}

typedef struct {
  const HChar *name;
  UWord (*answer)(void *guest);
} function_t;

/* The functions by Valgrind's names. Those that are missing here, or that have other names
 * (--demangle=no), are handled as requests. */
static const function_t functions[] = {
    {"malloc", answer_malloc},
    {"calloc", answer_calloc},
    {"free", answer_free},
    {"operator new(unsigned long)", answer_malloc},
    {"operator new[](unsigned long)", answer_malloc},
    {"operator delete(void*)", answer_free},
    {"operator delete[](void*)", answer_free},
    {"operator delete(void*, unsigned long)", answer_free},
    {"operator delete[](void*, unsigned long)", answer_free},
};

/* The function of the preloaded library that begins at this address, if it is in the table; else
 * NULL. */
static const function_t *function_at(Addr entry) {
  const HChar *name;
  dmd_object_t object;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), entry, &name))
    return NULL;
  for (UInt i = 0; i < sizeof functions / sizeof *functions; i++)
    if (VG_STREQ(name, functions[i].name))
      return dm_object(NULL, (dmd_code_t){.ip = entry}, &object) && object.is_engine ? &functions[i]
                                                                                     : NULL;
  return NULL;
}

/* Each function exists once for each library that Valgrind expects to contain an allocator. */
enum { MAX_ENTRIES = 64 };
static Addr g_entries[MAX_ENTRIES];
static UInt g_n_entries;

/* Returns False if the table is full. */
static Bool note_entry(Addr entry) {
  if (!dm_direct_is_entry(entry) && g_n_entries < MAX_ENTRIES)
    g_entries[g_n_entries++] = entry;
  return dm_direct_is_entry(entry);
}

Bool dm_direct_is_entry(Addr ip) {
  UInt i = 0;
  while (i < g_n_entries && g_entries[i] != ip)
    i++;
  return i < g_n_entries;
}

static IRTemp temp_of(IRSB *sb, IRType type, IRExpr *value) {
  IRTemp temp = newIRTemp(sb->tyenv, type);
  addStmtToIRSB(sb, IRStmt_WrTmp(temp, value));
  return temp;
}

static IRTemp choose(IRSB *sb, IRTemp is_first, IRExpr *first, IRExpr *second) {
  return temp_of(sb, Ity_I64, IRExpr_ITE(IRExpr_RdTmp(is_first), first, second));
}

/* Replaces the translation by the call and a return from the function. If the call does nothing,
 * the function's own code runs, which has a translation of its own. */
static void answer_call(IRSB *sb, const function_t *function, Addr entry,
                        const VexGuestLayout *layout) {
  IRExpr *at_entry = IRExpr_Const(IRConst_U64(entry));
  UInt first = 0;
  while (first < (UInt)sb->stmts_used && sb->stmts[first]->tag != Ist_IMark)
    first++;
  sb->stmts_used = first + 1; /* debuggers stop there */
  IRTemp sp = temp_of(sb, Ity_I64, IRExpr_Get(layout->offset_SP, Ity_I64));
  IRTemp back = temp_of(sb, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, IRExpr_RdTmp(sp)));
  IRTemp popped =
      temp_of(sb, Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(sp), IRExpr_Const(IRConst_U64(8))));
  IRTemp answered = newIRTemp(sb->tyenv, Ity_I64);
  addStmtToIRSB(sb, IRStmt_Put(sb->offsIP, at_entry));
  addStmtToIRSB(
      sb, IRStmt_Dirty(call_of(answered, "dm_direct: answer a call", function->answer, layout)));
  IRTemp done = temp_of(
      sb, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U64(0))));
  IRTemp sp_now = choose(sb, done, IRExpr_RdTmp(popped), IRExpr_RdTmp(sp));
  addStmtToIRSB(sb, IRStmt_Put(layout->offset_SP, IRExpr_RdTmp(sp_now)));
  sb->next = IRExpr_RdTmp(choose(sb, done, IRExpr_RdTmp(back), at_entry));
  sb->jumpkind = Ijk_Ret;
}

static Bool answer_at_entry(IRSB *sb, const VgCallbackClosure *closure,
                            const VexGuestLayout *layout) {
  if (closure->nraddr == closure->readdr || dm_option_given("trace-malloc=") != NULL)
    return False;
  const function_t *function = function_at(closure->readdr);
  if (function == NULL || !note_entry(closure->readdr))
    return False;
  answer_call(sb, function, closure->readdr, layout);
  return True;
}

#else

static Bool answer_at_entry(IRSB *sb, const VgCallbackClosure *closure,
                            const VexGuestLayout *layout) {
  (void)sb, (void)closure, (void)layout;
  return False;
}

Bool dm_direct_is_entry(Addr ip) {
  (void)ip;
  return False;
}

#endif

/* ---- Requests ---- */

static ULong g_n_answered;

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
  IRDirty *call = call_of(answered, "dm_direct: answer", answer, layout);
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
  if (g_test_options.direct_requests && !answer_at_entry(sb, closure, layout))
    answer_request(sb, layout);
}

void dm_direct_print_stats(void) {
  VG_(umsg)("dmd: %llu requests answered in translated code\n", g_n_answered);
  VG_(umsg)("dmd: %llu calls answered where they came in\n", g_n_calls);
}
