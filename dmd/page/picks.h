/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * picks.h: by what a query adds up, and the rows of such sums that it is about alone.
 *
 * Keys of a query: by (stack, or one of the following); function, file, library, reporter, tag,
 * thread, type: the name of a row (analysis/rownames.h). Only blocks that count for it are left, of
 * several keys for all of these rows. A block that two reporters share is with both, whole.
 */
#ifndef DMD_PAGE_PICKS_H
#define DMD_PAGE_PICKS_H

#include "analysis/rownames.h"
#include "page/query.h"

/* The word for it in queries and links. */
const char *dmd_by_word(dmd_by_t by);

/* The value of "by": DMD_BY_RECORD where there is none, or it is "stack". */
dmd_by_t dmd_by_read(dmd_query_t *query);

typedef struct dmd_picks {
  const char *name[DMD_N_BY]; /* the row's; NULL: all */
} dmd_picks_t;

/* Those of a query, which keeps the names. */
dmd_picks_t dmd_picks_read(const dmd_query_t *query);

bool dmd_picks_are_any(const dmd_picks_t *picks);
bool dmd_picks_are_equal(const dmd_picks_t *a, const dmd_picks_t *b);

/* A copy, whose names are these. */
dmd_picks_t dmd_picks_keep(const dmd_picks_t *picks, dmd_intern_t *names);

/* Appends what is picked, for people: "tag lib, type char[]". */
void dmd_picks_describe(const dmd_picks_t *picks, dmd_strbuf_t *to);

/* Adds the groups that are picked to another profile; types: of `from`, NULL: nobody knows them,
 * and none is picked; to_types: then NULL as well. */
void dmd_picks_take(const dmd_picks_t *picks, const dmd_profile_t *from,
                    const dmd_grouptypes_t *types, dmd_profile_t *to, dmd_grouptypes_t *to_types);

#endif
