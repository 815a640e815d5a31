/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#include "tool/dm_options.h"
#include "tool/dm_unwind.h"

#if defined(VGA_amd64)

#include "libvex_guest_amd64.h"

/* The core's own switch for --merge-recursive-frames, which no tool header declares: stacks then
 * lack frames, and what was read of the stack cannot be told. */
extern Int VG_(clo_merge_recursive_frames);

enum {
  WORD = sizeof(Addr),
  MAX_FRAMES = 64,           /* longer stacks are not remembered */
  MAX_WORDS = 128,           /* to compare */
  MAX_SCANNED = 1024,        /* words of a frame to look through for a frame pointer */
  N_HASHED = 8,              /* frames that choose a walk's place in the table */
  N_THREADS = 512,           /* threads with higher numbers are unwound */
  N_SETS = 1 << 15,          /* of two walks each */
  N_SIZES = 1 << 12,         /* frame sizes */
  ROOM_SZB = 8 << 20,        /* for walks */
  PERIOD = 8192,             /* stacks, after which we look whether it is worth it */
  LONGEST_REST = 16 * PERIOD /* for so many stacks we do not try again where it is not */
};

/*--- The stacks of threads ---*/

typedef struct {
  Addr low, high; /* the first and last byte; 0, 0: not asked for yet */
  Bool is_broken; /* something within was unmapped or protected */
} region_t;

static region_t g_regions[N_THREADS];

/* The highest address of which a word can be read on the stack that sp points into, if that is the
 * thread's own, or 0. */
static Addr top_of_stack(ThreadId tid, Addr sp) {
  if (tid >= N_THREADS)
    return 0;
  region_t *region = &g_regions[tid];
  if (region->high == 0) {
    region->high = VG_(thread_get_stack_max)(tid);
    region->low = region->high - VG_(thread_get_stack_size)(tid) + 1;
    region->is_broken =
        sp > region->high || !VG_(am_is_valid_for_client)(sp, region->high - sp + 1, VKI_PROT_READ);
  }
  if (sp < region->low || sp > region->high - WORD || region->is_broken || sp % WORD != 0)
    return 0;
  return region->high + 1 - WORD;
}

static void break_regions(Addr a, SizeT szB) {
  for (UInt i = 0; i < N_THREADS; i++)
    if (a <= g_regions[i].high && a + szB > g_regions[i].low && g_regions[i].high != 0)
      g_regions[i].is_broken = True;
}

static void protected(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx) {
  (void)ww, (void)xx;
  if (!rr)
    break_regions(a, szB);
}

static void mapped(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx, ULong di_handle) {
  (void)di_handle;
  protected(a, szB, rr, ww, xx);
}

void dm_unwind_register(void) {
  VG_(track_die_mem_munmap)(break_regions);
  VG_(track_die_mem_brk)(break_regions);
  VG_(track_change_mem_mprotect)(protected);
  VG_(track_new_mem_mmap)(mapped);
}

/*--- Walks ---*/

typedef struct {
  Addr ip, sp, fp; /* where it begins */
  UInt stack;      /* what it ended in */
  UShort thread;
  UChar n_words; /* that were read */
  Bool needs_fp; /* whether fp was of consequence */
} walk_t;

/* A walk is followed by the words' values and then by their distances from sp, the highest last. */
static UInt szB_of_walk(UInt n_words) {
  return VG_ROUNDUP(sizeof(walk_t) + n_words * (sizeof(Addr) + sizeof(UInt)), WORD);
}

static Addr *values_of(walk_t *walk) {
  return (Addr *)(walk + 1);
}

static UInt *distances_of(walk_t *walk) {
  return (UInt *)(values_of(walk) + walk->n_words);
}

/* In these: the words up to g_used. The table holds a walk's place / WORD, plus 1. */
static Addr g_room[ROOM_SZB / WORD];
static UInt g_used; /* words */
static UInt g_table[N_SETS][2];
static DiEpoch g_epoch;

