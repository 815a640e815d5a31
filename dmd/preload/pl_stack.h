/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_stack.h: the stacks of the program's threads, and their ids.
 *
 * A stack is the function of ours that the program called, if it is not a request; then where it
 * was called from, and what called that. Addresses are those of the calls, and carry the number of
 * the object that was there when the stack was seen (pl_objects.h).
 *
 * Walks that were made are known again (engine/walks.h); new ones go by what objects say of their
 * frames (engine/unwind.h), of which each thread keeps what it has seen, or by frame pointers. All
 * is forgotten when something is loaded or unloaded. A thread has 12 KiB for walks, and 50 as soon
 * as it has made one; these may become 5 MiB.
 *
 * A walk that begins on another stack than the thread's own, such as a coroutine's or a signal
 * handler's, is not remembered, and the kernel is asked whether what it reads is there.
 *
 * Concurrency: pl_stack_capture on the thread itself, with no lock taken: to find out what code is
 * loaded may wait for the loader. The rest: any thread. Its lock, of walkers that nobody has, and
 * that of the table come after the engine's, and before that of memory.
 */
#ifndef DMD_PRELOAD_PL_STACK_H
#define DMD_PRELOAD_PL_STACK_H

#include "engine/host.h"
#include "engine/unwind.h"
#include "preload/pl_thread.h"

/* How many frames are kept of a stack, DMD_MAX_FRAMES at most; whether walks go by frame pointers
 * alone; whether those that are known are made all the same, to end with a message where one is
 * wrong. Before the first capture. */
void pl_stack_init(uint32_t max_frames, bool by_frame_pointers, bool checks);

/* Once more is known of objects than where this library is. */
void pl_stack_start(void);

/* The id of what an entry alone tells of its stack. May be called with any lock taken. */
uint32_t pl_stack_of_entry(const pl_entry_t *entry);

/* The places of a stack, the innermost first, *n of them; good until this thread asks for those of
 * another. */
const dmd_code_t *pl_stack_codes(uint32_t stack, uint32_t *n);

/* Whether a stack has all its frames: it was not cut. */
bool pl_stack_is_whole(uint32_t stack);

/* The frame of the thread's event, or of a caller, that has this address, by the place in its code;
 * false: none, as far as can be walked. A walk that nothing remembers; may be called with any lock
 * but that of memory taken. */
bool pl_stack_frame_around(const pl_thread_t *thread, uint64_t addr, dmd_code_t *code);

/* Finds the stack at the thread's entry, and notes its id in the thread. */
void pl_stack_walk(pl_thread_t *thread);

/* That id. */
static inline uint32_t pl_stack_capture(pl_thread_t *thread) {
  if (thread->stack == DMD_NONE)
    pl_stack_walk(thread);
  return thread->stack;
}

/* ---- For whoever walks stacks by itself. ---- */

/* Where the object with this number (pl_objects.h) has code; true. */
bool pl_stack_code_range(uint32_t number, dmd_code_range_t *range);

/* As engine/unwind.h has it: of any memory. */
bool pl_stack_can_read(void *ctx, uintptr_t at);

/* Whether code is in this library. */
bool pl_stack_is_ours(dmd_code_t code);

/* How many stacks there are. */
uint32_t pl_stack_count(void);

/* What the thread remembers of its walks can be had by another. */
void pl_stack_end_thread(pl_thread_t *thread);

/* How many stacks were looked up, and how many of them were known, as the tool says it. */
void pl_stack_say_stats(void);

/* In a fork. */
void pl_stack_fork_begin(void);
void pl_stack_fork_end(void);

#endif
