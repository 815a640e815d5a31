/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/input/graphparts.h"

#include "base/limits.h"
#include "reader/host/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_VARINT = 10 /* bytes of a number of 64 bits */ };

void dmdv_graphparts_init(dmdv_graphparts_t *parts, dmdv_input_t *input, const char *verb) {
  *parts = (dmdv_graphparts_t){.input = input, .verb = verb};
  dmdv_progress_start(&parts->progress);
}

void dmdv_graphparts_destroy(dmdv_graphparts_t *parts) {
  dmdv_progress_end(&parts->progress);
  dmd_env_free(&dmdv_env, parts->kept);
}

static bool reject_at(uint64_t byte, dmd_fail_t *fail, const char *format, va_list args) {
  vsnprintf(fail->reason, sizeof fail->reason, format, args);
  fail->line = 0;
  fail->byte = byte;
  fail->has_byte = true;
  return false;
}

bool dmdv_graphparts_reject(const dmdv_graphparts_t *parts, dmd_fail_t *fail, const char *format,
                            ...) {
  va_list args;
  va_start(args, format);
  reject_at(parts->start, fail, format, args);
  va_end(args);
  return false;
}

/* ---- Parts. ---- */

/* Makes sure that there is something in the piece, but at the end of the file. */
static bool refill(dmdv_graphparts_t *parts, dmd_fail_t *fail) {
  if (parts->n_piece > 0)
    return true;
  if (!dmdv_input_next(parts->input, &parts->piece, &parts->n_piece, fail)) {
    fail->byte = parts->at;
    fail->has_byte = true;
    return false;
  }
  dmdv_progress_update(&parts->progress, &(dmdv_read_t){.bytes = parts->at,
                                                        .at = dmdv_input_at(parts->input),
                                                        .total = dmdv_input_total(parts->input),
                                                        .verb = parts->verb});
  return true;
}

static void take(dmdv_graphparts_t *parts, size_t n) {
  parts->piece += n;
  parts->n_piece -= n;
  parts->at += n;
}

/* The length of the next part; *end where there is none. */
static bool read_length(dmdv_graphparts_t *parts, uint64_t *length, bool *end, dmd_fail_t *fail) {
  *length = 0;
  *end = false;
  for (unsigned i = 0; i < MAX_VARINT; i++) {
    if (!refill(parts, fail))
      return false;
    if (parts->n_piece == 0 && i == 0) {
      *end = true;
      return true;
    }
    if (parts->n_piece == 0)
      return dmdv_graphparts_reject(parts, fail, "the file is cut off in the length of a part");
    uint8_t byte = (uint8_t)*parts->piece;
    take(parts, 1);
    *length |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80))
      return true;
  }
  return dmdv_graphparts_reject(parts, fail, "the length of a part has more than 64 bits");
}

static void reserve(dmdv_graphparts_t *parts, size_t n) {
  if (n <= parts->room)
    return;
  char *larger = dmd_env_alloc(&dmdv_env, "dmdv.graph_part", 2 * n);
  if (parts->n > 0)
    memcpy(larger, parts->kept, parts->n);
  dmd_env_free(&dmdv_env, parts->kept);
  parts->kept = larger;
  parts->room = 2 * n;
}

/* Collects a part that is in several pieces. */
static bool collect(dmdv_graphparts_t *parts, size_t length, dmd_fail_t *fail) {
  parts->n = 0;
  while (parts->n < length) {
    if (!refill(parts, fail))
      return false;
    if (parts->n_piece == 0)
      return dmdv_graphparts_reject(parts, fail,
                                    "the file is cut off in a part: %zu of its %zu bytes are there",
                                    parts->n, length);
    size_t n = length - parts->n < parts->n_piece ? length - parts->n : parts->n_piece;
    reserve(parts, parts->n + n);
    memcpy(parts->kept + parts->n, parts->piece, n);
    parts->n += n;
    take(parts, n);
  }
  parts->bytes = (const uint8_t *)parts->kept;
  return true;
}

bool dmdv_graphparts_next(dmdv_graphparts_t *parts, bool *end, dmd_fail_t *fail) {
  uint64_t length;
  parts->start = parts->at;
  if (!read_length(parts, &length, end, fail))
    return false;
  if (*end)
    return true;
  if (length > DMD_MAX_GRAPH_PART)
    return dmdv_graphparts_reject(parts, fail,
                                  "a part is longer than " DMD_MAX_GRAPH_PART_TEXT " bytes");
  if (length > parts->n_piece)
    return collect(parts, (size_t)length, fail);
  parts->bytes = (const uint8_t *)parts->piece;
  parts->n = (size_t)length;
  take(parts, parts->n);
  return true;
}

/* ---- Fields. ---- */

static bool take_number(dmdv_fields_t *fields, uint64_t *v) {
  *v = 0;
  for (unsigned i = 0; i < MAX_VARINT && fields->at < fields->end; i++) {
    uint8_t byte = *fields->at++;
    *v |= (uint64_t)(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80))
      return i < MAX_VARINT - 1 || byte <= 1;
  }
  return false;
}

/* Passes over a number of a fixed width. */
static bool take_fixed(dmdv_fields_t *fields, size_t szB) {
  if ((size_t)(fields->end - fields->at) < szB)
    return false;
  fields->at += szB;
  return true;
}

static bool take_bytes(dmdv_fields_t *fields, dmdv_field_t *field) {
  uint64_t n;
  field->is_bytes = true;
  if (!take_number(fields, &n) || n > (size_t)(fields->end - fields->at))
    return false;
  field->bytes = fields->at;
  field->n = (size_t)n;
  fields->at += n;
  return true;
}

bool dmdv_fields_next(dmdv_fields_t *fields, dmdv_field_t *field) {
  enum { NUMBER = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };
  uint64_t tag;
  *field = (dmdv_field_t){0};
  if (fields->at == fields->end)
    return false;
  bool good = take_number(fields, &tag) && tag >> 3 != 0;
  field->number = good ? tag >> 3 : 0;
  switch (good ? tag & 7 : 8) {
  case NUMBER:
    good = take_number(fields, &field->value);
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

size_t dmdv_field_count(const dmdv_field_t *field) {
  if (!field->is_bytes)
    return 1;
  size_t n = 0;
  for (size_t i = 0; i < field->n; i++)
    n += !(field->bytes[i] & 0x80);
  return n;
}
