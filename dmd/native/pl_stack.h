/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_stack.h: captures the stacks of the program's threads and gives them ids.
 *
 * A stack is our function that the program called, unless the event is a request, followed by its
 * caller, the caller's caller, and so on. Addresses are those of the call instructions, and carry
 * the number of the object that was loaded there when the stack was captured (pl_objects.h).
 *
 * Walks are cached (record/unwind/unwindcache.h). New ones use the objects' unwind information
 * (record/unwind/unwind.h), which each thread caches as well, or frame pointers. Both caches are
 * cleared when an object is loaded or unloaded. The cache for walks takes 12 KiB per thread, 50 KiB
 * after its first walk, and up to 5 MiB.
 *
 * A walk that begins on another stack than the thread's own, such as a coroutine's or a signal
 * handler's, is not cached, and checks with the kernel that each address is readable.
 *
 * Concurrency: pl_stack_capture runs on the thread itself, with no lock held, since finding the
 * loaded code may wait for the loader. The rest: any thread. The locks of the free list of walkers
 * and of the table of stacks come after the engine's and before that of memory.
 */
#ifndef DMD_NATIVE_PL_STACK_H
#define DMD_NATIVE_PL_STACK_H

#include "native/pl_state.h"
#include "record/host.h"
#include "record/unwind/unwind.h"

/* max_frames: how many frames of a stack to keep, at most DMD_MAX_FRAMES. by_frame_pointers:
 * whether walks use frame pointers only. checks: whether to repeat cached walks and end with a
 * message if one is wrong. Call before the first capture. */
void pl_stack_init(uint32_t max_frames, bool by_frame_pointers, bool checks);

/* Call once more is known of the loaded objects than where this library is. */
void pl_stack_start(void);

/* The id of the stack as far as an entry alone shows it. May be called with any lock held. */
uint32_t pl_stack_of_entry(const pl_entry_t *entry);

/* The addresses of a stack, innermost first, *n of them; valid until this thread's next call. */
const dmd_code_t *pl_stack_codes(uint32_t stack, uint32_t *n);

/* Whether a stack has all its frames, that is, was not truncated. */
bool pl_stack_is_whole(uint32_t stack);

/* Finds the frame, of the thread's event or of one of its callers, that contains this stack
 * address, and returns its place in the code. Returns false if no frame is found. The walk is not
 * cached. May be called with any lock held except that of memory. */
bool pl_stack_frame_around(const pl_thread_t *thread, uint64_t addr, dmd_code_t *code);

/* Walks the stack from the thread's entry and stores its id in the thread. */
void pl_stack_walk(pl_thread_t *thread);

/* Returns that id, walking the stack if that has not been done. */
static inline uint32_t pl_stack_capture(pl_thread_t *thread) {
  if (thread->stack == DMD_NONE)
    pl_stack_walk(thread);
  return thread->stack;
}

/* ---- For other code that walks stacks ---- */

/* Sets *range to where the object with this number (pl_objects.h) has code, and returns true. */
bool pl_stack_code_range(uint32_t number, dmd_code_range_t *range);

/* Whether an address is in this library's code. */
bool pl_stack_is_ours(dmd_code_t code);

/* The number of distinct stacks. */
uint32_t pl_stack_count(void);

/* Frees the thread's walker, with its unwind cache, for reuse by another thread. */
void pl_stack_end_thread(pl_thread_t *thread);

/* Logs how many stacks were looked up and how many of them were cached, in the tool's format. */
void pl_stack_say_stats(void);

/* Around fork. */
void pl_stack_fork_begin(void);
void pl_stack_fork_end(void);

#endif
