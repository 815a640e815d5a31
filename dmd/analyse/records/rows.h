/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rows.h: sums of blocks by reporter, tag, thread, function, library, file or type.
 *
 * Each row (rownames.h) has the totals of its blocks, overall and by report state. A block reported
 * by two reporters counts for both, so rows by reporter may add up to more than the heap.
 */
#ifndef DMD_ANALYSE_RECORDS_ROWS_H
#define DMD_ANALYSE_RECORDS_ROWS_H

#include "analyse/records/rownames.h"
#include "analyse/records/tally.h"
#include "base/bitset.h"

typedef struct dmd_rows {
  const dmd_records_t *records;
  dmd_rownames_t names;
  dmd_bitset_t groups; /* groups that count, until finished */
  dmd_pool_t tallies;  /* by row */
  uint32_t *order;     /* row ids, most bytes first */
  uint32_t n;
} dmd_rows_t;

/* Adds up the remaining records of these sections (bits 1 << dmd_section_t; 0: all). by must not be
 * DMD_BY_RECORD, and DMD_BY_TYPE requires records with types. Borrows the records; must not move
 * until it is destroyed. */
void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections);

/* Do so for records that are added one by one between begin and finish. Finishing takes one walk
 * over the profile's groups in memory order, however many records were added. */
void dmd_rows_begin(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by);
void dmd_rows_add(dmd_rows_t *rows, const dmd_record_t *r);
void dmd_rows_finish(dmd_rows_t *rows);
void dmd_rows_destroy(dmd_rows_t *rows);

/* The i-th row of the order, from 0. */
static inline const dmd_tally_t *dmd_rows_at(const dmd_rows_t *rows, uint32_t i) {
  return DMD_POOL_AT(&rows->tallies, const dmd_tally_t, rows->order[i]);
}

static inline const char *dmd_rows_name(const dmd_rows_t *rows, uint32_t i) {
  return dmd_intern_get_str(&rows->names.names, rows->order[i]);
}

#endif
