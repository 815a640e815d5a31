/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/input/input.h"

#include "files/graph/graphmember.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { RAW_SZB = 64 * 1024, TEXT_SZB = 256 * 1024 };

struct dmdv_input {
  FILE *file; /* NULL: memory */
  const unsigned char *bytes;
  size_t n, left;           /* the size of the memory, and how much of it is left */
  size_t raw_szB, text_szB; /* of the buffers */
  uint64_t at, total;       /* of the file: bytes read, and its size; 0: unknown */
  bool started;
  bool gzipped;
  bool in_member; /* between the start of a gzip member and its end */
  bool at_end;    /* of the file */
  bool is_graph;  /* what is read are the pieces of a heap graph, from here on: */
  uint64_t graph_at;
  bool is_held; /* the next call repeats what peek returned */
  const char *held;
  size_t n_held;
  z_stream stream;
  unsigned char *raw;
  char *text; /* the decompressed bytes of a gzipped file */
};

static dmdv_input_t *new_input(size_t raw_szB, size_t text_szB, dmd_fail_t *fail) {
  dmdv_input_t *input = calloc(1, sizeof *input);
  unsigned char *raw = malloc(raw_szB);
  if (input == NULL || raw == NULL) {
    dmd_fail(fail, "out of memory");
    free(raw);
    free(input);
    return NULL;
  }
  input->raw = raw;
  input->raw_szB = raw_szB;
  input->text_szB = text_szB;
  return input;
}

static void close_file(FILE *file) {
  if (file != stdin)
    fclose(file);
}

bool dmdv_input_find_graph(int fd, uint64_t *at, uint64_t *szB) {
  unsigned char last[DMD_GRAPHMEMBER_LAST_SZB];
  struct stat st;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof last ||
      pread(fd, last, sizeof last, st.st_size - (off_t)sizeof last) != (ssize_t)sizeof last ||
      !dmd_graphmember_find(last, (uint64_t)st.st_size, at))
    return false;
  *szB = (uint64_t)st.st_size - *at;
  return true;
}

static dmdv_input_t *open_file(FILE *file, dmd_fail_t *fail) {
  if (file == NULL) {
    dmd_fail(fail, "cannot open: %s", strerror(errno));
    return NULL;
  }
  struct stat st = {0};
  if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
    dmd_fail(fail, "cannot read: it is a folder");
    close_file(file);
    return NULL;
  }
  dmdv_input_t *input = new_input(RAW_SZB, TEXT_SZB, fail);
  if (input == NULL) {
    close_file(file);
    return NULL;
  }
  uint64_t at, graph_szB;
  input->file = file;
  input->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
  if (dmdv_input_find_graph(fileno(file), &at, &graph_szB))
    input->total = at;
  return input;
}

dmdv_input_t *dmdv_input_open(const char *name, dmd_fail_t *fail) {
  return open_file(strcmp(name, "-") == 0 ? stdin : fopen(name, "rb"), fail);
}

dmdv_input_t *dmdv_input_open_fd(int fd, dmd_fail_t *fail) {
  FILE *file = fdopen(fd, "rb");
  if (file == NULL)
    close(fd);
  return open_file(file, fail);
}

dmdv_input_t *dmdv_input_open_memory(const void *bytes, size_t n, size_t piece, dmd_fail_t *fail) {
  size_t szB = piece < RAW_SZB ? piece : RAW_SZB;
  dmdv_input_t *input = new_input(n < szB ? n + 1 : szB, szB, fail);
  if (input != NULL) {
    input->bytes = bytes;
    input->n = input->left = n;
  }
  return input;
}

void dmdv_input_close(dmdv_input_t *input) {
  if (input->gzipped)
    inflateEnd(&input->stream);
  if (input->file != NULL)
    close_file(input->file);
  free(input->text);
  free(input->raw);
  free(input);
}

static size_t read_bytes(dmdv_input_t *input, unsigned char *to, size_t n) {
  if (input->file != NULL)
    return fread(to, 1, n, input->file);
  n = input->left < n ? input->left : n;
  if (n > 0) {
    memcpy(to, input->bytes + (input->n - input->left), n);
    input->left -= n;
  }
  return n;
}

