/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gzip.h: compresses bytes on their way to a write function, as one gzip member, with zlib.
 *
 * The member has no name or time, so that equal input gives equal output.
 *
 * Concurrency: one thread for each compressor.
 */
#ifndef DMD_BASE_ZIP_GZIP_H
#define DMD_BASE_ZIP_GZIP_H

#include "base/env.h"
#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Detects incompressible bytes, on which compression would waste time.
 *
 * Decides by a sample of 1 KiB, in two microseconds: bytes are incompressible if hardly any byte
 * value is more frequent than others, and hardly any five bytes repeat. Repetitions at a distance
 * larger than the sample are not seen. */

/* False for fewer bytes than the sample. */
bool dmd_is_incompressible(const char *bytes, size_t n);

/* ---- The compressor. ---- */

/* How to compress. The compressor keeps this pointer. */
typedef struct dmd_gzip_way {
  const dmd_env_t *env; /* also provides zlib's memory */
  int level;            /* zlib's: 0 to 9, or Z_DEFAULT_COMPRESSION */
  /* Whether to store large incompressible pieces uncompressed. Each piece
   * passed in is judged by itself. */
  bool stores_noise;
  /* Called around each call into zlib if the host needs that; leave gets enter's result. NULL: not
   * called. */
  uintptr_t (*enter)(void);
  void (*leave)(uintptr_t entered);
} dmd_gzip_way_t;

typedef struct dmd_gzip dmd_gzip_t;

/* The compressed bytes go to write(to, ...). Never returns NULL. */
dmd_gzip_t *dmd_gzip_open(const dmd_gzip_way_t *way, dmd_write_fn write, void *to);

/* A dmd_write_fn, whose ctx is the compressor. Returns false once write has failed. */
bool dmd_gzip_write(void *gzip, const char *bytes, size_t n);

/* Destroys the compressor. keep: first writes the rest; otherwise drops it. Returns false if any
 * write failed. */
bool dmd_gzip_close(dmd_gzip_t *gzip, bool keep);

#endif
