/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * processes.h: splits a merged profile into one profile per process.
 *
 * A merged profile that keeps processes separate lists their names, and each stack of a process
 * ends in a frame with its name (merge.h). The parts get the blocks, the memory reports, and the
 * memory sizes of the process. Faults, hints and totals stay with the whole.
 */
#ifndef DMD_ANALYSE_TREE_PROCESSES_H
#define DMD_ANALYSE_TREE_PROCESSES_H

#include "model/profile/profile.h"

/* The parts, *n of them: one per process, in the order of the names, then one with the blocks of no
 * process, if there are any. dmd_process_name returns their names. NULL, and 0 parts, if the
 * profile does not keep processes separate. Free them with dmd_processes_free. */
dmd_profile_t *dmd_processes_split(const dmd_profile_t *profile, size_t *n);
void dmd_processes_free(dmd_profile_t *parts, size_t n);

#endif
