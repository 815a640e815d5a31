/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_special(void *ctx, const char *name) {
  (void)ctx;
  struct stat st;
  return lstat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_file(void *ctx, const char *name, bool exclusive, int *fd) {
  (void)ctx;
  *fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC), 0666);
  return *fd < 0 ? errno : 0;
}

static int write_file(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  (void)ctx;
  ssize_t part;
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

static uint64_t own_pid(void *ctx) {
  (void)ctx;
  return (uint64_t)getpid();
}

const dmd_files_t dmdv_files = {.is_special = is_special,
                                .open = open_file,
                                .write = write_file,
                                .close = close_file,
                                .rename = rename_file,
                                .unlink = unlink_file,
                                .pid = own_pid};

/* ---- Standard output. ---- */

static bool is_always_special(void *ctx, const char *name) {
  (void)ctx;
  (void)name;
  return true;
}

/* What stdio holds comes first. */
static int open_standard_output(void *ctx, const char *name, bool exclusive, int *fd) {
  (void)ctx;
  (void)name;
  (void)exclusive;
  *fd = STDOUT_FILENO;
  return fflush(stdout) == 0 ? 0 : errno;
}

/* It stays open for who comes after. */
static int leave_open(void *ctx, int fd) {
  (void)ctx;
  (void)fd;
  return 0;
}

const dmd_files_t dmdv_standard_output = {.is_special = is_always_special,
                                          .open = open_standard_output,
                                          .write = write_file,
                                          .close = leave_open,
                                          .rename = rename_file,
                                          .unlink = unlink_file,
                                          .pid = own_pid};
