/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_direct.h: answers requests without leaving the program's translated code.
 *
 * Calls of the replaced allocator and requests of dmd.h are both client requests. For each of them
 * the core leaves translated code, passes through its scheduler and returns: for a small block that
 * costs as much as all of the tool's own work. So where a translation ends in a client request, a
 * call that answers the frequent ones at once is inserted before its end. All other requests take
 * the usual path.
 *
 * The inserted call uses the same functions as the core would, with the same arguments and the same
 * thread state, so results are the same.
 *
 * Valgrind's replacement for malloc consists of some forty guest instructions with a request to the
 * tool among them. Where a call is redirected to one of the plain functions (malloc, calloc, free,
 * new, delete), the translation instead consists of a call of the tool and a return. If Valgrind's
 * function has anything else to do (set errno, end the process, print for --trace-malloc=yes), the
 * tool does not answer here and the function runs.
 *
 * The stack is captured at the function's entry, where its frame has one word. On x86 all calls are
 * requests.
 */
#ifndef DMD_VALGRIND_DM_DIRECT_H
#define DMD_VALGRIND_DM_DIRECT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Instruments a translation that ends in a client request, or that is a call of an allocation
 * function, so that it is answered at once. */
void dm_direct_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout);

/* Whether this is the address of a replacement function that is answered at its entry, and has been
 * translated. */
Bool dm_direct_is_entry(Addr ip);

/* For --stats=yes. */
void dm_direct_print_stats(void);

#endif
