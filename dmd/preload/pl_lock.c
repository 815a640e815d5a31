/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait(void *ctx, uint32_t *word, uint32_t while_it_is) {
  enum { LONGEST_NS = 5000000 };
  const struct timespec longest = {.tv_nsec = LONGEST_NS};
  (void)ctx;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, &longest, NULL, 0);
}

static void wake(void *ctx, uint32_t *word) {
  (void)ctx;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* The C library's, from 2.32 on. Its pthread_create clears it before there is a second thread,
 * whoever calls that: a library as it is loaded, timers and resolvers of the C library's own, code
 * that does not see ours. It stays so, in a forked child too, which has one thread. Its malloc goes
 * by the same word and takes no lock at all then: so a thread that clone made, or that a signal
 * handler makes amid an allocation, is no worse off with us. What shares the memory without being a
 * thread, between vfork and exec, runs while its parent waits. */
extern char __libc_single_threaded __attribute__((weak));

const dmd_waiting_t pl_waiting = {.wait = wait, .wake = wake, .is_alone = &__libc_single_threaded};
