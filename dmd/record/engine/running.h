/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * running.h: determines whether the function that began a scope is still running.
 *
 * A scope keeps the stack with which it began. If the innermost function of that stack (or its
 * caller, if that is a constructor of a guard) is on the thread's current stack, it is running. If
 * neither the function nor its caller is there, the scope was left: by a return, longjmp or an
 * exception. If only its caller is there, the answer is unknown: the function may have begun the
 * scope for its caller.
 *
 * Cost: names of four addresses for each stack of a begin other than the last one queried.
 */
#ifndef DMD_RECORD_ENGINE_RUNNING_H
#define DMD_RECORD_ENGINE_RUNNING_H

#include "record/host.h"

/* A cached answer for a scope begun with stack `begun`, in a thread with stack `now`. */
typedef struct dmd_running_frame {
  uint32_t begun, now; /* DMD_NONE: unused entry */
  dmd_begin_frame_t frame;
} dmd_running_frame_t;

/* The same for whether that function has ended. */
typedef struct dmd_running_end {
  uint32_t begun, now;
  bool has_ended;
} dmd_running_end_t;

typedef struct dmd_running {
  const dmd_engine_host_t *host;
  dmd_intern_t names; /* functions on the current stack: exactly those interned */
  uint32_t now;       /* the current stack; DMD_NONE: none yet */
  uint32_t begun;     /* the begin that was queried last, and the answer */
  dmd_begin_state_t state;
  dmd_running_frame_t frames[64];
  dmd_running_end_t ends[64];
  dmd_intern_t coroutines; /* names of coroutines seen so far */
  dmd_pool_t verdicts; /* by stack, uint8_t: cached results of dmd_running_in_coroutine; 0: none */
} dmd_running_t;

/* The name of the function, not inlined, that contains an address, or of a coroutine that is
 * inlined; empty if unnamed. */
void dmd_running_name(dmd_running_t *running, dmd_code_t code, dmd_strbuf_t *name);

void dmd_running_init(dmd_running_t *running, const dmd_env_t *env, const dmd_engine_host_t *host);
void dmd_running_destroy(dmd_running_t *running);

/* Finds that function: the innermost named function of stack `begun` that is on stack `now`, since
 * a function may have begun the scope for its caller. A coroutine that is not on the stack is
 * suspended. */
dmd_begin_frame_t dmd_running_where(dmd_running_t *running, uint32_t begun, uint32_t now);

/* The state of the function that began a scope with stack `begun`, in a thread that has stack
 * `now`. */
dmd_begin_state_t dmd_running_ask(dmd_running_t *running, uint32_t begun, uint32_t now);

/* True if the innermost function of stack `begun`, which must not be main, is certainly not on
 * stack `now` of the same thread. A suspended coroutine, a constructor and a function without a
 * name are not certain. */
bool dmd_running_has_ended(dmd_running_t *running, uint32_t begun, uint32_t now);

/* True if a coroutine makes or ends the guard of a scope that begins or ends at this stack. Each
 * stack is judged once. */
bool dmd_running_in_coroutine(dmd_running_t *running, uint32_t stack);

/* True if a coroutine is on stack `now` that is not on stack `begun`, with which a scope began. */
bool dmd_running_has_other_coroutine(dmd_running_t *running, uint32_t begun, uint32_t now);

#endif
