/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_files.h"

#include "engine/errortext.h"
#include "posix/files.h"
#include "preload/pl_write.h"

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
  return stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static int write_some(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  const struct iovec all = {.iov_base = (char *)bytes, .iov_len = n};
  (void)ctx;
  ssize_t part = pl_write(fd, &all, 1);
  *written = part > 0 ? (size_t)part : 0;
  return part > 0 ? 0 : part < 0 ? errno : EIO;
}

void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  int fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return;
  size_t written;
  write_some(ctx, fd, bytes, n, &written);
  close(fd);
}

const dmd_files_t pl_files = {.is_special = dmd_posix_is_special,
                              .open = dmd_posix_open,
                              .write = write_some,
                              .close = dmd_posix_close,
                              .rename = dmd_posix_rename,
                              .unlink = dmd_posix_unlink,
                              .pid = dmd_posix_pid};
