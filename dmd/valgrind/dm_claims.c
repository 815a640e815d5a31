/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"
#include "record/engine/graphdump.h"
#include "valgrind/dm_claims.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_private.h"

#if defined(VGA_amd64)
#include "libvex_guest_amd64.h"

/*--- Entries and return addresses ---*/

typedef struct {
  Addr addr;
  UInt name; /* of the engine's claimfns */
  UInt argument;
} entry_t;

static dmd_pool_t g_entries;     /* entry_t */
static dmd_pool_t g_returns;     /* Addr */
static dmd_table_t g_returns_at; /* the addresses */
static Bool g_is_ready;

static bool is_at(const void *owner, uint32_t id, const void *key) {
  return *DMD_POOL_AT((const dmd_pool_t *)owner, const Addr, id) == *(const Addr *)key;
}

/* False if there is no --claim-fn. */
static Bool is_wanted(void) {
  if (!g_is_ready && g_options.claim_fns.last > 0) {
    dmd_pool_init(&g_entries, &g_env, "dm.claims.entries", sizeof(entry_t));
    dmd_pool_init(&g_returns, &g_env, "dm.claims.returns", sizeof(Addr));
    dmd_table_init(&g_returns_at, &g_env, "dm.claims.returns", is_at, &g_returns);
    g_is_ready = True;
  }
  return g_is_ready;
}

static Bool is_return(Addr addr) {
  return dmd_table_find(&g_returns_at, dmd_table_hash(&g_returns_at, addr), &addr) != DMD_NONE;
}

/* The number of the entry at this address; DMD_NONE if no such function begins there. */
static UInt entry_at(Addr addr) {
  const HChar *name;
  dmd_claim_function_t function;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), addr, &name) ||
      !dmd_claimfns_match(&g_engine.claimfns, name, &function))
    return DMD_NONE;
  UInt number = dmd_pool_add(&g_entries);
  *DMD_POOL_AT(&g_entries, entry_t, number) =
      (entry_t){.addr = addr, .name = function.name, .argument = function.argument};
  return number;
}

/*--- Calls that have not returned ---*/

typedef struct {
  Addr sp; /* at the entry: of the return address */
  Addr back, argument;
  ThreadId tid;
  UInt name, stack;
  Bool is_part; /* of another call for the same object */
} call_t;

enum { MAX_CALLS = 1024 };
static call_t g_calls[MAX_CALLS]; /* the later ones are further down in their thread's stack */
static UInt g_n_calls;

static void drop(UInt i) {
  g_n_calls--;
  for (; i < g_n_calls; i++)
    g_calls[i] = g_calls[i + 1];
}

/* Drops the thread's calls that have been left: those below this stack pointer, and those at it
 * that would return to another address. */
static void drop_left(ThreadId tid, Addr sp, Addr back) {
  for (UInt i = g_n_calls; i-- > 0;)
    if (g_calls[i].tid == tid &&
        (g_calls[i].sp < sp || (g_calls[i].sp == sp && g_calls[i].back != back)))
      drop(i);
}

/* Whether the function is running already in this very place: its entry is also the begin of a
 * loop.
 */
static Bool is_loop(ThreadId tid, Addr sp, UInt name) {
  for (UInt i = 0; i < g_n_calls; i++)
    if (g_calls[i].tid == tid && g_calls[i].sp == sp && g_calls[i].name == name)
      return True;
  return False;
}

static Bool is_part(const call_t *call) {
  for (UInt i = 0; i < g_n_calls; i++)
    if (g_calls[i].tid == call->tid && g_calls[i].name == call->name &&
        g_calls[i].argument == call->argument && g_calls[i].sp > call->sp)
      return True;
  return False;
}

void dm_claims_end_thread(ThreadId tid) {
  drop_left(tid, ~(Addr)0, 0);
}

Bool dm_claims_need(const void *p) {
  const dmd_claimfns_t *claims = &g_engine.claimfns;
  return claims->needed.last > 0 && g_n_calls == 0 && dmd_claimfns_need(claims, (Addr)p);
}

void dm_claims_continue(void) {
  if (g_engine.claimfns.is_due && g_n_calls == 0)
    dmd_engine_keep_claims(&g_engine);
}

static Addr argument_of(const VexGuestAMD64State *guest, UInt number) {
  const Addr arguments[DMD_MAX_CLAIM_ARGUMENT] = {guest->guest_RDI, guest->guest_RSI,
                                                  guest->guest_RDX, guest->guest_RCX,
                                                  guest->guest_R8,  guest->guest_R9};
  return number == 0 ? 0 : arguments[number - 1];
}

/* Has the core discard translations: the guest state says which. */
static UWord discard(VexGuestAMD64State *guest, Addr addr) {
  guest->guest_CMSTART = addr;
  guest->guest_CMLEN = 1;
  return True;
}

/* Called at a function's entry. Returns True, with the range to discard in the guest state, if the
 * return address has to be translated again before the function runs. */
static UWord enter(void *state, UWord number) {
  VexGuestAMD64State *guest = state;
  const entry_t *entry = DMD_POOL_AT(&g_entries, const entry_t, (UInt)number);
  Addr sp = guest->guest_RSP, back = *(const Addr *)sp;
  if (!is_return(back)) {
    dmd_table_find_or_add(&g_returns_at, &g_returns, dmd_table_hash(&g_returns_at, back), &back);
    return discard(guest, back);
  }
  ThreadId tid = dm_running_thread(guest);
  drop_left(tid, sp, back);
  if (g_n_calls == MAX_CALLS || is_loop(tid, sp, entry->name))
    return False;
  call_t call = {.sp = sp,
                 .back = back,
                 .argument = argument_of(guest, entry->argument),
                 .tid = tid,
                 .name = entry->name};
  call.is_part = is_part(&call);
  if (!call.is_part)
    call.stack = dmd_engine_capture(&g_engine, tid);
  g_calls[g_n_calls++] = call;
  return False;
}

