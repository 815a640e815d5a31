/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * outfile.h: a file that appears under its name only when it is complete.
 *
 * A regular file is written without a name, and gets its name at the end, so that a failure leaves
 * no partial file and keeps an older one, and SIGKILL leaves nothing. Some file systems have no
 * unnamed files. There it is written under a temporary name next to the final one, NAME.tmp.PID,
 * and renamed at the end. Anything else with that name (a pipe, /dev/null, a terminal) is written
 * directly, and so is the target of a symbolic link: renaming a file over /dev/stdout would
 * replace that for everybody. Links of other users are not followed (pathwalk.h).
 *
 * Only the owner may read an incomplete file. A complete one has the permissions that the host
 * gives new files (dmd_files_t.mode); the caller may take some away before it closes the file.
 *
 * File system operations go through dmd_files_t. Errors are the host's numbers (errno); 0 means
 * none. After the first error, further writes are dropped: callers check once, at the end.
 */
#ifndef DMD_BASE_OUTFILE_H
#define DMD_BASE_OUTFILE_H

#include "base/env.h"
#include "base/files.h"
#include "base/pathwalk.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  DMD_OUTFILE_UNNAMED,  /* it gets its name at the end, */
  DMD_OUTFILE_RENAMED,  /* or another name, */
  DMD_OUTFILE_DIRECT,   /* or is what had the name before */
  DMD_OUTFILE_BORROWED, /* a descriptor of the caller's */
} dmd_outfile_kind_t;

typedef struct dmd_outfile {
  const dmd_env_t *env;
  const dmd_files_t *files;
  char *name;          /* final; a copy */
  dmd_pathwalk_t walk; /* where that leads, unless it is borrowed */
  char *temporary;     /* of a way with names: in the walk's folder */
  dmd_outfile_kind_t way;
  bool has_walk, is_open;
  bool is_new; /* made here: it gets these permissions in the end */
  uint32_t mode;
  int fd;
  uint64_t written; /* bytes */
  int error;        /* the first error; 0: none */
} dmd_outfile_t;

/* Opens the file. Returns false, with the error set, on failure; destroy it either way. `files`
 * must not move. */
bool dmd_outfile_open(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                      const char *name);

/* The same, to take the place of the regular file that has the name, with its permissions. */
bool dmd_outfile_open_again(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                            const char *name, uint32_t mode);

/* An open descriptor as such a file, which stays open. The name is for messages. */
void dmd_outfile_borrow(dmd_outfile_t *file, const dmd_env_t *env, const dmd_files_t *files,
                        const char *name, int fd);

/* A dmd_write_fn; ctx is a dmd_outfile_t. */
bool dmd_outfile_write(void *ctx, const char *bytes, size_t n);

/* Closes the file and renames it to its name; if keep is false or anything failed, deletes it.
 * Returns true if nothing failed. */
bool dmd_outfile_close(dmd_outfile_t *file, bool keep);
void dmd_outfile_destroy(dmd_outfile_t *file);

#endif
