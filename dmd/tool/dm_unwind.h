/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_unwind.h: the stack of a thread, without unwinding it again where it is one that we know.
 *
 * What walks.h says of walks holds for Valgrind's: they are remembered in one for all threads.
 * Which words Valgrind read follows from what it says of each frame (dm_trace.h).
 *
 * Only walks on a thread's own stack are remembered. They are forgotten when code is loaded or
 * unloaded and when a thread ends. No word of the stack is read that may have been unmapped: a
 * thread whose stack is unmapped or protected in parts is unwound in the common way from then on.
 *
 * On other processors than amd64 each stack is unwound.
 */
#ifndef DMD_TOOL_DM_UNWIND_H
#define DMD_TOOL_DM_UNWIND_H

#include "pub_tool_basics.h"
#include "pub_tool_execontext.h"

/* Once the options are known, before the first stack. */
void dm_unwind_init(void);

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
