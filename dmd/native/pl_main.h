/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_main.h: starts the engine in a program's process.
 */
#ifndef DMD_NATIVE_PL_MAIN_H
#define DMD_NATIVE_PL_MAIN_H

#include <stdbool.h>

/* Starts the engine if it has not started yet and can start by now. Call before there is a second
 * thread. */
void pl_start(void);

/* Parts of the start, for an engine that is attached (pl_attach.h): the engine itself, and what is
 * done when the process forks or ends. Both return false, after a line in the log, if that
 * fails. */
bool pl_start_engine(void);
bool pl_start_ends(void);

#endif
