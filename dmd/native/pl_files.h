/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_files.h: the engine host's file functions beyond those of base/posix/posix.h, and a
 * reader of files of /proc. None of them allocates.
 *
 * Concurrency: the host's functions under the engine lock; one thread for each reader.
 */
#ifndef DMD_NATIVE_PL_FILES_H
#define DMD_NATIVE_PL_FILES_H

#include "base/files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As base/posix/posix.h, with two differences: writing raises no signal (pl_kernel.h), and
 * mode is what both the umask at the program's start and the current umask permit. */
extern const dmd_files_t pl_files;

/* Saves the umask before the program can change it. */
void pl_files_start(void);

const char *pl_file_error(void *ctx, int error);
bool pl_file_is_stream(void *ctx, const char *name);
void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n);

/* ---- Files of /proc, line by line ---- */

typedef struct pl_lines {
  int fd;
  size_t n, at;      /* bytes in buffer; offset of the next line */
  char buffer[8192]; /* longer than any line of these files */
} pl_lines_t;

/* A file that cannot be read has no lines. */
void pl_lines_open(pl_lines_t *lines, const char *name);
void pl_lines_close(pl_lines_t *lines);

/* The next line, without its newline, valid until the next call; NULL at the end. */
const char *pl_lines_next(pl_lines_t *lines);

/* A line of /proc/self/maps: "start-end rwxp offset device inode   path". */
typedef struct pl_mapping {
  uint64_t start, end, offset;
  bool is_readable, is_writable, is_executable;
  const char *path; /* "" if the mapping has no name; "[stack]" and the like */
} pl_mapping_t;

pl_mapping_t pl_read_mapping(const char *line);

#endif
