/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wire.h"

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, MAX_BYTES = 10 };

void dmd_wire_number(dmd_strbuf_t *to, uint64_t v) {
  char *bytes = dmd_strbuf_reserve(to, MAX_BYTES);
  size_t n = 0;
  for (; v >= 0x80; v >>= 7)
    bytes[n++] = (char)(v | 0x80);
  bytes[n++] = (char)v;
  dmd_strbuf_cut(to, to->n + n);
}

void dmd_wire_u64(dmd_strbuf_t *to, uint32_t field, uint64_t v) {
  dmd_wire_number(to, field << 3 | WIRE_NUMBER);
  dmd_wire_number(to, v);
}

void dmd_wire_bytes(dmd_strbuf_t *to, uint32_t field, const char *bytes, size_t n) {
  dmd_wire_number(to, field << 3 | WIRE_BYTES);
  dmd_wire_number(to, n);
  dmd_strbuf_bytes(to, bytes, n);
}
