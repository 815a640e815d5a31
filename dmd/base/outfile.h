/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * outfile.h: a file that appears under its name only when it is complete.
 *
 * A regular file is written under a temporary name beside the final one and renamed at the end, so
 * that a failure leaves neither half a file nor a lost older one. Anything else that exists under
 * the name (a pipe, /dev/null, a terminal) is written to directly; so is a link, wherever it leads:
 * to rename a file over /dev/stdout would take that away from everybody.
 *
 * What the file system does comes through dmd_files_t. Errors are the host's numbers (errno); 0 is
 * none. The first one stays, and what is written after it is dropped: callers check once, at the
 * end.
 */
#ifndef DMD_BASE_OUTFILE_H
#define DMD_BASE_OUTFILE_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_files {
  /* Whether there is something under the name that is to be written to directly, not replaced. */
  bool (*is_special)(void *ctx, const char *name);
  /* Opens a file for writing. `exclusive`: makes it, and fails if it is there; otherwise it is made
   * or emptied. Returns an error; *fd is the host's. */
  int (*open)(void *ctx, const char *name, bool exclusive, int *fd);
  /* Writes up to n bytes, more than 0; how many in *written. Returns an error. */
  int (*write)(void *ctx, int fd, const char *bytes, size_t n, size_t *written);
  int (*close)(void *ctx, int fd);
  int (*rename)(void *ctx, const char *from, const char *to);
  void (*unlink)(void *ctx, const char *name);
  uint64_t (*pid)(void *ctx);
  void *ctx;
} dmd_files_t;

typedef struct dmd_outfile {
  const dmd_env_t *env;
  const dmd_files_t *files;
  char *name;      /* final; a copy */
  char *temporary; /* NULL: written to directly */
  int fd;
  bool is_open;
  uint64_t written; /* bytes */
  int error;        /* of the first failure; 0: none so far */
} dmd_outfile_t;

/* Opens the file. False, with the error set, when that fails; it must be destroyed either way. The
 * files must stay where they are. */
bool dmd_outfile_open(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                      const char *name);

/* A dmd_write_fn; ctx is a dmd_outfile_t. */
bool dmd_outfile_write(void *ctx, const char *bytes, size_t n);

/* Closes the file and gives it its name or, where it is not to be kept or anything failed, takes it
 * away. True when nothing failed. */
bool dmd_outfile_close(dmd_outfile_t *file, bool keep);
void dmd_outfile_destroy(dmd_outfile_t *file);

#endif
