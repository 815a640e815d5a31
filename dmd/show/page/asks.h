/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * asks.h: a session from its beginning to its end, and the queries that it answers, one function
 * each.
 *
 * Call order: dmd_session_init; adding files and asking, in any order; dmd_session_destroy. Data
 * computed for one answer may be kept for the next. If a query cannot be answered, the answer is
 * {"error": {"message", "hint"}}. The message names the problem; the hint says what to do about it,
 * or is "".
 *
 * A function first reads all keys that it needs, then checks once whether the query failed
 * (query.h), and only then writes. If it returns false, it wrote nothing and the query has the
 * reason.
 *
 * To add a query: its function in a file ask_*.c and here, and a line in the table in asks.c.
 */
#ifndef DMD_SHOW_PAGE_ASKS_H
#define DMD_SHOW_PAGE_ASKS_H

#include "show/page/session.h"

void dmd_session_init(dmd_session_t *page, const dmd_env_t *env);
void dmd_session_destroy(dmd_session_t *page);

/* Writes the answer to a query. */
void dmd_session_ask(dmd_session_t *page, const char *query, dmd_out_t *out);

typedef struct dmd_ask {
  const char *name; /* the value of "ask" */
  bool (*answer)(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
} dmd_ask_t;

/* Finds one by name; NULL if not found. */
const dmd_ask_t *dmd_ask_find(const char *name);

/* All of them; the last has no name. */
extern const dmd_ask_t dmd_asks[];

bool dmd_ask_census(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_claims(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_curve(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_curves(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_faults(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_files(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_flame(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_history(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_leaks(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_lifetimes(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_map(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_neighbours(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_overview(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_owners(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_paths(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_record(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_records(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_retained(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_series(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_text(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_timeline(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_tree(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_treemap(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);
bool dmd_ask_waste(dmd_session_t *page, dmd_query_t *query, dmd_out_t *out);

#endif
