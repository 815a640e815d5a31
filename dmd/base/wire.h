/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wire.h: appends the fields of a protobuf message to a string.
 *
 * A nested message is built in its own string, since its length precedes it.
 */
#ifndef DMD_BASE_WIRE_H
#define DMD_BASE_WIRE_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- Reading. ----
 *
 * Reads the fields of an untrusted protobuf message.
 *
 * Reading copies and allocates nothing: results point into the message, which must stay. Unknown
 * fields are skipped; if a single field occurs twice, the last one counts. All numbers have 64
 * bits, whatever the format says; callers check their range.
 *
 * Reading a message takes time proportional to its length; walking through a list or column takes
 * another pass. */

/* Bytes of a message: a string or a nested message. */
typedef struct dmd_wire_span {
  const uint8_t *at; /* NULL: the field is absent */
  size_t n;
} dmd_wire_span_t;

/* Reads a varint and advances *at. Returns false if it is invalid. */
bool dmd_wire_take_number(const uint8_t **at, const uint8_t *end, uint64_t *v);

/* ---- Fields, one by one. ---- */

/* A field: a number, or bytes. For a number of fixed width neither is set. */
typedef struct dmd_wire_field {
  uint64_t number; /* the field number */
  bool is_number, is_bytes;
  uint64_t value;
  dmd_wire_span_t bytes;
} dmd_wire_field_t;

typedef struct dmd_wire_fields {
  const uint8_t *at, *end;
  bool failed; /* the message is damaged */
} dmd_wire_fields_t;

static inline dmd_wire_fields_t dmd_wire_fields(dmd_wire_span_t message) {
  return (dmd_wire_fields_t){.at = message.at,
                             .end = message.n > 0 ? message.at + message.n : message.at};
}

/* Returns false at the end; `failed` then says whether the message was damaged. */
bool dmd_wire_next(dmd_wire_fields_t *fields, dmd_wire_field_t *field);

/* ---- Repeated fields. ---- */

/* The fields with one number, from the next one on: strings or messages (a list), or numbers,
 * packed or not (a column). A copy iterates independently. */
typedef struct dmd_wire_list {
  dmd_wire_fields_t fields; /* of the rest of the message */
  uint64_t number;
  size_t n;                /* total number of elements */
  const uint8_t *at, *end; /* of a column: packed numbers not yet read */
} dmd_wire_list_t;

/* Gets the next string or message; returns false at the end. */
bool dmd_wire_list_next(dmd_wire_list_t *list, dmd_wire_span_t *bytes);

/* The next number; 0 at the end, also of an absent column. */
uint64_t dmd_wire_column_refill(dmd_wire_list_t *column);
static inline uint64_t dmd_wire_column_next(dmd_wire_list_t *column) {
  /* Most numbers have one byte. */
  if (column->at < column->end && *column->at < 0x80)
    return *column->at++;
  return dmd_wire_column_refill(column);
}

/* ---- Messages. ---- */

typedef enum dmd_wire_kind {
  DMD_WIRE_NUMBER, /* uint64_t */
  DMD_WIRE_SPAN,   /* dmd_wire_span_t */
  DMD_WIRE_LIST,   /* dmd_wire_list_t, of spans */
  DMD_WIRE_COLUMN  /* dmd_wire_list_t, of numbers */
} dmd_wire_kind_t;

/* A field of a message, and the member of a struct that receives it. */
typedef struct dmd_wire_member {
  uint32_t number;
  dmd_wire_kind_t kind;
  size_t offset;
} dmd_wire_member_t;

/* Fills in the members; those of absent fields become 0. Returns false if the message is damaged,
 * or a field has another kind. */
bool dmd_wire_read(dmd_wire_span_t message, const dmd_wire_member_t *members, unsigned n, void *to);

#endif
