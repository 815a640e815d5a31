/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bytes.h: reads little-endian numbers in DWARF encodings.
 *
 * A reader at the end returns zeros and sets is_bad, so one check at the very end suffices.
 */
#ifndef DMD_RECORD_UNWIND_BYTES_H
#define DMD_RECORD_UNWIND_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
