/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_unwind.h: captures the stack of a thread, using an unwind cache.
 *
 * Valgrind's walks are cached as record/unwind/unwindcache.h describes, in one cache for all
 * threads. The words that Valgrind read follow from its data about each frame; they are computed,
 * not observed.
 *
 * Only walks on a thread's own stack are cached. The cache is cleared when code is loaded or
 * unloaded and when a thread ends. It never reads a word that may have been unmapped: if any part
 * of a thread's stack is unmapped or protected, that thread's stacks are always unwound from then
 * on.
 *
 * Elsewhere than on x86-64 every stack is unwound.
 */
#ifndef DMD_VALGRIND_DM_UNWIND_H
#define DMD_VALGRIND_DM_UNWIND_H

#include "pub_tool_basics.h"

/* Call once the options are known, before the first stack. */
void dm_unwind_init(void);

/* The id (dm_env.h) of the current stack of thread tid. */
UInt dm_capture_stack(ThreadId tid);

/* Call when memory that may belong to a thread's stack was unmapped or changed. */
void dm_unwind_unmapped(Addr a, SizeT szB);

void dm_unwind_end_thread(ThreadId tid);

/* In a forked child, where the other threads no longer exist. */
void dm_unwind_forked(void);

/* For --stats=yes: how many stacks were looked up and how many of them were cached. */
void dm_unwind_print_stats(void);

#endif
