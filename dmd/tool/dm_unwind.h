/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_unwind.h: the stack of a thread, without unwinding it again where it is one that we know.
 *
 * Programs allocate and report from the same places again and again, and to walk the stack there
 * is the dearest thing that Valgrind does for us. Valgrind's walk from frame to frame is a function
 * of the instruction, stack and frame pointer that it starts with, of the unwind information
 * loaded, and of the words that it reads from the stack: each frame's return address and, where the
 * frame saved it, its caller's frame pointer. A walk that was made once is remembered with all of
 * these. Where they all are still what they were, another walk would end in the same stack, and
 * comparing them costs one load for each.
 *
 * Which words were read follows from what Valgrind says of each frame (dm_trace.h).
 *
 * Only walks on a thread's own stack are remembered. They are forgotten when code is loaded or
 * unloaded and when a thread ends. No word of the stack is read that may have been unmapped: a
 * thread whose stack is unmapped or protected in parts is unwound in the common way from then on.
 *
 * A walk is found by the return addresses of its frames, in a table. Before that, the one that came
 * after the last one the time before is tried: programs do the same things in the same order again,
 * and it has been on its way from memory since then.
 *
 * If few stacks are known again, none is looked up for a while. Memory: at most 5 MiB, in
 * proportion to the different stacks. On other processors than amd64 each stack is unwound.
 */
#ifndef DMD_TOOL_DM_UNWIND_H
#define DMD_TOOL_DM_UNWIND_H

#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"

/* The number of the stack of thread tid now. note gives each context a number, always the same; it
 * is called for contexts that are not remembered. */
UInt dm_unwind(ThreadId tid, UInt (*note)(ExeContext *ec));

/* Memory that may be part of a thread's stack was unmapped, or is no longer what it was. */
void dm_unwind_unmapped(Addr a, SizeT szB);

void dm_unwind_end_thread(ThreadId tid);

/* In a forked child, where the other threads are not. */
void dm_unwind_forked(void);

/* For --stats=yes: how many stacks were looked up and how many of them were known. */
void dm_unwind_print_stats(void);

#endif
