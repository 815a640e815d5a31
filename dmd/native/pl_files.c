/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_files.h"

#include "base/posix/posixfiles.h"
#include "native/pl_confined.h"
#include "native/pl_kernel.h"
#include "record/engine/errortext.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pl_file_error(void *ctx, int error) {
  (void)ctx;
  return dmd_error_text(error);
}

bool pl_file_is_stream(void *ctx, const char *name) {
  struct stat st;
  (void)ctx;
  return !pl_is_confined() && stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static int write_some(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  const struct iovec all = {.iov_base = (char *)bytes, .iov_len = n};
  (void)ctx;
  ssize_t part = pl_write(fd, &all, 1);
  *written = part > 0 ? (size_t)part : 0;
  return part > 0 ? 0 : part < 0 ? errno : EIO;
}

void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  int fd = open(name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  size_t written;
  write_some(ctx, fd, bytes, n, &written);
  close(fd);
}

static uint32_t g_mode;

void pl_files_start(void) {
  g_mode = dmd_posix_mode(NULL);
}

/* Honours both umasks: a program that makes its files private gets a private profile, and one that
 * relaxes its umask does not open the profile to others. */
static uint32_t mode(void *ctx) {
  uint32_t mask;
  (void)ctx;
  return dmd_posix_umask(&mask) ? g_mode & ~mask : g_mode;
}

const dmd_files_t pl_files = {.open = dmd_posix_open,
                              .close = dmd_posix_close,
                              .status = dmd_posix_status,
                              .read_link = dmd_posix_read_link,
                              .write = write_some,
                              .truncate = dmd_posix_truncate,
                              .set_mode = dmd_posix_set_mode,
                              .lock = dmd_posix_lock,
                              .link = dmd_posix_link,
                              .rename = dmd_posix_rename,
                              .unlink = dmd_posix_unlink,
                              .pid = dmd_posix_pid,
                              .user = dmd_posix_user,
                              .mode = mode};
