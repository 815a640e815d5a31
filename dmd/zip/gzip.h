/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gzip.h: compresses bytes on their way to a write function, as one gzip member, with zlib.
 *
 * The member has no name or time, so that equal input makes equal output.
 *
 * Concurrency: one thread for each compressor.
 */
#ifndef DMD_ZIP_GZIP_H
#define DMD_ZIP_GZIP_H

#include "base/env.h"
#include "base/out.h"

#include <stdbool.h>
#include <stdint.h>

/* How to compress. A compressor keeps the pointer to it. */
typedef struct dmd_gzip_way {
  const dmd_env_t *env; /* zlib's memory, too, is from there */
  int level;            /* zlib's: 0 to 9, or Z_DEFAULT_COMPRESSION */
  /* Large pieces that would not become smaller (base/noise.h) are stored as they are: each that is
   * handed over is judged by itself. */
  bool stores_noise;
  /* Called around each call into zlib, where the host needs that; leave gets what enter returned.
   * NULL: nothing. */
  uintptr_t (*enter)(void);
  void (*leave)(uintptr_t entered);
} dmd_gzip_way_t;

typedef struct dmd_gzip dmd_gzip_t;

/* What is compressed goes to write(to, ...). Never NULL. */
dmd_gzip_t *dmd_gzip_open(const dmd_gzip_way_t *way, dmd_write_fn write, void *to);

/* A dmd_write_fn, whose ctx is the compressor. False once write failed. */
bool dmd_gzip_write(void *gzip, const char *bytes, size_t n);

/* Destroys the compressor. keep: writes the rest before; otherwise it is dropped. False when any
 * write failed. */
bool dmd_gzip_close(dmd_gzip_t *gzip, bool keep);

#endif
