/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * frame.h: where on the stack things are that debug information gives by a register.
 *
 * Places are counted from the frame's canonical address (CFA): the stack pointer of the caller once
 * the call has returned. What stands for a register's value then is known for the one, mostly the
 * stack pointer or the frame pointer, from which the unwinding information gets the CFA.
 */
#ifndef DMD_READER_TYPES_FRAME_H
#define DMD_READER_TYPES_FRAME_H

#include "reader/types/debugfile.h"
#include "reader/types/dies.h"

/* The base of a frame, which the locations of its variables start from (DW_OP_fbreg). */
enum { DMDV_FRAME_BASE = -1 };

typedef struct dmdv_frame {
  const dmdv_debugfile_t *file;
  bool base_is_cfa;
  int base_register; /* -1: unknown */
  int64_t base_displacement;
} dmdv_frame_t;

/* Of a function where the program counter is at this address. */
void dmdv_frame_init(dmdv_frame_t *frame, const dmdv_debugfile_t *file, Dwarf_Die *function,
                     uint64_t pc);

/* A register, by its number in DWARF, or the frame's base, plus a displacement: false where that is
 * not known to be a place on the stack. A register does not need the frame initialised, save for
 * its file. */
bool dmdv_frame_place(const dmdv_frame_t *frame, uint64_t pc, int reg, int64_t displacement,
                      int64_t *place);

/* Whether an operation of a location is a place that counts from a register or the frame's base. */
bool dmdv_frame_is_place(const Dwarf_Op *op, int *reg, int64_t *displacement);

#endif
