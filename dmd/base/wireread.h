/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * wireread.h: the fields of a protobuf message that a stranger wrote.
 *
 * Nothing is copied or allocated: what was read points into the message, which must stay. A field
 * that is not known is passed over; one that comes twice, and should not, counts as it came last.
 * Numbers are of 64 bits, whatever the format says of them: who takes them checks them.
 *
 * Cost: reading a message takes time in proportion to its length, walking through a list or a
 * column of it once more.
 */
#ifndef DMD_BASE_WIREREAD_H
#define DMD_BASE_WIREREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a message: a string, or a message in it. */
typedef struct dmd_wire_span {
  const uint8_t *at; /* NULL: the field is not there */
  size_t n;
} dmd_wire_span_t;

/* A number that dmd_wire_put put there; *at is moved behind it. False if there is none. */
bool dmd_wire_take_number(const uint8_t **at, const uint8_t *end, uint64_t *v);

/* ---- Fields, one after the other. ---- */

/* One of them: a number, or bytes. Of a number of a fixed width neither is set. */
typedef struct dmd_wire_field {
  uint64_t number; /* its own */
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

/* False at the end; then `failed` says whether that was all. */
bool dmd_wire_next(dmd_wire_fields_t *fields, dmd_wire_field_t *field);

/* ---- Repeated fields. ---- */

/* Those of one number, from the next one on: strings or messages (a list), or numbers, packed or
 * not (a column). A copy of one walks on its own. */
typedef struct dmd_wire_list {
  dmd_wire_fields_t fields; /* of the message: what comes later */
  uint64_t number;
  size_t n;                /* that there are in all */
  const uint8_t *at, *end; /* of a column: packed numbers, as far as they were not taken */
} dmd_wire_list_t;

/* The next string or message; false at the end. */
bool dmd_wire_list_next(dmd_wire_list_t *list, dmd_wire_span_t *bytes);

/* The next number; 0 at the end, as of a column that was left out. */
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

/* A field of a message, and the member of a struct that it becomes. */
typedef struct dmd_wire_member {
  uint32_t number;
  dmd_wire_kind_t kind;
  size_t offset;
} dmd_wire_member_t;

/* Fills in the members, those of fields that are not there with 0. False if the message is damaged,
 * or a field is of another kind. */
bool dmd_wire_read(dmd_wire_span_t message, const dmd_wire_member_t *members, unsigned n, void *to);

#endif
