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

#include "record/unwind/unwindcache.h"
#include "valgrind/dm_direct.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_machine.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_private.h"
#include "valgrind/dm_unwind.h"

#if DM_FINDS_WORDS

enum {
  WORD = sizeof(Addr),
  N_THREADS = 512 /* threads with higher numbers are always unwound */
};

/*--- The stacks of threads ---*/

typedef struct {
  Addr low, high; /* the first and last byte; 0, 0: not queried yet */
  Addr readable;  /* readable from here upwards, as far as known */
  Bool is_broken; /* a part of it was unmapped or protected */
} region_t;

static region_t g_regions[N_THREADS];

/* The highest address from which a word can be read on the stack that sp points into, if that is
 * the thread's own; else 0. */
static Addr top_of_stack(ThreadId tid, Addr sp) {
  if (tid >= N_THREADS)
    return 0;
  region_t *region = &g_regions[tid];
  if (region->high == 0) {
    region->high = VG_(thread_get_stack_max)(tid);
    region->low = region->high - VG_(thread_get_stack_size)(tid) + 1;
    region->readable = region->high + 1;
    region->is_broken = False;
  }
  if (sp < region->low || sp > region->high - WORD || region->is_broken || sp % WORD != 0)
    return 0;
  if (sp < region->readable) {
    if (!VG_(am_is_valid_for_client)(sp, region->readable - sp, VKI_PROT_READ))
      return 0;
    region->readable = sp;
  }
  return region->high + 1 - WORD;
}

void dm_unwind_unmapped(Addr a, SizeT szB) {
  for (UInt i = 0; i < N_THREADS; i++)
    if (a <= g_regions[i].high && a + szB > g_regions[i].low && g_regions[i].high != 0)
      g_regions[i].is_broken = True;
}

/*--- The words of a thread's stack that Valgrind read when it walked the stack ---*/

/* The words follow from the stack and frame pointers that Valgrind reports for each frame, and from
 * the layout of amd64 code:
 *  - A return address lies just below the stack pointer of the frame that it returns to. If no
 *    such word is there (a signal's frame), the words are unknown.
 *  - A frame pointer matters to a frame if it points into that frame (otherwise the stack pointer
 *    alone locates the caller's frame), if the frame has only one word (code without unwind
 *    information may look like that, and so does every function with it at its entry), or if the
 *    walk ended there too early. It was saved in one of the inner frames, in a word with its value:
 *    all words that may be it are included.
 *  - In a frame that a frame pointer points into, the words that may hold its caller's stack
 *    pointer are included too: functions that align the stack restore it from there. */

/* Valgrind's data about a walk, innermost frame first. */
typedef struct {
  Addr sps[DMD_TRACE_FRAMES], fps[DMD_TRACE_FRAMES];
  Bool at_entry; /* of a function that has unwind information */
} dm_pointers_t;

enum {
  MAX_SCANNED = 1024 /* words of a frame to search for a frame pointer */
};

/* A walk, and Valgrind's data about it. */
typedef struct {
  dmd_trace_t *trace;
  const dm_pointers_t *pointers;
  Addr top;
} seen_t;

/* The stack pointer in frame i: just above the return address into it. */
static Addr sp_of(const seen_t *seen, UInt i) {
  return i == 0 ? seen->pointers->sps[0] : seen->trace->slots[i - 1] + sizeof(Addr);
}

/* Finds the return address of frame i. As a last resort Valgrind takes the word at the stack
 * pointer for the return address, and then reports the stack pointer unchanged. */
static Bool find_slot(const seen_t *seen, UInt i) {
  Addr sp = sp_of(seen, i), next_sp = seen->pointers->sps[i + 1];
  Addr slot = next_sp == sp ? sp : next_sp - WORD;
  if (slot < sp || slot > seen->top || slot % WORD != 0 ||
      dmd_stack_word(slot) != seen->trace->ips[i + 1] + 1)
    return False;
  seen->trace->slots[i] = slot;
  return dmd_trace_add_word(seen->trace, slot);
}

/* Adds the words of frame i in which it may have saved its caller's frame pointer. */
static Bool add_saved_fp(const seen_t *seen, UInt i) {
  Addr start = sp_of(seen, i), end = seen->trace->slots[i], fp = seen->pointers->fps[i + 1];
  Bool found = False;
  if ((end - start) / WORD > MAX_SCANNED)
    return False;
  for (Addr at = start; at < end; at += WORD)
    if (dmd_stack_word(at) == fp) {
      found = True;
      if (!dmd_trace_add_word(seen->trace, at))
        return False;
    }
  /* If it changed, it must have been read from somewhere. */
  return found || seen->pointers->fps[i] == fp;
}

/* Adds every word that the frame pointer of frame i depends on. */
static Bool add_fp(const seen_t *seen, UInt i) {
  for (; i > 0; i--) {
    if (!add_saved_fp(seen, i - 1))
      return False;
    if (seen->pointers->fps[i - 1] != seen->pointers->fps[i])
      return True;
  }
  seen->trace->needs_fp = True;
  return True;
}

/* Whether the step from frame i to its caller may have used its frame pointer. */
static Bool may_need_fp(const seen_t *seen, UInt i) {
  SizeT szB = seen->trace->slots[i] + WORD - sp_of(seen, i);
  return (szB == WORD && !(i == 0 && seen->pointers->at_entry)) ||
         seen->pointers->fps[i] - sp_of(seen, i) < szB;
}

