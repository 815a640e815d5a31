/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * expression.h: what a DWARF expression is worth, of those that unwind information has.
 *
 * The frames of signals have them, procedure linkage tables, and functions that align the stack by
 * themselves. Numbers of registers are those of amd64; only three are known.
 */
#ifndef DMD_ENGINE_EXPRESSION_H
#define DMD_ENGINE_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dmd_expression {
  const uint8_t *bytes;
  uint32_t szB;
} dmd_expression_t;

typedef struct dmd_expression_frame {
  uintptr_t ip, sp, fp;
  bool (*read)(void *ctx, uintptr_t at, uintptr_t *word); /* a word of memory; may refuse */
  void *ctx;
} dmd_expression_frame_t;

/* The value, in a frame with these registers, where the expression begins with what is in *value.
 * False: it is not understood, or reads what cannot be read. */
bool dmd_expression_value(dmd_expression_t expression, const dmd_expression_frame_t *frame,
                          uintptr_t *value);

#endif
