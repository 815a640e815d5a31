/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_lines.h: reads files of /proc line by line, without allocating.
 *
 * Concurrency: one thread for each reader.
 */
#ifndef DMD_NATIVE_PL_LINES_H
#define DMD_NATIVE_PL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Parses the hexadecimal number at *at and advances *at past it. */
uint64_t pl_read_hex(const char **at);

/* A line of /proc/self/maps: "start-end rwxp offset device inode   path". */
typedef struct pl_mapping {
  uint64_t start, end, offset;
  bool is_readable, is_writable, is_executable;
  const char *path; /* "" if the mapping has no name; "[stack]" and the like */
} pl_mapping_t;

pl_mapping_t pl_read_mapping(const char *line);

#endif
