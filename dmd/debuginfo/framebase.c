/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/framebase.h"

#include <stdlib.h>

enum { N_SHORT_REGISTERS = 32 }; /* registers with an operation of their own */

void dmdv_frame_init(dmdv_frame_t *frame, const dmdv_debugfile_t *file, Dwarf_Die *function,
                     uint64_t pc) {
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t n;
  *frame = (dmdv_frame_t){.file = file, .base_register = -1};
  if (dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) == NULL ||
      dwarf_getlocation_addr(&attribute, pc, &ops, &n, 1) != 1 || n != 1)
    return;
  frame->base_is_cfa = ops->atom == DW_OP_call_frame_cfa;
  if (ops->atom >= DW_OP_reg0 && ops->atom < DW_OP_reg0 + N_SHORT_REGISTERS)
    frame->base_register = ops->atom - DW_OP_reg0;
  else if (ops->atom != DW_OP_fbreg)
    dmdv_frame_is_place(ops, &frame->base_register, &frame->base_displacement);
}

static bool place_of_register(const dmdv_debugfile_t *file, uint64_t pc, int reg,
                              int64_t displacement, int64_t *place) {
  Dwarf_Addr shift = 0;
  Dwarf_CFI *cfi = dwfl_module_eh_cfi(file->module, &shift);
  Dwarf_Frame *frame = NULL;
  Dwarf_Op *ops;
  size_t n;
  if (cfi == NULL || dwarf_cfi_addrframe(cfi, pc + file->shift - shift, &frame) != 0)
    return false;
  bool good = dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1 && ops->atom == DW_OP_bregx &&
              ops->number == (uint64_t)reg;
  /* The place is the register plus displacement; the CFA is the register plus number2. */
  if (good)
    *place = (int64_t)((uint64_t)displacement - ops->number2);
  free(frame);
  return good;
}

bool dmdv_frame_place(const dmdv_frame_t *frame, uint64_t pc, int reg, int64_t displacement,
                      int64_t *place) {
  *place = displacement;
  if (reg != DMDV_FRAME_BASE)
    return place_of_register(frame->file, pc, reg, displacement, place);
  if (frame->base_is_cfa)
    return true;
  uint64_t sum = (uint64_t)frame->base_displacement + (uint64_t)displacement;
  return frame->base_register >= 0 &&
         place_of_register(frame->file, pc, frame->base_register, (int64_t)sum, place);
}

bool dmdv_frame_is_place(const Dwarf_Op *op, int *reg, int64_t *displacement) {
  if (op->atom >= DW_OP_breg0 && op->atom < DW_OP_breg0 + N_SHORT_REGISTERS)
    *reg = op->atom - DW_OP_breg0;
  else if (op->atom == DW_OP_fbreg)
    *reg = DMDV_FRAME_BASE;
  else
    return false;
  *displacement = (int64_t)op->number;
  return true;
}
