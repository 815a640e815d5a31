/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_files.h: the engine host's file functions beyond those of base/posix/posixfiles.h. None of
 * them allocates.
 *
 * Concurrency: under the engine lock.
 */
#ifndef DMD_NATIVE_PL_FILES_H
#define DMD_NATIVE_PL_FILES_H

#include "base/files.h"

#include <stdbool.h>
#include <stddef.h>

/* As base/posix/posixfiles.h, with two differences: writing raises no signal (pl_kernel.h), and
 * mode is what both the umask at the program's start and the current umask permit. */
extern const dmd_files_t pl_files;

/* Saves the umask before the program can change it. */
void pl_files_start(void);

const char *pl_file_error(void *ctx, int error);
bool pl_file_is_stream(void *ctx, const char *name);
void pl_file_append(void *ctx, const char *name, const char *bytes, size_t n);

#endif
