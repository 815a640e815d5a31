/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wire.h: appends the fields of a protobuf message to a string.
 *
 * A message within a message is made in a string of its own, since its length stands before it.
 */
#ifndef DMD_BASE_WIRE_H
#define DMD_BASE_WIRE_H

#include "base/strbuf.h"

enum { DMD_WIRE_MAX_NUMBER = 10 }; /* bytes */

/* Puts a number where there is room, as it stands in files, seven bits a byte. Returns where it
 * ends. */
static inline char *dmd_wire_put(char *to, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    *to++ = (char)(v | 0x80);
  *to++ = (char)v;
  return to;
}

/* What dmd_wire_put put there. *from is moved behind it. Only for bytes of one's own: nothing is
 * checked. */
static inline uint64_t dmd_wire_get(const char **from) {
  uint64_t v = 0;
  unsigned shift = 0;
  for (; **from & 0x80; shift += 7)
    v |= (uint64_t)(*(*from)++ & 0x7f) << shift;
  return v | (uint64_t) * (*from)++ << shift;
}

/* A signed number as one of which small ones of either sign are short, and back. */
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

/* The bytes that it takes. */
static inline size_t dmd_wire_number_szB(uint64_t v) {
  size_t n = 1;
  for (; v >= 0x80; v >>= 7)
    n++;
  return n;
}

/* A field with a number, and one with n bytes: a string, packed numbers or a message. They are
 * there even if they are 0 or empty. */
void dmd_wire_u64(dmd_strbuf_t *to, uint32_t field, uint64_t v);
void dmd_wire_bytes(dmd_strbuf_t *to, uint32_t field, const char *bytes, size_t n);

/* What stands before these bytes, which are written elsewhere; and how many bytes both take. */
void dmd_wire_begin_bytes(dmd_strbuf_t *to, uint32_t field, size_t n);
size_t dmd_wire_bytes_szB(uint32_t field, size_t n);

#endif
