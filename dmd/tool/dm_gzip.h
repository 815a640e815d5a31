/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_gzip.h: compresses what passes through, as one gzip member.
 *
 * Where configure found that zlib cannot be linked into the tool, DM_GZIP_AVAILABLE is 0, and the
 * rest is not there.
 */
#ifndef DMD_TOOL_DM_GZIP_H
#define DMD_TOOL_DM_GZIP_H

#include "pub_tool_basics.h"

#include "base/out.h"
#include "dmd-config.h"

#if DMD_HAVE_ZLIB
#define DM_GZIP_AVAILABLE 1
#else
#define DM_GZIP_AVAILABLE 0
#endif

typedef struct dm_gzip dm_gzip_t;

/* A compressor whose output goes to write(ctx, ...). */
dm_gzip_t *dm_gzip_open(dmd_write_fn write, void *ctx);

/* A dmd_write_fn; ctx is a dm_gzip_t. */
bool dm_gzip_write(void *ctx, const char *bytes, size_t n);

/* Writes what is left and the trailer, and destroys the compressor. False when anything failed. */
Bool dm_gzip_close(dm_gzip_t *gzip);

#endif
