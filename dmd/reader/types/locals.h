/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * locals.h: variables that lie on a thread's stack, or in its thread-local storage.
 *
 * They become variables (graph/variables.h) of an object DMDV_LOCALS_OBJECT, at addresses that say
 * where they are in relation to the base of what they are in: DMDV_LOCALS_BASE stands for the
 * frame's canonical address or the thread pointer.
 */
#ifndef DMD_READER_TYPES_LOCALS_H
#define DMD_READER_TYPES_LOCALS_H

#include "reader/types/dwarfindex.h"

enum { DMDV_LOCALS_OBJECT = 1 };
#define DMDV_LOCALS_BASE (UINT64_C(1) << 63)

/* Adds the variables and parameters, also those of inlined functions, that are on the stack where
 * the program counter is at this address of an object. One that is in a register there, in several
 * pieces, or nowhere, is left out. */
void dmdv_locals_of_frame(dmd_variables_t *variables, const dmdv_debugfile_t *file,
                          const dmdv_dwarfindex_t *index, uint64_t pc);

/* Adds the thread-local variables of an object, if it is the program itself: then the processor's
 * rules for threads say where they are, and elsewhere the dynamic linker decides. */
void dmdv_locals_of_thread(dmd_variables_t *variables, const dmdv_debugfile_t *file,
                           const dmdv_dwarfindex_t *index);

#endif
