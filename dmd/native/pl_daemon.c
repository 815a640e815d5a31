/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Replaces daemon(3). In the C library's, the parent ends by a call inside the C library, which we
 * cannot intercept. Here it calls _exit, which writes its profile. Everything else is the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Returns false, with errno set, if the file of this name is not the null device. */
static bool is_null_device(int fd) {
  enum { MAJOR = 1, MINOR = 3 };
  struct stat st;
  if (fstat(fd, &st) != 0)
    return false;
  if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(MAJOR, MINOR))
    return true;
  errno = ENODEV;
  return false;
}

static int let_go_of_terminal(void) {
  int fd = open("/dev/null", O_RDWR);
  if (fd < 0)
    return -1;
  if (!is_null_device(fd)) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  dup2(fd, STDIN_FILENO);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close(fd);
  return 0;
}

__attribute__((visibility("default"))) int daemon(int nochdir, int noclose) {
  pid_t child = fork();
  if (child < 0)
    return -1;
  if (child > 0)
    _exit(0);
  if (setsid() < 0)
    return -1;
  int is_ignored = nochdir == 0 ? chdir("/") : 0;
  (void)is_ignored;
  return noclose == 0 ? let_go_of_terminal() : 0;
}
