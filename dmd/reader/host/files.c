/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/files.h"

#include "posix/files.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

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
                                          .write = dmd_posix_write,
                                          .close = leave_open,
                                          .rename = dmd_posix_rename,
                                          .unlink = dmd_posix_unlink,
                                          .pid = dmd_posix_pid};
