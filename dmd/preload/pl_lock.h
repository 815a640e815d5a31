/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_lock.h: the core's lock (base/lock.h), with the kernel's futex to wait.
 *
 * A program's pthread_mutex_lock may be somebody else's, of a debugging library say. A lock is not
 * taken twice by one thread, and not held while a function of the program's is called. One that was
 * taken for a fork is given back in both processes in the same way.
 */
#ifndef DMD_PRELOAD_PL_LOCK_H
#define DMD_PRELOAD_PL_LOCK_H

#include "base/lock.h"

extern const dmd_waiting_t pl_waiting;

static inline void pl_lock_take(dmd_lock_t *lock) {
  dmd_lock_take(lock, &pl_waiting);
}

static inline void pl_lock_give(dmd_lock_t *lock) {
  dmd_lock_let_go(lock, &pl_waiting);
}

#endif
