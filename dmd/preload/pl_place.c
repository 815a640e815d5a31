/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_place.h"

#include "base/mem.h"
#include "base/str.h"
#include "preload/pl_objects.h"
#include "preload/pl_thread.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- Lines of a file. ---- */

typedef struct {
  int fd;
  size_t n, at;      /* bytes in buffer, and of them behind the last line */
  char buffer[8192]; /* longer than any line of /proc/self/maps */
} lines_t;

static void open_lines(lines_t *lines, const char *name) {
  lines->fd = open(name, O_RDONLY | O_CLOEXEC);
  lines->n = lines->at = 0;
}

static void close_lines(lines_t *lines) {
  if (lines->fd >= 0)
    close(lines->fd);
}

static void read_more(lines_t *lines) {
  lines->n -= lines->at;
  for (size_t i = 0; i < lines->n; i++)
    lines->buffer[i] = lines->buffer[lines->at + i];
  lines->at = 0;
  ssize_t got = read(lines->fd, lines->buffer + lines->n, sizeof lines->buffer - lines->n);
  lines->n += got > 0 ? (size_t)got : 0;
}

/* The next line, without its end; NULL: there is none. */
static const char *next_line(lines_t *lines) {
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

/* ---- Mappings. ---- */

/* A line of /proc/self/maps: "start-end rwxp offset device inode   path". */
typedef struct {
  uint64_t start, end;
  const char *path; /* "": none; "[stack]" and such */
} mapping_t;

static uint64_t read_hex(const char **at) {
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

static mapping_t read_mapping(const char *line) {
  mapping_t mapping;
  mapping.start = read_hex(&line);
  line += *line == '-';
  mapping.end = read_hex(&line);
  for (int field = 0; field < 5; field++) {
    line += dmd_str_span(line, " ");
    if (field < 4)
      line += dmd_str_span_without(line, " ");
  }
  mapping.path = line;
  return mapping;
}

static void put(char *text, size_t szB, const char *what, const char *path) {
  size_t n = 0;
  for (; *what != '\0' && n + 1 < szB; what++)
    text[n++] = *what;
  for (; *path != '\0' && n + 1 < szB; path++)
    text[n++] = *path;
  text[n] = '\0';
}

static dmd_fault_kind_t describe(const mapping_t *mapping, char *text, size_t szB) {
  const char *path = mapping->path;
  uint64_t sp = pl_thread()->entry.sp;
  if (dmd_str_equal(path, "[stack]") || (sp >= mapping->start && sp < mapping->end)) {
    put(text, szB, "the stack of a thread", "");
    return DMD_FAULT_REPORT_STACK;
  }
  if (dmd_str_equal(path, "[heap]"))
    return DMD_FAULT_REPORT_NO_BLOCK;
  put(text, szB, path[0] == '/' ? "a mapping of " : "memory that the program mapped",
      path[0] == '/' ? path : "");
  return DMD_FAULT_REPORT_MAPPED;
}

dmd_fault_kind_t pl_classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  const pl_object_t *object = pl_object_around(addr);
  lines_t lines;
  const char *line;
  dmd_fault_kind_t kind = DMD_FAULT_REPORT_NO_ADDRESS;
  (void)ctx;
  put(text, szB, object == NULL ? "" : "the data of ", object == NULL ? "" : object->path);
  if (object != NULL)
    return DMD_FAULT_REPORT_GLOBAL;
  open_lines(&lines, "/proc/self/maps");
  while (kind == DMD_FAULT_REPORT_NO_ADDRESS && (line = next_line(&lines)) != NULL) {
    mapping_t mapping = read_mapping(line);
    if (addr >= mapping.start && addr < mapping.end)
      kind = describe(&mapping, text, szB);
  }
  close_lines(&lines);
  return kind;
}
