/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rowlist.h: sums of the records of a list by reporter, tag, thread, function, library, file or
 * type, in the requested order. Keeps the last rows.
 *
 * Keys of a query: those of recordlist.h, by (picks.h), and name, a text that the row's name must
 * contain. Rows cannot be sorted by requested bytes or slop, which they do not have.
 */
#ifndef DMD_SHOW_PAGE_ROWLIST_H
#define DMD_SHOW_PAGE_ROWLIST_H

#include "analyse/records/rows.h"
#include "show/page/recordlist.h"

typedef struct dmd_rowlist {
  const dmd_records_t *records;
  bool is_made; /* whether the rest is valid: */
  dmd_rows_t rows;
  dmd_by_t by;
  unsigned sections; /* the selection that the rows were made for */
  bool is_regex;
  dmd_strbuf_t text;
  /* The current list: indices into `rows`, from 0. */
  uint32_t *shown;
  uint32_t n;
} dmd_rowlist_t;

void dmd_rowlist_init(dmd_rowlist_t *list, const dmd_records_t *records);
void dmd_rowlist_destroy(dmd_rowlist_t *list);

/* Adds up the selected records. */
void dmd_rowlist_make(dmd_rowlist_t *list, const dmd_recordlist_t *records, dmd_by_t by,
                      const dmd_selection_t *selection);

/* Shows the rows whose name contains the text, sorted. */
void dmd_rowlist_show(dmd_rowlist_t *list, const char *name, const dmd_selection_t *selection);

#endif
