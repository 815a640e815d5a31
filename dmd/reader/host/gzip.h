/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gzip.h: compresses bytes on their way to a write function.
 *
 * One member without a name or time, so that equal input makes equal output.
 */
#ifndef DMD_READER_HOST_GZIP_H
#define DMD_READER_HOST_GZIP_H

#include "base/out.h"

typedef struct dmdv_gzip dmdv_gzip_t;

dmdv_gzip_t *dmdv_gzip_begin(dmd_write_fn write, void *ctx);

/* A dmd_write_fn; ctx is a dmdv_gzip_t. */
bool dmdv_gzip_write(void *ctx, const char *bytes, size_t n);

/* keep: writes the rest; otherwise it is dropped. False when any write failed. */
bool dmdv_gzip_end(dmdv_gzip_t *gzip, bool keep);

#endif
