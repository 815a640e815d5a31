/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/bytes.h"

uint64_t dmd_bytes_take(dmd_bytes_t *b, uint32_t szB) {
  uint64_t value = 0;
  if ((size_t)(b->end - b->p) < szB) {
    b->is_bad = true;
    b->p = b->end;
    return 0;
  }
  for (uint32_t i = 0; i < szB; i++)
    value |= (uint64_t)b->p[i] << (8 * i);
  b->p += szB;
  return value;
}

int64_t dmd_bytes_take_signed(dmd_bytes_t *b, uint32_t szB) {
  uint32_t unused = 64 - 8 * szB;
  return (int64_t)(dmd_bytes_take(b, szB) << unused) >> unused;
}

static uint64_t take_leb(dmd_bytes_t *b, bool is_signed) {
  uint64_t value = 0;
  uint32_t shift = 0;
  uint8_t byte;
  do {
    byte = (uint8_t)dmd_bytes_take(b, 1);
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  if (is_signed && shift < 64 && (byte & 0x40))
    value |= ~UINT64_C(0) << shift;
  return value;
}

uint64_t dmd_bytes_take_uleb(dmd_bytes_t *b) {
  return take_leb(b, false);
}

int64_t dmd_bytes_take_sleb(dmd_bytes_t *b) {
  return (int64_t)take_leb(b, true);
}

void dmd_bytes_skip(dmd_bytes_t *b, uint64_t szB) {
  if ((uint64_t)(b->end - b->p) < szB)
    b->is_bad = true;
  else
    b->p += szB;
}

const uint8_t *dmd_bytes_take_block(dmd_bytes_t *b, uint32_t *szB) {
  uint64_t n = dmd_bytes_take_uleb(b);
  const uint8_t *block = b->p;
  dmd_bytes_skip(b, n);
  *szB = b->is_bad ? 0 : (uint32_t)n;
  return block;
}
