/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_lines.h: the lines of a file of /proc, without anything that allocates.
 *
 * Concurrency: one thread for each.
 */
#ifndef DMD_PRELOAD_PL_LINES_H
#define DMD_PRELOAD_PL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pl_lines {
  int fd;
  size_t n, at;      /* bytes in buffer, and of them behind the last line */
  char buffer[8192]; /* longer than any line of these files */
} pl_lines_t;

/* A file that cannot be read has no lines. */
void pl_lines_open(pl_lines_t *lines, const char *name);
void pl_lines_close(pl_lines_t *lines);

/* The next line, without its end, until the next call; NULL: there is none. */
const char *pl_lines_next(pl_lines_t *lines);

/* The hexadecimal number at *at, which moves behind it. */
uint64_t pl_read_hex(const char **at);

/* A line of /proc/self/maps: "start-end rwxp offset device inode   path". */
typedef struct pl_mapping {
  uint64_t start, end, offset;
  bool is_readable, is_writable, is_executable;
  const char *path; /* "": none; "[stack]" and such */
} pl_mapping_t;

pl_mapping_t pl_read_mapping(const char *line);

#endif
