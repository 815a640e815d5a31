/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view.h: what is computed of a profile, or of the difference of two, kept for later questions.
 *
 * Whoever scrolls asks for a window after another of the same list. So a page keeps the last few
 * views, and each view keeps the last list that was made of its records. What is kept depends on
 * the query alone, without first and count.
 *
 * Keys of a query: of, a file's number; old, that of the file that it is compared with (none: it is
 * no difference); max-frames, that tell stacks apart; the picks of picks.h. Where it has a type, or
 * by=type, the view is of the heap graph beside the file, whose blocks have types: otherwise they
 * are the same.
 *
 * Cost: of a view that of its records (analysis/record.h); a difference, what is picked, and what
 * has types, also has groups of its own.
 */
#ifndef DMD_PAGE_VIEW_H
#define DMD_PAGE_VIEW_H

#include "analysis/heapsum.h"
#include "page/flame.h"
#include "page/page.h"
#include "page/picks.h"
#include "page/recordlist.h"
#include "page/rowlist.h"
#include "text/pieces.h"

/* Of a view that compares nothing. */
#define DMD_VIEW_ALONE UINT32_MAX

/* A profile that is made for a view. */
typedef struct dmd_viewprofile {
  dmd_profile_t profile;
  dmd_grouptypes_t types; /* of its groups, where the view has types */
} dmd_viewprofile_t;

typedef struct dmd_view {
  uint32_t of, old; /* numbers of files */
  uint32_t max_frames;
  bool has_types;
  dmd_picks_t picks;
  dmd_intern_t names; /* of the picks */
  uint64_t used;      /* the question that used it last */
  dmd_profile_t *profile;
  const dmd_profile_t *before; /* NULL: it is no difference */
  dmd_blocksum_t heap;         /* before anything was picked; nothing is: not set */
  dmd_viewprofile_t *made;     /* whose the profile is; NULL: it is the file's */
  dmd_records_t records;
  dmd_pieces_t pieces;
  dmd_recordlist_t list;
  dmd_rowlist_t rows;
  dmd_flame_t flame;
} dmd_view_t;

/* The view that a query is about; NULL, with the reason noted in the query, where there is none. It
 * is good until the next question. */
dmd_view_t *dmd_page_view(dmd_page_t *page, dmd_query_t *query);

/* The same with this many frames where the query does not say how many. */
dmd_view_t *dmd_page_view_of(dmd_page_t *page, dmd_query_t *query, uint64_t max_frames);

/* The file that a query is about, and that which it is compared with, NULL where it is not; either
 * may be one of memory reports. False, with the reason noted in the query, where there are none
 * that could be compared. */
bool dmd_page_files_of(const dmd_page_t *page, dmd_query_t *query, const dmd_page_file_t **of,
                       const dmd_page_file_t **old);

/* Tells records of a view's profile what they do not know by themselves: the types, and the heap
 * that they are shares of, also where only a part of it is picked. */
void dmd_view_tell(const dmd_view_t *view, dmd_records_t *records);

/* Forgets all views. */
void dmd_page_forget_views(dmd_page_t *page);

/* The profiles whose runs a view is about, as dmd_records_json wants them. */
void dmd_view_runs(const dmd_view_t *view, const dmd_page_t *page, const dmd_profile_t *runs[2]);

#endif
