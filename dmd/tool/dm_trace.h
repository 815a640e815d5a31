/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_trace.h: the words of a thread's stack that Valgrind read when it walked the stack.
 *
 * They follow from the stack and frame pointers that Valgrind gives for each frame, and from the
 * layout of amd64 code:
 *   - a return address lies just below the stack pointer of the frame that it returns to; where no
 *     such word is there (a signal's frame), the words are not known;
 *   - a frame pointer matters to a frame if it points into that frame (else the stack pointer alone
 *     says where its caller's is), if the frame has one word only (code without unwind information
 *     may look like that, but at the entry of a function that has it each does), or if the walk
 *     ended there too early. It was saved in one of the frames
 *     further in, in a word with its value: all words that may be it are among them;
 *   - so are, in a frame that a frame pointer points into, the words that may hold its caller's
 *     stack pointer, from which functions that align the stack find back.
 */
#ifndef DMD_TOOL_DM_TRACE_H
#define DMD_TOOL_DM_TRACE_H

#include "pub_tool_basics.h"

#include "engine/walks.h"

/* What Valgrind says of a walk, innermost frame first. */
typedef struct {
  Addr sps[DMD_TRACE_FRAMES], fps[DMD_TRACE_FRAMES];
  Bool at_entry; /* of a function that has unwind information */
} dm_pointers_t;

/* Fills in all of the trace but the frames and their number, which it has. top is the highest
 * address of which a word can be read. False where the words are not known. */
Bool dm_trace_find_words(dmd_trace_t *trace, const dm_pointers_t *pointers, Addr top);

#endif
