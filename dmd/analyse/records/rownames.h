/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rownames.h: assigns the blocks of a group to rows, for sums by reporter, tag, thread, function,
 * library, file, line or type.
 *
 * A row is identified by its name. For functions, libraries, files and lines it is the allocating
 * one (places.h). A block reported by two reporters counts for both; if they share it, each has a
 * part of its bytes. The row of a reporter, tag, thread, frame or stack is looked up by name only
 * once.
 */
#ifndef DMD_ANALYSE_RECORDS_ROWNAMES_H
#define DMD_ANALYSE_RECORDS_ROWNAMES_H

#include "analyse/records/grouptypes.h"
#include "analyse/records/places.h"

/* The key by which blocks are added up. */
typedef enum dmd_by {
  DMD_BY_RECORD, /* by stacks: record.h */
  DMD_BY_REPORTER,
  DMD_BY_TAG,
  DMD_BY_THREAD,
  DMD_BY_FUNCTION,
  DMD_BY_LIBRARY,
  DMD_BY_FILE,
  DMD_BY_LINE, /* function and line */
  DMD_BY_TYPE, /* if the types of groups are known */
  DMD_N_BY
} dmd_by_t;

typedef struct dmd_rownames {
  const dmd_profile_t *profile;
  const dmd_grouptypes_t *types;
  dmd_by_t by;
  dmd_intern_t names; /* by row id */
  /* Cached rows of reporter names, tags, threads or types, or of frames and stacks, by id plus 1,
   * since there is a row for blocks without one; DMD_NONE: not cached. */
  dmd_pool_t known, of_frames;
  uint32_t unreported; /* the row of unreported blocks; DMD_NONE: not created yet */
  dmd_places_t places;
} dmd_rownames_t;

/* by must not be DMD_BY_RECORD. types: those of the profile's groups; NULL unless by is
 * DMD_BY_TYPE. Must not move until it is destroyed. */
void dmd_rownames_init(dmd_rownames_t *names, const dmd_profile_t *profile, dmd_by_t by,
                       const dmd_grouptypes_t *types);
void dmd_rownames_destroy(dmd_rownames_t *names);

/* Iterates over the rows of a group:
 *
 *   dmd_rowwalk_t walk = dmd_rownames_walk(names, id);
 *   while (dmd_rowwalk_next(&walk))
 *     ... walk.row, to which walk.num blocks with walk.szB bytes in total belong ... */
typedef struct dmd_rowwalk {
  uint32_t row;
  int64_t num, szB;
  /* Private to the walk: */
  dmd_rownames_t *names;
  const dmd_group_t *group;
  uint32_t id;
  bool is_over, is_reported, is_shared;
  dmd_report_walk_t reports;
} dmd_rowwalk_t;

dmd_rowwalk_t dmd_rownames_walk(dmd_rownames_t *names, uint32_t group);
bool dmd_rowwalk_next(dmd_rowwalk_t *walk);

#endif
