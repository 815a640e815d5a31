/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_deadly.h"

#include "native/pl_altstack.h"
#include "native/pl_aside.h"
#include "native/pl_context.h"
#include "native/pl_event.h"
#include "native/pl_kernel.h"
#include "native/pl_main.h"
#include "native/pl_message.h"
#include "native/pl_real.h"
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

void pl_deadly_serve(int number) {
  sigset_t before = pl_signals_block();
  pl_aside_run(pl_main_end);
  die(number, g_deadly.noted.si_signo == number ? &g_deadly.noted : NULL);
  pl_signals_restore(&before);
}

/* info: NULL if the signal was delivered to another thread. */
static void end_later(pl_thread_t *thread, int number, const siginfo_t *info) {
  if (info != NULL && !atomic_exchange(&g_deadly.has_noted, true))
    g_deadly.noted = *info;
  pl_note_end(thread, number);
}

static void end_now(int number, const siginfo_t *info, const ucontext_t *context) {
  pl_thread_t *thread = pl_thread();
  pl_context_t at = pl_context_of(context);
  pl_entry_t entry = {.ip = at.ip + 1, .sp = at.sp, .fp = at.fp}; /* as if after a call */
  int first = first_of_all(number);
  const siginfo_t *came_with = first == number ? info : NULL;
  if (pl_hide_at(thread, &entry)) {
    thread->interrupted = context;
    pl_aside_run(pl_main_end);
    thread->interrupted = NULL;
    pl_unhide(thread);
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
  if (g_state == PL_WATCHING && pl_main_is_ours() && !is_spared)
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

int pl_deadly_action(int number, const struct sigaction *action, struct sigaction *before) {
  bool is_taken = g_deadly.is_on && g_state != PL_OFF && action != NULL && is_default(action) &&
                  is_deadly(number);
  int error = g_real.sigaction(number, is_taken ? &g_deadly.action : action, before);
  if (error == 0 && before != NULL && is_ours(before))
    *before = (struct sigaction){.sa_handler = SIG_DFL};
  return error;
}

__sighandler_t pl_deadly_shown(__sighandler_t handler) {
  struct sigaction ours = {.sa_sigaction = handle};
  return handler == ours.sa_handler ? SIG_DFL : handler;
}
