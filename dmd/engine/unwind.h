/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * unwind.h: walks from frame to frame in one's own process.
 *
 * From a frame to its caller's one gets by unwind information (ehframe.h), and in code that has
 * none, such as what a program translated while it ran, by the chain of frame pointers; or always
 * by that, where the user wants it. What unwind information says of an address is kept: the next
 * walk through it costs some loads. No memory is read that is not known to be there: within the
 * thread's stack one comparison says so, elsewhere the host is asked for each page.
 *
 * A walk ends at the frame that has no caller, where it has as many frames as it may have, or
 * where it cannot go on: what was found is the stack then.
 *
 * What a walk read of the stack it notes in a trace, so that it can be remembered (walks.h): the
 * return addresses, and the words from which a frame pointer came that mattered. Walks through the
 * frames of signals, or outside of the thread's own stack, are not remembered.
 *
 * Call order: init, then any number of walks; forget when code was loaded or unloaded.
 *
 * Concurrency: nothing locks; each thread has its own. Memory: 24 bytes for each address that
 * walks went through, in a table that begins with 6 KiB and ends with 384. The host's functions are
 * called in the thread that walks.
 */
#ifndef DMD_ENGINE_UNWIND_H
#define DMD_ENGINE_UNWIND_H

#include "base/env.h"
#include "engine/ehframe.h"
#include "engine/host.h"
#include "engine/walks.h"

typedef struct dmd_unwind_host {
  void *ctx;
  /* The object in which this address lies. False: none. */
  bool (*find_code)(void *ctx, uintptr_t ip, dmd_code_range_t *range);
  /* Whether the word at this address, which is a multiple of its size, can be read. */
  bool (*can_read)(void *ctx, uintptr_t at);
} dmd_unwind_host_t;

typedef struct dmd_unwinder {
  const dmd_env_t *env;
  const dmd_unwind_host_t *host;
  bool by_frame_pointers; /* only by these */
  struct dmd_unwind_rule *rules;
  uint32_t n_rules;
  uint32_t n_new;           /* rules since the table has this size */
  uintptr_t interrupted_sp; /* of the last walk: the stack pointer of what the innermost signal
                               handler interrupted; 0: it came through none */
} dmd_unwinder_t;

void dmd_unwinder_init(dmd_unwinder_t *u, const dmd_env_t *env, const dmd_unwind_host_t *host,
                       bool by_frame_pointers);
void dmd_unwinder_destroy(dmd_unwinder_t *u);
void dmd_unwinder_forget(dmd_unwinder_t *u);

/* Walks from start on, and writes down the addresses of at most max frames, the innermost first;
 * answers how many. start's ip is, as all but the first after a signal's frame are, that of the
 * call, which is 1 less than the return address. A top of 0 says that the stack is not the thread's
 * own. trace gets what walks.h needs; its n is 0 where the walk cannot be remembered; NULL: that is
 * not wanted. */
uint32_t dmd_unwind(dmd_unwinder_t *u, const dmd_walk_start_t *start, dmd_code_t *codes,
                    uint32_t max, dmd_trace_t *trace);

/* The same of a thread that was stopped anywhere, at start's ip itself, with the stack pointer of
 * each frame. */
uint32_t dmd_unwind_frames(dmd_unwinder_t *u, const dmd_walk_start_t *start, dmd_code_t *codes,
                           uint64_t *sps, uint32_t max);

#endif
