/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "preload/pl_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In English and without a look at message catalogues, which allocates. */
const char *pl_file_error(void *ctx, int error) {
  (void)ctx;
  const char *text = strerrordesc_np(error);
  return text == NULL ? "unexpected error" : text;
}

bool pl_file_is_stream(void *ctx, const char *name) {
  struct stat st;
  (void)ctx;
  return stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool is_special(void *ctx, const char *name) {
  struct stat st;
  (void)ctx;
  return lstat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_file(void *ctx, const char *name, bool exclusive, int *fd) {
  (void)ctx;
  *fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC), 0666);
  return *fd < 0 ? errno : 0;
}

static int write_file(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  ssize_t part;
  (void)ctx;
  do
    part = write(fd, bytes, n);
  while (part < 0 && errno == EINTR);
  *written = part > 0 ? (size_t)part : 0;
  return part > 0 ? 0 : part < 0 ? errno : EIO;
}

static int close_file(void *ctx, int fd) {
  (void)ctx;
  return close(fd) == 0 ? 0 : errno;
}

static int rename_file(void *ctx, const char *from, const char *to) {
  (void)ctx;
  return rename(from, to) == 0 ? 0 : errno;
}

static void unlink_file(void *ctx, const char *name) {
  (void)ctx;
  unlink(name);
}

uint64_t pl_pid(void *ctx) {
  (void)ctx;
  return (uint64_t)getpid();
}

const dmd_files_t pl_files = {.is_special = is_special,
                              .open = open_file,
                              .write = write_file,
                              .close = close_file,
                              .rename = rename_file,
                              .unlink = unlink_file,
                              .pid = pl_pid};

void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  (void)ctx;
  int fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return;
  size_t written;
  write_file(ctx, fd, bytes, n, &written);
  close(fd);
}
