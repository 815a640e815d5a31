/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * outfile.h: a file that a command writes, plain or gzipped.
 *
 * A regular file is written under a temporary name beside the final one and gets its name at the
 * end, so that a failure leaves neither half a file nor a lost older one. Anything else that exists
 * under the name (a pipe, a device, a link) and standard output are written to directly. Gzipped
 * output is one member without a name or time, so that equal input makes equal files.
 */
#ifndef DMD_READER_HOST_OUTFILE_H
#define DMD_READER_HOST_OUTFILE_H

#include "base/out.h"
#include "zip/gzip.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct dmdv_outfile dmdv_outfile_t;

/* How dmdv compresses all that it writes. */
extern const dmd_gzip_way_t dmdv_gzip_way;

/* Opens the file with this name, or standard output where that is NULL. NULL, with one line on
 * stderr, when it cannot be written. The name stays the caller's. */
dmdv_outfile_t *dmdv_outfile_open(const char *name, bool gzip);

/* A dmd_write_fn; ctx is a dmdv_outfile_t. */
bool dmdv_outfile_write(void *ctx, const char *bytes, size_t n);

/* Closes the file, and with keep gives it its name; otherwise takes it away. False, with one line
 * on stderr, when it was to be kept and anything could not be written. */
bool dmdv_outfile_close(dmdv_outfile_t *file, bool keep);

/* Lets print write text to the file with this name, which is never gzipped, or to standard output:
 * there through a pager, if the user wants one, which has ended when this returns. False, with one
 * line on stderr, when it cannot be written; where it cannot be opened, print is not called. */
bool dmdv_outfile_print(const char *name, bool wants_pager,
                        void (*print)(void *ctx, dmd_out_t *out), void *ctx);

/* Whether files of this name are gzipped: it ends in .gz. NULL, standard output, does not. */
bool dmdv_outfile_is_gzip(const char *name);

#endif
