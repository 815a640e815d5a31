/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lock.h: a lock of one word, for hosts whose threads run at the same time.
 *
 * The word is the core's, and taking a free lock is one atomic instruction; what to do until a
 * taken one is free only the host knows (on Linux a futex does both). A host without such threads
 * has no locks: whoever has one then has no dmd_waiting_t, and takes nothing.
 *
 * What was written before a lock was let go can be read by who takes it next. A lock is not
 * recursive, and not fair. In a forked child locks that other threads held stay taken for ever: so
 * take all before a fork, and let go of them in both processes.
 *
 * To let go takes no atomic instruction: that would wait until all that was written under the lock
 * is in the processor's caches, which takes longer than all else that is done under most locks. For
 * the same reason a thread that lets go may not see yet that another one is about to sleep. So who
 * sleeps wakes up by itself after a while, which is rare, and looks again.
 *
 * As long as a process has one thread, to take a lock takes no atomic instruction either, where the
 * host can say so: that is a good part of an event, and after an atomic instruction the processor
 * begins nothing that it could do meanwhile. The word is the same, so that the lock is good when
 * there are more threads. A signal handler may come between the two steps, read and write, and take
 * and let go of the lock as well, since it has let go before the thread goes on; it may not make
 * a thread there.
 */
#ifndef DMD_BASE_LOCK_H
#define DMD_BASE_LOCK_H

#include <stddef.h>
#include <stdint.h>

/* How a thread waits. Both may answer at any time, also when nothing happened. */
typedef struct dmd_waiting {
  void *ctx;
  /* Returns when somebody wakes who waits for this word, after some milliseconds, or at once if it
   * is not `while_it_is`. */
  void (*wait)(void *ctx, uint32_t *word, uint32_t while_it_is);
  /* Wakes all threads that wait for this word. */
  void (*wake)(void *ctx, uint32_t *word);
  /* Not 0 where the process has one thread, which alone makes more of them, and not with a lock
   * taken. NULL: that is not known. */
  const char *is_alone;
} dmd_waiting_t;

typedef struct dmd_lock {
  uint32_t word;       /* 0: free */
  uint32_t is_awaited; /* by a thread that sleeps, or is about to */
} dmd_lock_t;

enum { DMD_LOCK_FREE, DMD_LOCK_TAKEN };

/* The slow part of dmd_lock_let_go. */
void dmd_lock_wake(dmd_lock_t *lock, const dmd_waiting_t *waiting);

/* The slow part of dmd_lock_take. */
void dmd_lock_wait(dmd_lock_t *lock, const dmd_waiting_t *waiting);

/* Whether it was free, and is taken now. */
static inline int dmd_lock_try(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  uint32_t is = DMD_LOCK_FREE;
  if (waiting->is_alone != NULL && __atomic_load_n(waiting->is_alone, __ATOMIC_RELAXED) != 0) {
    is = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->word, DMD_LOCK_TAKEN, __ATOMIC_RELAXED);
    return is == DMD_LOCK_FREE;
  }
  return __atomic_compare_exchange_n(&lock->word, &is, DMD_LOCK_TAKEN, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static inline void dmd_lock_take(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  if (!dmd_lock_try(lock, waiting))
    dmd_lock_wait(lock, waiting);
}

static inline void dmd_lock_let_go(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  __atomic_store_n(&lock->word, DMD_LOCK_FREE, __ATOMIC_RELEASE);
  if (__builtin_expect(__atomic_load_n(&lock->is_awaited, __ATOMIC_RELAXED) != 0, 0))
    dmd_lock_wake(lock, waiting);
}

#endif
