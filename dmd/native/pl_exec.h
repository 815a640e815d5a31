/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_exec.h: follows the program that dmdv started when it becomes another one by exec.
 *
 * Scripts that start a program often end so: the user asked for that program, not for the script.
 * Programs that the program starts are not followed, since they begin in a child process.
 *
 * Concurrency: pl_exec_start before the program runs; the replaced functions on any thread, also in
 * a child of vfork.
 */
#ifndef DMD_NATIVE_PL_EXEC_H
#define DMD_NATIVE_PL_EXEC_H

/* Notes what the environment says of the engine. Call before that is hidden (pl_options.h). */
void pl_exec_start(void);

#endif