static void forget_all(void) {
  if (g_used > 0)
    VG_(memset)(g_table, 0, sizeof g_table);
  g_used = 0;
}

/* The size of the frame in which an address lies, as last seen. It only serves to choose a place in
 * the table. */
static struct {
  Addr ip;
  SizeT szB;
} g_sizes[N_SIZES];

static UInt size_index(Addr ip) {
  return (UInt)(ip ^ ip >> 12) % N_SIZES;
}

/* The table's set for the walk that begins so: by its innermost return addresses, as far as we can
 * tell where they are. */
static UInt *set_of(Addr ip, Addr sp, Addr top) {
  ULong hash = ip ^ sp << 20;
  for (UInt i = 0; i < N_HASHED; i++) {
    UInt at = size_index(ip);
    Addr slot = sp + g_sizes[at].szB - WORD;
    if (g_sizes[at].ip != ip || slot < sp || slot > top)
      break;
    Addr return_address = *(Addr *)slot;
    hash = (hash ^ return_address) * 0x9e3779b97f4a7c15ULL;
    ip = return_address - 1;
    sp = slot + WORD;
  }
  return g_table[(hash * 0x9e3779b97f4a7c15ULL) >> 49];
}

static Addr frame_pointer(ThreadId tid) {
  Addr fp;
  VG_(get_shadow_regs_area)
  (tid, (UChar *)&fp, 0, offsetof(VexGuestAMD64State, guest_RBP), sizeof fp);
  return fp;
}

/* Whether all that the walk was made from is as it was. */
static Bool still_holds(walk_t *walk, ThreadId tid, Addr ip, Addr sp, Addr top) {
  if (walk->ip != ip || walk->sp != sp || walk->thread != tid)
    return False;
  const Addr *values = values_of(walk);
  const UInt *distances = distances_of(walk);
  if (walk->n_words > 0 && sp + distances[walk->n_words - 1] > top)
    return False;
  /* Mostly all are equal, so that leaving early would only cost a branch for each. */
  Addr difference = 0;
  for (UInt i = 0; i < walk->n_words; i++)
    difference |= *(Addr *)(sp + distances[i]) ^ values[i];
  if (difference != 0)
    return False;
  return !walk->needs_fp || frame_pointer(tid) == walk->fp;
}

/*--- Remembering a walk ---*/

typedef struct {
  Addr ips[MAX_FRAMES], sps[MAX_FRAMES], fps[MAX_FRAMES];
  Addr slots[MAX_FRAMES]; /* where each frame's return address is */
  UInt n;                 /* frames */
  Bool needs_fp;
  UInt n_words;
  Addr at[MAX_WORDS]; /* of the words read */
} trace_t;

static Bool add_word(trace_t *trace, Addr at) {
  for (UInt i = 0; i < trace->n_words; i++)
    if (trace->at[i] == at)
      return True;
  if (trace->n_words == MAX_WORDS)
    return False;
  trace->at[trace->n_words++] = at;
  return True;
}

/* The stack pointer in frame i: just above the return address into it. */
static Addr sp_of(const trace_t *trace, UInt i) {
  return i == 0 ? trace->sps[0] : trace->slots[i - 1] + WORD;
}

/* Finds where the return address of frame i is. As a last resort Valgrind takes the word at the
 * stack pointer for one, and then tells the stack pointer as it was before. */
static Bool find_slot(trace_t *trace, UInt i, Addr top) {
  Addr sp = sp_of(trace, i), next_sp = trace->sps[i + 1];
  Addr slot = next_sp == sp ? sp : next_sp - WORD;
  if (slot < sp || slot > top || slot % WORD != 0 || *(Addr *)slot != trace->ips[i + 1] + 1)
    return False;
  trace->slots[i] = slot;
  return add_word(trace, slot);
}

