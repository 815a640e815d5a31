/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * files.h: the system's files as what base/outfile.h asks for, of hosts with a libc. Nothing
 * allocates.
 */
#ifndef DMD_POSIX_FILES_H
#define DMD_POSIX_FILES_H

#include "base/outfile.h"

extern const dmd_files_t dmd_posix_files;

/* Its functions, for a host that has some of its own. */
bool dmd_posix_is_special(void *ctx, const char *name);
int dmd_posix_open(void *ctx, const char *name, bool exclusive, int *fd);
int dmd_posix_write(void *ctx, int fd, const char *bytes, size_t n, size_t *written);
int dmd_posix_close(void *ctx, int fd);
int dmd_posix_rename(void *ctx, const char *from, const char *to);
void dmd_posix_unlink(void *ctx, const char *name);
uint64_t dmd_posix_pid(void *ctx);

#endif
