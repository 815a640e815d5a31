/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * record.h: groups a profile's blocks into the records that people read, and sorts them.
 *
 * A record contains all blocks whose allocation stack and report stacks print alike: stacks are cut
 * to the frame limit and compared by the text of their frames. Mozilla's script forms records in
 * the same way, and the order is also its own: by absolute value, descending, ties in order of
 * first occurrence in the profile. Before cutting, innermost frames of measure.hpp are removed
 * (measurefns.h), so that a report's stack begins with the program's own function.
 *
 * Each record belongs to one section. In dark-matter mode a section is a report state; in other
 * modes all records are in DMD_SECTION_ALL.
 *
 * Records borrow from their profile, which must outlive them. They use the `record` field of the
 * profile's groups, so a profile can have only one set of records at a time. The groups of a record
 * are listed together, 4 bytes each: there may be millions in any order, and this way a walk over a
 * record's groups rarely waits for memory.
 */
#ifndef DMD_ANALYSE_RECORDS_RECORD_H
#define DMD_ANALYSE_RECORDS_RECORD_H

#include "analyse/records/grouptypes.h"
#include "base/sort.h"
#include "model/profile/profile.h"

typedef enum {
  DMD_SECTION_TWICE,
  DMD_SECTION_UNREPORTED,
  DMD_SECTION_ONCE,
  DMD_SECTION_ALL,
  DMD_N_SECTIONS
} dmd_section_t;

/* The word for a report state, e.g. "twice-reported"; DMD_SECTION_ALL is "live". */
const char *dmd_section_name(dmd_section_t section);

/* The section of a group of the profile. */
dmd_section_t dmd_section_of_group(const dmd_profile_t *profile, const dmd_group_t *group);

/* By absolute value, largest first. Ties of usable bytes are resolved by requested bytes, those of
 * blocks by usable bytes. */
typedef enum { DMD_SORT_USABLE, DMD_SORT_REQ, DMD_SORT_SLOP, DMD_SORT_NUM_BLOCKS } dmd_sort_by_t;

/* Sums over the record's blocks. They are signed, since the difference of two profiles has negative
 * ones. */
typedef struct dmd_record {
  int64_t num; /* blocks */
  int64_t req, slop, usable;
  int64_t excess;                      /* bytes that reports count too often */
  uint32_t stack;                      /* the cut allocation stack, see dmd_records_frames */
  uint32_t reported[DMD_REPORTS_KEPT]; /* the cut report stacks, n_reported of them */
  uint32_t n_reported;                 /* 0, 1 or 2; determines the section */
  uint32_t most_reports;               /* the highest number of reports of one of its blocks */
  bool shared;                         /* some of its blocks are shared */
  bool sampled;                        /* values are estimates */
  dmd_variance_t variance;             /* of num and usable, if estimates */
  uint32_t first_group, n_groups;      /* see dmd_record_group */
} dmd_record_t;

typedef struct dmd_section_records {
  uint32_t *ids; /* sorted */
  uint32_t n;
  uint32_t n_all;              /* including those that dmd_records_filter removed */
  int64_t usable, num, excess; /* totals over the n */
  bool sampled;
  dmd_variance_t variance;
} dmd_section_records_t;

typedef struct dmd_records {
  dmd_profile_t *profile;
  const dmd_grouptypes_t
      *types; /* for the profile's groups; NULL: unknown. May be set after init */
  uint32_t max_frames;
  /* A cut stack has the id of the profile's stack with the same frames; without one, an id after
   * those of all stacks of the profile. */
  uint32_t n_whole;        /* stacks of the profile */
  dmd_intern_t cut_stacks; /* the others: sequences of the profile's frame ids */
  uint32_t *cut;           /* cut stack for each stack of the profile; [0] is DMD_NONE */
  dmd_pool_t records;
  uint32_t *groups;  /* group ids of the profile, sorted by record, then in the profile's order */
  dmd_table_t index; /* of init */
  dmd_section_records_t section[DMD_N_SECTIONS];
  int64_t usable, num; /* of the whole heap */
  bool sampled;
  dmd_variance_t variance;
} dmd_records_t;

/* Groups and sorts; max_frames >= 1. The profile must not change until dmd_records_destroy. */
void dmd_records_init(dmd_records_t *records, dmd_profile_t *profile, uint32_t max_frames,
                      dmd_sort_by_t sort_by);
void dmd_records_destroy(dmd_records_t *records);

/* Keeps only records for which keep returns true, in every section and in order. Updates the totals
 * of sections, but not of the heap. */
void dmd_records_filter(dmd_records_t *records,
                        bool (*keep)(void *ctx, const dmd_records_t *records,
                                     const dmd_record_t *record),
                        void *ctx);

/* In a difference: removes unchanged records entirely. */
void dmd_records_drop_unchanged(dmd_records_t *records);

/* The section that a record is in. */
dmd_section_t dmd_record_section(const dmd_records_t *records, const dmd_record_t *r);

/* Sorts n record ids; the sort is stable. */
void dmd_records_sort(const dmd_records_t *records, uint32_t *ids, size_t n, dmd_sort_by_t sort_by);

static inline const dmd_record_t *dmd_records_at(const dmd_records_t *records, uint32_t id) {
  return DMD_POOL_AT(&records->records, const dmd_record_t, id);
}

/* The i-th of the record's groups, from 0. */
static inline dmd_group_t *dmd_record_group(const dmd_records_t *records,
                                            const dmd_record_t *record, uint32_t i) {
  return dmd_groups_at(&records->profile->groups, records->groups[record->first_group + i]);
}

/* The highest id of a cut stack. */
static inline uint32_t dmd_records_last_stack(const dmd_records_t *records) {
  return records->n_whole + dmd_intern_count(&records->cut_stacks);
}

/* The frame ids of a cut stack. */
const uint32_t *dmd_records_frames(const dmd_records_t *records, uint32_t stack, size_t *n);

/* A line in the list of a record's sizes: num blocks of this many usable bytes. */
typedef struct dmd_size_count {
  int64_t usable;
  int64_t num;
} dmd_size_count_t;

/* The distinct usable sizes of a record by absolute size, descending; the caller frees the array
 * with dmd_env_free(profile->env, ...). */
dmd_size_count_t *dmd_record_sizes(const dmd_records_t *records, const dmd_record_t *record,
                                   size_t *n);

#endif
