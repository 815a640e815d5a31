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
 * request: VG_USERREQ__CLIENT_CALL1 to 3. False if it is not such a call; nothing was done then. */
Bool dm_answer_allocator_call(ThreadId tid, const UWord *arg, UWord *ret);

#endif
