/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_message.h"

#include "base/format.h"
#include "base/mem.h"
#include "preload/pl_real.h"
#include "preload/pl_write.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* "": to standard error. It is opened for each line: a program may close all files that it finds,
 * and have others by their numbers. */
static char g_path[PATH_MAX];

/* The process's number as text, at the end of an array. */
typedef struct {
  char text[24];
  const char *start;
} number_t;

static void put_pid(number_t *number) {
  char *at = number->text + sizeof number->text - 1;
  unsigned long pid = (unsigned long)getpid();
  *at = '\0';
  do
    *--at = (char)('0' + pid % 10);
  while ((pid /= 10) > 0);
  number->start = at;
}

/* Relative names are meant from where the program was started. */
static size_t put_folder(char path[PATH_MAX], const char *name) {
  if (name[0] == '/' || getcwd(path, PATH_MAX - 1) == NULL)
    return 0;
  size_t n = dmd_str_length(path);
  path[n] = '/';
  return n + 1;
}

int pl_message_open(const char *name) {
  char path[PATH_MAX];
  size_t n = put_folder(path, name);
  number_t pid;
  put_pid(&pid);
  for (; *name != '\0' && n < sizeof path - 1; name++) {
    bool is_pid = name[0] == '%' && name[1] == 'p';
    const char *part = is_pid ? pid.start : name;
    size_t length = is_pid ? dmd_str_length(pid.start) : 1;
    if (length > sizeof path - 1 - n)
      return 0;
    dmd_mem_copy(path + n, part, length);
    n += length;
    name += is_pid;
  }
  path[n] = '\0';
  int fd = *name == '\0' ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
  if (fd < 0)
    return 0;
  close(fd);
  dmd_mem_copy(g_path, path, n + 1);
  return 1;
}

void pl_say(const char *line) {
  number_t pid;
  put_pid(&pid);
  struct iovec parts[] = {{.iov_base = (char *)"==", .iov_len = 2},
                          {.iov_base = (char *)pid.start, .iov_len = dmd_str_length(pid.start)},
                          {.iov_base = (char *)"== ", .iov_len = 3},
                          {.iov_base = (char *)line, .iov_len = dmd_str_length(line)},
                          {.iov_base = (char *)"\n", .iov_len = 1}};
  int fd = g_path[0] == '\0' ? STDERR_FILENO : open(g_path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd >= 0)
    pl_write(fd, parts, sizeof parts / sizeof *parts);
  if (fd >= 0 && fd != STDERR_FILENO)
    close(fd);
}

void pl_die(const char *why) {
  pl_say("dmd: the program ends here, since the native engine cannot go on:");
  pl_say(why);
  pl_real_exit_now(1);
}
