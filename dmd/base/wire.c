/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wire.h"

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

void dmd_wire_u64(dmd_strbuf_t *to, uint32_t field, uint64_t v) {
  dmd_wire_number(to, field << 3 | WIRE_NUMBER);
  dmd_wire_number(to, v);
}

void dmd_wire_begin_bytes(dmd_strbuf_t *to, uint32_t field, size_t n) {
  dmd_wire_number(to, field << 3 | WIRE_BYTES);
  dmd_wire_number(to, n);
}

void dmd_wire_bytes(dmd_strbuf_t *to, uint32_t field, const char *bytes, size_t n) {
  dmd_wire_begin_bytes(to, field, n);
  dmd_strbuf_bytes(to, bytes, n);
}

size_t dmd_wire_bytes_szB(uint32_t field, size_t n) {
  return dmd_wire_number_szB(field << 3 | WIRE_BYTES) + dmd_wire_number_szB(n) + n;
}
