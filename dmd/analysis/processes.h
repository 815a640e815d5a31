/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * processes.h: the processes that a merged profile keeps apart, as profiles of their own.
 *
 * A merged profile names them, and each stack of a process ends in a frame of this name (merge.h).
 * What is taken apart again is what can be: blocks, memory reports, and the memory that the process
 * took up. Faults, advice and totals stay with the whole.
 */
#ifndef DMD_ANALYSIS_PROCESSES_H
#define DMD_ANALYSIS_PROCESSES_H

#include "profile/profile.h"

/* The parts, *n of them: one for each process, in the order of the names; then, if there are such,
 * one with the blocks of none. dmd_process_name knows their names. NULL, and 0 parts, if the
 * profile keeps no processes apart. Give them back with dmd_processes_free. */
dmd_profile_t *dmd_processes_split(const dmd_profile_t *profile, size_t *n);
void dmd_processes_free(dmd_profile_t *parts, size_t n);

#endif
