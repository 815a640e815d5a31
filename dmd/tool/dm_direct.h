/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_direct.h: requests that are answered without leaving the program's translated code.
 *
 * A call of the replaced allocator and a request of dmd.h both are client requests, for which the
 * core leaves translated code, goes through its scheduler and comes back: for a small block that
 * costs as much as all that the tool does with it. Where a translation ends in a client request, a
 * call is put before its end that answers the frequent ones at once; all others take the usual way.
 *
 * The answer comes from the functions that the core would have called, with the same arguments and
 * the same state of the thread, so that only the time differs.
 */
#ifndef DMD_TOOL_DM_DIRECT_H
#define DMD_TOOL_DM_DIRECT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Makes of a translation what answers at once: one that ends in a client request, or such a call
 * (dm_entry.h). */
void dm_direct_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout);

/* A call of a function of ours in a translation, with the state of the thread that runs, which it
 * may change; its result, a word, goes to answered. */
IRDirty *dm_direct_call(IRTemp answered, const HChar *name, void *function,
                        const VexGuestLayout *layout);

/* For --stats=yes. */
void dm_direct_print_stats(void);

#endif
