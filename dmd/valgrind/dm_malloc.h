/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_malloc.h: replaces the program's allocator, through Valgrind's tool interface.
 */
#ifndef DMD_VALGRIND_DM_MALLOC_H
#define DMD_VALGRIND_DM_MALLOC_H

#include "pub_tool_basics.h"

/* Registers the replacements with the core; call before the options are parsed. */
void dm_register_malloc(void);

/* Answers a request of dm_preload.h. Returns False, having done nothing, if it is not one. */
Bool dm_answer_preload(ThreadId tid, const UWord *arg, UWord *ret);

/* As dm_answer_preload, for calls of any replacement, including Valgrind's, which make theirs as
 * client requests VG_USERREQ__CLIENT_CALL1 to 3. */
Bool dm_answer_allocator_call(ThreadId tid, const UWord *arg, UWord *ret);

#endif
