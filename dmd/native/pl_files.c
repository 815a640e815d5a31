/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_files.h"

#include "base/posix/posix.h"
#include "base/str.h"
#include "native/pl_confined.h"
#include "native/pl_kernel.h"
#include "record/engine/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pl_file_error(void *ctx, int error) {
  (void)ctx;
  return dmd_error_text(error);
}

bool pl_file_is_stream(void *ctx, const char *name) {
  struct stat st;
  (void)ctx;
  return !pl_is_confined() && stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

static int write_some(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  const struct iovec all = {.iov_base = (char *)bytes, .iov_len = n};
  (void)ctx;
  ssize_t part = pl_write(fd, &all, 1);
  *written = part > 0 ? (size_t)part : 0;
  return part > 0 ? 0 : part < 0 ? errno : EIO;
}

void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  int fd = open(name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  size_t written;
  write_some(ctx, fd, bytes, n, &written);
  close(fd);
}

static uint32_t g_mode;

void pl_files_start(void) {
  g_mode = dmd_posix_mode(NULL);
}

/* Honours both umasks: a program that makes its files private gets a private profile, and one that
 * relaxes its umask does not open the profile to others. */
static uint32_t mode(void *ctx) {
  uint32_t mask;
  (void)ctx;
  return dmd_posix_umask(&mask) ? g_mode & ~mask : g_mode;
}

const dmd_files_t pl_files = {.open = dmd_posix_open,
                              .close = dmd_posix_close,
                              .status = dmd_posix_status,
                              .read_link = dmd_posix_read_link,
                              .write = write_some,
                              .truncate = dmd_posix_truncate,
                              .set_mode = dmd_posix_set_mode,
                              .lock = dmd_posix_lock,
                              .link = dmd_posix_link,
                              .rename = dmd_posix_rename,
                              .unlink = dmd_posix_unlink,
                              .pid = dmd_posix_pid,
                              .user = dmd_posix_user,
                              .mode = mode};

/* ---- Files of /proc ---- */

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

/* Parses the hexadecimal number at *at and advances *at past it. */
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

/* Skips a field and the blanks after it. */
static const char *skip_field(const char *line) {
  line += dmd_str_span_without(line, " ");
  return line + dmd_str_span(line, " ");
}

pl_mapping_t pl_read_mapping(const char *line) {
  pl_mapping_t mapping = {.path = ""};
  mapping.start = read_hex(&line);
  line += *line == '-';
  mapping.end = read_hex(&line);
  line = skip_field(line);
  if (dmd_str_length(line) >= 4) {
    mapping.is_readable = line[0] == 'r';
    mapping.is_writable = line[1] == 'w';
    mapping.is_executable = line[2] == 'x';
  }
  line = skip_field(line);
  const char *offset = line;
  mapping.offset = read_hex(&offset);
  mapping.path = skip_field(skip_field(skip_field(line)));
  return mapping;
}
