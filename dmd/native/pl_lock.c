/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_lock.h"

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

/* glibc's flag, since 2.32. Its pthread_create clears it before a second thread exists, whoever
 * calls that: a library while it is loaded, the C library's own timers and resolvers, or code that
 * does not see our pthread_create. It is never set again, not even in a forked child, which has one
 * thread. glibc's malloc goes by the same flag and then takes no lock at all, so a thread that
 * clone created, or that a signal handler creates during an allocation, is no worse off with us.
 * Code that shares the memory without being a thread, between vfork and exec, runs while its parent
 * waits. */
extern char __libc_single_threaded __attribute__((weak));

const dmd_waiting_t pl_waiting = {.wait = wait, .wake = wake, .is_alone = &__libc_single_threaded};
