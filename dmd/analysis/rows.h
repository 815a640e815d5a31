/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rows.h: the blocks added up by reporter, tag, thread, function, library, file or type.
 *
 * A row is one of these (rownames.h), with what its blocks hold in all and in each report state. A
 * block that two reporters reported counts for both of them, so that rows by reporter can add up to
 * more than the heap.
 */
#ifndef DMD_ANALYSIS_ROWS_H
#define DMD_ANALYSIS_ROWS_H

#include "analysis/rownames.h"
#include "analysis/tally.h"
#include "base/bitset.h"

typedef struct dmd_rows {
  const dmd_records_t *records;
  dmd_rownames_t names;
  dmd_bitset_t groups; /* that count, before it is finished */
  dmd_pool_t tallies;  /* by row */
  uint32_t *order;     /* the ids, those of most bytes first */
  uint32_t n;
} dmd_rows_t;

/* Adds up the records that are left in these sections (bits 1 << dmd_section_t; 0: all). by is not
 * DMD_BY_RECORD, and DMD_BY_TYPE only of records that have types. Borrows the records; must stay
 * where it is until it is destroyed. */
void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections);

/* The same of records that are added one by one, between these. Finishing takes one walk over the
 * profile's groups in the order in which they lie in memory, however many records were added. */
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
