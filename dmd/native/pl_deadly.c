/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_deadly.h"

#include "native/pl_altstack.h"
#include "native/pl_end.h"
#include "native/pl_enter.h"
#include "native/pl_kernel.h"
#include "native/pl_message.h"
#include "native/pl_real.h"
#include "native/pl_signal.h"
#include "native/pl_stop.h"
#include "record/engine/control.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  bool is_on;
  struct sigaction action;
  atomic_int first; /* the signal that ends the program; 0: none yet */
  atomic_bool has_noted;
  siginfo_t noted; /* the first one that arrived while its thread was in the engine */
} g_deadly;

/* ---- Which signals ---- */

static bool is_deadly(int number) {
  switch (number) {
  case SIGKILL: /* cannot be caught */
  case SIGSTOP:
  case SIGTSTP: /* stop the program */
  case SIGTTIN:
  case SIGTTOU:
  case SIGCONT: /* have no effect by default */
  case SIGCHLD:
  case SIGURG:
  case SIGWINCH:
  case DMD_CONTROL_SIGNAL:
    return false;
  default:
    return number > 0 && number < NSIG;
  }
}

/* Whether an instruction of the thread's faulted: returning would execute it again. */
static bool is_crash(int number, const siginfo_t *info) {
  return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
                               number == SIGILL || number == SIGTRAP || number == SIGSYS);
}

/* ---- Ending ---- */

/* Sends the signal again, with its original siginfo if the kernel permits that. */
static void die(int number, const siginfo_t *info) {
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  long thread = syscall(SYS_gettid);
  g_real.sigaction(number, &usual, NULL);
  if (info == NULL || syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, info) != 0)
    syscall(SYS_tgkill, getpid(), thread, number);
}

/* Returns the signal that ends the program: this one, unless an earlier one, in another thread for
 * example, is about to do so. */
static int first_of_all(int number) {
  int first = 0;
  return atomic_compare_exchange_strong(&g_deadly.first, &first, number) ? number : first;
}

void pl_deadly_forked(void) {
  atomic_store(&g_deadly.first, 0);
  atomic_store(&g_deadly.has_noted, false);
}

/* For a thread that got the signal inside the engine and is leaving it. */
static void end_on_leaving(uint64_t argument) {
  int number = (int)argument;
  sigset_t before = pl_signals_block();
  pl_aside_run(pl_end_by_signal);
  die(number, g_deadly.noted.si_signo == number ? &g_deadly.noted : NULL);
  pl_signals_restore(&before);
}

/* info: NULL if the signal was delivered to another thread. */
static void end_later(pl_thread_t *thread, int number, const siginfo_t *info) {
  if (info != NULL && !atomic_exchange(&g_deadly.has_noted, true))
    g_deadly.noted = *info;
  pl_note_call(thread, end_on_leaving, (uint64_t)number);
}

static void end_now(int number, const siginfo_t *info, const ucontext_t *context) {
  pl_thread_t *thread = pl_thread();
  pl_context_t at = pl_machine_context(context);
  pl_entry_t entry = {.ip = at.ip + 1, .sp = at.sp, .fp = at.fp}; /* as if after a call */
  int first = first_of_all(number);
  const siginfo_t *came_with = first == number ? info : NULL;
  if (pl_enter(thread, &entry)) {
    thread->interrupted = context;
    pl_aside_run(pl_end_by_signal);
    thread->interrupted = NULL;
    pl_leave(thread);
    die(first, came_with);
  } else if (is_crash(number, info)) {
    pl_say("dmd: the program crashed within the engine: data that was to be written at its exit is "
           "lost");
    die(first, came_with);
  } else {
    end_later(thread, first, came_with);
  }
}

/* Signals stay blocked until this returns; the program then ends at the place where it was
 * interrupted. */
static void handle(int number, siginfo_t *info, void *context) {
  int error = errno;
  bool is_spared = getpid() == 1 && !is_crash(number, info);
  if (g_state == PL_WATCHING && pl_end_is_ours() && !is_spared)
    end_now(number, info, context);
  else if (!is_spared)
    die(number, info);
  errno = error;
}

/* ---- Handlers ---- */

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == handle;
}

static bool is_default(const struct sigaction *action) {
  return action->sa_handler == SIG_DFL;
}

void pl_deadly_start(void) {
  g_deadly.action =
      (struct sigaction){.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigfillset(&g_deadly.action.sa_mask);
  if (g_real.sigaction == NULL || g_real.sigaltstack == NULL)
    return;
  g_deadly.is_on = true;
  for (int number = 1; number < NSIG; number++) {
    struct sigaction before;
    if (is_deadly(number) && g_real.sigaction(number, NULL, &before) == 0 && is_default(&before))
      g_real.sigaction(number, &g_deadly.action, NULL);
  }
  pl_altstack_start();
}

void pl_deadly_stop(void) {
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  g_deadly.is_on = false;
  for (int number = 1; number < NSIG; number++) {
    struct sigaction now;
    if (is_deadly(number) && g_real.sigaction(number, NULL, &now) == 0 && is_ours(&now))
      g_real.sigaction(number, &usual, NULL);
  }
}

static int set_action(int number, const struct sigaction *action, struct sigaction *before) {
  bool is_taken = g_deadly.is_on && g_state != PL_OFF && action != NULL && is_default(action) &&
                  is_deadly(number);
  int error = g_real.sigaction(number, is_taken ? &g_deadly.action : action, before);
  if (error == 0 && before != NULL && is_ours(before))
    *before = (struct sigaction){.sa_handler = SIG_DFL};
  return error;
}

/* Translates a handler that the kernel returned into what the program should see. */
static pl_handler_t shown(pl_handler_t handler) {
  struct sigaction ours = {.sa_sigaction = handle};
  return handler == ours.sa_handler ? SIG_DFL : handler;
}

/* ---- Replaced functions ---- */

#define REPLACED __attribute__((visibility("default")))

static void find_real(void) {
  if (!pl_real_is_found())
    pl_real_find();
}

REPLACED int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  find_real();
  return number == DMD_CONTROL_SIGNAL && pl_signal_is_ours() ? pl_signal_action(action, before)
                                                             : set_action(number, action, before);
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
  return shown(g_real.signal(number, handler));
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
  pl_handler_t before = shown(g_real.sigset(number, handler));
  if (handler == SIG_DFL && before != SIG_ERR)
    signal(number, SIG_DFL);
  return before;
}
