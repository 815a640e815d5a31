/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * leftovers.h: removes temporary files of dumps that were killed.
 *
 * On file systems with unnamed files, a dump leaves no temporary files. On others, and between the
 * two names of a file, SIGKILL leaves NAME.tmp.PID (base/files.h). Such a file is removed if it
 * is a regular file of dmdv's user, no process has this number, and nobody has it locked. Every
 * writer locks its file, also in other containers and on other machines.
 */
#ifndef DMD_DMDV_RUN_LEFTOVERS_H
#define DMD_DMDV_RUN_LEFTOVERS_H

/* Looks for profiles and graphs whose names match a pattern of --dmd-out-file. */
void dmdv_remove_leftovers(const char *pattern);

/* Looks for profiles and graphs named like this file, which is a dump with a number. */
void dmdv_remove_leftovers_like(const char *path);

#endif
