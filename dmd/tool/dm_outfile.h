/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_outfile.h: a file that appears under its name only when it is complete, for dmd_engine_host_t:
 * see there. One is open at a time.
 *
 * Regular files are written under a temporary name beside the final one and renamed at the end, so
 * that a failure leaves neither half a file nor a lost older one. Anything else that exists under
 * the name (a pipe, /dev/null, a terminal, a link) is written to directly.
 */
#ifndef DMD_TOOL_DM_OUTFILE_H
#define DMD_TOOL_DM_OUTFILE_H

#include "pub_tool_basics.h"

#include "base/strbuf.h"

/* Whether the name is that of something that can take one profile after the other: a pipe, a
 * device, or anything else under /dev or /proc. */
bool dm_outfile_is_device(void *ctx, const char *name);

/* Opens a file for writing; what goes wrong is told at the end. The name is copied. */
void dm_outfile_open(void *ctx, const char *name, bool compressed);

/* False once anything has failed. */
bool dm_outfile_write(void *ctx, const char *bytes, size_t n);

/* Closes the file and gives it its name, or takes it away if anything failed. True when all of it
 * is written; else adds to why what the first failure was. */
bool dm_outfile_close(void *ctx, dmd_strbuf_t *why);

/* Appends to a file that is there, in one piece; silently does not where it cannot. */
void dm_outfile_append(void *ctx, const char *name, const char *bytes, size_t n);

#endif
