/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_message.h"

#include "base/format.h"
#include "base/mem.h"
#include "preload/pl_real.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

static int g_fd = STDERR_FILENO;

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

int pl_message_open(const char *name) {
  char path[PATH_MAX];
  size_t n = 0;
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
  int fd =
      *name == '\0' ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (fd < 0)
    return 0;
  g_fd = fd;
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
  ssize_t written;
  do
    written = writev(g_fd, parts, sizeof parts / sizeof *parts);
  while (written < 0 && errno == EINTR);
}

void pl_die(const char *why) {
  pl_say("dmd: the program ends here, since the native engine cannot go on:");
  pl_say(why);
  pl_real_exit_now(1);
}
