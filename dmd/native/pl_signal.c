/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_signal.h"

#include "base/mem.h"
#include "native/pl_real.h"
#include "record/engine/control.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  pl_signal_fn answer;
  atomic_bool is_ours;
  void *mark;
  struct sigaction shown; /* the action that the program believes to be set */
} g_signal;

enum { MARK_SZB = 4096 };

bool pl_signal_is_ours(void) {
  return atomic_load_explicit(&g_signal.is_ours, memory_order_relaxed);
}

/* ---- The handler ---- */

/* The handler stays when the engine gives the signal up: another process may be sending it, and it
 * may be pending in threads that block it. Then kill has the effect that the program expects. */
static void act_as_shown(int number) {
  if (g_signal.shown.sa_handler != SIG_DFL)
    return;
  g_real.sigaction(number, &g_signal.shown, NULL);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

static void handle(int number, siginfo_t *info, void *context) {
  int error = errno;
  if (pl_signal_is_ours() || info->si_code != SI_USER)
    g_signal.answer(info, context);
  else
    act_as_shown(number);
  errno = error;
}

/* ---- Taking the signal ---- */

/* Makes a mapping for its name in /proc/PID/maps. Its contents are unused. */
static bool make_mark(void) {
  int fd = memfd_create(DMD_CONTROL_MARK, MFD_CLOEXEC);
  if (fd < 0)
    return false;
  g_signal.mark = mmap(NULL, MARK_SZB, PROT_NONE, MAP_SHARED, fd, 0);
  close(fd);
  return g_signal.mark != MAP_FAILED;
}

static bool was_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == handle;
}

void pl_signal_start(pl_signal_fn answer) {
  struct sigaction before,
      action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigset_t only;
  if (g_real.sigaction == NULL || g_real.pthread_sigmask == NULL ||
      g_real.sigaction(DMD_CONTROL_SIGNAL, NULL, &before) != 0 ||
      (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && !was_ours(&before)))
    return;
  g_signal.answer = answer;
  sigfillset(&action.sa_mask);
  if (g_real.sigaction(DMD_CONTROL_SIGNAL, &action, NULL) != 0)
    return;
  if (!was_ours(&before))
    g_signal.shown = before;
  sigemptyset(&only);
  sigaddset(&only, DMD_CONTROL_SIGNAL);
  g_real.pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  atomic_store(&g_signal.is_ours, make_mark());
}

void pl_signal_stop(void) {
  if (atomic_exchange(&g_signal.is_ours, false))
    munmap(g_signal.mark, MARK_SZB);
}

/* Whether it is a handler of the program's, which then uses the signal itself. */
static bool is_handled(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 ||
         (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

int pl_signal_action(const struct sigaction *action, struct sigaction *before) {
  struct sigaction shown = g_signal.shown;
  if (action != NULL && is_handled(action)) {
    pl_signal_stop();
    if (g_real.sigaction(DMD_CONTROL_SIGNAL, action, NULL) != 0)
      return -1;
  } else if (action != NULL) {
    g_signal.shown = *action;
  }
  if (before != NULL)
    *before = shown;
  return 0;
}

/* ---- Replaced functions ---- */

#define REPLACED __attribute__((visibility("default")))

static void find_real(void) {
  if (!pl_real_is_found())
    pl_real_find();
}

/* Returns the set without our signal: in *copy if it contains that, else the set itself. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy) {
  if (set == NULL || !pl_signal_is_ours() || sigismember(set, DMD_CONTROL_SIGNAL) != 1)
    return set;
  *copy = *set;
  sigdelset(copy, DMD_CONTROL_SIGNAL);
  return copy;
}

REPLACED int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
  sigset_t copy;
  find_real();
  return g_real.pthread_sigmask(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy), before);
}

REPLACED int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
  sigset_t copy;
  find_real();
  return g_real.sigprocmask(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy), before);
}

REPLACED int sigwait(const sigset_t *set, int *number) {
  sigset_t copy;
  find_real();
  return g_real.sigwait(without_ours(set, &copy), number);
}

REPLACED int sigwaitinfo(const sigset_t *set, siginfo_t *info) {
  sigset_t copy;
  find_real();
  return g_real.sigwaitinfo(without_ours(set, &copy), info);
}

REPLACED int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  sigset_t copy;
  find_real();
  return g_real.sigtimedwait(without_ours(set, &copy), info, timeout);
}
