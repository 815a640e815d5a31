/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_memory.h: reads the program's memory, wherever it tells us to.
 *
 * Memory that is not the program's is never touched. A page that the program may read can fault all
 * the same (one of a mapped file beyond the file's end), so that reads take place between open and
 * close, while Valgrind's fault catcher is ours. One reader is open at a time. Other things may be
 * done in between.
 */
#ifndef DMD_TOOL_DM_MEMORY_H
#define DMD_TOOL_DM_MEMORY_H

#include "pub_tool_basics.h"
#include "pub_tool_signals.h"
#include "pub_tool_vki.h"

enum { DM_PAGE_SZB = 4096 }; /* the smallest page that any platform has */

typedef struct dm_memory {
  fault_catcher_t before;
  vki_sigset_t mask;
} dm_memory_t;

void dm_memory_open(dm_memory_t *memory);
void dm_memory_close(dm_memory_t *memory);

/* Copies n > 0 bytes at a, all of one page of DM_PAGE_SZB. Returns how many from a on could be
 * read: all or none. */
SizeT dm_memory_read(const dm_memory_t *memory, Addr a, void *to, SizeT n);

#endif
