/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wire.h: appends the fields of a protobuf message to a string.
 *
 * A nested message is built in its own string, since its length precedes it.
 */
#ifndef DMD_BASE_WIRE_H
#define DMD_BASE_WIRE_H

#include "base/strbuf.h"

enum { DMD_WIRE_MAX_NUMBER = 10 }; /* bytes */

/* Writes a number as a varint, seven bits a byte. Returns the position after it. */
static inline char *dmd_wire_put(char *to, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    *to++ = (char)(v | 0x80);
  *to++ = (char)v;
  return to;
}

/* Reads a number that dmd_wire_put wrote, and advances *from. Only for trusted bytes: nothing is
 * checked. */
static inline uint64_t dmd_wire_get(const char **from) {
  uint64_t v = 0;
  unsigned shift = 0;
  for (; **from & 0x80; shift += 7)
    v |= (uint64_t)(*(*from)++ & 0x7f) << shift;
  return v | (uint64_t) * (*from)++ << shift;
}

/* Zigzag encoding, which makes small numbers of either sign short, and decoding. */
static inline uint64_t dmd_wire_fold(uint64_t v) {
  return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t dmd_wire_unfold(uint64_t folded) {
  return folded >> 1 ^ (0 - (folded & 1));
}

static inline void dmd_wire_number(dmd_strbuf_t *to, uint64_t v) {
  char *end = dmd_wire_put(dmd_strbuf_reserve(to, DMD_WIRE_MAX_NUMBER), v);
  dmd_strbuf_cut(to, (size_t)(end - to->text));
}

/* The number of bytes of a varint. */
static inline size_t dmd_wire_number_szB(uint64_t v) {
  size_t n = 1;
  for (; v >= 0x80; v >>= 7)
    n++;
  return n;
}

/* Appends a field with a number, or with n bytes: a string, packed numbers or a message. The field
 * is written even if it is 0 or empty. */
void dmd_wire_u64(dmd_strbuf_t *to, uint32_t field, uint64_t v);
void dmd_wire_bytes(dmd_strbuf_t *to, uint32_t field, const char *bytes, size_t n);

/* Appends the header of a field of n bytes, which the caller writes elsewhere; and the size of
 * both. */
void dmd_wire_begin_bytes(dmd_strbuf_t *to, uint32_t field, size_t n);
size_t dmd_wire_bytes_szB(uint32_t field, size_t n);

#endif
