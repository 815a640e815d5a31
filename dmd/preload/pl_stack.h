/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_stack.h: the stacks of the program's threads, and their ids.
 *
 * A stack is the function of ours that the program called, if it is not a request; then where it
 * was called from, and what called that. Addresses are those of the calls, and carry the number of
 * the object that was there when the stack was seen (pl_objects.h).
 *
 * Concurrency: pl_stack_capture on the thread itself, with no lock taken: to find out how frames
 * are laid out may wait for the loader. The rest: any thread.
 */
#ifndef DMD_PRELOAD_PL_STACK_H
#define DMD_PRELOAD_PL_STACK_H

#include "engine/host.h"
#include "preload/pl_thread.h"

/* How many frames are kept of a stack; DMD_MAX_FRAMES at most. Before the first capture. */
void pl_stack_init(uint32_t max_frames);

/* The id of the stack at the thread's entry. */
uint32_t pl_stack_capture(pl_thread_t *thread);

/* The id of what an entry alone tells of its stack. May be called with any lock taken. */
uint32_t pl_stack_of_entry(const pl_entry_t *entry);

/* The places of a stack, the innermost first, *n of them. */
const dmd_code_t *pl_stack_codes(uint32_t stack, uint32_t *n);

/* In a fork. */
void pl_stack_fork_begin(void);
void pl_stack_fork_end(void);

#endif
