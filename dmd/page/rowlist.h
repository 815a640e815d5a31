/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rowlist.h: the records of a list added up by reporter, tag, thread, function, library, file or
 * type, in the order that a query wants; the last such rows are kept.
 *
 * Keys of a query, beside those of the records (recordlist.h) and by (picks.h): name, a text that
 * the row's name must contain. Rows have no requested bytes and no slop to be sorted by.
 */
#ifndef DMD_PAGE_ROWLIST_H
#define DMD_PAGE_ROWLIST_H

#include "analysis/rows.h"
#include "page/recordlist.h"

typedef struct dmd_rowlist {
  const dmd_records_t *records;
  bool is_made; /* the following are: */
  dmd_rows_t rows;
  dmd_by_t by;
  unsigned sections; /* of the records, and what else was selected */
  bool is_regex;
  dmd_strbuf_t text;
  /* Numbers of rows, from 0 in the order of `rows`, as they were asked for last. */
  uint32_t *shown;
  uint32_t n;
} dmd_rowlist_t;

void dmd_rowlist_init(dmd_rowlist_t *list, const dmd_records_t *records);
void dmd_rowlist_destroy(dmd_rowlist_t *list);

/* Adds up the records that are selected. */
void dmd_rowlist_make(dmd_rowlist_t *list, const dmd_recordlist_t *records, dmd_by_t by,
                      const dmd_selection_t *selection);

/* Shows those whose name contains the text, sorted. */
void dmd_rowlist_show(dmd_rowlist_t *list, const char *name, const dmd_selection_t *selection);

#endif
