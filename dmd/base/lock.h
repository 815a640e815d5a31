/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lock.h: a lock of one word, for hosts whose threads run at the same time.
 *
 * Taking a free lock is one atomic instruction in the core. How to wait for a taken lock is the
 * host's part (a futex on Linux). A host without such threads has no locks: its callers have no
 * dmd_waiting_t and take nothing.
 *
 * Writes before a release are visible to the next thread that takes the lock. A lock is neither
 * recursive nor fair. In a forked child, locks that other threads held stay taken forever: take all
 * locks before a fork, and release them in both processes.
 *
 * While a process has one thread, taking a lock needs no atomic instruction either, if the host can
 * tell (is_alone). The word is the same, so the lock stays valid when threads are created later. A
 * signal handler may interrupt the take between its read and its write and use the lock itself,
 * since it releases the lock before the thread continues; it must not create a thread there.
 */
#ifndef DMD_BASE_LOCK_H
#define DMD_BASE_LOCK_H

#include <stddef.h>
#include <stdint.h>

enum { DMD_CACHE_LINE = 64 }; /* in bytes */

/* How a thread waits. Both functions may return at any time, even spuriously. */
typedef struct dmd_waiting {
  void *ctx;
  /* Waits until the word is woken, for some milliseconds at most; returns at once if the word is
   * not `while_it_is`. */
  void (*wait)(void *ctx, uint32_t *word, uint32_t while_it_is);
  /* Wakes all threads that wait for this word. */
  void (*wake)(void *ctx, uint32_t *word);
  /* Not 0 while the process has one thread, which creates others itself, and not while it holds a
   * lock. NULL: unknown. */
  const char *is_alone;
} dmd_waiting_t;

typedef struct dmd_lock {
  uint32_t word;       /* 0: free */
  uint32_t is_awaited; /* a thread sleeps, or is about to */
} dmd_lock_t;

enum { DMD_LOCK_FREE, DMD_LOCK_TAKEN };

/* The slow part of dmd_lock_let_go. */
void dmd_lock_wake(dmd_lock_t *lock, const dmd_waiting_t *waiting);

/* The slow part of dmd_lock_take. */
void dmd_lock_wait(dmd_lock_t *lock, const dmd_waiting_t *waiting);

/* True if the process is known to have one thread. That cannot change while it holds a lock. */
static inline int dmd_lock_is_alone(const dmd_waiting_t *waiting) {
  return waiting->is_alone != NULL && __atomic_load_n(waiting->is_alone, __ATOMIC_RELAXED) != 0;
}

/* Takes the lock if it is free; returns whether it did. */
static inline int dmd_lock_try_as(dmd_lock_t *lock, int is_alone) {
  uint32_t is = DMD_LOCK_FREE;
  if (is_alone) {
    is = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->word, DMD_LOCK_TAKEN, __ATOMIC_RELAXED);
    return is == DMD_LOCK_FREE;
  }
  return __atomic_compare_exchange_n(&lock->word, &is, DMD_LOCK_TAKEN, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static inline int dmd_lock_try(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  return dmd_lock_try_as(lock, dmd_lock_is_alone(waiting));
}

static inline void dmd_lock_take(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  if (!dmd_lock_try(lock, waiting))
    dmd_lock_wait(lock, waiting);
}

/* Releases the lock, without an atomic read-modify-write: that would wait until all writes under
 * the lock are in the processor's caches, which takes longer than most critical sections. In
 * return, the releasing thread may miss that another one is just going to sleep. So a sleeper wakes
 * up by itself after some milliseconds, which is rare, and tries again. */
static inline void dmd_lock_let_go(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  __atomic_store_n(&lock->word, DMD_LOCK_FREE, __ATOMIC_RELEASE);
  if (__builtin_expect(__atomic_load_n(&lock->is_awaited, __ATOMIC_RELAXED) != 0, 0))
    dmd_lock_wake(lock, waiting);
}

#endif
