/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_entry.h: answers allocator calls at the entry of the replacement function.
 *
 * Valgrind's replacement for malloc consists of some forty guest instructions with a request to the
 * tool among them. Where a call is redirected to one of the plain functions (malloc, calloc, free,
 * new, delete), the translation instead consists of a call of the tool and a return. If Valgrind's
 * function has anything else to do (set errno, end the process, print for --trace-malloc=yes), the
 * tool does not answer here and the function runs.
 *
 * The stack is captured at the function's entry, where its frame has one word. On processors other
 * than amd64 all calls are requests.
 */
#ifndef DMD_VALGRIND_DM_ENTRY_H
#define DMD_VALGRIND_DM_ENTRY_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Instruments a translation if it is one of such a function; otherwise returns False and leaves it
 * unchanged. */
Bool dm_entry_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout);

/* Whether this is the address of such a function that has been translated. */
Bool dm_entry_is(Addr ip);

/* For --stats=yes. */
void dm_entry_print_stats(void);

#endif
