/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_trace.h: finds the words of a thread's stack that Valgrind read when it walked the stack.
 *
 * For amd64 code only. The words are computed, not observed: dm_trace.c explains how.
 */
#ifndef DMD_VALGRIND_DM_TRACE_H
#define DMD_VALGRIND_DM_TRACE_H

#include "pub_tool_basics.h"

#include "record/unwind/unwindcache.h"

/* Valgrind's data about a walk, innermost frame first. */
typedef struct {
  Addr sps[DMD_TRACE_FRAMES], fps[DMD_TRACE_FRAMES];
  Bool at_entry; /* of a function that has unwind information */
} dm_pointers_t;

/* Fills in the trace except for its frames and their number, which it already has. top is the
 * highest address from which a word can be read. Returns False if the words are unknown. */
Bool dm_trace_find_words(dmd_trace_t *trace, const dm_pointers_t *pointers, Addr top);

#endif
