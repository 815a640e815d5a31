/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_kernel.h: what the engine asks of the kernel itself, past functions of the C library that the
 * program, or we, may have replaced.
 *
 * Concurrency: any thread, at any time, except where a function says otherwise.
 */
#ifndef DMD_NATIVE_PL_KERNEL_H
#define DMD_NATIVE_PL_KERNEL_H

#include "base/lock.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* ---- Locks ---- */

/* The core's lock (base/lock.h), waiting on the kernel's futex. pthread_mutex_lock cannot be used,
 * since the program may have replaced it (with a debugging library's, say). A thread must not take
 * a lock twice, nor hold one while it calls a function of the program's. A lock taken for a fork is
 * released in both processes in the same way. */
extern const dmd_waiting_t pl_waiting;

static inline void pl_lock_take(dmd_lock_t *lock) {
  dmd_lock_take(lock, &pl_waiting);
}

static inline void pl_lock_give(dmd_lock_t *lock) {
  dmd_lock_let_go(lock, &pl_waiting);
}

/* ---- Signals ---- */

/* Blocks all signals, including the engine's own, until restored. */
sigset_t pl_signals_block(void);
void pl_signals_restore(const sigset_t *before);

/* ---- Memory ---- */

/* Whether the word at an address is readable. As record/unwind/unwind.h describes it, for any
 * memory. */
bool pl_can_read(void *ctx, uintptr_t at);

/* ---- Writing, and the end of the process ---- */

/* As writev, but retries if a signal handler interrupted it, and raises no signal. Writing to a
 * pipe without a reader raises SIGPIPE, and exceeding the file size limit raises SIGXFSZ. These
 * would end the program, or run its handlers, although it wrote nothing. */
ssize_t pl_write(int fd, const struct iovec *parts, int n);

/* Writes a line of the log, which begins with the process number as Valgrind's do. */
void pl_write_line(int fd, const char *line);

/* Ends the process immediately, by exit_group. */
_Noreturn void pl_exit_now(int status);

/* Logs why and ends the process. */
_Noreturn void pl_die(const char *why);

/* The function that writes to the log from now on; before, pl_die writes to standard error. */
void pl_die_says(void (*say)(const char *line));

#endif
