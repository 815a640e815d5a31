/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lock.h"

/* Whoever holds a lock of the engine's holds it for some tens of nanoseconds: so a thread that runs
 * on another processor has it sooner by asking again than by going to sleep. */
enum { N_TRIES = 100 };

static void pause_a_little(void) {
#if defined __x86_64__ || defined __i386__
  __asm__ volatile("pause");
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

static int try_to_take(dmd_lock_t *lock) {
  uint32_t is = DMD_LOCK_FREE;
  return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) == DMD_LOCK_FREE &&
         __atomic_compare_exchange_n(&lock->word, &is, DMD_LOCK_TAKEN, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

void dmd_lock_wait(dmd_lock_t *lock, const dmd_waiting_t *waiting) {
  for (int i = 0; i < N_TRIES; i++) {
    if (try_to_take(lock))
      return;
    pause_a_little();
  }
  while (__atomic_exchange_n(&lock->word, DMD_LOCK_AWAITED, __ATOMIC_ACQUIRE) != DMD_LOCK_FREE)
    waiting->wait(waiting->ctx, &lock->word, DMD_LOCK_AWAITED);
}
