/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ehframe.h: how to get from a frame to its caller's, by .eh_frame.
 *
 * Objects carry a table of the functions that they have (.eh_frame_hdr), and for each function a
 * little program (.eh_frame, DWARF's call frame information) that says for each instruction where
 * the frame ends, its canonical frame address, and where the caller's registers were saved. What
 * exceptions are thrown by serves us, for the three registers that a walk needs: the instruction,
 * the stack and the frame pointer. Numbers of registers are those of amd64.
 *
 * The bytes are somebody else's: what is read lies within the object's range, and what is not
 * understood is no row. A row is found in the time of a binary search and of the program, a
 * microsecond or less; whoever walks keeps what he found.
 *
 * Concurrency: no state. The range must stay mapped meanwhile.
 */
#ifndef DMD_ENGINE_EHFRAME_H
#define DMD_ENGINE_EHFRAME_H

#include "engine/expression.h"

#include <stdbool.h>
#include <stdint.h>

/* An object as it is mapped. */
typedef struct dmd_code_range {
  uintptr_t start, end;
  uintptr_t eh_frame_hdr; /* 0: it has none */
  uint32_t epoch;         /* of addresses in it */
} dmd_code_range_t;

typedef enum {
  DMD_SAVED_SAME,       /* the caller's value is this frame's */
  DMD_SAVED_AT_CFA,     /* it lies at the canonical frame address plus offset */
  DMD_SAVED_AT,         /* it lies where the expression says */
  DMD_SAVED_VALUE,      /* it is what the expression says */
  DMD_SAVED_UNDEFINED,  /* there is none: of the return address, no caller */
  DMD_SAVED_UNSUPPORTED /* in another register, say */
} dmd_saved_t;

typedef struct dmd_register_rule {
  dmd_saved_t how;
  int64_t offset;
  dmd_expression_t expression;
} dmd_register_rule_t;

/* Registers that rules are about. */
enum { DMD_REGISTER_FP = 6, DMD_REGISTER_SP = 7, DMD_REGISTER_IP = 16, DMD_REGISTER_NONE = 255 };

/* What holds at one instruction. */
typedef struct dmd_frame_row {
  uint32_t cfa_register; /* the canonical frame address is this plus the offset, or, with NONE, what
                            the expression says */
  int64_t cfa_offset;
  dmd_expression_t cfa_expression;
  dmd_register_rule_t fp, ip;
  bool is_signal; /* the frame of a signal: its caller was interrupted, and did not call */
} dmd_frame_row_t;

/* The row for the instruction at ip, which lies in the range. False: there is none. */
bool dmd_ehframe_find(const dmd_code_range_t *range, uintptr_t ip, dmd_frame_row_t *row);

#endif
