/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wireread.h: reads the fields of an untrusted protobuf message.
 *
 * Reading copies and allocates nothing: results point into the message, which must stay. Unknown
 * fields are skipped; if a single field occurs twice, the last one counts. All numbers have 64
 * bits, whatever the format says; callers check their range.
 *
 * Reading a message takes time proportional to its length; walking through a list or column takes
 * another pass.
 */
#ifndef DMD_BASE_WIREREAD_H
#define DMD_BASE_WIREREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
