/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * zlib.c: streams that compress and decompress, in all kinds of states, and all that they own.
 */
#include "measures.h" /* and all headers of zlib's, of which some may be included only once */
#include "objects.h"

int is_inflating_by_hand(const void *state) {
  return ((const struct inflate_state *)state)->mode >= HEAD;
}

enum { N = 20, TEXT = 100000 };

static unsigned char text[TEXT], packed[2 * TEXT];

/* Compresses the text, with more to come, and returns how long the result is so far. */
static size_t compress_some(z_stream *stream, int i) {
  deflateInit2(stream, 1 + i % 9, Z_DEFLATED, 9 + i % 7, 1 + i % 9, i % 5);
  stream->next_in = text;
  stream->avail_in = (uInt)(i * TEXT / N);
  stream->next_out = packed;
  stream->avail_out = sizeof packed;
  deflate(stream, Z_SYNC_FLUSH);
  return sizeof packed - stream->avail_out;
}
static void decompress_some(z_stream *stream, int i, size_t n) {
  static unsigned char out[TEXT];
  inflateInit2(stream, 9 + i % 7);
  stream->next_in = packed;
  stream->avail_in = (uInt)(n - n / 10);
  stream->next_out = out;
  stream->avail_out = sizeof out;
  inflate(stream, Z_SYNC_FLUSH);
}

static z_stream *deflating[N], *inflating[N];

int main(void) {
  objects_t objects = {NULL, 0, 0};
  for (unsigned i = 0; i < TEXT; i++)
    text[i] = (unsigned char)(i * i >> i % 7);
  for (int i = 0; i < N; i++) {
    deflating[i] = calloc(1, sizeof *deflating[i]);
    inflating[i] = calloc(1, sizeof *inflating[i]);
    decompress_some(inflating[i], i, compress_some(deflating[i], i));
  }
  objects_begin(&objects);
  for (int i = 0; i < N; i++) {
    OBJECT(&objects, "deflate", deflating[i], z_stream_s_size_of_including(deflating[i]));
    OBJECT(&objects, "inflate", inflating[i], z_stream_s_size_of_including(inflating[i]));
  }
  objects_end(&objects);
  return 0;
}
