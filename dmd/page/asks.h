/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * asks.h: the questions that a page has, each answered by a function.
 *
 * A function takes what it wants to know from the query, and then looks whether that failed
 * (query.h); only then does it write. False: it wrote nothing, and the query has the reason.
 *
 * A new question is a file ask_NAME.c, its function here, and its line in the table in asks.c.
 */
#ifndef DMD_PAGE_ASKS_H
#define DMD_PAGE_ASKS_H

#include "page/page.h"

typedef struct dmd_ask {
  const char *name; /* the value of "ask" */
  bool (*answer)(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
} dmd_ask_t;

/* The one with this name; NULL: there is none. */
const dmd_ask_t *dmd_ask_find(const char *name);

/* All of them, up to one without a name. */
extern const dmd_ask_t dmd_asks[];

bool dmd_ask_census(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_curve(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_curves(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_faults(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_files(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_flame(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_history(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_leaks(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_map(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_neighbours(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_overview(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_owners(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_paths(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_record(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_records(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_retained(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_series(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_text(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_tree(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_treemap(dmd_page_t *page, dmd_query_t *query, dmd_out_t *out);

#endif
