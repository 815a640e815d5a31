/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * expression.h: evaluates DWARF expressions in unwind information.
 *
 * Expressions occur in frames of signals, in procedure linkage tables, and in functions that align
 * the stack themselves. Register numbers are those of amd64; only three registers are known.
 */
#ifndef DMD_RECORD_UNWIND_EXPRESSION_H
#define DMD_RECORD_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

/* Registers that have rules. */
enum { DMD_REGISTER_FP = 6, DMD_REGISTER_SP = 7, DMD_REGISTER_IP = 16, DMD_REGISTER_NONE = 255 };

typedef struct dmd_expression {
  const uint8_t *bytes;
  uint32_t szB;
} dmd_expression_t;

typedef struct dmd_expression_frame {
  uintptr_t ip, sp, fp;
  bool (*read)(void *ctx, uintptr_t at, uintptr_t *word); /* reads a word of memory; may refuse */
  void *ctx;
} dmd_expression_frame_t;

/* Evaluates the expression in a frame with these registers; the initial stack holds *value. Returns
 * false if it is not understood, or reads memory that cannot be read. */
bool dmd_expression_value(dmd_expression_t expression, const dmd_expression_frame_t *frame,
                          uintptr_t *value);

#endif
