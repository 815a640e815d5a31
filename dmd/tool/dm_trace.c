/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_options.h"

#include "tool/dm_trace.h"

enum {
  WORD = sizeof(Addr),
  MAX_SCANNED = 1024 /* words of a frame to look through for a frame pointer */
};

static Bool add_word(dm_trace_t *trace, Addr at) {
  for (UInt i = 0; i < trace->n_words; i++)
    if (trace->at[i] == at)
      return True;
  if (trace->n_words == DM_TRACE_WORDS)
    return False;
  trace->at[trace->n_words++] = at;
  return True;
}

/* Finds where the return address of frame i is. As a last resort Valgrind takes the word at the
 * stack pointer for one, and then tells the stack pointer as it was before. */
static Bool find_slot(dm_trace_t *trace, UInt i, Addr top) {
  Addr sp = dm_trace_sp(trace, i), next_sp = trace->sps[i + 1];
  Addr slot = next_sp == sp ? sp : next_sp - WORD;
  if (slot < sp || slot > top || slot % WORD != 0 || *(Addr *)slot != trace->ips[i + 1] + 1)
    return False;
  trace->slots[i] = slot;
  return add_word(trace, slot);
}

/* Adds the words of frame i that may be where it saved its caller's frame pointer. */
static Bool add_saved_fp(dm_trace_t *trace, UInt i) {
  Addr start = dm_trace_sp(trace, i), end = trace->slots[i], fp = trace->fps[i + 1];
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
static Bool add_fp(dm_trace_t *trace, UInt i) {
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
static Bool may_need_fp(const dm_trace_t *trace, UInt i) {
  SizeT szB = trace->slots[i] + WORD - dm_trace_sp(trace, i);
  return (szB == WORD && !(i == 0 && trace->at_entry)) ||
         trace->fps[i] - dm_trace_sp(trace, i) < szB;
}

/* Adds what told Valgrind that there is nothing above the last frame: where there is no unwind
 * information, the frame pointer and what it points to, or the word at the stack pointer. */
static Bool add_end(dm_trace_t *trace, Addr top) {
  UInt last = trace->n - 1;
  Addr sp = dm_trace_sp(trace, last), slot = trace->fps[last] + WORD;
  if (trace->n == (UInt)VG_(clo_backtrace_size))
    return True;
  if (!add_fp(trace, last) || (sp <= top && !add_word(trace, sp)))
    return False;
  return slot < sp || slot > top || slot % WORD != 0 || add_word(trace, slot);
}

/* A function that aligns its stack by itself keeps its caller's stack pointer in a word of its
 * frame, which is found by the frame pointer. Adds all words that may be it. */
static Bool add_saved_sp(dm_trace_t *trace, UInt i) {
  Addr start = dm_trace_sp(trace, i), end = trace->slots[i], caller_sp = end + WORD;
  if ((end - start) / WORD > MAX_SCANNED)
    return False;
  for (Addr at = start; at < end; at += WORD)
    if (*(Addr *)at == caller_sp && !add_word(trace, at))
      return False;
  return True;
}

/* Ascending, and few. */
static void sort_words(dm_trace_t *trace) {
  for (UInt i = 1; i < trace->n_words; i++) {
    Addr at = trace->at[i];
    UInt k = i;
    for (; k > 0 && trace->at[k - 1] > at; k--)
      trace->at[k] = trace->at[k - 1];
    trace->at[k] = at;
  }
}

Bool dm_trace_find_words(dm_trace_t *trace, Addr top) {
  trace->n_words = 0;
  trace->needs_fp = False;
  for (UInt i = 0; i + 1 < trace->n; i++)
    if (!find_slot(trace, i, top))
      return False;
  for (UInt i = 0; i + 1 < trace->n; i++)
    if (may_need_fp(trace, i) && (!add_fp(trace, i) || !add_saved_sp(trace, i)))
      return False;
  if (!add_end(trace, top))
    return False;
  sort_words(trace);
  return True;
}
