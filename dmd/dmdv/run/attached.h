/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * attached.h: dmdv run --pid=PID, which records a process that runs already.
 *
 * The process writes the profiles, with its rights: under the name that dmdv's user gave, or in
 * dmdv's current folder. dmdv finishes the last one as the process's user.
 */
#ifndef DMD_DMDV_RUN_ATTACHED_H
#define DMD_DMDV_RUN_ATTACHED_H

#include "dmdv/run/native.h"

/* Begins and ends the recording. print: print the records of the profile, not an overview. Return
 * the exit status. */
int dmdv_attached_begin(dmdv_native_t *native, uint32_t pid, bool is_quiet);
int dmdv_attached_end(dmdv_native_t *native, uint32_t pid, bool print, bool is_quiet);

#endif