/* Adds the words from which Valgrind concluded that the last frame has no caller: without unwind
 * information, the frame pointer and the words it points to, or the word at the stack pointer. */
static Bool add_end(const seen_t *seen) {
  UInt last = seen->trace->n - 1;
  Addr sp = sp_of(seen, last), slot = seen->pointers->fps[last] + WORD;
  if (seen->trace->n == (UInt)VG_(clo_backtrace_size))
    return True;
  if (!add_fp(seen, last) || (sp <= seen->top && !dmd_trace_add_word(seen->trace, sp)))
    return False;
  return slot < sp || slot > seen->top || slot % WORD != 0 || dmd_trace_add_word(seen->trace, slot);
}

/* A function that aligns its stack itself saves its caller's stack pointer in a word of its frame,
 * which is found through the frame pointer. Adds all words that may be it. */
static Bool add_saved_sp(const seen_t *seen, UInt i) {
  Addr start = sp_of(seen, i), end = seen->trace->slots[i], caller_sp = end + WORD;
  if ((end - start) / WORD > MAX_SCANNED)
    return False;
  for (Addr at = start; at < end; at += WORD)
    if (dmd_stack_word(at) == caller_sp && !dmd_trace_add_word(seen->trace, at))
      return False;
  return True;
}

/* Fills in the trace except for its frames and their number, which it already has. top is the
 * highest address from which a word can be read. Returns False if the words are unknown. */
static Bool find_words(dmd_trace_t *trace, const dm_pointers_t *pointers, Addr top) {
  const seen_t seen = {trace, pointers, top};
  trace->n_words = 0;
  trace->needs_fp = False;
  for (UInt i = 0; i + 1 < trace->n; i++)
    if (!find_slot(&seen, i))
      return False;
  for (UInt i = 0; i + 1 < trace->n; i++)
    if (may_need_fp(&seen, i) && (!add_fp(&seen, i) || !add_saved_sp(&seen, i)))
      return False;
  if (!add_end(&seen))
    return False;
  return True;
}

/*--- Walks ---*/

static dmd_unwindcache_t g_walks;
static DiEpoch g_epoch;

static UInt unwind_and_remember(const dmd_walk_start_t *start) {
  dmd_trace_t trace;
  dm_pointers_t pointers;
  trace.n = VG_(get_StackTrace)(start->key, trace.ips, VG_(clo_backtrace_size), pointers.sps,
                                pointers.fps, 0);
  pointers.at_entry = dm_direct_is_entry(trace.ips[0]);
  UInt stack = dm_note_stack(VG_(make_ExeContext_from_StackTrace)(trace.ips, trace.n));
  if (find_words(&trace, &pointers, start->top))
    dmd_unwindcache_remember(&g_walks, start, &trace, stack);
  return stack;
}

void dm_unwind_print_stats(void) {
  VG_(umsg)
  ("dmd: %llu stacks looked up, %llu of them cached\n", (ULong)dmd_unwindcache_asked(&g_walks),
   (ULong)dmd_unwindcache_known(&g_walks));
}

/* Implements --check-stacks=yes: a cached stack must equal the one that Valgrind finds. */
static void check_stack(ThreadId tid, UInt stack) {
  if (dm_note_stack(VG_(record_ExeContext)(tid, 0)) != stack)
    VG_(tool_panic)("--check-stacks: a known stack is not the thread's");
}

/* Whether all words that Valgrind reads for a stack can be found, which needs all of its frames. */
static Bool can_remember(void) {
  return VG_(clo_backtrace_size) <= DMD_TRACE_FRAMES && !dm_merges_recursive_frames();
}

void dm_unwind_init(void) {
  dmd_unwindcache_init(&g_walks, &g_env, VG_(clo_backtrace_size), DMD_UNWINDCACHE_MOST);
  g_walks.is_restless = g_test_options.check_stacks;
}

UInt dm_capture_stack(ThreadId tid) {
  const dm_registers_t now = dm_registers(tid);
  Addr top = 0;
  if (!dmd_unwindcache_rest(&g_walks) && can_remember())
    top = top_of_stack(tid, now.sp);
  if (top == 0)
    return dm_note_stack(VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/));

  DiEpoch epoch = VG_(current_DiEpoch)();
  if (epoch.n != g_epoch.n) {
    dmd_unwindcache_forget(&g_walks);
    g_epoch = epoch;
  }
  const dmd_walk_start_t start = {.ip = now.ip, .sp = now.sp, .fp = now.fp, .top = top, .key = tid};
  UInt stack = dmd_unwindcache_find(&g_walks, &start);
  if (stack == 0)
    return unwind_and_remember(&start);
  if (g_test_options.check_stacks)
    check_stack(tid, stack);
  return stack;
}

/* The number may be reused by a thread with another stack. */
void dm_unwind_end_thread(ThreadId tid) {
  if (tid < N_THREADS)
    g_regions[tid] = (region_t){.high = 0};
  dmd_unwindcache_forget(&g_walks);
}

void dm_unwind_forked(void) {
  VG_(memset)(g_regions, 0, sizeof g_regions);
  dmd_unwindcache_forget(&g_walks);
}

#else

void dm_unwind_init(void) {}

UInt dm_capture_stack(ThreadId tid) {
  return dm_note_stack(VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/));
}

void dm_unwind_unmapped(Addr a, SizeT szB) {
  (void)a, (void)szB;
}

void dm_unwind_end_thread(ThreadId tid) {
  (void)tid;
}

void dm_unwind_forked(void) {}

void dm_unwind_print_stats(void) {}

#endif