/* Called at a return address. Returns True if translated code has to be left before the program
 * goes on, so that a graph can be written; what is discarded for that is nothing. */
static UWord come_back(void *state, UWord addr) {
  VexGuestAMD64State *guest = state;
  if (g_n_calls == 0)
    return False;
  ThreadId tid = dm_running_thread(guest);
  Addr sp = guest->guest_RSP - sizeof(Addr);
  drop_left(tid, sp, addr);
  for (UInt i = g_n_calls; i-- > 0;) {
    const call_t call = g_calls[i];
    if (call.tid != tid || call.sp != sp || call.back != addr)
      continue;
    drop(i);
    if (!call.is_part)
      dmd_claimfns_add(&g_engine.claimfns, &(dmd_new_claim_t){.function = call.name,
                                                              .stack = call.stack,
                                                              .argument = call.argument,
                                                              .value = guest->guest_RAX});
  }
  return g_engine.claimfns.is_due && g_n_calls == 0 ? discard(guest, 0) : False;
}

/*--- Translations ---*/

static IRExpr *word(Addr value) {
  return IRExpr_Const(IRConst_U64(value));
}

/* Adds a call with the guest state and a number. If it returns True, translated code is left, and
 * the program continues where the translation begins. */
static void add_call(IRSB *sb, Addr addr, const HChar *name, UWord (*function)(void *, UWord),
                     UWord number, const VexGuestLayout *layout) {
  IRTemp leaves = newIRTemp(sb->tyenv, Ity_I64), guard = newIRTemp(sb->tyenv, Ity_I1);
  IRDirty *call = unsafeIRDirty_1_N(leaves, 0, name, VG_(fnptr_to_fnentry)((void *)function),
                                    mkIRExprVec_2(IRExpr_GSPTR(), word(number)));
  call->nFxState = 1;
  call->fxState[0].fx = Ifx_Modify;
  call->fxState[0].offset = 0;
  call->fxState[0].size = layout->total_sizeB;
  call->fxState[0].nRepeats = 0;
  call->fxState[0].repeatLen = 0;
  addStmtToIRSB(sb, IRStmt_Put(sb->offsIP, word(addr)));
  addStmtToIRSB(sb, IRStmt_Dirty(call));
  addStmtToIRSB(sb, IRStmt_WrTmp(guard, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(leaves), word(0))));
  addStmtToIRSB(sb,
                IRStmt_Exit(IRExpr_RdTmp(guard), Ijk_InvalICache, IRConst_U64(addr), sb->offsIP));
}

/* Replaces the translation by one that discards itself. */
static IRSB *make_again(const IRSB *sb, Addr addr) {
  IRSB *new = deepCopyIRSBExceptStmts(sb);
  addStmtToIRSB(new, IRStmt_IMark(addr, 1, 0));
  addStmtToIRSB(new, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), word(addr)));
  addStmtToIRSB(new, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), word(1)));
  new->next = word(addr);
  new->jumpkind = Ijk_InvalICache;
  return new;
}

/* Whether the translation follows a call or jump into a function whose claims are wanted. */
static Bool follows_call(const IRSB *sb, Addr start) {
  Addr expected = 0;
  for (Int i = 0; i < sb->stmts_used; i++) {
    const IRStmt *st = sb->stmts[i];
    if (st->tag != Ist_IMark)
      continue;
    Bool is_jump = expected != 0 && st->Ist.IMark.addr != expected;
    if (is_jump && st->Ist.IMark.addr != start && entry_at(st->Ist.IMark.addr) != DMD_NONE)
      return True;
    expected = st->Ist.IMark.addr + st->Ist.IMark.len;
  }
  return False;
}

static IRSB *insert(const IRSB *sb, UInt entry, Bool comes_back, Addr addr,
                    const VexGuestLayout *layout) {
  IRSB *new = deepCopyIRSBExceptStmts(sb);
  Int i = 0;
  while (i < sb->stmts_used && sb->stmts[i]->tag != Ist_IMark)
    addStmtToIRSB(new, sb->stmts[i++]);
  if (i < sb->stmts_used)
    addStmtToIRSB(new, sb->stmts[i++]);
  if (comes_back)
    add_call(new, addr, "dm_claims: return", come_back, addr, layout);
  if (entry != DMD_NONE)
    add_call(new, addr, "dm_claims: entry", enter, entry, layout);
  while (i < sb->stmts_used)
    addStmtToIRSB(new, sb->stmts[i++]);
  return new;
}

IRSB *dm_claims_instrument(IRSB *sb, const VgCallbackClosure *closure,
                           const VexGuestLayout *layout) {
  static Addr again; /* translated without following calls; 0: none */
  Addr addr = closure->readdr;
  if (!is_wanted())
    return sb;
  Bool is_again = again == addr;
  if (again != 0)
    dm_set_chase(True);
  again = 0;
  if (!is_again && follows_call(sb, addr) && dm_set_chase(False)) {
    again = addr;
    return make_again(sb, addr);
  }
  UInt entry = entry_at(addr);
  Bool comes_back = is_return(addr);
  return entry == DMD_NONE && !comes_back ? sb : insert(sb, entry, comes_back, addr, layout);
}

#else

IRSB *dm_claims_instrument(IRSB *sb, const VgCallbackClosure *closure,
                           const VexGuestLayout *layout) {
  (void)closure, (void)layout;
  return sb;
}

void dm_claims_end_thread(ThreadId tid) {
  (void)tid;
}

Bool dm_claims_need(const void *p) {
  (void)p;
  return False;
}

void dm_claims_continue(void) {}

#endif
