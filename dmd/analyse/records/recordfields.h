/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordfields.h: describes the fields of a record.
 *
 * Text output, and the JSON of dmdv print and of dmdv check, show a record's fields under the same
 * names. This table is their only description, like dmd_fault_fields for faults.
 */
#ifndef DMD_ANALYSE_RECORDS_RECORDFIELDS_H
#define DMD_ANALYSE_RECORDS_RECORDFIELDS_H

#include "analyse/records/record.h"

#include <stddef.h>

/* In JSON order. */
typedef enum {
  DMD_RECORD_BLOCKS,
  DMD_RECORD_BYTES, /* usable */
  DMD_RECORD_REQUESTED,
  DMD_RECORD_SLOP,
  DMD_RECORD_EXCESS, /* bytes that its reports count too often */
  DMD_RECORD_SIZES,  /* see dmd_record_sizes */
  DMD_RECORD_ALLOCATED_AT,
  DMD_RECORD_TAG,
  DMD_RECORD_REPORTER,
  DMD_RECORD_REPORTED_AT,
  DMD_RECORD_REPORTER_AGAIN,
  DMD_RECORD_REPORTED_AGAIN_AT,
  DMD_N_RECORD_FIELDS
} dmd_record_field_id_t;

typedef enum {
  DMD_RECORD_IS_NUMBER,
  DMD_RECORD_IS_SIZES,
  DMD_RECORD_IS_STACK,
  DMD_RECORD_IS_NAME
} dmd_record_field_kind_t;

typedef struct dmd_record_field {
  const char *key;   /* in JSON */
  const char *words; /* in text, for a stack or name: `Reported` at a stack, `Tag` with a name */
  dmd_record_field_kind_t kind;
  size_t place;    /* for a number or stack: offset in dmd_record_t */
  uint32_t report; /* for a field about a report: its number, from 1; otherwise 0 */
} dmd_record_field_t;

extern const dmd_record_field_t dmd_record_fields[DMD_N_RECORD_FIELDS];

/* The value of a number. */
static inline int64_t dmd_record_number(const dmd_record_field_t *field, const dmd_record_t *r) {
  return *(const int64_t *)(const void *)((const char *)r + field->place);
}

/* True if the record has the report that a field is about; always true for other fields. */
static inline bool dmd_record_has_report(const dmd_record_field_t *field, const dmd_record_t *r) {
  return field->report <= r->n_reported;
}

/* The cut stack of a stack field; DMD_NONE: not recorded. */
static inline uint32_t dmd_record_stack(const dmd_record_field_t *field, const dmd_record_t *r) {
  return *(const uint32_t *)(const void *)((const char *)r + field->place);
}

/* The value of a name field: an id of the profile's tags or names, DMD_NONE if none. Blocks of one
 * record may have different tags, and cut stacks may hide different reporters: then *several is
 * true and the result is DMD_NONE. */
uint32_t dmd_record_name(const dmd_records_t *records, const dmd_record_t *r,
                         dmd_record_field_id_t field, bool *several);

/* The text of that name; NULL if no name, or several, apply. */
const char *dmd_record_name_text(const dmd_records_t *records, const dmd_record_t *r,
                                 dmd_record_field_id_t field);

#endif
