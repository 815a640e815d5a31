/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_dump.h: one analysis of the heap: text to the log, a profile to a file.
 */
#ifndef DMD_TOOL_DM_DUMP_H
#define DMD_TOOL_DM_DUMP_H

#include "pub_tool_basics.h"

/* Analyses the heap, prints the records and writes the profile. trigger is "exit", "request" or
 * "monitor"; label is NULL or text of the program's. Reports are kept. Returns the dump's number in
 * this process, from 1, or 0 when the file could not be written (the log says why). */
Int dm_dump(const HChar *trigger, const HChar *label);

/* Dumps that the program itself has requested so far. */
UInt dm_n_requested_dumps(void);

/* A forked child counts its own dumps. */
void dm_forget_dumps(void);

#endif
