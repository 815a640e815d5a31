/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { RAW_SZB = 64 * 1024, TEXT_SZB = 256 * 1024 };

struct dmdv_input {
  FILE *file; /* NULL: memory, */
  const unsigned char *bytes;
  size_t left;              /* of which this much */
  size_t raw_szB, text_szB; /* how much of the buffers is used */
  bool started;
  bool gzipped;
  bool in_member; /* between the start of a gzip member and its end */
  bool at_end;    /* of the file */
  z_stream stream;
  unsigned char raw[RAW_SZB];
  char text[TEXT_SZB];
};

static dmdv_input_t *new_input(dmdv_fail_t *fail) {
  dmdv_input_t *input = malloc(sizeof *input);
  if (input != NULL) {
    /* All but the large buffers. */
    memset(input, 0, offsetof(dmdv_input_t, raw));
    input->raw_szB = RAW_SZB;
    input->text_szB = TEXT_SZB;
    if (inflateInit2(&input->stream, MAX_WBITS + 16 /*gzip only*/) == Z_OK)
      return input;
  }
  dmdv_fail(fail, "out of memory");
  free(input);
  return NULL;
}

dmdv_input_t *dmdv_input_open(const char *name, dmdv_fail_t *fail) {
  bool is_stdin = strcmp(name, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(name, "rb");
  if (file == NULL) {
    dmdv_fail(fail, "cannot open: %s", strerror(errno));
    return NULL;
  }
  struct stat st;
  if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
    dmdv_fail(fail, "cannot read: it is a folder");
    if (!is_stdin)
      fclose(file);
    return NULL;
  }
  dmdv_input_t *input = new_input(fail);
  if (input == NULL) {
    if (!is_stdin)
      fclose(file);
    return NULL;
  }
  input->file = file;
  return input;
}

dmdv_input_t *dmdv_input_open_memory(const void *bytes, size_t n, size_t piece, dmdv_fail_t *fail) {
  dmdv_input_t *input = new_input(fail);
  if (input != NULL) {
    input->bytes = bytes;
    input->left = n;
    input->raw_szB = piece < RAW_SZB ? piece : RAW_SZB;
    input->text_szB = input->raw_szB;
  }
  return input;
}

void dmdv_input_close(dmdv_input_t *input) {
  inflateEnd(&input->stream);
  if (input->file != NULL && input->file != stdin)
    fclose(input->file);
  free(input);
}

static size_t read_memory(dmdv_input_t *input) {
  size_t n = input->left < input->raw_szB ? input->left : input->raw_szB;
  if (n > 0) {
    memcpy(input->raw, input->bytes, n);
    input->bytes += n;
    input->left -= n;
  }
  return n;
}

/* Refills the raw bytes that inflate takes from; at the end of the file there are none. */
static bool read_raw(dmdv_input_t *input, dmdv_fail_t *fail) {
  bool is_file = input->file != NULL;
  size_t n = is_file ? fread(input->raw, 1, input->raw_szB, input->file) : read_memory(input);
  input->stream.next_in = input->raw;
  input->stream.avail_in = (uInt)n;
  input->at_end = n < input->raw_szB;
  if (is_file && ferror(input->file))
    return dmdv_fail(fail, "cannot read: %s", strerror(errno));
  return true;
}

/* What follows the end of a gzip member: another one, or nothing; anything else is not ours. */
static bool start_next_member(dmdv_input_t *input, dmdv_fail_t *fail) {
  if (input->stream.avail_in == 0 && !input->at_end && !read_raw(input, fail))
    return false;
  if (input->stream.avail_in == 0)
    return true;
  if (input->stream.next_in[0] != 0x1f)
    return dmdv_fail(fail, "the gzip data is followed by something that is not gzip");
  inflateReset(&input->stream);
  input->in_member = true;
  return true;
}

static bool inflate_some(dmdv_input_t *input, size_t *n, dmdv_fail_t *fail) {
  z_stream *stream = &input->stream;
  stream->next_out = (Bytef *)input->text;
  stream->avail_out = (uInt)input->text_szB;
  while (input->in_member && stream->avail_out == input->text_szB) {
    if (stream->avail_in == 0) {
      if (!input->at_end && !read_raw(input, fail))
        return false;
      if (stream->avail_in == 0)
        return dmdv_fail(fail, "the gzip data is cut off");
    }
    int res = inflate(stream, Z_NO_FLUSH);
    if (res == Z_STREAM_END) {
      input->in_member = false;
      if (!start_next_member(input, fail))
        return false;
    } else if (res == Z_MEM_ERROR) {
      return dmdv_fail(fail, "out of memory");
    } else if (res != Z_OK && res != Z_BUF_ERROR) {
      return dmdv_fail(fail, "the gzip data is damaged: %s",
                       stream->msg != NULL ? stream->msg : "unexpected content");
    }
  }
  *n = input->text_szB - stream->avail_out;
  return true;
}

bool dmdv_input_next(dmdv_input_t *input, const char **bytes, size_t *n, dmdv_fail_t *fail) {
  *n = 0;
  if (!input->started) {
    if (!read_raw(input, fail))
      return false;
    input->started = true;
    input->gzipped = input->stream.avail_in >= 2 && input->raw[0] == 0x1f && input->raw[1] == 0x8b;
    input->in_member = input->gzipped;
  }
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
