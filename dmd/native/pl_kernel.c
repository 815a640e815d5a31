/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_kernel.h"

#include "base/format.h"
#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KERNEL_SIGSET_SZB = 8 };

/* ---- Locks ---- */

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

/* ---- Signals ---- */

sigset_t pl_signals_block(void) {
  sigset_t all, before;
  sigfillset(&all);
  sigemptyset(&before);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, KERNEL_SIGSET_SZB);
  return before;
}

void pl_signals_restore(const sigset_t *before) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, KERNEL_SIGSET_SZB);
}

/* ---- Memory ---- */

/* rt_sigprocmask with an invalid `how` fails, but the kernel reads the set first, and so tells
 * whether the address is readable. Every sandbox permits this call to programs that handle
 * signals. */
bool pl_can_read(void *ctx, uintptr_t at) {
  enum { NO_SUCH_HOW = -1 };
  (void)ctx;
  return syscall(SYS_rt_sigprocmask, NO_SUCH_HOW, at, NULL, KERNEL_SIGSET_SZB) == -1 &&
         errno == EINVAL;
}

/* ---- Writing ---- */

static bool is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

/* Consumes a pending signal, by the system call itself, since sigtimedwait may be replaced. */
static void take(int signal) {
  const struct timespec at_once = {0};
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  syscall(SYS_rt_sigtimedwait, &only, NULL, &at_once, KERNEL_SIGSET_SZB);
}

/* A signal that was pending before belongs to the program. */
ssize_t pl_write(int fd, const struct iovec *parts, int n) {
  sigset_t before = pl_signals_block();
  bool had_pipe = is_pending(SIGPIPE), had_limit = is_pending(SIGXFSZ);
  ssize_t written;
  do
    written = writev(fd, parts, n);
  while (written < 0 && errno == EINTR);
  int error = errno;
  if (written < 0 && error == EPIPE && !had_pipe)
    take(SIGPIPE);
  if (written < 0 && error == EFBIG && !had_limit)
    take(SIGXFSZ);
  pl_signals_restore(&before);
  errno = error;
  return written;
}

void pl_write_line(int fd, const char *line) {
  char pid[DMD_FORMAT_MAX];
  size_t n = dmd_format_u64(pid, (uint64_t)getpid());
  struct iovec parts[] = {{.iov_base = (char *)"==", .iov_len = 2},
                          {.iov_base = pid, .iov_len = n},
                          {.iov_base = (char *)"== ", .iov_len = 3},
                          {.iov_base = (char *)line, .iov_len = dmd_str_length(line)},
                          {.iov_base = (char *)"\n", .iov_len = 1}};
  pl_write(fd, parts, sizeof parts / sizeof *parts);
}

/* ---- The end of the process ---- */

void pl_exit_now(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}

static void say_plainly(const char *line) {
  pl_write_line(STDERR_FILENO, line);
}

static void (*g_say)(const char *line) = say_plainly;

void pl_die_says(void (*say)(const char *line)) {
  g_say = say;
}

void pl_die(const char *why) {
  g_say("dmd: the program ends here, since the native engine cannot go on:");
  g_say(why);
  pl_exit_now(1);
}
