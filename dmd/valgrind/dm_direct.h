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
 */
#ifndef DMD_VALGRIND_DM_DIRECT_H
#define DMD_VALGRIND_DM_DIRECT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Instruments a translation that ends in a client request, or that is a call of an allocation
 * function (dm_entry.h), so that it is answered at once. */
void dm_direct_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout);

/* A call of one of our functions in a translation. It gets the running thread's guest state, which
 * it may change; its result, a word, is stored in answered. */
IRDirty *dm_direct_call(IRTemp answered, const HChar *name, void *function,
                        const VexGuestLayout *layout);

/* For --stats=yes. */
void dm_direct_print_stats(void);

#endif
