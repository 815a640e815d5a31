/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* pipe2 */
#include "historydb/origin.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/process.h"

/* ---- The checkout. ---- */

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

/* Whether it may be the name of a commit. */
static bool is_commit_name(const char *build) {
  size_t n = strlen(build);
  return n > 0 && n <= 64 &&
         strspn(build, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == n;
}

int64_t dmdv_checkout_between(dmd_strbuf_t *next, const char *folder, const char *after,
                              const char *build) {
  if (!is_commit_name(after) || !is_commit_name(build))
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

/* ---- The origin of a run. ---- */

/* ---- The build. ---- */

/* Appends the value of the first of these variables that is set; false if none is. */
static bool append_variable(dmd_strbuf_t *to, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && value[0] != '\0') {
      dmd_strbuf_str(to, value);
      return true;
    }
  }
  return false;
}

void dmdv_origin_build(dmd_strbuf_t *to) {
  static const char *const names[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"};
  if (!append_variable(to, names, sizeof names / sizeof *names))
    dmdv_checkout_ask(to, NULL, (const char *[]){"rev-parse", "--verify", "HEAD", NULL});
}

void dmdv_origin_branch(dmd_strbuf_t *to) {
  static const char *const names[] = {"GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME",
                                      "GIT_BRANCH"};
  if (!append_variable(to, names, sizeof names / sizeof *names))
    dmdv_checkout_ask(to, NULL, (const char *[]){"symbolic-ref", "--short", "-q", "HEAD", NULL});
}

int64_t dmdv_origin_time(const char *build) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, &dmdv_env);
  if (is_commit_name(build))
    dmdv_checkout_ask(&text, NULL,
                      (const char *[]){"show", "-s", "--format=%ct", build, "--", NULL});
  int64_t seconds = strtoll(text.text, NULL, 10);
  dmd_strbuf_destroy(&text);
  return seconds > 0 ? seconds : (int64_t)time(NULL);
}

/* ---- The environment. ---- */

enum { MAX_LINES = 64, LINE_SZB = 256 };

typedef struct {
  char lines[MAX_LINES][LINE_SZB];
  size_t n;
} lines_t;

static int compare_lines(const void *a, const void *b) {
  return strcmp(a, b);
}

/* Replaces the line that has this key. */
static void set_line(lines_t *lines, const char *line) {
  size_t key = strcspn(line, "=");
  size_t at = 0;
  while (at < lines->n &&
         (strncmp(lines->lines[at], line, key) != 0 || lines->lines[at][key] != '='))
    at++;
  if (line[key] == '\0' || line[key + 1] == '\0') {
    if (at < lines->n)
      memmove(lines->lines[at], lines->lines[--lines->n], LINE_SZB);
    return;
  }
  if (at == MAX_LINES)
    return;
  snprintf(lines->lines[at], LINE_SZB, "%s", line);
  lines->n += at == lines->n;
}

static void set_value(lines_t *lines, const char *key, const char *value) {
  char line[LINE_SZB];
  snprintf(line, sizeof line, "%s=%s", key, value);
  set_line(lines, line);
}

/* The vendor of the processor, e.g. "GenuineIntel". */
static void set_processor(lines_t *lines) {
  char line[LINE_SZB];
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (file == NULL)
    return;
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "vendor_id", 9) == 0 || strncmp(line, "CPU implementer", 15) == 0) {
      char *value = strchr(line, ':');
      line[strcspn(line, "\n")] = '\0';
      if (value != NULL)
        set_value(lines, "cpu", value + 1 + strspn(value + 1, " \t"));
      break;
    }
  fclose(file);
}

static void set_kernel(lines_t *lines) {
  struct utsname name;
  int major, minor;
  char value[LINE_SZB / 2];
  if (uname(&name) != 0)
    return;
  if (sscanf(name.release, "%d.%d", &major, &minor) == 2) {
    snprintf(value, sizeof value, "%s %d.%d", name.sysname, major, minor);
    set_value(lines, "kernel", value);
  }
  set_value(lines, "machine", name.machine);
}

void dmdv_origin_environment(dmd_strbuf_t *to, const dmd_profile_t *profile, const char *const *own,
                             size_t n) {
  lines_t *lines = dmd_env_alloc(&dmdv_env, "dmdv.origin", sizeof *lines);
  lines->n = 0;
  set_value(lines, "libc", gnu_get_libc_version());
  set_kernel(lines);
  set_processor(lines);
  if (profile->run.allocator != NULL)
    set_value(lines, "allocator", profile->run.allocator);
  for (size_t i = 0; i < n; i++)
    set_line(lines, own[i]);
  qsort(lines->lines, lines->n, LINE_SZB, compare_lines);
  for (size_t i = 0; i < lines->n; i++) {
    dmd_strbuf_str(to, lines->lines[i]);
    dmd_strbuf_str(to, "\n");
  }
  dmd_env_free(&dmdv_env, lines);
}
