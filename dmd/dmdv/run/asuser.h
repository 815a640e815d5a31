/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * asuser.h: gives up root's rights before dmdv queries another user's process.
 *
 * The answer of a process names files. The owner of the process chooses these files and can replace
 * them at any moment. So root first becomes the user of the process, for good: from then on dmdv
 * can do only what this user could do without root.
 */
#ifndef DMD_DMDV_RUN_ASUSER_H
#define DMD_DMDV_RUN_ASUSER_H

#include <stdint.h>

/* Becomes the user of process pid, with its groups and no others. Does nothing if dmdv does not run
 * as root, or if the process belongs to root too. pidfd: a descriptor of the process, opened
 * before, so that its number cannot have been reused; -1 if the system has no pidfds. Returns 0, or
 * the exit status after a line on stderr. */
int dmdv_become_user_of(const char *command, uint32_t pid, int pidfd);

#endif