/* A graph's next piece; at its end the raw bytes become empty. */
static bool read_piece(dmdv_input_t *input, dmd_fail_t *fail) {
  unsigned char head[DMD_GRAPHMEMBER_HEAD_SZB], tail[DMD_GRAPHMEMBER_TAIL_SZB];
  uint32_t n;
  dmd_graphmember_t member = fread(head, 1, sizeof head, input->file) == sizeof head
                                 ? dmd_graphmember_of(head, &n)
                                 : DMD_GRAPHMEMBER_NONE;
  input->at_end = member == DMD_GRAPHMEMBER_LAST;
  input->stream.next_in = input->raw;
  input->stream.avail_in = 0;
  if (input->at_end)
    return true;
  if (member == DMD_GRAPHMEMBER_NONE || fread(input->raw, 1, n, input->file) != n ||
      fread(tail, 1, sizeof tail, input->file) != sizeof tail || !dmd_graphmember_ends(tail))
    return dmd_fail(fail, "the heap graph in it is damaged");
  input->stream.avail_in = n;
  input->at += sizeof head + n + sizeof tail;
  return true;
}

/* Adds to the raw bytes that inflate takes from; at the end of the file there may be none. */
static bool read_raw(dmdv_input_t *input, dmd_fail_t *fail) {
  if (input->is_graph)
    return read_piece(input, fail);
  size_t left = input->stream.avail_in;
  if (left > 0)
    memmove(input->raw, input->stream.next_in, left);
  size_t n = read_bytes(input, input->raw + left, input->raw_szB - left);
  input->at += n;
  input->stream.next_in = input->raw;
  input->stream.avail_in = (uInt)(left + n);
  input->at_end = left + n < input->raw_szB;
  if (input->file != NULL && ferror(input->file))
    return dmd_fail(fail, "cannot read: %s", strerror(errno));
  return true;
}

/* Passes over the graph, also if it comes through a pipe, since the writer waits for its reader. */
static bool skip_graph(dmdv_input_t *input, dmd_fail_t *fail) {
  uint64_t at, szB;
  bool is_pipe = input->file != NULL && fseek(input->file, 0, SEEK_CUR) != 0;
  while (is_pipe && fread(input->raw, 1, input->raw_szB, input->file) > 0)
    continue;
  input->stream.avail_in = 0;
  input->at_end = true;
  return is_pipe || input->file == NULL || dmdv_input_find_graph(fileno(input->file), &at, &szB) ||
         dmd_fail(fail, "the heap graph at its end is cut off");
}

/* After the end of a gzip member there must be another member or the end of the file. */
static bool start_next_member(dmdv_input_t *input, dmd_fail_t *fail) {
  size_t enough = input->is_graph ? 1 : DMD_GRAPHMEMBER_HEAD_SZB;
  uint32_t szB;
  if (input->stream.avail_in < enough && !input->at_end && !read_raw(input, fail))
    return false;
  if (input->stream.avail_in == 0)
    return true;
  if (!input->is_graph && input->stream.avail_in >= enough &&
      dmd_graphmember_of(input->stream.next_in, &szB) != DMD_GRAPHMEMBER_NONE)
    return skip_graph(input, fail);
  if (input->stream.next_in[0] != 0x1f)
    return dmd_fail(fail, "the gzip data is followed by something that is not gzip");
  inflateReset(&input->stream);
  input->in_member = true;
  return true;
}

static bool inflate_once(dmdv_input_t *input, dmd_fail_t *fail) {
  z_stream *stream = &input->stream;
  if (stream->avail_in == 0 && !input->at_end && !read_raw(input, fail))
    return false;
  if (stream->avail_in == 0)
    return dmd_fail(fail, "the gzip data is cut off");
  int res = inflate(stream, Z_NO_FLUSH);
  if (res == Z_MEM_ERROR)
    return dmd_fail(fail, "out of memory");
  if (res != Z_OK && res != Z_BUF_ERROR && res != Z_STREAM_END)
    return dmd_fail(fail, "the gzip data is damaged: %s",
                    stream->msg != NULL ? stream->msg : "unexpected content");
  input->in_member = res != Z_STREAM_END;
  return true;
}

/* Returns the last bytes of a member before it looks at what follows the member, so that an error
 * there is reported at the right place. */
