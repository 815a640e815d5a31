/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rows.h: sums of blocks by reporter, tag, thread, function, library, file or type.
 *
 * Each row has the totals of its blocks, overall and by report state. A block reported by two
 * reporters counts for both, so rows by reporter may add up to more than the heap.
 */
#ifndef DMD_ANALYSE_RECORDS_ROWS_H
#define DMD_ANALYSE_RECORDS_ROWS_H

#include "analyse/records/allocfns.h"
#include "analyse/records/record.h"
#include "analyse/records/sums.h"
#include "base/bitset.h"
#include "base/strbuf.h"

/* ---- Places. ----
 *
 * Readable names of the function, file and library that allocated.
 *
 * These are taken from a stack's first own frame (allocfns.h). A library's name is the last part of
 * its path, unless another object of the profile has the same one. Unknown names are texts in
 * parentheses. */

typedef struct dmd_places {
  const dmd_profile_t *profile;
  dmd_allocfns_t allocfns;
  bool knows_objects;        /* the following are filled in: */
  dmd_intern_t object_names; /* the last parts of the objects' paths, */
  dmd_pool_t objects;        /* and by their ids the object */
} dmd_places_t;

/* For a profile whose objects are complete. Must not move until it is destroyed. */
void dmd_places_init(dmd_places_t *places, const dmd_profile_t *profile);
void dmd_places_destroy(dmd_places_t *places);

/* The frame of a stack that allocated; DMD_NONE: the stack was not recorded or has no frames. */
uint32_t dmd_places_own_frame(dmd_places_t *places, uint32_t stack);

/* Append the names of a frame; for DMD_NONE, that no stack was recorded. */
void dmd_places_function(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);
void dmd_places_library(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);
void dmd_places_file(dmd_places_t *places, uint32_t frame, dmd_strbuf_t *to);

/* Append the line that allocated the blocks of a stack: `decode (image.c:88)`, or `decode` if the
 * line is unknown. Code without a name is `libimage.so+0x1234`, and the innermost caller in the
 * same file that has one: `libimage.so+0x1234 from image_open`. */
void dmd_places_line(dmd_places_t *places, uint32_t stack, dmd_strbuf_t *to);

/* Whether the line has a name, and if not, the file that lacks it; NULL: unknown. */
bool dmd_places_has_name(dmd_places_t *places, uint32_t stack, const char **object);

/* ---- Names of rows. ----
 *
 * Assigns the blocks of a group to rows, for sums by reporter, tag, thread, function, library,
 * file, line or type.
 *
 * A row is identified by its name. For functions, libraries, files and lines it is the allocating
 * one (its place). A block reported by two reporters counts for both; if they share it, each has a
 * part of its bytes. The row of a reporter, tag, thread, frame or stack is looked up by name only
 * once. */

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

/* ---- Rows. ---- */

typedef struct dmd_rows {
  const dmd_records_t *records;
  dmd_rownames_t names;
  dmd_bitset_t groups; /* groups that count, until finished */
  dmd_pool_t tallies;  /* by row */
  uint32_t *order;     /* row ids, most bytes first */
  uint32_t n;
} dmd_rows_t;

/* Adds up the remaining records of these sections (bits 1 << dmd_section_t; 0: all). by must not be
 * DMD_BY_RECORD, and DMD_BY_TYPE requires records with types. Borrows the records; must not move
 * until it is destroyed. */
void dmd_rows_init(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by, unsigned sections);

/* Do so for records that are added one by one between begin and finish. Finishing takes one walk
 * over the profile's groups in memory order, however many records were added. */
void dmd_rows_begin(dmd_rows_t *rows, const dmd_records_t *records, dmd_by_t by);
void dmd_rows_add(dmd_rows_t *rows, const dmd_record_t *r);
void dmd_rows_finish(dmd_rows_t *rows);
void dmd_rows_destroy(dmd_rows_t *rows);

/* The i-th row of the order, from 0. */
static inline const dmd_tally_t *dmd_rows_at(const dmd_rows_t *rows, uint32_t i) {
  return DMD_POOL_AT(&rows->tallies, const dmd_tally_t, rows->order[i]);
}

static inline const char *dmd_rows_name(const dmd_rows_t *rows, uint32_t i) {
  return dmd_intern_get_str(&rows->names.names, rows->order[i]);
}

#endif
