/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * interleave.h: which scope a thread is in, where coroutines take turns on it.
 *
 * Scopes nest, so that the one begun last is the one in force. A guard in a coroutine stays open
 * while the coroutine is suspended and others run, which begin and end their own. Where a thread
 * has such scopes open (those that are free, see scope.h) the stack decides: in force is the one
 * whose function is the innermost on the stack; of several in one function the one begun last. A
 * coroutine that is not on the stack is suspended, and its scopes are not in force.
 *
 * Where this leaves a doubt about what belongs to a claim, the scope is marked as mixed, and its
 * claim is not judged:
 * - while it was suspended others reported, or began or ended reporters: it may have waited for
 *   them, and claim what they measured;
 * - something within it was still open when it ended;
 * - one begun before it reported or ended in its time;
 * - nobody knows which scope is in force: a stack was cut, or two instances of one coroutine are
 *   open. The scope begun last then counts as the one.
 *
 * A coroutine may go on in another thread than that in which it began its scope. The scope moves to
 * the thread on whose stack the coroutine is found, or which ends it, and is mixed, as all that the
 * thread has open. So is a scope that a plain function seems to have begun and a coroutine ends:
 * what runs before a coroutine is suspended for the first time may be a part of its caller.
 *
 * Cost: one comparison where no scope is free; else a question to the host for each open scope of
 * the thread, and for each one of others that began in a coroutine.
 *
 * Concurrency: that of scope.h.
 */
#ifndef DMD_LIVE_INTERLEAVE_H
#define DMD_LIVE_INTERLEAVE_H

#include "live/live.h"

/* The scope in force where the thread has this stack, or NULL, among those within which `ending` is
 * (NULL: among all): a reporter that ends there. Marks what is mixed. Without `ending`, scopes that
 * were found before may have moved. */
dmd_scope_t *dmd_live_look_around(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                  uint32_t stack, dmd_scope_t *ending);

/* The scope of the guard at this address that another thread has open, which is the innermost of
 * this thread from now on; NULL: there is none. */
dmd_scope_t *dmd_live_take_over(dmd_scopes_t *scopes, uint32_t thread, uint64_t guard);

/* Whether what was reported in this scope, which a guard opened, may be another guard's: a
 * coroutine reported it that did not begin the scope, and that may have begun one which looks like
 * a plain function's. */
bool dmd_live_may_be_anothers(const dmd_live_t *live, const dmd_scope_t *scope);

/* The scope in force that the thread pushed, or NULL. */
static inline dmd_scope_t *dmd_live_scope_at(dmd_live_t *live, dmd_scopes_t *scopes,
                                             uint32_t thread, uint32_t stack) {
  return dmd_scopes_any_free(scopes, thread)
             ? dmd_live_look_around(live, scopes, thread, stack, NULL)
             : dmd_scopes_pushed(scopes, thread, 0);
}

/* The name in force, or DMD_NONE. */
static inline uint32_t dmd_live_name_at(dmd_live_t *live, dmd_scopes_t *scopes, uint32_t thread,
                                        uint32_t stack) {
  if (!dmd_scopes_any_free(scopes, thread))
    return dmd_scopes_top(scopes, thread);
  return dmd_scopes_name_in(scopes, thread,
                            dmd_live_look_around(live, scopes, thread, stack, NULL));
}

#endif
