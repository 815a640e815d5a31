/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_message.h"

#include "base/files.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/str.h"
#include "native/pl_channel.h"
#include "native/pl_confined.h"
#include "native/pl_files.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* The file of --log-file, for lines that dmdv does not take; "": standard error. It is opened anew
 * for each line, since a program may close all descriptors that it finds and reuse their numbers.
 * If another file has the name by then, perhaps through a link that somebody else put there,
 * nothing is written to it. Only the system's names for standard error and the like may come to
 * mean another file: nobody can put links there. */
static char g_path[PATH_MAX];
static bool g_is_begun; /* the file exists, and g_file identifies it */
static dmd_file_status_t g_file;

/* Puts the directory that a relative name is resolved against, where the program was started, into
 * path. */
static size_t put_folder(char path[PATH_MAX], const char *name) {
  if (name[0] == '/' || getcwd(path, PATH_MAX - 1) == NULL)
    return 0;
  size_t n = dmd_str_length(path);
  path[n] = '/';
  return n + 1;
}

/* Creates the file, or opens the existing one and empties it if `empties`. Returns an error
 * number. */
static int begin_file(const char *path, bool empties) {
  int fd, error = dmd_pathwalk_open_in_place(&g_env, &pl_files, path, empties, &fd);
  if (error != 0)
    return error;
  error = pl_files.status(NULL, fd, &g_file);
  close(fd);
  return error;
}

/* Puts the file's full name into g_path. */
static bool name_file(const char *name) {
  char path[PATH_MAX];
  size_t n = put_folder(path, name);
  char pid[DMD_FORMAT_MAX];
  size_t pid_n = dmd_format_u64(pid, (uint64_t)getpid());
  for (; *name != '\0' && n < sizeof path - 1; name++) {
    bool is_pid = name[0] == '%' && name[1] == 'p';
    const char *part = is_pid ? pid : name;
    size_t length = is_pid ? pid_n : 1;
    if (length > sizeof path - 1 - n)
      return false;
    dmd_mem_copy(path + n, part, length);
    n += length;
    name += is_pid;
  }
  path[n] = '\0';
  if (*name != '\0')
    return false;
  dmd_mem_copy(g_path, path, n + 1);
  return true;
}

/* Reports that the log file is unusable. The program continues without a log. */
static void say_lost(const char *name, int error) {
  const char *why = dmd_files_error(error);
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: cannot write to ");
  dmd_strbuf_str(&line, name);
  dmd_strbuf_str(&line, ": ");
  dmd_strbuf_str(&line, why != NULL ? why : pl_file_error(NULL, error));
  dmd_strbuf_str(&line, "; its messages follow here");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

void pl_message_start(void) {
  pl_die_says(pl_say);
}

void pl_message_open(const char *name) {
  if (!name_file(name)) {
    say_lost(name, ENAMETOOLONG);
    return;
  }
  if (pl_channel_is_there())
    return;
  g_is_begun = true;
  int error = begin_file(g_path, true);
  if (error == 0)
    return;
  g_path[0] = '\0';
  say_lost(name, error);
}

static bool is_systems(const char *path) {
  return dmd_str_begins(path, "/dev/std") || dmd_str_begins(path, "/dev/fd/") ||
         dmd_str_begins(path, "/proc/");
}

/* Returns -1 if the file is gone or has been replaced. */
static int open_again(void) {
  if (!g_is_begun) {
    g_is_begun = true; /* first, since begin_file may log that memory ran out */
    if (begin_file(g_path, false) != 0)
      g_path[0] = '\0';
  }
  if (g_path[0] == '\0')
    return STDERR_FILENO;
  int fd = open(g_path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  dmd_file_status_t now;
  if (fd < 0 || is_systems(g_path) ||
      (pl_files.status(NULL, fd, &now) == 0 && now.device == g_file.device &&
       now.number == g_file.number))
    return fd;
  close(fd);
  return -1;
}

void pl_say(const char *line) {
  if (pl_channel_say(line))
    return;
  int fd = g_path[0] == '\0' || pl_is_confined() ? STDERR_FILENO : open_again();
  if (fd >= 0)
    pl_write_line(fd, line);
  if (fd >= 0 && fd != STDERR_FILENO)
    close(fd);
}
