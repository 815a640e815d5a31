/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * framebase.h: converts register-relative locations of debug information to places on the stack.
 *
 * Places are relative to the frame's canonical address (CFA): the caller's stack pointer after the
 * call has returned. A location is known if it is relative to the register, mostly the stack
 * pointer or the frame pointer, from which the unwind information computes the CFA.
 */
#ifndef DMD_DEBUGINFO_FRAMEBASE_H
#define DMD_DEBUGINFO_FRAMEBASE_H

#include "debuginfo/debugfile.h"
#include "debuginfo/dies.h"

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

#endif
