/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "preload/pl_files.h"

#include "posix/files.h"

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

void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  (void)ctx;
  int fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return;
  size_t written;
  dmd_posix_write(ctx, fd, bytes, n, &written);
  close(fd);
}
