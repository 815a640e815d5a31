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

#include "debuginfo/debugfile.h"
#include "debuginfo/dies.h"
#include "debuginfo/dwarfindex.h"

/* ---- Frame bases. ----
 *
 * Converts register-relative locations of debug information to places on the stack.
 *
 * Places are relative to the frame's canonical address (CFA): the caller's stack pointer after the
 * call has returned. A location is known if it is relative to the register, mostly the stack
 * pointer or the frame pointer, from which the unwind information computes the CFA. */

/* Stands for the frame base, to which the locations of a frame's variables are relative
 * (DW_OP_fbreg). */
enum { DMDV_FRAME_BASE = -1 };

typedef struct dmdv_frame {
  const dmdv_debugfile_t *file;
  bool base_is_cfa;
  int base_register; /* -1: unknown */
  int64_t base_displacement;
} dmdv_frame_t;

/* Initialises the frame of a function for code at this address. */
void dmdv_frame_init(dmdv_frame_t *frame, const dmdv_debugfile_t *file, Dwarf_Die *function,
                     uint64_t pc);

/* The place of a register, by its number in DWARF, or of the frame base, plus a displacement. False
 * if it is not known to be a place on the stack. With a register, only the frame's file needs to be
 * initialised. */
bool dmdv_frame_place(const dmdv_frame_t *frame, uint64_t pc, int reg, int64_t displacement,
                      int64_t *place);

/* Whether an operation of a location is a place relative to a register or to the frame base. */
bool dmdv_frame_is_place(const Dwarf_Op *op, int *reg, int64_t *displacement);

/* ---- Local variables. ---- */

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
