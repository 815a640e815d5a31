/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_signal.h"

#include "base/mem.h"
#include "native/pl_control.h"
#include "native/pl_deadly.h"
#include "native/pl_main.h"
#include "native/pl_real.h"
#include "native/pl_stop.h"
#include "record/engine/control.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  atomic_bool is_ours;
  void *mark;
  struct sigaction shown; /* the action that the program believes to be set */
} g_signal;

enum { MARK_SZB = 4096 };

bool pl_signal_is_ours(void) {
  return atomic_load_explicit(&g_signal.is_ours, memory_order_relaxed);
}

/* ---- The handler ---- */

/* The kernel decides who may send it: processes of the same user. A signal sent by kill, such as
 * from a shell, is ignored. */
static void handle(int number, siginfo_t *info, void *context) {
  int error = errno;
  (void)number;
  if (info->si_code == SI_TKILL && info->si_pid == getpid())
    pl_stop_answer(context);
  else if (info->si_code == SI_QUEUE && pl_main_is_ours())
    pl_control_ask((uint32_t)info->si_pid, (uint32_t)info->si_value.sival_int, context);
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

void pl_signal_start(void) {
  struct sigaction before,
      action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigset_t only;
  if (g_real.sigaction == NULL || g_real.pthread_sigmask == NULL ||
      g_real.sigaction(DMD_CONTROL_SIGNAL, NULL, &before) != 0 ||
      (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
    return;
  sigfillset(&action.sa_mask);
  if (g_real.sigaction(DMD_CONTROL_SIGNAL, &action, NULL) != 0)
    return;
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

/* ---- Replaced functions ---- */

#define REPLACED __attribute__((visibility("default")))

static void find_real(void) {
  if (!pl_real_is_found())
    pl_real_find();
}

/* Whether it is a handler of the program's, which then uses the signal itself. */
static bool is_handled(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 ||
         (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

REPLACED int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  find_real();
  if (number != DMD_CONTROL_SIGNAL || !pl_signal_is_ours())
    return pl_deadly_action(number, action, before);
  struct sigaction shown = g_signal.shown;
  if (action != NULL && is_handled(action)) {
    pl_signal_stop();
    if (g_real.sigaction(number, action, NULL) != 0)
      return -1;
  } else if (action != NULL) {
    g_signal.shown = *action;
  }
  if (before != NULL)
    *before = shown;
  return 0;
}

static pl_handler_t set_handler(int number, const struct sigaction *action) {
  struct sigaction before;
  return sigaction(number, action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/* The C library's own signal applies the setting of siginterrupt. */
REPLACED pl_handler_t signal(int number, pl_handler_t handler) {
  find_real();
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  if (handler == SIG_DFL || (number == DMD_CONTROL_SIGNAL && pl_signal_is_ours()))
    return set_handler(number, &action);
  return pl_deadly_shown(g_real.signal(number, handler));
}

pl_handler_t bsd_signal(int number, pl_handler_t handler); /* no longer in any header */

REPLACED pl_handler_t bsd_signal(int number, pl_handler_t handler) {
  return signal(number, handler);
}

REPLACED pl_handler_t ssignal(int number, pl_handler_t handler) {
  return signal(number, handler);
}

/* The version of signal in programs compiled for System V. */
REPLACED pl_handler_t sysv_signal(int number, pl_handler_t handler) {
  const struct sigaction action = {.sa_handler = handler,
                                   .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
  return set_handler(number, &action);
}

__attribute__((alias("sysv_signal"), visibility("default"))) pl_handler_t
__sysv_signal(int number, pl_handler_t handler);

REPLACED pl_handler_t sigset(int number, pl_handler_t handler) {
  find_real();
  pl_handler_t before = pl_deadly_shown(g_real.sigset(number, handler));
  if (handler == SIG_DFL && before != SIG_ERR)
    signal(number, SIG_DFL);
  return before;
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
