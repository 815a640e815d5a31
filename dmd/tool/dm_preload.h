/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_preload.h: what our part of the library that Valgrind preloads into programs asks of the tool.
 *
 * Of the functions that allocate and free, Valgrind's own part of that library replaces those of
 * the C and C++ libraries. dm_preload.c replaces others in the same way: each is a client request,
 * with the function's arguments in their order, which the tool answers with its result.
 *
 * The library is part of the tool: both are always of one version. The numbers lie far above those
 * of dmd.h, which programs use.
 */
#ifndef DMD_TOOL_DM_PRELOAD_H
#define DMD_TOOL_DM_PRELOAD_H

enum {
  DM_PRELOAD_MALLOCX = 0x444d8000, /* 'D' and 'M', as Valgrind has it */
  DM_PRELOAD_RALLOCX,
  DM_PRELOAD_XALLOCX,
  DM_PRELOAD_SALLOCX,
  DM_PRELOAD_NALLOCX,
  DM_PRELOAD_PVALLOC,
  DM_PRELOAD_FREE
};

#endif
