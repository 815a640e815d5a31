/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_main.h: starts the engine in a program's process.
 */
#ifndef DMD_NATIVE_PL_MAIN_H
#define DMD_NATIVE_PL_MAIN_H

/* Starts the engine if it has not started yet and can start by now. Call before there is a second
 * thread. */
void pl_start(void);

#endif
