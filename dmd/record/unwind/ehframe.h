/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ehframe.h: finds a frame's caller from .eh_frame (DWARF call frame information).
 *
 * Objects have a table of their functions (.eh_frame_hdr) and, for each function, a small program
 * (.eh_frame) that says for each instruction where the frame ends (its canonical frame address,
 * CFA) and where the caller's registers were saved. Exceptions use it; we do for the three
 * registers that a stack walk needs: instruction, stack and frame pointer. Register numbers are
 * the machine's (base/machine.h).
 *
 * The data is not trusted: reads stay within the object's range, and anything not understood yields
 * no row. A look-up takes a binary search plus running the program, at most about a microsecond;
 * callers should cache the result.
 *
 * Concurrency: stateless. The range must stay mapped meanwhile.
 */
#ifndef DMD_RECORD_UNWIND_EHFRAME_H
#define DMD_RECORD_UNWIND_EHFRAME_H

#include "record/unwind/expression.h"

#include <stdbool.h>
#include <stdint.h>

/* An object as it is mapped. */
typedef struct dmd_code_range {
  uintptr_t start, end;
  uintptr_t eh_frame_hdr; /* 0: no such table */
  uint32_t epoch;         /* of addresses in it, see host.h */
} dmd_code_range_t;

typedef enum {
  DMD_SAVED_SAME,       /* the caller has the same value as this frame */
  DMD_SAVED_AT_CFA,     /* saved at the CFA plus offset */
  DMD_SAVED_AT,         /* saved at the address that the expression yields */
  DMD_SAVED_VALUE,      /* the value that the expression yields */
  DMD_SAVED_UNDEFINED,  /* no value; for the return address: there is no caller */
  DMD_SAVED_UNSUPPORTED /* for example, saved in another register */
} dmd_saved_t;

typedef struct dmd_register_rule {
  dmd_saved_t how;
  int64_t offset;
  dmd_expression_t expression;
} dmd_register_rule_t;

/* The rules for one instruction. */
typedef struct dmd_frame_row {
  uint32_t cfa_register; /* the CFA is this register plus the offset or, if NONE, the value of the
                            expression */
  int64_t cfa_offset;
  dmd_expression_t cfa_expression;
  dmd_register_rule_t fp, ip;
  bool is_signal; /* a signal's frame: its caller was interrupted and did not make a call */
} dmd_frame_row_t;

/* Finds the row for the instruction at ip, which is in the range. Returns false if there is no
 * row. */
bool dmd_ehframe_find(const dmd_code_range_t *range, uintptr_t ip, dmd_frame_row_t *row);

#endif
