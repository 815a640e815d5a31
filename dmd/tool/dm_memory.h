/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_memory.h: reads the program's memory, wherever it points us to, for dmd_engine_host_t: see
 * there.
 *
 * Memory that is not the program's is never touched. To read a page that the program may read can
 * trap all the same (one of a mapped file beyond the file's end). So reads take place between begin
 * and end, while Valgrind hands traps to us. Other things may be done in between.
 */
#ifndef DMD_TOOL_DM_MEMORY_H
#define DMD_TOOL_DM_MEMORY_H

#include "pub_tool_basics.h"

#include <stddef.h>
#include <stdint.h>

void dm_memory_begin(void *ctx);
void dm_memory_end(void *ctx);

/* Copies n > 0 bytes at addr, all of one page of DMD_PAGE_SZB. Returns how many from addr on could
 * be read: all or none. */
size_t dm_memory_read(void *ctx, uint64_t addr, void *to, size_t n);

#endif
