/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_files.h: files through Valgrind's system calls, for dmd_engine_host_t: see there.
 */
#ifndef DMD_TOOL_DM_FILES_H
#define DMD_TOOL_DM_FILES_H

#include "pub_tool_basics.h"

#include "base/outfile.h"

extern const dmd_files_t dm_files;

uint64_t dm_pid(void *ctx);

const char *dm_file_error(void *ctx, int error);
bool dm_file_is_stream(void *ctx, const char *name);
void dm_file_append(void *ctx, const char *name, const char *bytes, size_t n);

#endif
