/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_preload.h: the requests to the tool made by our part of the library that Valgrind preloads
 * into programs.
 *
 * Valgrind's own part of that library replaces the allocation functions of the C and C++ libraries.
 * dm_preload.c replaces further ones in the same way: each makes a client request with the
 * function's arguments in order, and the tool answers with the function's result.
 *
 * The library is part of the tool, so their versions always match. The request numbers lie far
 * above those of dmd.h, which programs use.
 */
#ifndef DMD_VALGRIND_DM_PRELOAD_H
#define DMD_VALGRIND_DM_PRELOAD_H

enum {
  DM_PRELOAD_MALLOCX = 0x444d8000, /* 'D' and 'M', following Valgrind's convention */
  DM_PRELOAD_RALLOCX,
  DM_PRELOAD_XALLOCX,
  DM_PRELOAD_SALLOCX,
  DM_PRELOAD_NALLOCX,
  DM_PRELOAD_PVALLOC,
  DM_PRELOAD_FREE,
  DM_PRELOAD_HEAPSTATS,     /* fills the dmd_heapstats_t at this address */
  DM_PRELOAD_HEAPSTATS_TEXT /* the same as a text of at most so many bytes, with its NUL, at this
                             * address; the third argument is a DM_TEXT_... */
};

enum { DM_TEXT_INFO, DM_TEXT_STATS };

#endif
