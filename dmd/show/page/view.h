/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view.h: data computed from a profile, or from the difference of two, kept for later queries.
 *
 * Scrolling queries one window after another of the same list. So a page keeps the last few views,
 * and each view keeps the last lists made of its records. They depend on all of the query except
 * first and count.
 *
 * Keys of a query: of, a file's number; old, the number of the file it is compared with (if
 * missing, the view is not a difference); peak, 1 for the blocks of the peak, 0 for those of the
 * dump, 2 for those of the recent peak, or of the peak if that is the same (if missing, as dmdv
 * print and diff choose); max-frames, how many frames tell stacks apart; the picks of picks.h. With
 * type or by=type, the view is made of the file's heap graph, which has the same blocks with their
 * types.
 *
 * Cost: a view costs as much as its records (analyse/records/record.h). A view with a difference,
 * picks or types also has groups of its own.
 */
#ifndef DMD_SHOW_PAGE_VIEW_H
#define DMD_SHOW_PAGE_VIEW_H

#include "analyse/records/sums.h"
#include "show/page/flame.h"
#include "show/page/picks.h"
#include "show/page/recordlist.h"
#include "show/page/session.h"
#include "show/text/pieces.h"

/* `old` of a view that is not a difference. */
#define DMD_VIEW_ALONE UINT32_MAX

/* A profile that was made for a view. */
typedef struct dmd_viewprofile {
  dmd_profile_t profile;
  dmd_grouptypes_t types; /* of its groups, if the view has types */
} dmd_viewprofile_t;

typedef struct dmd_view {
  uint32_t of, old; /* numbers of files */
  uint32_t max_frames;
  bool at_peak, at_recent; /* at_recent: for one file at least */
  bool has_types;
  dmd_picks_t picks;
  dmd_intern_t names; /* of the picks */
  uint64_t used;      /* number of the last query that used the view */
  dmd_profile_t *profile;
  const dmd_profile_t *before; /* NULL if not a difference */
  dmd_blocksum_t heap;         /* the heap before picking; not set without picks */
  dmd_viewprofile_t *made;     /* owns the profile; NULL: the file does */
  dmd_records_t records;
  dmd_pieces_t pieces;
  dmd_recordlist_t list;
  dmd_rowlist_t rows;
  dmd_flame_t flame;
} dmd_view_t;

/* The view that a query is about; NULL, with the reason recorded in the query, if that fails.
 * Valid until the next query. */
dmd_view_t *dmd_session_view(dmd_session_t *page, dmd_query_t *query);

/* The same, with a default for max-frames. */
dmd_view_t *dmd_session_view_of(dmd_session_t *page, dmd_query_t *query, uint64_t max_frames);

/* The file whose number is the value of "of" or another key; the first file if the
 * query does not have the key. NULL, with the reason recorded in the query, if the file does not
 * exist. */
dmd_session_file_t *dmd_session_file_of(const dmd_session_t *page, dmd_query_t *query,
                                        const char *key);

/* The file that a query is about and the file that it is compared with, or NULL; either may be a
 * file of memory reports. Their profiles show the moment that it is about. False, with the reason
 * recorded in the query, if they are missing or cannot be compared. */
bool dmd_session_files_of(const dmd_session_t *page, dmd_query_t *query,
                          const dmd_session_file_t **of, const dmd_session_file_t **old);

/* The moment of these files (old may be NULL) that a query is about. If that is a peak, but one of
 * them has none, the reason is recorded in the query. */
dmd_moment_choice_t dmd_session_moment_of(dmd_query_t *query, const dmd_session_file_t *of,
                                          const dmd_session_file_t *old);

/* Gives records of a view's profile what the profile does not have: the types, and the whole heap,
 * which shares refer to even if only a part is picked. */
void dmd_view_tell(const dmd_view_t *view, dmd_records_t *records);

/* Forgets all views. */
void dmd_session_forget_views(dmd_session_t *page);

/* The profiles whose runs a view is about, in the form that dmd_records_json takes. */
void dmd_view_runs(const dmd_view_t *view, const dmd_session_t *page, const dmd_profile_t *runs[2]);

#endif
