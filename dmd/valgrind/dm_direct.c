/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"
#include "record/engine/allocation.h"
#include "valgrind/dm_claims.h"
#include "valgrind/dm_clientreq.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_direct.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_machine.h"
#include "valgrind/dm_malloc.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_private.h"

/* ---- Calls of our functions in a translation ---- */

/* Such a function returns whether it answered. It either gets the running thread's guest state, and
 * changes that; or it gets two registers, and leaves the result for the translation to store. */
#if DM_GETS_GUEST
#define PARAMETERS void *state
#define READ(parameter, reg) (((const dm_guest_t *)state)->reg)
#define TID() dm_running_thread(state)
#define ANSWER(reg, value) (((dm_guest_t *)state)->reg = (value))
#else
static UWord g_result;
#define PARAMETERS UWord first, __attribute__((unused)) UWord second
#define READ(parameter, reg) (parameter)
#define TID() VG_(get_running_tid)()
#define ANSWER(reg, value) (g_result = (value))
#endif

typedef UWord (*function_of_ours_t)(PARAMETERS);

static IRTemp temp_of(IRSB *sb, IRType type, IRExpr *value) {
  IRTemp temp = newIRTemp(sb->tyenv, type);
  addStmtToIRSB(sb, IRStmt_WrTmp(temp, value));
  return temp;
}

/* What a call needs to know of the registers that it reads and writes: where they are. */
typedef struct {
  Int first, second, result;
} offsets_t;

#define OFFSET(reg) offsetof(dm_guest_t, reg)

/* Adds the call. Returns its result, a word: whether it answered. */
#if DM_GETS_GUEST
static IRTemp add_call(IRSB *sb, const HChar *name, function_of_ours_t function, offsets_t offsets,
                       const VexGuestLayout *layout) {
  IRTemp answered = newIRTemp(sb->tyenv, sizeof(UWord) == 8 ? Ity_I64 : Ity_I32);
  IRDirty *call = unsafeIRDirty_1_N(answered, 0, name, VG_(fnptr_to_fnentry)(function),
                                    mkIRExprVec_1(IRExpr_GSPTR()));
  (void)offsets;
  call->nFxState = 1;
  call->fxState[0].fx = Ifx_Modify;
  call->fxState[0].offset = 0;
  call->fxState[0].size = layout->total_sizeB;
  call->fxState[0].nRepeats = 0;
  call->fxState[0].repeatLen = 0;
  addStmtToIRSB(sb, IRStmt_Dirty(call));
  return answered;
}
#else
static IRTemp get(IRSB *sb, Int offset) {
  return temp_of(sb, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

/* A call that declares changes of memory finds the registers that stacks begin with up to date. */
static IRTemp add_call(IRSB *sb, const HChar *name, function_of_ours_t function, offsets_t offsets,
                       const VexGuestLayout *layout) {
  IRTemp answered = newIRTemp(sb->tyenv, Ity_I64), before = get(sb, offsets.result);
  IRExpr *first = IRExpr_RdTmp(get(sb, offsets.first));
  IRExpr *second = IRExpr_RdTmp(get(sb, offsets.second));
  IRExpr *result = IRExpr_Const(IRConst_U64((Addr)&g_result));
  IRDirty *call = unsafeIRDirty_1_N(answered, 0, name, VG_(fnptr_to_fnentry)(function),
                                    mkIRExprVec_2(first, second));
  (void)layout;
  call->mFx = Ifx_Modify;
  call->mAddr = result;
  call->mSize = sizeof g_result;
  addStmtToIRSB(sb, IRStmt_Dirty(call));
  IRTemp is_answered = temp_of(
      sb, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U64(0))));
  IRTemp value = temp_of(sb, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, result));
  addStmtToIRSB(
      sb, IRStmt_Put(offsets.result,
                     IRExpr_RdTmp(temp_of(sb, Ity_I64,
                                          IRExpr_ITE(IRExpr_RdTmp(is_answered), IRExpr_RdTmp(value),
                                                     IRExpr_RdTmp(before))))));
  return answered;
}
#endif

/* ---- Calls of the allocator, at the entry of the replacement ---- */

static ULong g_n_calls;

#if DM_ANSWERS_CALLS

/* Sizes and element counts up to which a call is answered here: the product of two such numbers
 * neither overflows nor is absurd. */
enum { MOST = 0x7fffffff };

/* If memory is exhausted or the size is absurd, errno has to be set or the process ended. And a
 * dump that is due reads registers, which are not up to date here. That is left to Valgrind's code,
 * which makes the request again. */
static UWord answer_malloc(PARAMETERS) {
  UWord szB = READ(first, DM_FIRST);
  if (szB > MOST || g_engine.due != NULL)
    return 0;
  UWord p = dmd_engine_malloc(&g_engine, TID(), szB);
  if (p == 0)
    return 0;
  ANSWER(DM_RESULT, p);
  g_n_calls++;
  return 1;
}

