/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_gzip.h: compresses bytes on their way to a write function, as one gzip member, with a zlib of
 * our own: the program may have another.
 *
 * Its memory is the engine's. Concurrency: one thread for each compressor.
 */
#ifndef DMD_PRELOAD_PL_GZIP_H
#define DMD_PRELOAD_PL_GZIP_H

#include "base/out.h"

/* As engine/host.h has them. */
void *pl_gzip_open(void *ctx, dmd_write_fn write, void *to);
bool pl_gzip_write(void *compressor, const char *bytes, size_t n);
void pl_gzip_close(void *compressor);

#endif
