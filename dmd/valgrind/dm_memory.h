/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_memory.h: reads the program's memory at any address, for dmd_engine_host_t.
 *
 * Memory that is not the program's is never touched. Reading a page that the program may read can
 * still trap (a mapped file's page beyond the file's end). So reads must be between begin and end,
 * while Valgrind passes traps to us. Other work may be done in between.
 */
#ifndef DMD_VALGRIND_DM_MEMORY_H
#define DMD_VALGRIND_DM_MEMORY_H

#include "pub_tool_basics.h"

#include <stddef.h>
#include <stdint.h>

void dm_memory_begin(void *ctx);
void dm_memory_end(void *ctx);

/* Copies n > 0 bytes at addr, all within one page of DMD_PAGE_SZB. Returns how many were read: all
 * or none. */
size_t dm_memory_read(void *ctx, uint64_t addr, void *to, size_t n);

#endif
