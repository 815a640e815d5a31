/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preload/pl_gzip.h"

#include "base/mem.h"
#include "base/noise.h"
#include "preload/pl_memory.h"

#include <zlib.h>

enum {
  LEVEL = 1, /* profiles are very repetitive, and a dump holds up the program */
  /* Of noise, such as where pointers lead: zlib spends ten times as long on it as on other bytes,
   * for nothing. */
  LEVEL_OF_NOISE = 0,
  JUDGED_FROM_SZB = 8 * 1024, /* what is handed over in smaller pieces is not judged: a profile */
  GZIP_WRAPPER = 16,          /* added to the window bits: a gzip header and trailer */
  OUT_SZB = 32 * 1024
};

typedef struct {
  z_stream stream;
  dmd_write_fn write;
  void *to;
  bool failed;
  int level;
  Bytef out[OUT_SZB];
} gzip_t;

/* zlib reads some of its memory before it has written there. */
static voidpf zlib_alloc(voidpf opaque, uInt items, uInt szB) {
  (void)opaque;
  size_t all_szB = (size_t)items * szB;
  void *p = dmd_env_alloc(&g_env, "pl.gzip.zlib", all_szB);
  dmd_mem_zero(p, all_szB);
  return p;
}

static void zlib_free(voidpf opaque, voidpf p) {
  (void)opaque;
  dmd_env_free(&g_env, p);
}

void *pl_gzip_open(void *ctx, dmd_write_fn write, void *to) {
  (void)ctx;
  gzip_t *gzip = dmd_env_alloc(&g_env, "pl.gzip", sizeof *gzip);
  dmd_mem_zero(gzip, sizeof *gzip);
  gzip->write = write;
  gzip->to = to;
  gzip->level = LEVEL;
  gzip->stream.zalloc = zlib_alloc;
  gzip->stream.zfree = zlib_free;
  if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER,
                   8 /*memLevel: the default*/, Z_DEFAULT_STRATEGY) != Z_OK)
    g_env.panic(g_env.ctx, "zlib could not begin");
  return gzip;
}

static void empty_out(gzip_t *gzip) {
  gzip->stream.next_out = gzip->out;
  gzip->stream.avail_out = OUT_SZB;
}

static void write_out(gzip_t *gzip) {
  size_t n = OUT_SZB - gzip->stream.avail_out;
  if (n > 0 && !gzip->failed)
    gzip->failed = !gzip->write(gzip->to, (const char *)gzip->out, n);
}

/* Compresses the stream's input, and with Z_FINISH or Z_BLOCK all that is left. */
static void pump(gzip_t *gzip, int flush) {
  int result;
  do {
    empty_out(gzip);
    result = deflate(&gzip->stream, flush);
    write_out(gzip);
  } while (gzip->stream.avail_out == 0 && result != Z_STREAM_END);
}

/* What went in so far is compressed as before, what follows at this level. */
static void set_level(gzip_t *gzip, int level) {
  if (gzip->level == level)
    return;
  gzip->stream.avail_in = 0;
  pump(gzip, Z_BLOCK);
  empty_out(gzip);
  if (deflateParams(&gzip->stream, level, Z_DEFAULT_STRATEGY) == Z_OK)
    gzip->level = level;
  write_out(gzip);
}

/* zlib counts with 32 bits. */
bool pl_gzip_write(void *compressor, const char *bytes, size_t n) {
  enum { AT_ONCE = 1 << 30 };
  gzip_t *gzip = compressor;
  set_level(gzip, n >= JUDGED_FROM_SZB && dmd_is_noise(bytes, n) ? LEVEL_OF_NOISE : LEVEL);
  while (n > 0 && !gzip->failed) {
    size_t part = n < AT_ONCE ? n : AT_ONCE;
    gzip->stream.next_in = (Bytef *)bytes;
    gzip->stream.avail_in = (uInt)part;
    pump(gzip, Z_NO_FLUSH);
    bytes += part;
    n -= part;
  }
  return !gzip->failed;
}

void pl_gzip_close(void *compressor) {
  gzip_t *gzip = compressor;
  gzip->stream.avail_in = 0;
  pump(gzip, Z_FINISH);
  deflateEnd(&gzip->stream);
  dmd_env_free(&g_env, gzip);
}
