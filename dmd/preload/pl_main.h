/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_main.h: the beginning and the end of the engine in a program's process.
 *
 * Concurrency: pl_start before there is a second thread; what is written at the end, on any.
 */
#ifndef DMD_PRELOAD_PL_MAIN_H
#define DMD_PRELOAD_PL_MAIN_H

#include <stdbool.h>

/* Starts the engine, if that has not been done and can be by now. */
void pl_start(void);

/* Whether the engine is this process's: it is not that of a child of vfork. */
bool pl_main_is_ours(void);

/* Writes what is written at the end, in a program that a signal is about to end: the thread is
 * inside, with all signals blocked. If another thread writes already and ends the program, this one
 * waits for ever. */
void pl_main_end(void);

#endif
