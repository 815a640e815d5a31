/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_libcnames.h: glibc's allocation functions under their other names, __libc_malloc and so on.
 *
 * Programs call them that have a malloc of their own around the C library's. They are watched where
 * the program's allocator is the C library's. Another allocator may be made of them, and is the one
 * that is watched then: what it calls is passed on without a word.
 *
 * Concurrency: as pl_malloc.h.
 */
#ifndef DMD_PRELOAD_PL_LIBCNAMES_H
#define DMD_PRELOAD_PL_LIBCNAMES_H

/* From now on they are watched. */
void pl_libcnames_watch(void);

#endif
