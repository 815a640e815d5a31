/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * running.h: whether the function that began a scope is still running.
 *
 * A scope keeps the stack with which it began. If the function at its inner end, or around it where
 * that is a constructor (of a guard), is on the thread's stack now, it is running. If neither it
 * nor its caller is there, the scope was left: by a return, longjmp or an exception. If only its
 * caller is there, nobody knows: it may have begun the scope for the caller.
 *
 * Stacks are cut at a number of frames, so that a function may be running and not be on it. What
 * lies further in than the outermost function of the begin that has a name is there, if that one
 * is; otherwise nobody knows either.
 *
 * The names are kept from the inner end of the stack outward, so that their ids tell which function
 * is further in.
 *
 * Of a coroutine all parts have one name: the function that creates it, and may run up to where it
 * is suspended for the first time, and those that resume and destroy it. Which names are
 * coroutines' is known once such a part was seen. Where a compiler made all of them parts of their
 * caller, debug information still has the name, called by the standard library's resume.
 *
 * Cost: names of four addresses for each stack of a begin that is not the one asked for before.
 *
 * Concurrency: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_RUNNING_H
#define DMD_ENGINE_RUNNING_H

#include "engine/host.h"

/* What was answered of a scope that began with the one stack, where its thread had the other. */
typedef struct dmd_running_frame {
  uint32_t begun, now; /* DMD_NONE: nothing yet */
  dmd_begin_frame_t frame;
} dmd_running_frame_t;

typedef struct dmd_running {
  const dmd_engine_host_t *host;
  dmd_intern_t names; /* of functions on the stack now: all that are interned */
  uint32_t now;       /* that stack; DMD_NONE: none was asked for */
  uint32_t begun;     /* the stack that was asked for last, and what was answered */
  dmd_begin_state_t state;
  dmd_running_frame_t frames[64];
  dmd_intern_t coroutines; /* names of those that were seen */
  dmd_pool_t verdicts;     /* by stack, uint8_t: what dmd_running_in_coroutine said; 0: not asked */
} dmd_running_t;

/* The name of the function that an address lies in, and that is not inlined, or of a coroutine that
 * is; empty: it has none. */
void dmd_running_name(dmd_running_t *running, dmd_code_t code, dmd_strbuf_t *name);

void dmd_running_init(dmd_running_t *running, const dmd_env_t *env, const dmd_engine_host_t *host);
void dmd_running_destroy(dmd_running_t *running);

/* Where that function is: in the innermost of its frames that has a name and is there, since it may
 * have begun the scope for its caller. A coroutine that is not there is suspended. */
dmd_begin_frame_t dmd_running_where(dmd_running_t *running, uint32_t begun, uint32_t now);

/* What became of the function that began a scope with the one stack, where its thread has the other
 * now. */
dmd_begin_state_t dmd_running_ask(dmd_running_t *running, uint32_t begun, uint32_t now);

/* Whether a coroutine's part made or ends the guard that a scope began or ends with, where the
 * thread has this stack. Each stack is judged once. */
bool dmd_running_in_coroutine(dmd_running_t *running, uint32_t stack);

/* Whether a coroutine is on the stack `now` that is not on the one that a scope began with. */
bool dmd_running_has_other_coroutine(dmd_running_t *running, uint32_t begun, uint32_t now);

#endif
