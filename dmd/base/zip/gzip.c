/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/zip/gzip.h"

#include <stdint.h>
#include <zlib.h>

#include "base/mem.h"

/* The sample: N_RUNS runs of neighbouring bytes, spread over the input. */
enum { N_RUNS = 4, RUN_SZB = 256, SAMPLE_SZB = N_RUNS * RUN_SZB };

/* Thresholds for incompressible bytes: fewer than one in PAIRS pairs of bytes is equal, so that
 * each byte has at least six bits of information; and fewer than one in PLACES places repeats
 * REPEAT_SZB bytes that occurred before. */
enum { PAIRS = 64, PLACES = 10, REPEAT_SZB = 5, HASH_BITS = 10 };

static void take_sample(unsigned char sample[SAMPLE_SZB], const char *bytes, size_t n) {
  size_t gap = (n - SAMPLE_SZB) / N_RUNS;
  for (size_t run = 0; run < N_RUNS; run++)
    dmd_mem_copy(sample + run * RUN_SZB, bytes + run * (RUN_SZB + gap) + gap / 2, RUN_SZB);
}

static bool is_even(const unsigned char sample[SAMPLE_SZB]) {
  uint32_t counts[UINT8_MAX + 1] = {0}, n_equal = 0;
  for (size_t i = 0; i < SAMPLE_SZB; i++)
    n_equal += counts[sample[i]]++;
  return (uint64_t)n_equal * PAIRS < (uint64_t)SAMPLE_SZB * (SAMPLE_SZB - 1) / 2;
}

/* Remembers only the last place of each hash. */
static bool repeats(const unsigned char sample[SAMPLE_SZB]) {
  uint16_t last[1 << HASH_BITS] = {0}; /* place + 1, by hash */
  uint32_t n_repeats = 0;
  for (uint32_t i = 0; i + REPEAT_SZB <= SAMPLE_SZB; i++) {
    uint64_t here = 0, there = 0;
    dmd_mem_copy(&here, sample + i, REPEAT_SZB);
    uint16_t *before = &last[here * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS)];
    if (*before != 0) {
      dmd_mem_copy(&there, sample + *before - 1, REPEAT_SZB);
      n_repeats += here == there;
    }
    *before = (uint16_t)(i + 1);
  }
  return n_repeats * PLACES >= SAMPLE_SZB;
}

bool dmd_is_incompressible(const char *bytes, size_t n) {
  unsigned char sample[SAMPLE_SZB];
  if (n < SAMPLE_SZB)
    return false;
  take_sample(sample, bytes, n);
  return is_even(sample) && !repeats(sample);
}

enum {
  /* The level for incompressible data, such as random pointers: zlib would spend ten times as long
   * on it as on other bytes, without effect. */
  LEVEL_OF_NOISE = 0,
  JUDGED_FROM_SZB = 8 * 1024, /* smaller pieces are not checked: they are parts of a profile */
  GZIP_WRAPPER = 16,          /* added to the window bits: a gzip header and trailer */
  AT_ONCE = 1 << 30,          /* zlib counts with 32 bits */
  OUT_SZB = 32 * 1024
};

struct dmd_gzip {
  const dmd_gzip_way_t *way;
  z_stream stream;
  dmd_write_fn write;
  void *to;
  bool failed;
  int level;
  Bytef out[OUT_SZB];
};

static uintptr_t enter(const dmd_gzip_way_t *way) {
  return way->enter == NULL ? 0 : way->enter();
}

static void leave(const dmd_gzip_way_t *way, uintptr_t entered) {
  if (way->leave != NULL)
    way->leave(entered);
}

/* Zeroed, since zlib reads some of its memory before it has written there. */
static voidpf zlib_alloc(voidpf opaque, uInt items, uInt szB) {
  const dmd_env_t *env = opaque;
  size_t all_szB = (size_t)items * szB;
  void *p = dmd_env_alloc(env, "gzip.zlib", all_szB);
  dmd_mem_zero(p, all_szB);
  return p;
}

static void zlib_free(voidpf opaque, voidpf p) {
  dmd_env_free(opaque, p);
}

/* Cannot fail: memory is never short here, and the parameters are constants. */
dmd_gzip_t *dmd_gzip_open(const dmd_gzip_way_t *way, dmd_write_fn write, void *to) {
  dmd_gzip_t *gzip = dmd_env_alloc(way->env, "gzip", sizeof *gzip);
  dmd_mem_zero(gzip, sizeof *gzip);
  gzip->way = way;
  gzip->write = write;
  gzip->to = to;
  gzip->level = way->level;
  gzip->stream.zalloc = zlib_alloc;
  gzip->stream.zfree = zlib_free;
  gzip->stream.opaque = (voidpf)way->env;
  uintptr_t entered = enter(way);
  int result = deflateInit2(&gzip->stream, way->level, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER,
                            8 /*memLevel: the default*/, Z_DEFAULT_STRATEGY);
  leave(way, entered);
  if (result != Z_OK)
    way->env->panic(way->env->ctx, "zlib could not begin");
  return gzip;
}

static void empty_out(dmd_gzip_t *gzip) {
  gzip->stream.next_out = gzip->out;
  gzip->stream.avail_out = OUT_SZB;
}

static void write_out(dmd_gzip_t *gzip) {
  size_t n = OUT_SZB - gzip->stream.avail_out;
  if (n > 0 && !gzip->failed)
    gzip->failed = !gzip->write(gzip->to, (const char *)gzip->out, n);
}

/* Compresses the stream's input, and with Z_FINISH or Z_BLOCK everything buffered as well. */
static void pump(dmd_gzip_t *gzip, int flush) {
  int result;
  do {
    empty_out(gzip);
    uintptr_t entered = enter(gzip->way);
    result = deflate(&gzip->stream, flush);
    leave(gzip->way, entered);
    write_out(gzip);
  } while (gzip->stream.avail_out == 0 && result != Z_STREAM_END);
}

/* Changes the level for the input that follows. */
static void set_level(dmd_gzip_t *gzip, int level) {
  if (gzip->level == level)
    return;
  gzip->stream.avail_in = 0;
  pump(gzip, Z_BLOCK);
  empty_out(gzip);
  uintptr_t entered = enter(gzip->way);
  int result = deflateParams(&gzip->stream, level, Z_DEFAULT_STRATEGY);
  leave(gzip->way, entered);
  if (result == Z_OK)
    gzip->level = level;
  write_out(gzip);
}

static bool is_stored(const dmd_gzip_t *gzip, const char *bytes, size_t n) {
  return gzip->way->stores_noise && n >= JUDGED_FROM_SZB && dmd_is_incompressible(bytes, n);
}

bool dmd_gzip_write(void *ctx, const char *bytes, size_t n) {
  dmd_gzip_t *gzip = ctx;
  set_level(gzip, is_stored(gzip, bytes, n) ? LEVEL_OF_NOISE : gzip->way->level);
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

bool dmd_gzip_close(dmd_gzip_t *gzip, bool keep) {
  const dmd_gzip_way_t *way = gzip->way;
  gzip->stream.avail_in = 0;
  if (keep)
    pump(gzip, Z_FINISH);
  uintptr_t entered = enter(way);
  deflateEnd(&gzip->stream);
  leave(way, entered);
  bool good = !gzip->failed;
  dmd_env_free(way->env, gzip);
  return good;
}
