/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_files.h: what the engine's host knows of files beyond posix/files.h, without anything that
 * allocates.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_PRELOAD_PL_FILES_H
#define DMD_PRELOAD_PL_FILES_H

#include "base/outfile.h"

#include <stdbool.h>
#include <stddef.h>

/* Those of posix/files.h, but that no signal comes of writing (pl_write.h). */
extern const dmd_files_t pl_files;

const char *pl_file_error(void *ctx, int error);
bool pl_file_is_stream(void *ctx, const char *name);
void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n);

#endif
