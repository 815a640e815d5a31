/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/pager.h"

#include "host/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t g_pager; /* 0: none */

bool dmdv_is_terminal(void) {
  return g_pager > 0 || isatty(STDOUT_FILENO);
}

/* With a pager standard output is a pipe; standard error is most likely the same terminal. */
uint32_t dmdv_terminal_columns(void) {
  struct winsize size;
  int fd = g_pager > 0 ? STDERR_FILENO : STDOUT_FILENO;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

/* Whether a folder of PATH has the program. */
static bool is_in_path(const char *program) {
  const char *path = getenv("PATH");
  while (path != NULL && *path != '\0') {
    char file[4096];
    size_t n = strcspn(path, ":");
    int length = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, program);
    if (length > 0 && (size_t)length < sizeof file && access(file, X_OK) == 0)
      return true;
    path += n + (path[n] == ':');
  }
  return false;
}

/* NULL: no pager. */
static const char *command(void) {
  const char *given = getenv("DMD_PAGER");
  if (given == NULL)
    given = getenv("PAGER");
  if (given == NULL)
    return is_in_path("less") ? "less" : NULL;
  return given[0] == '\0' || strcmp(given, "cat") == 0 ? NULL : given;
}

/* Runs in the child. */
static void become(const char *pager, const int ends[2]) {
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  close(ends[1]);
  setenv("LESS", "FRX", 0);
  execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
  _exit(127);
}

void dmdv_pager_begin(bool wanted) {
  int ends[2];
  const char *pager = wanted && g_pager == 0 && isatty(STDOUT_FILENO) ? command() : NULL;
  if (pager == NULL || fflush(stdout) != 0 || pipe(ends) != 0)
    return;
  pid_t pid = fork();
  if (pid == 0)
    become(pager, ends);
  close(ends[0]);
  if (pid > 0) {
    dup2(ends[1], STDOUT_FILENO);
    g_pager = pid;
    /* These signals are for the pager, which has the terminal until it ends. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
  }
  close(ends[1]);
}

void dmdv_pager_end(void) {
  int status = 0;
  if (g_pager == 0)
    return;
  fflush(stdout);
  close(STDOUT_FILENO);
  while (waitpid(g_pager, &status, 0) < 0 && errno == EINTR)
    continue;
  g_pager = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    dmdv_note("cannot run the pager: see DMD_PAGER and PAGER, or use --no-pager");
}
