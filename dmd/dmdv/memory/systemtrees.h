/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * systemtrees.h: the memory of a process as the system knows it, from /proc.
 *
 *   resident, resident-peak, resident-unique, vsize, page-faults-soft, page-faults-hard
 *   size, rss, pss, swap    trees of its mappings: anonymous memory, shared libraries, stack, files
 *
 * Only files of the kernel are opened, by names that contain nothing but the process's number. The
 * names in them, of files and the process, are its own choice: they are text.
 */
#ifndef DMD_DMDV_MEMORY_SYSTEMTREES_H
#define DMD_DMDV_MEMORY_SYSTEMTREES_H

#include "analyse/tree/amounts.h"

/* The name of a memfd that processes with the library dmd-reporters map. */
#define DMDV_REPORTERS_MARK "dmd-reporters-1"

/* "NAME (pid N)"; the caller frees it. NULL if the process does not exist. */
char *dmdv_system_name(uint32_t pid);

/* Adds all this under the name of the process. anonymize: files other than libraries have no names.
 * *has_library: whether the process can be asked for its reporters. False: the mappings cannot be
 * read. */
bool dmdv_system_add(dmd_amounts_t *m, uint32_t pid, const char *process, bool anonymize,
                     bool *has_library);

/* Adds the machine's memory, as a process "System": the tree mem has each process's share, what is
 * free, and the rest. */
void dmdv_system_add_machine(dmd_amounts_t *m);

/* Whether the process has started the library dmd-reporters. */
bool dmdv_system_has_library(uint32_t pid);

/* Whether path is in one of the trees above, or one of the single values. */
bool dmdv_system_measures(const char *path);

/* Adds the numbers of the children, their children and so on to `pids`, an array of n processes
 * that has room for max. Returns the new n. */
uint32_t dmdv_system_descendants(uint32_t *pids, uint32_t n, uint32_t max);

#endif
