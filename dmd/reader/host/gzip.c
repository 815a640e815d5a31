/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/gzip.h"

#include "reader/host/host.h"

#include <string.h>
#include <zlib.h>

enum { BUFFER = 64 * 1024, GZIP_WINDOW = 15 + 16 /* zlib's way to say gzip */ };

struct dmdv_gzip {
  z_stream z;
  dmd_write_fn write;
  void *ctx;
  bool failed;
  unsigned char buffer[BUFFER]; /* of what deflate makes */
};

dmdv_gzip_t *dmdv_gzip_begin(dmd_write_fn write, void *ctx) {
  dmdv_gzip_t *gzip = dmd_env_alloc(&dmdv_env, "dmdv.gzip", sizeof *gzip);
  memset(gzip, 0, sizeof *gzip);
  gzip->write = write;
  gzip->ctx = ctx;
  if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    dmdv_env.panic(dmdv_env.ctx, "out of memory: zlib could not begin");
  return gzip;
}

/* Compresses what z.next_in holds; flush is Z_FINISH at the end. */
static void deflate_all(dmdv_gzip_t *gzip, int flush) {
  do {
    gzip->z.next_out = gzip->buffer;
    gzip->z.avail_out = BUFFER;
    deflate(&gzip->z, flush);
    size_t n = BUFFER - gzip->z.avail_out;
    gzip->failed |= n > 0 && !gzip->write(gzip->ctx, (const char *)gzip->buffer, n);
  } while (gzip->z.avail_out == 0);
}

bool dmdv_gzip_write(void *ctx, const char *bytes, size_t n) {
  dmdv_gzip_t *gzip = ctx;
  while (n > 0 && !gzip->failed) {
    /* zlib counts with 32 bits. */
    uInt part = n < 1u << 30 ? (uInt)n : 1u << 30;
    gzip->z.next_in = (Bytef *)bytes;
    gzip->z.avail_in = part;
    deflate_all(gzip, Z_NO_FLUSH);
    bytes += part;
    n -= part;
  }
  return !gzip->failed;
}

bool dmdv_gzip_end(dmdv_gzip_t *gzip, bool keep) {
  gzip->z.avail_in = 0;
  if (keep)
    deflate_all(gzip, Z_FINISH);
  deflateEnd(&gzip->z);
  bool good = !gzip->failed;
  dmd_env_free(&dmdv_env, gzip);
  return good;
}
