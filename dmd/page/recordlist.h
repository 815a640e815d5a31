/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * recordlist.h: the records that a query selects, in the order that it wants; the last such list is
 * kept.
 *
 * Keys of a query: section (all, unreported, once, twice; only dark-matter mode has sections); sort
 * (usable, req, slop, num: the largest magnitude first; name: by the function that allocated) and
 * desc=0 or 1, where another direction is wanted; q, a text that the stack must contain
 * (analysis/filter.h), with regex=1 a regular expression.
 *
 * Cost: to sort takes n log n, to filter n; what was sorted or filtered last is there already.
 */
#ifndef DMD_PAGE_RECORDLIST_H
#define DMD_PAGE_RECORDLIST_H

#include "analysis/allocfns.h"
#include "analysis/record.h"
#include "base/strbuf.h"
#include "page/page.h"

typedef enum dmd_page_sort {
  DMD_PAGE_SORT_USABLE,
  DMD_PAGE_SORT_REQ,
  DMD_PAGE_SORT_SLOP,
  DMD_PAGE_SORT_NUM,
  DMD_PAGE_SORT_NAME
} dmd_page_sort_t;

/* What a query selects. */
typedef struct dmd_selection {
  unsigned sections; /* bits 1 << dmd_section_t; 0: all */
  dmd_page_sort_t sort;
  bool backwards; /* not in the direction that is said above */
  bool is_regex;
  const char *text; /* the query's; "": everything */
} dmd_selection_t;

/* Reads the keys. False, with the reason noted in the query, where they are wrong. */
bool dmd_selection_read(dmd_selection_t *selection, const dmd_page_t *page, dmd_query_t *query);

/* The sums of some records. */
typedef struct dmd_recordsum {
  int64_t usable, num;
  uint32_t n;
} dmd_recordsum_t;

typedef struct dmd_recordlist {
  const dmd_records_t *records;
  dmd_allocfns_t *allocfns;
  /* All of the sections, sorted. */
  uint32_t *sorted; /* NULL: there is no list */
  uint32_t *stacks; /* cut stacks of these, so that a filter need not go to each record */
  unsigned sections;
  dmd_page_sort_t sort;
  dmd_recordsum_t all;
  /* Those of them that contain the text. */
  uint32_t *found; /* NULL: there is no such list */
  dmd_strbuf_t text;
  bool is_regex;
  dmd_recordsum_t of_found;
  /* What was asked for last: one of these. */
  const uint32_t *ids;
  dmd_recordsum_t shown;
  bool backwards;
} dmd_recordlist_t;

void dmd_recordlist_init(dmd_recordlist_t *list, const dmd_records_t *records,
                         dmd_allocfns_t *allocfns);
void dmd_recordlist_destroy(dmd_recordlist_t *list);

/* Makes the list what the selection says, at whatever it costs now. */
void dmd_recordlist_select(dmd_recordlist_t *list, const dmd_page_t *page,
                           const dmd_selection_t *selection);

/* The id of the i-th of those that are shown, from 0. */
static inline uint32_t dmd_recordlist_at(const dmd_recordlist_t *list, uint32_t i) {
  return list->ids[list->backwards ? list->shown.n - 1 - i : i];
}

/* The own frame of a record's cut stack, which is what people call the record by; DMD_NONE: it has
 * no frames. *place: its place in the stack. */
uint32_t dmd_record_own_frame(const dmd_records_t *records, dmd_allocfns_t *allocfns,
                              const dmd_record_t *r, size_t *place);

#endif
