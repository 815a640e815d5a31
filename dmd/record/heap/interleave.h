/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * interleave.h: which scope a thread is in when coroutines take turns on it.
 *
 * Scopes normally nest, and the innermost is the one begun last. But a guard in a coroutine stays
 * open while the coroutine is suspended and others run and open their own. If a thread has such
 * free scopes (scope.h) open, its stack decides: the current scope is that of the innermost
 * function on the stack; among several of one function, the one begun last. The scopes of a
 * coroutine that is not on the stack are suspended. A coroutine may continue in another thread; its
 * scope then moves there. If it is uncertain what belongs to a claim, the scope is marked as mixed
 * and its claim is not judged; interleave.c lists the cases.
 *
 * Cost: one comparison if no scope is free; else one call to the host for each open scope of the
 * thread, and for each scope of other threads that began in a coroutine.
 *
 * Concurrency: as for scope.h.
 */
#ifndef DMD_RECORD_HEAP_INTERLEAVE_H
#define DMD_RECORD_HEAP_INTERLEAVE_H

#include "record/heap/live.h"

/* Returns the current scope of a thread with this stack, or NULL, and marks scopes as mixed.
 * ending: a reporter that is about to end; only scopes that contain it are considered. NULL: all
 * scopes are, and pointers to scopes found before may become invalid. */
dmd_scope_t *dmd_live_look_around(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                  uint32_t stack, dmd_scope_t *ending);

/* Takes over the scope of the guard at this address from another thread, as this thread's innermost
 * scope; NULL if no thread has it open. */
dmd_scope_t *dmd_live_take_over(dmd_scopes_t *scopes, uint32_t thread, uint64_t guard);

/* True if the reports in this scope, which a guard opened, may belong to another guard: they were
 * made by a coroutine that did not begin the scope, and that may have begun one that looks like a
 * plain function's. */
bool dmd_live_may_be_anothers(const dmd_live_t *live, const dmd_scope_t *scope);

/* The current scope that the thread pushed, or NULL. */
static inline dmd_scope_t *dmd_live_scope_at(dmd_live_t *live, dmd_scopes_t *scopes,
                                             uint32_t thread, uint32_t stack) {
  return dmd_scopes_any_free(scopes, thread)
             ? dmd_live_look_around(live, scopes, thread, stack, NULL)
             : dmd_scopes_pushed(scopes, thread, 0);
}

/* The current name, or DMD_NONE. */
static inline uint32_t dmd_live_name_at(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                        uint32_t stack) {
  if (!dmd_scopes_any_free(scopes, thread))
    return dmd_scopes_top(scopes, thread);
  return dmd_scopes_name_in(scopes, thread,
                            dmd_live_look_around(live, scopes, thread, stack, NULL));
}

#endif
