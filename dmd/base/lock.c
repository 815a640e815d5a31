/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lock.h"

#include "base/machine.h"

/* The engine's locks are held for some tens of nanoseconds, so spinning gets them sooner than
 * sleeping. */
enum { N_TRIES = 100 };

void dmd_lock_wait(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  for (int i = 0; i < N_TRIES; i++) {
    if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == DMD_LOCK_FREE &&
        dmd_lock_try(lock, waiting))
      return;
    dmd_machine_pause();
  }
  for (;;) {
    __atomic_store_n(&lock->is_awaited, 1, __ATOMIC_SEQ_CST);
    if (dmd_lock_try(lock, waiting))
      return;
    waiting->wait(waiting->ctx, &lock->word, DMD_LOCK_TAKEN);
  }
}

/* Threads that wake up but do not get the lock set is_awaited again. */
void dmd_lock_wake(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  __atomic_store_n(&lock->is_awaited, 0, __ATOMIC_SEQ_CST);
  waiting->wake(waiting->ctx, &lock->word);
}
