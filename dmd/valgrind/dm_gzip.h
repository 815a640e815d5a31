/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_gzip.h: compression (base/zip/gzip.h), for dmd_engine_host_t, and what zlib needs to run in a
 * tool.
 *
 * If configure found that zlib cannot be linked into the tool, DM_GZIP_AVAILABLE is 0 and the rest
 * is not defined.
 */
#ifndef DMD_VALGRIND_DM_GZIP_H
#define DMD_VALGRIND_DM_GZIP_H

#include "pub_tool_basics.h"

#include "base/out.h"
#include "dmd-config.h"

#if DMD_HAVE_ZLIB
#define DM_GZIP_AVAILABLE 1
#else
#define DM_GZIP_AVAILABLE 0
#endif

void *dm_gzip_open(void *ctx, dmd_write_fn write, void *to);
void dm_gzip_close(void *compressor);

#endif
