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

/* As shells and env(1) have it: it is there but cannot be run so, or it is not there. */
enum { DMDV_CHILD_NOT_RUN = 126, DMDV_CHILD_NOT_FOUND = 127 };

/* Runs argv[0], which is looked for in PATH unless it has a slash, in this environment, or NULL:
 * in dmdv's own; quiet throws away what it prints. Returns its exit status, 128 + the signal that
 * ended it, or DMDV_CHILD_NOT_FOUND, with *error the errno, when it could not be started; *error is
 * 0 otherwise. */
int dmdv_child_run(const char *const *argv, const char *const *environment, bool quiet, int *error);

#endif
