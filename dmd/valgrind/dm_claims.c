/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "dmd-config.h"
#include "record/engine/graphdump.h"
#include "valgrind/dm_claims.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_machine.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_private.h"

#if DM_SEES_CLAIMS

/*--- Entries and return addresses ---*/

typedef struct {
  Addr addr;
  UInt name; /* of the engine's claimfns */
  UInt argument;
} entry_t;

/* Code that was translated. */
typedef struct {
  Addr addr;
  UInt szB;
} range_t;

static dmd_pool_t g_ran;         /* range_t */
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
    dmd_pool_init(&g_ran, &g_env, "dm.claims.ran", sizeof(range_t));
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

enum {
  NOTHING = 1
}; /* an address at which no code is: discarding it only leaves translated code */

/* Called at a function's entry. Returns an address to discard, if the return address has to be
 * translated again before the function runs; else 0. */
static UWord enter(UWord number, UWord sp, UWord back, UWord argument) {
  const entry_t *entry = DMD_POOL_AT(&g_entries, const entry_t, (UInt)number);
  if (!is_return(back)) {
    dmd_table_find_or_add(&g_returns_at, &g_returns, dmd_table_hash(&g_returns_at, back), &back);
    return back;
  }
  ThreadId tid = VG_(get_running_tid)();
  drop_left(tid, sp, back);
  if (g_n_calls == MAX_CALLS || is_loop(tid, sp, entry->name))
    return 0;
  call_t call = {.sp = sp,
                 .back = back,
                 .argument = entry->argument == 0 ? 0 : argument,
                 .tid = tid,
                 .name = entry->name};
  call.is_part = is_part(&call);
  if (!call.is_part)
    call.stack = dmd_engine_capture(&g_engine, tid);
  g_calls[g_n_calls++] = call;
  return 0;
}

/* Called at a return address. Returns NOTHING if translated code has to be left before the program
 * goes on, so that a graph can be written; else 0. */
static UWord come_back(UWord addr, UWord sp_now, UWord result, UWord unused) {
  (void)unused;
  if (g_n_calls == 0)
    return 0;
  ThreadId tid = VG_(get_running_tid)();
  Addr sp = sp_now - DM_RETURN_SZB;
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
                                                              .value = result});
  }
  return g_engine.claimfns.is_due && g_n_calls == 0 ? NOTHING : 0;
}

/*--- Inlined calls ---*/

static void add_ran(range_t ran) {
  UInt id = dmd_pool_add(&g_ran);
  *DMD_POOL_AT(&g_ran, range_t, id) = ran;
}

static void note_ran(const IRSB *sb) {
  range_t ran = {.szB = 0};
  for (Int i = 0; i < sb->stmts_used; i++) {
    const IRStmt *st = sb->stmts[i];
    if (st->tag != Ist_IMark)
      continue;
    if (ran.szB > 0 && st->Ist.IMark.addr != ran.addr + ran.szB) {
      add_ran(ran);
      ran.szB = 0;
    }
    if (ran.szB == 0)
      ran.addr = st->Ist.IMark.addr;
    ran.szB += st->Ist.IMark.len;
  }
  if (ran.szB > 0)
    add_ran(ran);
}

static void note_if_inlined(void *ctx, const dmd_function_t *function) {
  (void)ctx;
  if (function->is_inlined)
    dmd_claimfns_note_inlined(&g_engine.claimfns, function->name);
}

/* Names of inlined calls at addresses that lie closely enough for all but the shortest ones. */
void dm_claims_find_inlined(void) {
  enum { STEP = 8 };
  if (!g_is_ready || g_engine.host->is_quiet(g_engine.host->ctx))
    return;
  for (UInt id = 1; id <= g_ran.last; id++) {
    const range_t ran = *DMD_POOL_AT(&g_ran, const range_t, id);
    for (UInt at = 0; at < ran.szB; at += STEP) {
      InlIPCursor *cursor = VG_(new_IIPC)(VG_(current_DiEpoch)(), ran.addr + at);
      if (cursor == NULL)
        continue;
      VG_(delete_IIPC)(cursor);
      dm_functions(NULL, (dmd_code_t){.ip = ran.addr + at}, note_if_inlined, NULL);
    }
  }
}

/*--- Translations ---*/