static bool inflate_some(dmdv_input_t *input, size_t *n, dmd_fail_t *fail) {
  z_stream *stream = &input->stream;
  bool good = true;
  stream->next_out = (Bytef *)input->text;
  stream->avail_out = (uInt)input->text_szB;
  while (good && stream->avail_out == input->text_szB) {
    if (!input->in_member)
      good = start_next_member(input, fail);
    if (!input->in_member)
      break;
    good = inflate_once(input, fail);
  }
  *n = input->text_szB - stream->avail_out;
  return good;
}

/* Reads the first bytes, which show whether the file is gzipped. */
static bool start(dmdv_input_t *input, dmd_fail_t *fail) {
  if (!read_raw(input, fail))
    return false;
  input->started = true;
  if (input->stream.avail_in < 2 || input->raw[0] != 0x1f || input->raw[1] != 0x8b)
    return true;
  input->text = malloc(input->text_szB);
  if (input->text == NULL || inflateInit2(&input->stream, MAX_WBITS + 16 /*gzip only*/) != Z_OK)
    return dmd_fail(fail, "out of memory");
  input->gzipped = true;
  input->in_member = true;
  return true;
}

static bool read_next(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail) {
  *n = 0;
  if (!input->started && !start(input, fail))
    return false;
  if (input->gzipped) {
    *bytes = input->text;
    return inflate_some(input, n, fail);
  }
  if (input->stream.avail_in == 0 && !input->at_end && !read_raw(input, fail))
    return false;
  *bytes = (const char *)input->stream.next_in;
  *n = input->stream.avail_in;
  input->stream.avail_in = 0;
  return true;
}

bool dmdv_input_next(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail) {
  if (!input->is_held)
    return read_next(input, bytes, n, fail);
  input->is_held = false;
  *bytes = input->held;
  *n = input->n_held;
  return true;
}

bool dmdv_input_peek(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail) {
  if (!dmdv_input_next(input, bytes, n, fail))
    return false;
  input->held = *bytes;
  input->n_held = *n;
  input->is_held = true;
  return true;
}

/* ---- Reading it twice. ---- */

static bool copy_all(FILE *from, FILE *to, char *buffer, size_t szB) {
  size_t n;
  while ((n = fread(buffer, 1, szB, from)) > 0)
    if (fwrite(buffer, 1, n, to) != n)
      return false;
  return !ferror(from) && fflush(to) == 0;
}

bool dmdv_input_keep(dmdv_input_t *input, dmd_fail_t *fail) {
  if (input->file == NULL || fseek(input->file, 0, SEEK_CUR) == 0)
    return true;
  FILE *copy = tmpfile();
  if (copy == NULL || !copy_all(input->file, copy, (char *)input->raw, input->raw_szB)) {
    dmd_fail(fail, "cannot copy it to a temporary file, to read it twice: %s", strerror(errno));
    if (copy != NULL)
      fclose(copy);
    return false;
  }
  close_file(input->file);
  input->file = copy;
  input->total = (uint64_t)ftell(copy);
  return dmdv_input_rewind(input, fail);
}

bool dmdv_input_for_graph(dmdv_input_t *input, dmd_fail_t *fail) {
  uint64_t at, szB;
  if (!dmdv_input_keep(input, fail))
    return false;
  input->is_graph = input->file != NULL && dmdv_input_find_graph(fileno(input->file), &at, &szB);
  if (input->is_graph) {
    input->graph_at = at;
    input->total = szB;
  }
  return dmdv_input_rewind(input, fail);
}

bool dmdv_input_rewind(dmdv_input_t *input, dmd_fail_t *fail) {
  if (input->file != NULL && fseeko(input->file, (off_t)input->graph_at, SEEK_SET) != 0)
    return dmd_fail(fail, "cannot read it again: %s", strerror(errno));
  if (input->gzipped)
    inflateEnd(&input->stream);
  free(input->text);
  input->text = NULL;
  input->stream = (z_stream){0};
  input->left = input->n;
  input->at = 0;
  input->started = input->gzipped = input->in_member = input->at_end = input->is_held = false;
  return true;
}

bool dmdv_input_has_graph(const char *name) {
  uint64_t at, szB;
  int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool has_graph = fd >= 0 && dmdv_input_find_graph(fd, &at, &szB);
  if (fd >= 0)
    close(fd);
  return has_graph;
}

uint64_t dmdv_input_at(const dmdv_input_t *input) {
  return input->at;
}

uint64_t dmdv_input_total(const dmdv_input_t *input) {
  return input->total;
}
