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

/* ---- Reading. ---- */

bool dmd_wire_take_number(const uint8_t **at, const uint8_t *end, uint64_t *v) {
  *v = 0;
  for (unsigned i = 0; i < DMD_WIRE_MAX_NUMBER && *at < end; i++) {
    uint8_t byte = *(*at)++;
    *v |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80))
      return i < DMD_WIRE_MAX_NUMBER - 1 || byte <= 1;
  }
  return false;
}

/* ---- Fields. ---- */

/* Skips a number of fixed width. */
static bool take_fixed(dmd_wire_fields_t *fields, size_t szB) {
  if ((size_t)(fields->end - fields->at) < szB)
    return false;
  fields->at += szB;
  return true;
}

static bool take_bytes(dmd_wire_fields_t *fields, dmd_wire_field_t *field) {
  uint64_t n;
  field->is_bytes = true;
  if (!dmd_wire_take_number(&fields->at, fields->end, &n) || n > (size_t)(fields->end - fields->at))
    return false;
  field->bytes = (dmd_wire_span_t){.at = fields->at, .n = (size_t)n};
  fields->at += n;
  return true;
}

bool dmd_wire_next(dmd_wire_fields_t *fields, dmd_wire_field_t *field) {
  enum { NUMBER = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5, NONE = 8 };
  uint64_t tag;
  *field = (dmd_wire_field_t){0};
  if (fields->at == fields->end)
    return false;
  bool good = dmd_wire_take_number(&fields->at, fields->end, &tag) && tag >> 3 != 0;
  field->number = good ? tag >> 3 : 0;
  switch (good ? tag & 7 : NONE) {
  case NUMBER:
    field->is_number = true;
    good = dmd_wire_take_number(&fields->at, fields->end, &field->value);
    break;
  case FIXED_64:
    good = take_fixed(fields, 8);
    break;
  case BYTES:
    good = take_bytes(fields, field);
    break;
  case FIXED_32:
    good = take_fixed(fields, 4);
    break;
  default:
    good = false;
  }
  fields->failed = !good;
  return good;
}

/* ---- Repeated fields. ---- */

bool dmd_wire_list_next(dmd_wire_list_t *list, dmd_wire_span_t *bytes) {
  dmd_wire_field_t field;
  while (dmd_wire_next(&list->fields, &field))
    if (field.number == list->number) {
      *bytes = field.bytes;
      return true;
    }
  return false;
}

uint64_t dmd_wire_column_refill(dmd_wire_list_t *column) {
  dmd_wire_field_t field;
  uint64_t v = 0;
  while (column->at == column->end) {
    if (!dmd_wire_next(&column->fields, &field))
      return 0;
    if (field.number == column->number && field.is_number)
      return field.value;
    if (field.number == column->number) {
      column->at = field.bytes.at;
      column->end = field.bytes.at + field.bytes.n;
    }
  }
  dmd_wire_take_number(&column->at, column->end, &v);
  return v;
}

/* Counts packed numbers; returns false if they are invalid. */
static bool count_packed(dmd_wire_span_t bytes, size_t *n) {
  unsigned longest = 0, length = 0;
  for (size_t i = 0; i < bytes.n; i++) {
    bool is_last = !(bytes.at[i] & 0x80);
    length++;
    longest = length > longest ? length : longest;
    length = is_last ? 0 : length;
    *n += is_last;
  }
  return length == 0 && longest <= DMD_WIRE_MAX_NUMBER;
}

/* ---- Messages. ---- */

static const dmd_wire_member_t *member_of(const dmd_wire_member_t *members, unsigned n,
                                          uint64_t number) {
  for (unsigned i = 0; i < n; i++)
    if (members[i].number == number)
      return &members[i];
  return NULL;
}

static void *place_of(const dmd_wire_member_t *member, void *to) {
  return (char *)to + member->offset;
}

static void begin(dmd_wire_span_t message, const dmd_wire_member_t *member, void *to) {
  void *place = place_of(member, to);
  if (member->kind == DMD_WIRE_NUMBER)
    *(uint64_t *)place = 0;
  else if (member->kind == DMD_WIRE_SPAN)
    *(dmd_wire_span_t *)place = (dmd_wire_span_t){0};
  else
    *(dmd_wire_list_t *)place =
        (dmd_wire_list_t){.fields = dmd_wire_fields(message), .number = member->number};
}

static bool set(const dmd_wire_member_t *member, const dmd_wire_field_t *field, void *to) {
  void *place = place_of(member, to);
  dmd_wire_list_t *list = place;
  switch (member->kind) {
  case DMD_WIRE_NUMBER:
    *(uint64_t *)place = field->value;
    return field->is_number;
  case DMD_WIRE_SPAN:
    *(dmd_wire_span_t *)place = field->bytes;
    return field->is_bytes;
  case DMD_WIRE_LIST:
    list->n++;
    return field->is_bytes;
  default:
    list->n += field->is_number;
    return field->is_number || (field->is_bytes && count_packed(field->bytes, &list->n));
  }
}

bool dmd_wire_read(dmd_wire_span_t message, const dmd_wire_member_t *members, unsigned n,
                   void *to) {
  dmd_wire_fields_t fields = dmd_wire_fields(message);
  dmd_wire_field_t field;
  for (unsigned i = 0; i < n; i++)
    begin(message, &members[i], to);
  while (dmd_wire_next(&fields, &field)) {
    const dmd_wire_member_t *member = member_of(members, n, field.number);
    if (member != NULL && !set(member, &field, to))
      return false;
  }
  return !fields.failed;
}
