/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * child.h: runs another program and waits for it, as a shell does.
 *
 * While the program runs, it decides what signals mean: what the terminal sends (Ctrl-C) reaches it
 * by itself, what is sent to dmdv is passed on, and dmdv goes on waiting. One child at a time.
 */
#ifndef DMD_READER_COMMAND_CHILD_H
#define DMD_READER_COMMAND_CHILD_H

#include <stdbool.h>

enum { DMDV_CHILD_NOT_FOUND = 127 }; /* as shells have it */

/* Runs argv[0], which is looked for in PATH unless it has a slash; quiet throws away what it
 * prints. Returns its exit status, 128 + the signal that ended it, or DMDV_CHILD_NOT_FOUND, with
 * *error the errno, when it could not be started; *error is 0 otherwise. */
int dmdv_child_run(const char *const *argv, bool quiet, int *error);

#endif
