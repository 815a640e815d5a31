/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordlist.h: the records that a query selects, or their sums, in the requested order. Keeps the
 * last list.
 *
 * Keys of a query: section (all, unreported, once, twice; only dark-matter mode has sections); sort
 * (usable, req, slop, num: the largest magnitude first; name: by the function that allocated);
 * desc=0 or 1 for the direction; q, a text that the stack must contain (analyse/records/filter.h),
 * or with regex=1 a regular expression.
 *
 * Cost: sorting takes n log n, filtering n; the last result of either is cached.
 */
#ifndef DMD_SHOW_PAGE_RECORDLIST_H
#define DMD_SHOW_PAGE_RECORDLIST_H

#include "analyse/records/allocfns.h"
#include "analyse/records/rows.h"
#include "base/strbuf.h"
#include "show/page/session.h"

typedef enum dmd_session_sort {
  DMD_SESSION_SORT_USABLE,
  DMD_SESSION_SORT_REQ,
  DMD_SESSION_SORT_SLOP,
  DMD_SESSION_SORT_NUM,
  DMD_SESSION_SORT_NAME
} dmd_session_sort_t;

/* The selection of a query. */
typedef struct dmd_selection {
  unsigned sections; /* bits 1 << dmd_section_t; 0: all */
  dmd_session_sort_t sort;
  bool backwards; /* opposite to the direction given above */
  bool is_regex;
  const char *text; /* belongs to the query; "": everything */
} dmd_selection_t;

/* Reads the keys. False, with the reason recorded in the query, if they are wrong. */
bool dmd_selection_read(dmd_selection_t *selection, const dmd_session_t *page, dmd_query_t *query);

/* The sums of some records. */
typedef struct dmd_recordsum {
  dmd_blocksum_t sum;
  uint32_t n;
} dmd_recordsum_t;

typedef struct dmd_recordlist {
  const dmd_records_t *records;
  dmd_allocfns_t *allocfns;
  /* All records of the sections, sorted. */
  uint32_t *sorted; /* NULL: not made yet */
  uint32_t *stacks; /* their cut stacks, so that a filter need not access each record */
  unsigned sections;
  dmd_session_sort_t sort;
  dmd_recordsum_t all;
  bool has_reporters, has_tags; /* any of them has a name for it */
  /* The records among them that contain the text. */
  uint32_t *found; /* NULL: not made yet */
  dmd_strbuf_t text;
  bool is_regex;
  dmd_recordsum_t of_found;
  /* The current list: one of the two above. */
  const uint32_t *ids;
  dmd_recordsum_t shown;
  bool backwards;
} dmd_recordlist_t;

void dmd_recordlist_init(dmd_recordlist_t *list, const dmd_records_t *records,
                         dmd_allocfns_t *allocfns);
void dmd_recordlist_destroy(dmd_recordlist_t *list);

/* Updates the list to the selection, at the cost given above. */
void dmd_recordlist_select(dmd_recordlist_t *list, const dmd_session_t *page,
                           const dmd_selection_t *selection);

/* The id of the i-th record shown, from 0. */
static inline uint32_t dmd_recordlist_at(const dmd_recordlist_t *list, uint32_t i) {
  return list->ids[list->backwards ? list->shown.n - 1 - i : i];
}

/* The frame of a record's cut stack that names the record; DMD_NONE if there are no frames. *place:
 * its index in the stack. */
uint32_t dmd_record_own_frame(const dmd_records_t *records, dmd_allocfns_t *allocfns,
                              const dmd_record_t *r, size_t *place);

/* ---- Sums of the records of a list, in the requested order. ---- */

/* By reporter, tag, thread, function, library, file or type; keeps the last rows. Further keys of a
 * query: by (picks.h), and name, a text that the row's name must contain. Rows cannot be sorted by
 * requested bytes or slop, which they do not have. */
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
