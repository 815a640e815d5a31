/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * unwind.h: walks the stack of the own process.
 *
 * Finds each frame's caller by unwind information (ehframe.h); in code without any, such as code
 * that a program generated, by the chain of frame pointers; or always by that, if the user requests
 * it. The rule for each address is cached: the next walk through it takes a few loads. Only
 * readable memory is read: within the thread's stack a comparison ensures that, elsewhere it calls
 * the host for each page.
 *
 * A walk ends at the frame that has no caller, at the maximum number of frames, or where it cannot
 * continue; the frames found so far are the stack.
 *
 * A walk records what it read of the stack in a trace, so that it can be cached (unwindcache.h):
 * the return addresses, and the words that supplied frame pointers it used. Walks through signal
 * frames, or outside of the thread's own stack, are not cacheable.
 *
 * Call order: init, then any number of walks; forget when code was loaded or unloaded.
 *
 * Memory: 24 bytes for each address met, in a table that grows from 6 to 384 KiB.
 *
 * Concurrency: each thread has its own. The host's functions are called on the thread that walks.
 */
#ifndef DMD_RECORD_UNWIND_UNWIND_H
#define DMD_RECORD_UNWIND_UNWIND_H

#include "base/env.h"
#include "record/host.h"
#include "record/unwind/ehframe.h"
#include "record/unwind/unwindcache.h"

typedef struct dmd_unwind_host {
  void *ctx;
  /* The object that contains this address. False if not found. */
  bool (*find_code)(void *ctx, uintptr_t ip, dmd_code_range_t *range);
  /* True if the word at this address, a multiple of its size, can be read. */
  bool (*can_read)(void *ctx, uintptr_t at);
} dmd_unwind_host_t;

typedef struct dmd_unwinder {
  const dmd_env_t *env;
  const dmd_unwind_host_t *host;
  bool by_frame_pointers; /* use nothing else */
  struct dmd_unwind_rule *rules;
  uint32_t n_rules;
  uint32_t n_new;           /* rules added since the table has this size */
  uintptr_t interrupted_sp; /* set by the last walk: the stack pointer of the code that the
                               innermost signal handler interrupted; 0: no handler on the stack */
} dmd_unwinder_t;

void dmd_unwinder_init(dmd_unwinder_t *u, const dmd_env_t *env, const dmd_unwind_host_t *host,
                       bool by_frame_pointers);
void dmd_unwinder_destroy(dmd_unwinder_t *u);
void dmd_unwinder_forget(dmd_unwinder_t *u);

/* Walks from start; stores the addresses of at most max frames, innermost first, and returns their
 * number. start's ip is the address of the call, that is, the return address minus 1, as in all
 * frames except the first one after a signal frame. A top of 0 means that the stack is not the
 * thread's own. trace: receives what unwindcache.h needs, with n 0 if the walk is not cacheable;
 * NULL: not wanted. */
uint32_t dmd_unwind(dmd_unwinder_t *u, const dmd_walk_start_t *start, dmd_code_t *codes,
                    uint32_t max, dmd_trace_t *trace);

/* Walks a thread that was stopped anywhere, from start's exact ip; also returns the stack pointer
 * of each frame. */
uint32_t dmd_unwind_frames(dmd_unwinder_t *u, const dmd_walk_start_t *start, dmd_code_t *codes,
                           uint64_t *sps, uint32_t max);

#endif
