/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Global because a signal handler gets no argument. Changed only while the signals are blocked. */
static volatile pid_t g_child; /* 0: none */

static pid_t g_last; /* the one that was started last */

pid_t dmdv_child_pid(void) {
  return g_last;
}

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { N_HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

/* A signal from the kernel, such as that of Ctrl-C, went to the whole foreground process group and
 * so to the child too. Only signals from processes are passed on. */
static void hand_on(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  if (info->si_code <= 0 && g_child > 0)
    kill(g_child, number);
  errno = error;
}

/* Ignored signals, as under nohup, stay ignored, for the child as well. */
static void catch_signals(struct sigaction old[N_HANDED_ON]) {
  struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < N_HANDED_ON; i++) {
    sigaction(handed_on[i], NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN)
      sigaction(handed_on[i], &action, NULL);
  }
}

static void restore_signals(const struct sigaction old[N_HANDED_ON]) {
  for (int i = 0; i < N_HANDED_ON; i++)
    sigaction(handed_on[i], &old[i], NULL);
}

/* Starts the program with the signal mask that dmdv had. Returns an errno, or 0. */
static int start(const char *const *argv, const char *const *environment, bool quiet,
                 const sigset_t *mask, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (quiet) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  posix_spawnattr_setsigmask(&attributes, mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  char *const *variables = environment == NULL ? environ : (char *const *)environment;
  int error = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static bool has_ended(pid_t pid, int options) {
  siginfo_t info = {.si_pid = 0};
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | options) == 0 && info.si_pid == pid;
}

/* Waits for the end of the child without reaping it, so that its number cannot be reused before the
 * signals are blocked again. */
static void await(pid_t pid, const dmdv_meanwhile_t *meanwhile) {
  if (meanwhile == NULL) {
    while (!has_ended(pid, 0))
      continue;
    return;
  }
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* -1: an old kernel without pidfds */
  while (!has_ended(pid, WNOHANG))
    meanwhile->attend(meanwhile->ctx, pidfd);
  if (pidfd >= 0)
    close(pidfd);
}

int dmdv_child_run(const char *const *argv, const char *const *environment, bool quiet,
                   const dmdv_meanwhile_t *meanwhile, int *error) {
  struct sigaction old[N_HANDED_ON];
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  for (int i = 0; i < N_HANDED_ON; i++)
    sigaddset(&blocked, handed_on[i]);
  sigprocmask(SIG_BLOCK, &blocked, &mask);
  catch_signals(old);
  int status = 0;
  pid_t pid = 0;
  *error = start(argv, environment, quiet, &mask, &pid);
  if (*error == 0) {
    g_child = g_last = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    await(pid, meanwhile);
    if (meanwhile != NULL && meanwhile->look != NULL)
      meanwhile->look(meanwhile->ctx, pid);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      continue;
    g_child = 0;
  }
  restore_signals(old);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (*error != 0)
    return DMDV_CHILD_NOT_FOUND;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool is_program(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool dmdv_child_find(const char *program, dmd_strbuf_t *path) {
  if (strchr(program, '/') != NULL) {
    dmd_strbuf_str(path, program);
    return is_program(path->text);
  }
  const char *folders = getenv("PATH");
  for (const char *at = folders; at != NULL; at = strchr(at, ':')) {
    at += *at == ':';
    size_t n = strcspn(at, ":");
    dmd_strbuf_cut(path, 0);
    dmd_strbuf_bytes(path, at, n);
    dmd_strbuf_str(path, n > 0 ? "/" : "./");
    dmd_strbuf_str(path, program);
    if (is_program(path->text))
      return true;
  }
  return false;
}
