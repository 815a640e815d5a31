/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_inlined.h: for which objects Valgrind reads the inlined calls.
 *
 * Stacks need it of the program and its libraries. If the C library's debug information is
 * installed, reading its inlined calls takes a quarter of the time that Valgrind takes to start,
 * and all that they would show are calls between its private functions. So they are left out,
 * unless --read-inline-info=yes was given.
 */
#ifndef DMD_TOOL_DM_INLINED_H
#define DMD_TOOL_DM_INLINED_H

#include "pub_tool_basics.h"

/* Before the options are parsed. */
void dm_inlined_default(void);

/* Once they are. */
void dm_inlined_init(void);

/* szB bytes of memory were mapped at a, which may hold code. di_handle is not 0 where it was the
 * last part of an object that the core has taken in. */
void dm_inlined_mapped(Addr a, SizeT szB, Bool is_code, ULong di_handle);

#endif
