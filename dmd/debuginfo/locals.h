/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * locals.h: variables on a thread's stack or in its thread-local storage.
 *
 * They become variables (model/graph/types.h) of an object DMDV_LOCALS_OBJECT. Their addresses
 * are relative: DMDV_LOCALS_BASE stands for the frame's canonical address, or for the thread
 * pointer.
 */
#ifndef DMD_DEBUGINFO_LOCALS_H
#define DMD_DEBUGINFO_LOCALS_H

#include "debuginfo/dwarfindex.h"

enum { DMDV_LOCALS_OBJECT = 1 };
#define DMDV_LOCALS_BASE (UINT64_C(1) << 63)

/* Adds the variables and parameters, including those of inlined functions, that are on the stack
 * while the program counter is at this address of an object. Leaves out variables that are in a
 * register there, in several pieces, or optimised away. */
void dmdv_locals_of_frame(dmd_variables_t *variables, const dmdv_debugfile_t *file,
                          const dmdv_dwarfindex_t *index, uint64_t pc);

/* Adds the thread-local variables of an object, if it is the program itself: there the processor's
 * ABI fixes their places. For other objects the dynamic linker decides. */
void dmdv_locals_of_thread(dmd_variables_t *variables, const dmdv_debugfile_t *file,
                           const dmdv_dwarfindex_t *index);

#endif
