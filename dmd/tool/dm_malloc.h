/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_malloc.h: the program's allocator, as Valgrind lets a tool replace it.
 */
#ifndef DMD_TOOL_DM_MALLOC_H
#define DMD_TOOL_DM_MALLOC_H

#include "pub_tool_basics.h"

/* Registers the replacements with the core; to be called before the options are parsed. */
void dm_register_malloc(void);

/* Answers a call of one of the replacements, which the program's side of them makes as a client
 * request: VG_USERREQ__CLIENT_CALL1 to 3. False where it is none; nothing was done then. */
Bool dm_answer_allocator_call(ThreadId tid, const UWord *arg, UWord *ret);

/* Blocks that the program announces with VALGRIND_MALLOCLIKE_BLOCK and its companions. They have
 * no slop: what is usable is the program's own business. */
void dm_announce_block(ThreadId tid, Addr p, SizeT szB);
void dm_announced_block_freed(ThreadId tid, Addr p);
void dm_announced_block_resized(ThreadId tid, Addr p, SizeT old_szB, SizeT new_szB);

#endif
