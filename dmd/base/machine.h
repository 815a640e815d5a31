/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * machine.h: what the core must know of the processor that it runs on.
 *
 * Each processor has a folder with a file of this name, which defines:
 *
 *   DMD_REGISTER_FP, _SP, _IP   DWARF's numbers of the frame pointer, the stack pointer, and of the
 *                               column of the return address
 *   DMD_STORAGE_FOLLOWS         whether thread-local storage begins at the thread pointer; else it
 *                               ends there
 *   dmd_machine_pause()         tells the processor that this thread spins
 *   dmd_machine_code(word)      the address of code in a word from a stack or a register
 *   DMD_SIGNAL_CODE             the two instructions to which a signal handler returns, the first
 *                               one in the lower half; 0: unwind information tells
 *   DMD_SIGNAL_FP, _LINK, _SP, _IP   where that frame contains the interrupted registers
 */
#ifndef DMD_BASE_MACHINE_H
#define DMD_BASE_MACHINE_H

#include <stdint.h>

#if defined __aarch64__
#include "base/arm64/machine.h"
#else
#include "base/amd64/machine.h"
#endif

#endif
