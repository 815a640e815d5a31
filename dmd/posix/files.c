/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "posix/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool dmd_posix_is_special(void *ctx, const char *name) {
  struct stat st;
  (void)ctx;
  return lstat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

int dmd_posix_open(void *ctx, const char *name, bool exclusive, int *fd) {
  (void)ctx;
  *fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC), 0666);
  return *fd < 0 ? errno : 0;
}

int dmd_posix_write(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  ssize_t part;
  (void)ctx;
  do
    part = write(fd, bytes, n);
  while (part < 0 && errno == EINTR);
  *written = part > 0 ? (size_t)part : 0;
  return part > 0 ? 0 : part < 0 ? errno : EIO;
}

int dmd_posix_close(void *ctx, int fd) {
  (void)ctx;
  return close(fd) == 0 ? 0 : errno;
}

int dmd_posix_rename(void *ctx, const char *from, const char *to) {
  (void)ctx;
  return rename(from, to) == 0 ? 0 : errno;
}

void dmd_posix_unlink(void *ctx, const char *name) {
  (void)ctx;
  unlink(name);
}

uint64_t dmd_posix_pid(void *ctx) {
  (void)ctx;
  return (uint64_t)getpid();
}

const dmd_files_t dmd_posix_files = {.is_special = dmd_posix_is_special,
                                     .open = dmd_posix_open,
                                     .write = dmd_posix_write,
                                     .close = dmd_posix_close,
                                     .rename = dmd_posix_rename,
                                     .unlink = dmd_posix_unlink,
                                     .pid = dmd_posix_pid};