static UWord answer_calloc(PARAMETERS) {
  UWord n = READ(first, DM_FIRST), szB = READ(second, DM_SECOND);
  if (n > MOST || szB > MOST || g_engine.due != NULL)
    return 0;
  UWord p = dmd_engine_calloc(&g_engine, TID(), n, szB);
  if (p == 0)
    return 0;
  ANSWER(DM_RESULT, p);
  g_n_calls++;
  return 1;
}

static UWord answer_free(PARAMETERS) {
  UWord p = READ(first, DM_FIRST);
  if (dm_claims_need((const void *)p))
    return 0;
  dmd_engine_free(&g_engine, TID(), p);
  g_n_calls++;
  return 1;
}

typedef struct {
  const HChar *name;
  function_of_ours_t answer;
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

static IRTemp choose(IRSB *sb, IRTemp is_first, IRExpr *first, IRExpr *second) {
  return temp_of(sb, Ity_I64, IRExpr_ITE(IRExpr_RdTmp(is_first), first, second));
}

/* Where the call returns to, and the stack pointer then. */
static IRTemp return_address(IRSB *sb, IRTemp sp) {
#ifdef DM_RETURN
  (void)sp;
  return temp_of(sb, Ity_I64, IRExpr_Get(OFFSET(DM_RETURN), Ity_I64));
#else
  return temp_of(sb, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, IRExpr_RdTmp(sp)));
#endif
}

static IRTemp stack_after_return(IRSB *sb, IRTemp sp) {
#ifdef DM_RETURN
  (void)sb;
  return sp;
#else
  return temp_of(sb, Ity_I64,
                 IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(sp), IRExpr_Const(IRConst_U64(8))));
#endif
}

/* Replaces the translation by the call and a return from the function. If the call does nothing,
 * the function's own code runs, which has a translation of its own. */
static void answer_call(IRSB *sb, const function_t *function, Addr entry,
                        const VexGuestLayout *layout) {
  const offsets_t offsets = {OFFSET(DM_FIRST), OFFSET(DM_SECOND), OFFSET(DM_RESULT)};
  IRExpr *at_entry = IRExpr_Const(IRConst_U64(entry));
  UInt first = 0;
  while (first < (UInt)sb->stmts_used && sb->stmts[first]->tag != Ist_IMark)
    first++;
  sb->stmts_used = first + 1; /* debuggers stop there */
  IRTemp sp = temp_of(sb, Ity_I64, IRExpr_Get(layout->offset_SP, Ity_I64));
  IRTemp back = return_address(sb, sp), popped = stack_after_return(sb, sp);
  addStmtToIRSB(sb, IRStmt_Put(sb->offsIP, at_entry));
  IRTemp answered = add_call(sb, "dm_direct: answer a call", function->answer, offsets, layout);
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

/* Called from translated code. Returns False if it did nothing. */
static UWord answer(PARAMETERS) {
  UWord *arg = (UWord *)(Addr)READ(first, DM_REQUEST);
  ThreadId tid = TID();
  UWord ret;
  if (!dm_answer_allocator_call(tid, arg, &ret) && !dm_answer_frequent_request(tid, arg, &ret))
    return 0;
  ANSWER(DM_ANSWER, ret);
  g_n_answered++;
  return 1;
}

static void answer_request(IRSB *sb, const VexGuestLayout *layout) {
  if (sb->jumpkind != Ijk_ClientReq || sb->next->tag != Iex_Const)
    return;
  const offsets_t offsets = {OFFSET(DM_REQUEST), OFFSET(DM_REQUEST), OFFSET(DM_ANSWER)};
  Bool is_64 = sizeof(UWord) == 8;
  /* Stacks begin at the end of the request, as when the scheduler handles it. */
  addStmtToIRSB(sb, IRStmt_Put(sb->offsIP, sb->next));
  IRTemp answered = add_call(sb, "dm_direct: answer", answer, offsets, layout);
  IRExpr *is_answered =
      is_64 ? IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U64(0)))
            : IRExpr_Binop(Iop_CmpNE32, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U32(0)));
  IRTemp guard = temp_of(sb, Ity_I1, is_answered);
  addStmtToIRSB(sb,
                IRStmt_Exit(IRExpr_RdTmp(guard), Ijk_Boring, sb->next->Iex.Const.con, sb->offsIP));
}

void dm_direct_instrument(IRSB *sb, const VgCallbackClosure *closure,
                          const VexGuestLayout *layout) {
  /* A direct answer skips instructions, which would not be counted. */
  bool is_wanted = g_test_options.direct_requests && !g_options.counts_instructions;
  if (is_wanted && !answer_at_entry(sb, closure, layout))
    answer_request(sb, layout);
}

void dm_direct_print_stats(void) {
  VG_(umsg)("dmd: %llu requests answered in translated code\n", g_n_answered);
  VG_(umsg)("dmd: %llu calls answered where they came in\n", g_n_calls);
}
