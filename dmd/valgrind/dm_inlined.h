/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_inlined.h: chooses the objects whose inlined calls Valgrind reads.
 *
 * Stacks need them for the program and its libraries. If the C library's debug information is
 * installed, reading its inlined calls takes a quarter of Valgrind's start-up time, and all that
 * they would show are calls between its private functions. So they are skipped, unless
 * --read-inline-info=yes was given.
 */
#ifndef DMD_VALGRIND_DM_INLINED_H
#define DMD_VALGRIND_DM_INLINED_H

#include "pub_tool_basics.h"

/* Call before the options are parsed. */
void dm_inlined_default(void);

/* Call after the options are parsed. */
void dm_inlined_init(void);

/* szB bytes of memory, which may be code, were mapped at a. di_handle is not 0 if the core has just
 * read an object of which this was the last part. */
void dm_inlined_mapped(Addr a, SizeT szB, Bool is_code, ULong di_handle);

#endif