/* Adds the words of frame i that may be where it saved its caller's frame pointer. */
static Bool add_saved_fp(trace_t *trace, UInt i) {
  Addr start = sp_of(trace, i), end = trace->slots[i], fp = trace->fps[i + 1];
  Bool found = False;
  if ((end - start) / WORD > MAX_SCANNED)
    return False;
  for (Addr at = start; at < end; at += WORD)
    if (*(Addr *)at == fp) {
      found = True;
      if (!add_word(trace, at))
        return False;
    }
  /* Where it changed it must have been read from somewhere. */
  return found || trace->fps[i] == fp;
}

/* Adds all that the frame pointer of frame i depends on. */
static Bool add_fp(trace_t *trace, UInt i) {
  for (; i > 0; i--) {
    if (!add_saved_fp(trace, i - 1))
      return False;
    if (trace->fps[i - 1] != trace->fps[i])
      return True;
  }
  trace->needs_fp = True;
  return True;
}

/* Whether the way from frame i to its caller may have gone by its frame pointer. */
static Bool may_need_fp(const trace_t *trace, UInt i) {
  SizeT szB = trace->slots[i] + WORD - sp_of(trace, i);
  return szB == WORD || trace->fps[i] - sp_of(trace, i) < szB;
}

/* Adds what told Valgrind that there is nothing above the last frame: where there is no unwind
 * information, the frame pointer and what it points to, or the word at the stack pointer. */
static Bool add_end(trace_t *trace, Addr top) {
  UInt last = trace->n - 1;
  Addr sp = sp_of(trace, last), slot = trace->fps[last] + WORD;
  if (trace->n == (UInt)VG_(clo_backtrace_size))
    return True;
  if (!add_fp(trace, last) || (sp <= top && !add_word(trace, sp)))
    return False;
  return slot < sp || slot > top || slot % WORD != 0 || add_word(trace, slot);
}

/* A function that aligns its stack by itself keeps its caller's stack pointer in a word of its
 * frame, which is found by the frame pointer. Adds all words that may be it. */
static Bool add_saved_sp(trace_t *trace, UInt i) {
  Addr start = sp_of(trace, i), end = trace->slots[i], caller_sp = end + WORD;
  if ((end - start) / WORD > MAX_SCANNED)
    return False;
  for (Addr at = start; at < end; at += WORD)
    if (*(Addr *)at == caller_sp && !add_word(trace, at))
      return False;
  return True;
}

static Bool find_words(trace_t *trace, Addr top) {
  for (UInt i = 0; i + 1 < trace->n; i++)
    if (!find_slot(trace, i, top))
      return False;
  for (UInt i = 0; i + 1 < trace->n; i++)
    if (may_need_fp(trace, i) && (!add_fp(trace, i) || !add_saved_sp(trace, i)))
      return False;
  return add_end(trace, top);
}

static void note_sizes(const trace_t *trace) {
  for (UInt i = 0; i + 1 < trace->n; i++) {
    UInt at = size_index(trace->ips[i]);
    g_sizes[at].ip = trace->ips[i];
    g_sizes[at].szB = trace->slots[i] + WORD - sp_of(trace, i);
  }
}

static void remember(const trace_t *trace, ThreadId tid, Addr top, UInt stack) {
  UInt n_room = szB_of_walk(trace->n_words) / WORD;
  if (g_used + n_room > ROOM_SZB / WORD)
    forget_all();
  walk_t *walk = (walk_t *)&g_room[g_used];
  *walk = (walk_t){.ip = trace->ips[0],
                   .sp = trace->sps[0],
                   .fp = trace->fps[0],
                   .stack = stack,
                   .thread = (UShort)tid,
                   .n_words = (UChar)trace->n_words,
                   .needs_fp = trace->needs_fp};
  UInt highest = 0;
  for (UInt i = 0; i < trace->n_words; i++)
    if (trace->at[i] > trace->at[highest])
      highest = i;
  for (UInt i = 0; i < trace->n_words; i++) {
    /* The highest goes last. */
    Addr at = trace->at[i == trace->n_words - 1 ? highest : i == highest ? trace->n_words - 1 : i];
    values_of(walk)[i] = *(Addr *)at;
    distances_of(walk)[i] = (UInt)(at - walk->sp);
  }
  note_sizes(trace);
  UInt *set = set_of(walk->ip, walk->sp, top);
  set[1] = set[0];
  set[0] = g_used + 1;
  g_used += n_room;
}

