/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_allocator.h: which allocator's usable sizes the program gets (live/allocator.h).
 *
 * With --allocator=auto it is the one that the program would use if Valgrind did not replace it. We
 * look at the program's first allocation: ld.so has then mapped all libraries that the program is
 * linked with or that are preloaded (what it allocates before comes from an allocator of its own,
 * which nothing replaces), and an allocator that is loaded later cannot take malloc's place. From
 * then on the model stays as it is, in forked children too.
 */
#ifndef DMD_TOOL_DM_ALLOCATOR_H
#define DMD_TOOL_DM_ALLOCATOR_H

#include "pub_tool_basics.h"

/* Whether g_live has the model; read on each allocation. */
extern Bool g_allocator_settled;

/* Whether the program's C++ library rounds up what an aligned new asks for; known once settled. */
extern Bool g_new_rounds_up;

/* Looks, where that has not been done. Call before the first block and before a dump. */
void dm_settle_allocator(void);

#endif
