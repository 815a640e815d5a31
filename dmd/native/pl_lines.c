/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_lines.h"

#include "base/str.h"
#include "native/pl_confined.h"

#include <fcntl.h>
#include <unistd.h>

void pl_lines_open(pl_lines_t *lines, const char *name) {
  lines->fd = pl_open(name, O_RDONLY);
  lines->n = lines->at = 0;
}

void pl_lines_close(pl_lines_t *lines) {
  if (lines->fd >= 0)
    close(lines->fd);
}

static void read_more(pl_lines_t *lines) {
  lines->n -= lines->at;
  for (size_t i = 0; i < lines->n; i++)
    lines->buffer[i] = lines->buffer[lines->at + i];
  lines->at = 0;
  ssize_t got = read(lines->fd, lines->buffer + lines->n, sizeof lines->buffer - lines->n);
  lines->n += got > 0 ? (size_t)got : 0;
}

const char *pl_lines_next(pl_lines_t *lines) {
  for (int tries = 0; tries < 2 && lines->fd >= 0; tries++) {
    for (size_t i = lines->at; i < lines->n; i++)
      if (lines->buffer[i] == '\n') {
        const char *line = lines->buffer + lines->at;
        lines->buffer[i] = '\0';
        lines->at = i + 1;
        return line;
      }
    read_more(lines);
  }
  return NULL;
}

uint64_t pl_read_hex(const char **at) {
  uint64_t v = 0;
  for (;; ++*at) {
    char c = **at;
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                            : 16;
    if (digit > 15)
      return v;
    v = v << 4 | digit;
  }
}

/* Skips a field and the blanks after it. */
static const char *skip_field(const char *line) {
  line += dmd_str_span_without(line, " ");
  return line + dmd_str_span(line, " ");
}

pl_mapping_t pl_read_mapping(const char *line) {
  pl_mapping_t mapping = {.path = ""};
  mapping.start = pl_read_hex(&line);
  line += *line == '-';
  mapping.end = pl_read_hex(&line);
  line = skip_field(line);
  if (dmd_str_length(line) >= 4) {
    mapping.is_readable = line[0] == 'r';
    mapping.is_writable = line[1] == 'w';
    mapping.is_executable = line[2] == 'x';
  }
  line = skip_field(line);
  const char *offset = line;
  mapping.offset = pl_read_hex(&offset);
  mapping.path = skip_field(skip_field(skip_field(line)));
  return mapping;
}
