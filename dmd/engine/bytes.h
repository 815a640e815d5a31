/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bytes.h: numbers as DWARF writes them, one after the other, lowest byte first.
 *
 * A reader that has come to the end gives zeros, and notes it: so that it is asked once, in the
 * end, whether all was there.
 */
#ifndef DMD_ENGINE_BYTES_H
#define DMD_ENGINE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmd_bytes {
  const uint8_t *p, *end;
  bool is_bad; /* something was not there */
} dmd_bytes_t;

/* A number of 1 to 8 bytes. */
uint64_t dmd_bytes_take(dmd_bytes_t *b, uint32_t szB);
int64_t dmd_bytes_take_signed(dmd_bytes_t *b, uint32_t szB);

/* Numbers in as many bytes as they need (LEB128). */
uint64_t dmd_bytes_take_uleb(dmd_bytes_t *b);
int64_t dmd_bytes_take_sleb(dmd_bytes_t *b);

void dmd_bytes_skip(dmd_bytes_t *b, uint64_t szB);

/* A length, and as many bytes. */
const uint8_t *dmd_bytes_take_block(dmd_bytes_t *b, uint32_t *szB);

#endif
