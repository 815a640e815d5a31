/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_lock.h: the core's lock (base/lock.h), waiting on the kernel's futex.
 *
 * pthread_mutex_lock cannot be used, since the program may have replaced it (with a debugging
 * library's, say). A thread must not take a lock twice, nor hold one while it calls a function of
 * the program's. A lock taken for a fork is released in both processes in the same way.
 */
#ifndef DMD_NATIVE_PL_LOCK_H
#define DMD_NATIVE_PL_LOCK_H

#include "base/lock.h"

extern const dmd_waiting_t pl_waiting;

static inline void pl_lock_take(dmd_lock_t *lock) {
  dmd_lock_take(lock, &pl_waiting);
}

static inline void pl_lock_give(dmd_lock_t *lock) {
  dmd_lock_let_go(lock, &pl_waiting);
}

#endif
