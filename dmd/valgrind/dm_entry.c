/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"
#include "record/engine/allocation.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_direct.h"
#include "valgrind/dm_entry.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_private.h"
#include "valgrind/dm_registers.h"

static ULong g_n_calls;

#if defined(VGA_amd64)
#include "libvex_guest_amd64.h"

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
  if (!dm_entry_is(entry) && g_n_entries < MAX_ENTRIES)
    g_entries[g_n_entries++] = entry;
  return dm_entry_is(entry);
}

Bool dm_entry_is(Addr ip) {
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
      sb, IRStmt_Dirty(dm_direct_call(answered, "dm_entry: answer", function->answer, layout)));
  IRTemp done = temp_of(
      sb, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(answered), IRExpr_Const(IRConst_U64(0))));
  IRTemp sp_now = choose(sb, done, IRExpr_RdTmp(popped), IRExpr_RdTmp(sp));
  addStmtToIRSB(sb, IRStmt_Put(layout->offset_SP, IRExpr_RdTmp(sp_now)));
  sb->next = IRExpr_RdTmp(choose(sb, done, IRExpr_RdTmp(back), at_entry));
  sb->jumpkind = Ijk_Ret;
}

Bool dm_entry_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout) {
  if (closure->nraddr == closure->readdr || dm_option_given("trace-malloc=") != NULL)
    return False;
  const function_t *function = function_at(closure->readdr);
  if (function == NULL || !note_entry(closure->readdr))
    return False;
  answer_call(sb, function, closure->readdr, layout);
  return True;
}

#else

Bool dm_entry_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout) {
  (void)sb, (void)closure, (void)layout;
  return False;
}

Bool dm_entry_is(Addr ip) {
  (void)ip;
  return False;
}

#endif

void dm_entry_print_stats(void) {
  VG_(umsg)("dmd: %llu calls answered where they came in\n", g_n_calls);
}
