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

#include "tool/dm_entry.h"
#include "tool/dm_options.h"
#include "tool/dm_private.h"
#include "tool/dm_registers.h"
#include "tool/dm_trace.h"
#include "tool/dm_unwind.h"

#if defined(VGA_amd64)

enum {
  WORD = sizeof(Addr),
  N_HASHED = 16,    /* frames that choose a walk's place in the table */
  N_THREADS = 512,  /* threads with higher numbers are unwound */
  N_SETS = 1 << 14, /* of N_WAYS walks each */
  N_WAYS = 4,
  N_OUTER = 256,              /* words of outer frames that are looked for to be shared */
  N_OUTER_FRAMES = 5,         /* that may share them */
  N_SIZES = 1 << 12,          /* frame sizes */
  ROOM_SZB = 4 << 20,         /* for walks */
  LINE_SZB = 64,              /* of the processor's cache */
  FETCHED_SZB = 3 * LINE_SZB, /* of a walk that may come next */
  PERIOD = 2048,              /* stacks, after which we look whether it is worth it */
  LONGEST_PAUSE = 64 * PERIOD /* for so many stacks we do not try again where it is not */
};

/*--- The stacks of threads ---*/

typedef struct {
  Addr low, high; /* the first and last byte; 0, 0: not asked for yet */
  Addr readable;  /* from here on up, as far as we have looked */
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

/*--- Walks ---*/

/* Words of a stack. Their values follow, and then their distances from base, in ascending order. */
typedef struct {
  Addr base;
  UInt n;
  UInt hash; /* of all this */
} words_t;

typedef struct {
  Addr ip, fp; /* where it begins, at inner.base */
  UInt stack;  /* what it ended in */
  UShort thread;
  Bool needs_fp; /* whether fp was of consequence */
  UInt outer;    /* the words of the outer frames, which many walks share: their place + 1 */
  UInt next;     /* what came after it the last time: its place + 1, or 0 */
  words_t inner; /* those of the inner ones; the last, since more of it follows */
} walk_t;

static UInt szB_of_words(UInt n) {
  return VG_ROUNDUP(n * (sizeof(Addr) + sizeof(UInt)), WORD);
}

static Addr *values_of(words_t *words) {
  return (Addr *)(words + 1);
}

static UInt *distances_of(words_t *words) {
  return (UInt *)(values_of(words) + words->n);
}

/* In these: the words up to g_used. A place is an index of g_room; 0 in a table is none. */
static Addr g_room[ROOM_SZB / WORD];
static UInt g_used;
static UInt g_table[N_SETS][N_WAYS]; /* places of walks, plus 1 */
static UInt g_last;                  /* the same, of the last known one; 0: none */
static UInt g_outer[N_OUTER];        /* places of words, plus 1 */
static DiEpoch g_epoch;

static void forget_all(void) {
  if (g_used > 0) {
    VG_(memset)(g_table, 0, sizeof g_table);
    g_last = 0;
    VG_(memset)(g_outer, 0, sizeof g_outer);
  }
  g_used = 0;
}

static walk_t *walk_at(UInt place) {
  return (walk_t *)&g_room[place - 1];
}

/* The size of the frame in which an address lies, as last seen. It only serves to choose a place in
 * the table. An address has two places to be in. */
typedef struct {
  Addr ip;
  SizeT szB;
} size_entry_t;
static size_entry_t g_sizes[N_SIZES][2];

static size_entry_t *sizes_at(Addr ip) {
  return g_sizes[(ip * 0x9e3779b97f4a7c15ULL >> 32) % N_SIZES];
}

/* 0: not known. */
static SizeT frame_size(Addr ip) {
  const size_entry_t *entry = sizes_at(ip);
  return entry[0].ip == ip ? entry[0].szB : entry[1].ip == ip ? entry[1].szB : 0;
}

static void note_size(Addr ip, SizeT szB) {
  size_entry_t *entry = sizes_at(ip);
  if (entry[0].ip != ip && entry[1].ip != ip)
    entry[1] = entry[0];
  entry[entry[1].ip == ip] = (size_entry_t){ip, szB};
}

/* The table's set for the walk that begins so: by its innermost return addresses, as far as we can
 * tell where they are. Those of frames that no walk goes to are none of its business. */
static UInt *set_of(Addr ip, Addr sp, Addr top) {
  ULong hash = ip ^ sp << 20;
  UInt n = N_HASHED < VG_(clo_backtrace_size) ? N_HASHED : VG_(clo_backtrace_size) - 1;
  for (UInt i = 0; i < n; i++) {
    SizeT szB = frame_size(ip);
    Addr slot = sp + szB - WORD;
    if (szB == 0 || slot > top)
      break;
    Addr return_address = *(Addr *)slot;
    hash = (hash ^ return_address) * 0x9e3779b97f4a7c15ULL;
    ip = return_address - 1;
    sp = slot + WORD;
  }
  return g_table[(hash * 0x9e3779b97f4a7c15ULL) >> 50];
}

/* Whether the words are what they were. Mostly they are, so that leaving early would only cost a
 * branch for each. */
static Bool are_unchanged(words_t *words, Addr top) {
  const Addr *values = values_of(words);
  const UInt *distances = distances_of(words);
  UInt n = words->n;
  Addr base = words->base, difference = 0;
  if (n > 0 && base + distances[n - 1] > top)
    return False;
  for (UInt i = 0; i < n; i++)
    difference |= *(Addr *)(base + distances[i]) ^ values[i];
  return difference == 0;
}

/* Whether all that the walk was made from is as it was. */
static Bool still_holds(walk_t *walk, ThreadId tid, const dm_registers_t *now, Addr top) {
  return walk->ip == now->ip && walk->inner.base == now->sp && walk->thread == tid &&
         (!walk->needs_fp || walk->fp == now->fp) && are_unchanged(&walk->inner, top) &&
         are_unchanged((words_t *)&g_room[walk->outer - 1], top);
}

/*--- Remembering a walk ---*/

static void note_sizes(const dm_trace_t *trace) {
  for (UInt i = 0; i + 1 < trace->n; i++)
    note_size(trace->ips[i], trace->slots[i] + WORD - dm_trace_sp(trace, i));
}

/* Writes down n words of the stack, seen from base. */
static void write_words(words_t *words, Addr base, const Addr *at, UInt n) {
  ULong hash = base;
  words->base = base;
  words->n = n;
  for (UInt i = 0; i < n; i++) {
    values_of(words)[i] = *(Addr *)at[i];
    distances_of(words)[i] = (UInt)(at[i] - base);
    hash = (hash ^ *(Addr *)at[i] ^ at[i]) * 0x9e3779b97f4a7c15ULL;
  }
  words->hash = (UInt)(hash >> 32);
}

/* The place, plus 1, of the outer words: those of another walk where they are the same. There must
 * be room. */
static UInt outer_words(const Addr *at, UInt n, Addr top) {
  words_t *fresh = (words_t *)&g_room[g_used];
  write_words(fresh, n > 0 ? at[0] : 0, at, n);
  UInt *place = &g_outer[fresh->hash % N_OUTER];
  if (*place != 0) {
    words_t *known = (words_t *)&g_room[*place - 1];
    if (known->base == fresh->base && known->n == n && are_unchanged(known, top) &&
        VG_(memcmp)(distances_of(known), distances_of(fresh), n * sizeof(UInt)) == 0)
      return *place;
  }
  *place = g_used + 1;
  g_used += (sizeof *fresh + szB_of_words(n)) / WORD;
  return *place;
}

/* Programs do the same things in the same order again: a walk that was known is noted with the one
 * before it, and what came after it the last time is fetched, to be tried first the next time. */
static void note_order(UInt place) {
  if (g_last != 0)
    walk_at(g_last)->next = place;
  g_last = place;
  UInt next = walk_at(place)->next;
  if (next != 0)
    for (UInt i = 0; i < FETCHED_SZB; i += LINE_SZB)
      __builtin_prefetch((HChar *)walk_at(next) + i);
}

static void remember(dm_trace_t *trace, ThreadId tid, Addr top, UInt stack) {
  UInt most_szB = sizeof(words_t) + sizeof(walk_t) + 2 * szB_of_words(trace->n_words) + 2 * WORD;
  if (g_used + most_szB / WORD > ROOM_SZB / WORD)
    forget_all();
  Addr sp = trace->sps[0], first_outer = sp;
  if (trace->n > N_OUTER_FRAMES)
    first_outer = trace->slots[trace->n - N_OUTER_FRAMES - 1];
  UInt n_inner = 0;
  while (n_inner < trace->n_words && trace->at[n_inner] < first_outer)
    n_inner++;
  UInt outer = outer_words(trace->at + n_inner, trace->n_words - n_inner, top);
  walk_t *walk = (walk_t *)&g_room[g_used];
  *walk = (walk_t){.ip = trace->ips[0],
                   .fp = trace->fps[0],
                   .stack = stack,
                   .thread = (UShort)tid,
                   .needs_fp = trace->needs_fp,
                   .outer = outer};
  write_words(&walk->inner, sp, trace->at, n_inner);
  note_sizes(trace);
  UInt *set = set_of(walk->ip, sp, top);
  for (UInt i = N_WAYS - 1; i > 0; i--)
    set[i] = set[i - 1];
  set[0] = g_used + 1;
  note_order(set[0]);
  g_used += (sizeof *walk + szB_of_words(n_inner)) / WORD;
}

static UInt unwind_and_remember(ThreadId tid, Addr top, UInt (*note)(ExeContext *ec)) {
  dm_trace_t trace;
  trace.n = VG_(get_StackTrace)(tid, trace.ips, VG_(clo_backtrace_size), trace.sps, trace.fps, 0);
  trace.at_entry = dm_entry_is(trace.ips[0]);
  UInt stack = note(VG_(make_ExeContext_from_StackTrace)(trace.ips, trace.n));
  if (dm_trace_find_words(&trace, top))
    remember(&trace, tid, top, stack);
  return stack;
}

/*--- Is it worth it? ---*/

static UInt g_asked, g_hits; /* in this period */
static UInt g_pause;         /* stacks to unwind before we try again */
static UInt g_last_pause;
static ULong g_all_asked, g_all_hits;

/* To remember a walk takes longer than to know one again saves. --check-stacks=yes is there to
 * compare as many as it can. */
static void end_period(void) {
  if (g_hits >= g_asked / 4 * 3 || g_test_options.check_stacks)
    g_last_pause = 0;
  else if (g_last_pause < LONGEST_PAUSE)
    g_last_pause = g_last_pause == 0 ? PERIOD : g_last_pause * 2;
  g_pause = g_last_pause;
  g_all_asked += g_asked;
  g_all_hits += g_hits;
  g_asked = g_hits = 0;
}

void dm_unwind_print_stats(void) {
  VG_(umsg)
  ("dmd: %llu stacks looked up, %llu of them known\n", g_all_asked + g_asked, g_all_hits + g_hits);
}

/* The number of a known stack; with --check-stacks=yes it must be the one that Valgrind finds. */
static UInt known_stack(UInt place, ThreadId tid, UInt (*note)(ExeContext *ec)) {
  const walk_t *walk = walk_at(place);
  g_hits++;
  note_order(place);
  if (g_test_options.check_stacks && note(VG_(record_ExeContext)(tid, 0)) != walk->stack)
    VG_(tool_panic)("--check-stacks: a known stack is not the thread's");
  return walk->stack;
}

/* If a stack lacks frames, it is not known which words of the thread's stack were read for it. */
UInt dm_unwind(ThreadId tid, UInt (*note)(ExeContext *ec)) {
  const dm_registers_t now = dm_registers(tid);
  Addr top = 0;
  if (g_pause > 0)
    g_pause--;
  else if (VG_(clo_backtrace_size) <= DM_TRACE_FRAMES && !dm_merges_recursive_frames())
    top = top_of_stack(tid, now.sp);
  if (top == 0)
    return note(VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/));

  DiEpoch epoch = VG_(current_DiEpoch)();
  if (epoch.n != g_epoch.n) {
    forget_all();
    g_epoch = epoch;
  }
  if (g_asked++ == PERIOD)
    end_period();
  UInt next = g_last == 0 ? 0 : walk_at(g_last)->next;
  if (next != 0 && still_holds(walk_at(next), tid, &now, top))
    return known_stack(next, tid, note);
  const UInt *set = set_of(now.ip, now.sp, top);
  for (UInt i = 0; i < N_WAYS && set[i] != 0; i++)
    if (still_holds(walk_at(set[i]), tid, &now, top))
      return known_stack(set[i], tid, note);
  return unwind_and_remember(tid, top, note);
}

/* Another thread may get its number, and another stack. */
void dm_unwind_end_thread(ThreadId tid) {
  if (tid < N_THREADS)
    g_regions[tid] = (region_t){.high = 0};
  forget_all();
}

void dm_unwind_forked(void) {
  VG_(memset)(g_regions, 0, sizeof g_regions);
  forget_all();
}

#else

UInt dm_unwind(ThreadId tid, UInt (*note)(ExeContext *ec)) {
  return note(VG_(record_ExeContext)(tid, 0 /*first_ip_delta*/));
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
