/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The words follow from the stack and frame pointers that Valgrind reports for each frame, and from
 * the layout of amd64 code:
 *  - A return address lies just below the stack pointer of the frame that it returns to. If no
 *    such word is there (a signal's frame), the words are unknown.
 *  - A frame pointer matters to a frame if it points into that frame (otherwise the stack pointer
 *    alone locates the caller's frame), if the frame has only one word (code without unwind
 *    information may look like that, and so does every function with it at its entry), or if the
 *    walk ended there too early. It was saved in one of the inner frames, in a word with its value:
 *    all words that may be it are included.
 *  - In a frame that a frame pointer points into, the words that may hold its caller's stack
 *    pointer are included too: functions that align the stack restore it from there.
 */
#include "pub_tool_basics.h"
#include "pub_tool_options.h"

#include "valgrind/dm_trace.h"

enum {
  WORD = sizeof(Addr),
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

Bool dm_trace_find_words(dmd_trace_t *trace, const dm_pointers_t *pointers, Addr top) {
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
