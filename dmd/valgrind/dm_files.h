/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_files.h: file functions without a libc, for dmd_engine_host_t.
 */
#ifndef DMD_VALGRIND_DM_FILES_H
#define DMD_VALGRIND_DM_FILES_H

#include "pub_tool_basics.h"

#include "base/files.h"

extern const dmd_files_t dm_files;

/* Saves the umask before the program runs and can change it. */
void dm_files_start(void);

uint64_t dm_pid(void *ctx);

const char *dm_file_error(void *ctx, int error);
bool dm_file_is_stream(void *ctx, const char *name);
void dm_file_append(void *ctx, const char *name, const char *bytes, size_t n);

#endif