static IRExpr *word(Addr value) {
  return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *temp_of(IRSB *sb, IRType type, IRExpr *value) {
  IRTemp temp = newIRTemp(sb->tyenv, type);
  addStmtToIRSB(sb, IRStmt_WrTmp(temp, value));
  return IRExpr_RdTmp(temp);
}

static IRExpr *get(IRSB *sb, Int offset) {
  return temp_of(sb, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

typedef UWord (*called_t)(UWord, UWord, UWord, UWord);

/* Adds a call. If it returns an address to discard, translated code is left, and the program
 * continues where the translation begins. A call that declares changes of memory finds the
 * registers that stacks begin with up to date. */
static void add_call(IRSB *sb, Addr addr, const HChar *name, called_t function,
                     IRExpr **arguments) {
  static ULong changed;
  addStmtToIRSB(sb, IRStmt_Put(sb->offsIP, word(addr)));
  IRTemp discards = newIRTemp(sb->tyenv, Ity_I64);
  IRDirty *call =
      unsafeIRDirty_1_N(discards, 0, name, VG_(fnptr_to_fnentry)((void *)function), arguments);
  call->mFx = Ifx_Modify;
  call->mAddr = word((Addr)&changed);
  call->mSize = sizeof changed;
  addStmtToIRSB(sb, IRStmt_Dirty(call));
  addStmtToIRSB(sb, IRStmt_Put(offsetof(dm_guest_t, guest_CMSTART), IRExpr_RdTmp(discards)));
  addStmtToIRSB(sb, IRStmt_Put(offsetof(dm_guest_t, guest_CMLEN), word(1)));
  IRExpr *guard = temp_of(sb, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(discards), word(0)));
  addStmtToIRSB(sb, IRStmt_Exit(guard, Ijk_InvalICache, IRConst_U64(addr), sb->offsIP));
}

static void add_entry(IRSB *sb, Addr addr, UInt entry) {
  static const Int offsets[DMD_MAX_CLAIM_ARGUMENT] = {DM_ARGUMENT_OFFSETS};
  UInt argument = DMD_POOL_AT(&g_entries, const entry_t, entry)->argument;
  IRExpr *sp = get(sb, offsetof(dm_guest_t, DM_SP));
#ifdef DM_RETURN
  IRExpr *back = get(sb, offsetof(dm_guest_t, DM_RETURN));
#else
  IRExpr *back = temp_of(sb, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, sp));
#endif
  IRExpr *value = get(sb, offsets[argument == 0 ? 0 : argument - 1]);
  add_call(sb, addr, "dm_claims: entry", enter, mkIRExprVec_4(word(entry), sp, back, value));
}

static void add_return(IRSB *sb, Addr addr) {
  IRExpr *sp = get(sb, offsetof(dm_guest_t, DM_SP));
  IRExpr *result = get(sb, offsetof(dm_guest_t, DM_RESULT));
  add_call(sb, addr, "dm_claims: return", come_back,
           mkIRExprVec_4(word(addr), sp, result, word(0)));
}

/* Replaces the translation by one that discards itself. */
static IRSB *make_again(const IRSB *sb, Addr addr) {
  IRSB *new = deepCopyIRSBExceptStmts(sb);
  addStmtToIRSB(new, IRStmt_IMark(addr, 1, 0));
  addStmtToIRSB(new, IRStmt_Put(offsetof(dm_guest_t, guest_CMSTART), word(addr)));
  addStmtToIRSB(new, IRStmt_Put(offsetof(dm_guest_t, guest_CMLEN), word(1)));
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

static UInt g_n_inserted;

void dm_claims_print_stats(void) {
  if (g_is_ready)
    VG_(umsg)("dmd: --claim-fn: calls in %u translations\n", g_n_inserted);
}

static IRSB *insert(const IRSB *sb, UInt entry, Bool comes_back, Addr addr) {
  IRSB *new = deepCopyIRSBExceptStmts(sb);
  Int i = 0;
  g_n_inserted++;
  while (i < sb->stmts_used && sb->stmts[i]->tag != Ist_IMark)
    addStmtToIRSB(new, sb->stmts[i++]);
  if (i < sb->stmts_used)
    addStmtToIRSB(new, sb->stmts[i++]);
  if (comes_back)
    add_return(new, addr);
  if (entry != DMD_NONE)
    add_entry(new, addr, entry);
  while (i < sb->stmts_used)
    addStmtToIRSB(new, sb->stmts[i++]);
  return new;
}

IRSB *dm_claims_instrument(IRSB *sb, const VgCallbackClosure *closure,
                           const VexGuestLayout *layout) {
  static Addr again; /* translated without following calls; 0: none */
  Addr addr = closure->readdr;
  (void)layout;
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
  note_ran(sb);
  UInt entry = entry_at(addr);
  Bool comes_back = is_return(addr);
  return entry == DMD_NONE && !comes_back ? sb : insert(sb, entry, comes_back, addr);
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

void dm_claims_find_inlined(void) {}

void dm_claims_print_stats(void) {}

void dm_claims_continue(void) {}

#endif