static UInt unwind_and_remember(ThreadId tid, Addr top, UInt (*note)(ExeContext *ec)) {
  trace_t trace;
  trace.n = VG_(get_StackTrace)(tid, trace.ips, VG_(clo_backtrace_size), trace.sps, trace.fps, 0);
  trace.n_words = 0;
  trace.needs_fp = False;
  UInt stack = note(VG_(make_ExeContext_from_StackTrace)(trace.ips, trace.n));
  if (find_words(&trace, top))
    remember(&trace, tid, top, stack);
  return stack;
}

/*--- Is it worth it? ---*/

static UInt g_asked, g_met; /* in this period */
static UInt g_rest;         /* stacks to unwind before we try again */
static UInt g_last_rest;
static ULong g_all_asked, g_all_met;

static void end_period(void) {
  if (g_met >= g_asked / 4)
    g_last_rest = 0;
  else if (g_last_rest < LONGEST_REST)
    g_last_rest = g_last_rest == 0 ? PERIOD : g_last_rest * 2;
  g_rest = g_last_rest;
  g_all_asked += g_asked;
  g_all_met += g_met;
  g_asked = g_met = 0;
}

void dm_unwind_print_stats(void) {
  VG_(umsg)
  ("dmd: %llu stacks looked up, %llu of them known\n", g_all_asked + g_asked, g_all_met + g_met);
}

/* The number of a known stack; with --check-stacks=yes it must be the one that Valgrind finds. */
static UInt met(const walk_t *walk, ThreadId tid, UInt (*note)(ExeContext *ec)) {
  g_met++;
  if (g_options.check_stacks && note(VG_(record_ExeContext)(tid, 0)) != walk->stack)
    VG_(tool_panic)("--check-stacks: a known stack is not the thread's");
  return walk->stack;
}

UInt dm_unwind(ThreadId tid, UInt (*note)(ExeContext *ec)) {
  Addr sp = VG_(get_SP)(tid), top = 0;
  if (g_rest > 0)
    g_rest--;
  else if (VG_(clo_backtrace_size) <= MAX_FRAMES && VG_(clo_merge_recursive_frames) <= 0)
    top = top_of_stack(tid, sp);
  if (top == 0)
    return note(VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/));

  DiEpoch epoch = VG_(current_DiEpoch)();
  if (epoch.n != g_epoch.n) {
    forget_all();
    g_epoch = epoch;
  }
  if (g_asked++ == PERIOD)
    end_period();
  Addr ip = VG_(get_IP)(tid);
  const UInt *set = set_of(ip, sp, top);
  for (UInt i = 0; i < 2 && set[i] != 0; i++) {
    walk_t *walk = (walk_t *)&g_room[set[i] - 1];
    if (still_holds(walk, tid, ip, sp, top))
      return met(walk, tid, note);
  }
  return unwind_and_remember(tid, top, note);
}

/* Another thread may get its number, and another stack. */
void dm_unwind_end_thread(ThreadId tid) {
  if (tid < N_THREADS)
    g_regions[tid] = (region_t){0, 0, False};
  forget_all();
}

#else

UInt dm_unwind(ThreadId tid, UInt (*note)(ExeContext *ec)) {
  return note(VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/));
}

void dm_unwind_register(void) {}

void dm_unwind_end_thread(ThreadId tid) {
  (void)tid;
}

void dm_unwind_print_stats(void) {}

#endif
