/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_outfile.h: a file that appears under its name only when it is complete.
 *
 * Regular files are written under a temporary name beside the final one and renamed at the end, so
 * that a failure leaves neither half a file nor a lost older one. Anything else that exists under
 * the name (a pipe, /dev/null, a terminal, a link) is written to directly.
 */
#ifndef DMD_TOOL_DM_OUTFILE_H
#define DMD_TOOL_DM_OUTFILE_H

#include "pub_tool_basics.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct dm_outfile {
  HChar *name;      /* final */
  HChar *temporary; /* NULL: written to directly */
  Int fd;
  ULong written_szB;
  UInt error; /* of the first failure, an errno; 0: none so far */
} dm_outfile_t;

/* Whether the name is that of something that can take one profile after the other: a pipe, a
 * device, or anything else under /dev or /proc. */
Bool dm_outfile_is_device(const HChar *name);

/* Opens a file for writing. False when that fails; nothing is left to close then. The name is
 * copied. */
Bool dm_outfile_open(dm_outfile_t *file, const HChar *name);

/* A dmd_write_fn; ctx is a dm_outfile_t. */
bool dm_outfile_write(void *ctx, const char *bytes, size_t n);

/* Closes the file and gives it its name, or takes it away if anything failed. True when all of it
 * is written; file->error and file->name stay readable until dm_outfile_destroy. */
Bool dm_outfile_close(dm_outfile_t *file);
void dm_outfile_destroy(dm_outfile_t *file);

/* What an errno means, in words where it is one that a user can do something about. */
const HChar *dm_error_text(UInt error);

#endif
