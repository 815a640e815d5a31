/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rownames.h: for which rows the blocks of a group count, where blocks are added up by reporter,
 * tag, thread, function, library, file or type.
 *
 * Rows are names, and so are their ids. Of a function, library or file it is the one that allocated
 * (places.h). A block that two reporters reported counts for both of them; if they share it, each
 * has a part of its bytes. The row of a reporter, tag, thread, frame or stack is looked up by its
 * name only once.
 */
#ifndef DMD_ANALYSIS_ROWNAMES_H
#define DMD_ANALYSIS_ROWNAMES_H

#include "analysis/grouptypes.h"
#include "analysis/places.h"

/* What the blocks are added up by. */
typedef enum dmd_by {
  DMD_BY_RECORD, /* their stacks: record.h */
  DMD_BY_REPORTER,
  DMD_BY_TAG,
  DMD_BY_THREAD,
  DMD_BY_FUNCTION,
  DMD_BY_LIBRARY,
  DMD_BY_FILE,
  DMD_BY_TYPE, /* where types of the groups are given */
  DMD_N_BY
} dmd_by_t;

typedef struct dmd_rownames {
  const dmd_profile_t *profile;
  const dmd_grouptypes_t *types;
  dmd_by_t by;
  dmd_intern_t names; /* by id of a row */
  /* The rows of reporters' names, tags, threads or types, or of frames and stacks, by their ids
   * plus 1, since there is one for blocks that have none; DMD_NONE: not known so far. */
  dmd_pool_t known, of_frames;
  uint32_t unreported; /* the row of what has no reports; DMD_NONE: there is none so far */
  dmd_places_t places;
} dmd_rownames_t;

/* by is not DMD_BY_RECORD. types: of the profile's groups; NULL: by is not DMD_BY_TYPE. Must stay
 * where it is until it is destroyed. */
void dmd_rownames_init(dmd_rownames_t *names, const dmd_profile_t *profile, dmd_by_t by,
                       const dmd_grouptypes_t *types);
void dmd_rownames_destroy(dmd_rownames_t *names);

/* All rows of a group:
 *   dmd_rowwalk_t walk = dmd_rownames_walk(names, id);
 *   while (dmd_rowwalk_next(&walk))
 *     ... walk.row, for which walk.num blocks with walk.szB bytes in all count ...
 */
typedef struct dmd_rowwalk {
  uint32_t row;
  int64_t num, szB;
  /* The walk's own: */
  dmd_rownames_t *names;
  const dmd_group_t *group;
  uint32_t id;
  bool is_over, is_reported, is_shared;
  dmd_report_walk_t reports;
} dmd_rowwalk_t;

dmd_rowwalk_t dmd_rownames_walk(dmd_rownames_t *names, uint32_t group);
bool dmd_rowwalk_next(dmd_rowwalk_t *walk);

#endif
