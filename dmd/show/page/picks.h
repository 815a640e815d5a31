/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * picks.h: the grouping of a query's sums, and the rows that the query is restricted to.
 *
 * Keys of a query: by (stack, or one of the following); function, file, library, reporter, tag,
 * thread, type: the name of a row (analyse/records/rows.h). Only blocks that count for that row
 * are kept; with several keys, blocks that count for all of them. A block shared by two reporters
 * counts for both in full.
 */
#ifndef DMD_SHOW_PAGE_PICKS_H
#define DMD_SHOW_PAGE_PICKS_H

#include "analyse/records/rows.h"
#include "show/page/query.h"

/* Its word in queries and links. */
const char *dmd_by_word(dmd_by_t by);

/* The value of "by": DMD_BY_RECORD if it is missing or "stack". */
dmd_by_t dmd_by_read(dmd_query_t *query);

typedef struct dmd_picks {
  const char *name[DMD_N_BY]; /* name of the row; NULL: all */
} dmd_picks_t;

/* Reads the picks of a query. The names belong to the query. */
dmd_picks_t dmd_picks_read(const dmd_query_t *query);

bool dmd_picks_are_any(const dmd_picks_t *picks);
bool dmd_picks_are_equal(const dmd_picks_t *a, const dmd_picks_t *b);

/* A copy whose names are in `names`. */
dmd_picks_t dmd_picks_keep(const dmd_picks_t *picks, dmd_intern_t *names);

/* Appends a description for people: "tag lib, type char[]". */
void dmd_picks_describe(const dmd_picks_t *picks, dmd_strbuf_t *to);

/* Adds the groups that are picked to another profile. types: those of `from`; if NULL, no type may
 * be picked, and to_types must be NULL too. */
void dmd_picks_take(const dmd_picks_t *picks, const dmd_profile_t *from,
                    const dmd_grouptypes_t *types, dmd_profile_t *to, dmd_grouptypes_t *to_types);

#endif
