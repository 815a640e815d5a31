/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* pipe2 */
#include "historydb/checkout.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_ARGUMENTS = 12 };

/* Starts git with its output in a pipe; its error messages are discarded. */
static FILE *start(const char *const *argv, pid_t *pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int error = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *file = error == 0 ? fdopen(ends[0], "r") : NULL;
  if (file == NULL)
    close(ends[0]);
  return file;
}

bool dmdv_checkout_ask(dmd_strbuf_t *to, const char *folder, const char *const *arguments) {
  const char *argv[MAX_ARGUMENTS + 4] = {"git", "-C", folder == NULL ? "." : folder};
  for (int i = 0; i < MAX_ARGUMENTS && arguments[i] != NULL; i++)
    argv[3 + i] = arguments[i];
  char line[512];
  pid_t pid;
  int status = -1;
  FILE *pipe = start(argv, &pid);
  if (pipe == NULL)
    return false;
  bool any = fgets(line, sizeof line, pipe) != NULL;
  while (fgetc(pipe) != EOF) /* reads the rest, so that git's writes do not fail */
    continue;
  fclose(pipe);
  if (waitpid(pid, &status, 0) != pid || status != 0 || !any)
    return false;
  line[strcspn(line, "\r\n")] = '\0';
  dmd_strbuf_str(to, line);
  return true;
}

bool dmdv_checkout_is_name(const char *build) {
  size_t n = strlen(build);
  return n > 0 && n <= 64 &&
         strspn(build, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == n;
}

int64_t dmdv_checkout_between(dmd_strbuf_t *next, const char *folder, const char *after,
                              const char *build) {
  if (!dmdv_checkout_is_name(after) || !dmdv_checkout_is_name(build))
    return 0;
  dmd_strbuf_t range, count;
  dmd_strbuf_init(&range, next->env);
  dmd_strbuf_init(&count, next->env);
  dmd_strbuf_str(&range, after);
  dmd_strbuf_str(&range, "..");
  dmd_strbuf_str(&range, build);
  int64_t n = 0;
  if (dmdv_checkout_ask(&count, folder,
                        (const char *[]){"rev-list", "--count", range.text, "--", NULL}))
    n = strtoll(count.text, NULL, 10);
  if (n > 1)
    dmdv_checkout_ask(next, folder,
                      (const char *[]){"rev-list", "--bisect", range.text, "--", NULL});
  dmd_strbuf_destroy(&count);
  dmd_strbuf_destroy(&range);
  return n;
}
