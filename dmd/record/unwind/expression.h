/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * expression.h: evaluates DWARF expressions in unwind information, and reads DWARF's numbers.
 *
 * Expressions occur in frames of signals, in procedure linkage tables, and in functions that align
 * the stack themselves. Only three registers are known (base/machine.h).
 */
#ifndef DMD_RECORD_UNWIND_EXPRESSION_H
#define DMD_RECORD_UNWIND_EXPRESSION_H

#include "base/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DMD_REGISTER_NONE = 255 };

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

/* ---- Little-endian numbers in DWARF encodings. ----
 *
 * A reader at the end returns zeros and sets is_bad, so one check at the very end suffices. */

typedef struct dmd_bytes {
  const uint8_t *p, *end;
  bool is_bad; /* a read went beyond the end */
} dmd_bytes_t;

/* A number of 1 to 8 bytes. */
uint64_t dmd_bytes_take(dmd_bytes_t *b, uint32_t szB);
int64_t dmd_bytes_take_signed(dmd_bytes_t *b, uint32_t szB);

/* Variable-length numbers (LEB128). */
uint64_t dmd_bytes_take_uleb(dmd_bytes_t *b);
int64_t dmd_bytes_take_sleb(dmd_bytes_t *b);

void dmd_bytes_skip(dmd_bytes_t *b, uint64_t szB);

/* A length, followed by that many bytes. */
const uint8_t *dmd_bytes_take_block(dmd_bytes_t *b, uint32_t *szB);

#endif
