/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_confined.h: whether the process has restricted its system calls (seccomp).
 *
 * A filter may kill the process for any system call that the program itself does not make. From
 * then on the engine opens no files, makes no connections and does not read other processes'
 * memory: it only uses system calls that any allocator makes. Filters are installed through prctl
 * and syscall, which we replace, or inherited across exec. A filter that the program's own machine
 * code installs is not noticed.
 *
 * Concurrency: any thread, at any time. The state becomes true once and stays so.
 */
#ifndef DMD_NATIVE_PL_CONFINED_H
#define DMD_NATIVE_PL_CONFINED_H

#include <stdbool.h>
#include <stdint.h>

/* Checks whether the process was confined from the start. */
void pl_confined_start(void);

/* Call it after that, before there is a second thread: dmdv run has n filters itself, as in a
 * container; 0: unknown. If the process has no more, they allow the engine what they allow dmdv,
 * and the process is not confined. */
void pl_confined_expect(uint32_t n);

bool pl_is_confined(void);

/* open, for reading system files; also returns -1 if the process is confined. */
int pl_open(const char *name, int flags);

#endif
