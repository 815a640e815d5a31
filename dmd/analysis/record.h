/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * record.h: groups a profile's blocks into the records that people read, and sorts them.
 *
 * A record holds all blocks whose allocation stack and report stacks print alike: stacks are cut to
 * the frame limit first, and compared by the text of their frames. That is how Mozilla's script
 * forms records, and the order is its order too: by absolute value, descending, ties in the order
 * in which the profile first met them. Before they are cut, the frames of measure.hpp are taken off
 * their tops (measurefns.h), so that a report's stack begins with the program's own function.
 *
 * Every record belongs to one section. In dark-matter mode a section is a report state; in the
 * other modes all records are in DMD_SECTION_ALL.
 *
 * Records borrow from their profile, which must outlive them; building them uses the `record` field
 * of the profile's groups, so that one profile has one set of records at a time. The groups of one
 * record are listed together, 4 bytes each: there may be millions, in any order, and whoever goes
 * through a record's waits for memory once for many of them.
 */
#ifndef DMD_ANALYSIS_RECORD_H
#define DMD_ANALYSIS_RECORD_H

#include "analysis/grouptypes.h"
#include "base/sort.h"
#include "profile/sampled.h"

typedef enum {
  DMD_SECTION_TWICE,
  DMD_SECTION_UNREPORTED,
  DMD_SECTION_ONCE,
  DMD_SECTION_ALL,
  DMD_N_SECTIONS
} dmd_section_t;

/* A report state in words, e.g. "twice-reported"; DMD_SECTION_ALL is "live". */
const char *dmd_section_name(dmd_section_t section);

/* The section that a group of the profile belongs to. */
dmd_section_t dmd_section_of_group(const dmd_profile_t *profile, const dmd_group_t *group);

/* By absolute value, the largest first; ties of usable bytes go by requested ones, and of blocks by
 * usable bytes. */
typedef enum { DMD_SORT_USABLE, DMD_SORT_REQ, DMD_SORT_SLOP, DMD_SORT_NUM_BLOCKS } dmd_sort_by_t;

/* Sizes are sums over the record's blocks. They are signed since a difference of two profiles has
 * negative ones. */
typedef struct dmd_record {
  int64_t num; /* blocks */
  int64_t req, slop, usable;
  uint32_t stack;                      /* the cut allocation stack, see dmd_records_frames */
  uint32_t reported[DMD_REPORTS_KEPT]; /* the cut report stacks; as many as n_reported */
  uint32_t n_reported;                 /* 0, 1 or 2: the section, too */
  uint32_t most_reports;               /* the most reports that one of its blocks has */
  bool shared;                         /* some of its blocks are */
  bool sampled;                        /* figures are estimates */
  dmd_variance_t variance;             /* of num and usable, as estimates */
  uint32_t first_group, n_groups;      /* see dmd_record_group */
} dmd_record_t;

typedef struct dmd_section_records {
  uint32_t *ids; /* sorted */
  uint32_t n;
  uint32_t n_all;      /* with those that dmd_records_filter took out */
  int64_t usable, num; /* totals of the n */
  bool sampled;
  dmd_variance_t variance;
} dmd_section_records_t;

typedef struct dmd_records {
  dmd_profile_t *profile;
  const dmd_grouptypes_t *types; /* of the profile's groups; NULL: nobody knows them. May be set
                                    after init */
  uint32_t max_frames;
  dmd_intern_t stacks; /* cut stacks: sequences of the profile's frame ids */
  uint32_t *cut;       /* cut stack of each of the profile's stacks; [0] is DMD_NONE */
  dmd_pool_t records;
  uint32_t *groups; /* the profile's: those of one record stand together, in the profile's order */
  dmd_table_t index;
  dmd_section_records_t section[DMD_N_SECTIONS];
  int64_t usable, num; /* of the whole heap */
  bool sampled;
  dmd_variance_t variance;
} dmd_records_t;

/* Groups and sorts; max_frames >= 1. The profile must not change until dmd_records_destroy. */
void dmd_records_init(dmd_records_t *records, dmd_profile_t *profile, uint32_t max_frames,
                      dmd_sort_by_t sort_by);
void dmd_records_destroy(dmd_records_t *records);

/* Keeps, in every section, only the records for which keep answers true; the sections' totals
 * follow, the heap's do not. The order stays. */
void dmd_records_filter(dmd_records_t *records,
                        bool (*keep)(void *ctx, const dmd_records_t *records,
                                     const dmd_record_t *record),
                        void *ctx);

/* In a difference: takes out the records in which nothing changed, as if they had never been. */
void dmd_records_drop_unchanged(dmd_records_t *records);

/* The section that a record is in. */
dmd_section_t dmd_record_section(const dmd_records_t *records, const dmd_record_t *r);

/* Sorts n ids of records; equal ones stay in their order. */
void dmd_records_sort(const dmd_records_t *records, uint32_t *ids, size_t n, dmd_sort_by_t sort_by);

static inline const dmd_record_t *dmd_records_at(const dmd_records_t *records, uint32_t id) {
  return DMD_POOL_AT(&records->records, const dmd_record_t, id);
}

/* The i-th of the record's groups, from 0. */
static inline dmd_group_t *dmd_record_group(const dmd_records_t *records,
                                            const dmd_record_t *record, uint32_t i) {
  return dmd_groups_at(&records->profile->groups, records->groups[record->first_group + i]);
}

/* The frame ids of a cut stack. */
const uint32_t *dmd_records_frames(const dmd_records_t *records, uint32_t stack, size_t *n);

/* One line of a record's sizes: num blocks of this many usable bytes. */
typedef struct dmd_size_count {
  int64_t usable;
  int64_t num;
} dmd_size_count_t;

/* The distinct usable sizes of a record by absolute size, descending; the caller gives the array
 * back with dmd_env_free(profile->env, ...). */
dmd_size_count_t *dmd_record_sizes(const dmd_records_t *records, const dmd_record_t *record,
                                   size_t *n);

#endif
