/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_malloc.h: the program's allocator, as Valgrind lets a tool replace it.
 */
#ifndef DMD_TOOL_DM_MALLOC_H
#define DMD_TOOL_DM_MALLOC_H

#include "pub_tool_basics.h"

/* Registers the replacements with the core; to be called before the options are parsed. */
void dm_register_malloc(void);

/* Answers a request of dm_preload.h. False if it is not one; nothing was done then. */
Bool dm_answer_preload(ThreadId tid, const UWord *arg, UWord *ret);

/* The same of any call of one of the replacements; Valgrind's make theirs as client requests too,
 * VG_USERREQ__CLIENT_CALL1 to 3. */
Bool dm_answer_allocator_call(ThreadId tid, const UWord *arg, UWord *ret);

#endif
