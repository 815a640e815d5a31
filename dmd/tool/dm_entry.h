/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_entry.h: calls of the allocator, answered where they come in.
 *
 * What Valgrind puts in the place of malloc is some forty instructions of the program's, with a
 * request to the tool in the middle. Where a call is redirected to one of the plain functions
 * (malloc, calloc, free, new, delete), the translation is none of these instructions, but a call of
 * the tool and a return. Whatever else Valgrind's function would do (set errno, end the process,
 * print for --trace-malloc=yes) it still does: then nothing is answered here, and it runs.
 *
 * The stack is taken at the function's entry, where its frame has one word. On other processors
 * than amd64 all calls are requests.
 */
#ifndef DMD_TOOL_DM_ENTRY_H
#define DMD_TOOL_DM_ENTRY_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Makes that of a translation, if it is one of such a function; False: it is not, and unchanged. */
Bool dm_entry_instrument(IRSB *sb, const VgCallbackClosure *closure, const VexGuestLayout *layout);

/* Whether this is the address of such a function, of which there was a translation. */
Bool dm_entry_is(Addr ip);

/* For --stats=yes. */
void dm_entry_print_stats(void);

#endif
