/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_write.h"

#include "native/pl_signal.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

/* Consumes a pending signal, by the system call itself, since sigtimedwait may be replaced. */
static void take(int signal) {
  enum { KERNEL_SIGSET_SZB = 8 };
  const struct timespec at_once = {0};
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  syscall(SYS_rt_sigtimedwait, &only, NULL, &at_once, KERNEL_SIGSET_SZB);
}

/* A signal that was pending before belongs to the program. */
ssize_t pl_write(int fd, const struct iovec *parts, int n) {
  sigset_t before = pl_signal_block_all();
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
  pl_signal_restore(&before);
  errno = error;
  return written;
}
