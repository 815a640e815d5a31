/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_libcnames.h: glibc's allocation functions under their internal names, __libc_malloc and so on.
 *
 * Programs that wrap the C library's malloc in their own call these. They are recorded if the
 * program's allocator is the C library's. If another allocator is built on them, that allocator is
 * recorded instead and its calls here pass through unrecorded.
 *
 * Concurrency: as pl_malloc.h.
 */
#ifndef DMD_NATIVE_PL_LIBCNAMES_H
#define DMD_NATIVE_PL_LIBCNAMES_H

/* Starts to record calls of them. */
void pl_libcnames_watch(void);

#endif
