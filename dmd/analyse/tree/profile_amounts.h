/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile_amounts.h: turns a profile into amounts of memory by path.
 *
 * A reporter measured the usable bytes of the blocks that it reported. The amounts of a profile
 * are:
 *
 *   the reporter's own path      heap bytes; a block counts once for each of its reports, as it
 *                                does if the program adds them up; a shared one counts for
 *                                each reporter with its share
 *   explicit/(unnamed reporter)  blocks reported outside of any reporter, minus what the program
 *                                published as heap without having a reporter of that path
 *   explicit/tags/NAME           unreported blocks by tag, unless the program published them,
 *                                under this path or as this exact amount
 *   explicit/mapped-unclassified memory that the program mapped and nobody reported; what a
 *                                reporter reported is part of its path
 *   thread-stacks                address space of stacks of threads that nobody reported
 *   heap-allocated               the usable bytes of all blocks
 *   heap-overhead, resident,     as the tool measured them, if it could
 *   resident-unique
 *   published values             except where reporters measured this path, or if the amount is
 *                                the sum of what they measured below it
 *
 * A reporter with one of the derived names (heap-allocated, heap-overhead, resident,
 * resident-unique, thread-stacks, explicit/heap-unclassified, and twice-reported in an export) gets
 * the suffix " (reporter)", and a value that the program published under such a name "
 * (published)". A tree does not mix units: published amounts in other units go into a separate
 * tree, such as "cache (count)" beside "cache"; so do amounts under explicit that are not memory.
 */
#ifndef DMD_ANALYSE_TREE_PROFILE_AMOUNTS_H
#define DMD_ANALYSE_TREE_PROFILE_AMOUNTS_H

#include "analyse/tree/amounts.h"
#include "model/profile/profile.h"

/* Values of the profile that its tree does not show. */
typedef struct dmd_coverage {
  int64_t heap_szB;  /* usable bytes of all blocks */
  int64_t twice_szB; /* of blocks reported at least twice */
  int64_t twice_blocks;
  int64_t excess_szB; /* that reports count too often */
} dmd_coverage_t;

/* Adds the amounts of a profile to an initialised collection, under this process name. Returns
 * NULL, or why that is impossible. */
const char *dmd_amounts_of_profile(dmd_amounts_t *m, const dmd_profile_t *profile,
                                   const char *process, dmd_coverage_t *coverage);

/* "NAME (pid N)", with the program's file name; "(unknown process)" for another program's profile.
 * The caller frees it with the profile's env. */
char *dmd_process_name(const dmd_profile_t *profile);

/* ---- Processes. ----
 *
 * Splits a merged profile into one profile per process.
 *
 * A merged profile that keeps processes separate lists their names, and each stack of a process
 * ends in a frame with its name (merge.h). The parts get the blocks, the memory reports, and the
 * memory sizes of the process. Faults, hints and totals stay with the whole. */

/* The parts, *n of them: one per process, in the order of the names, then one with the blocks of no
 * process, if there are any. dmd_process_name returns their names. NULL, and 0 parts, if the
 * profile does not keep processes separate. Free them with dmd_processes_free. */
dmd_profile_t *dmd_processes_split(const dmd_profile_t *profile, size_t *n);
void dmd_processes_free(dmd_profile_t *parts, size_t n);

#endif
