/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * record.h: groups a profile's blocks into the records that people read, and sorts them.
 *
 * A record contains all blocks whose allocation stack and report stacks print alike: stacks are cut
 * to the frame limit and compared by the text of their frames. Mozilla's script forms records in
 * the same way, and the order is also its own: by absolute value, descending, ties in order of
 * first occurrence in the profile. Before cutting, innermost frames of measure.hpp are removed
 * (below), so that a report's stack begins with the program's own function.
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

#include "base/intern.h"
#include "base/pool.h"
#include "base/sort.h"
#include "model/profile/profile.h"

#include <stddef.h>

/* ---- Types of groups. ----
 *
 * The type names of a profile's groups.
 *
 * Profiles do not contain types. From a heap graph of the same moment, analyse/graph/nodekeys.h
 * makes a profile whose groups are separate by type, and these names. */

typedef struct dmd_grouptypes {
  dmd_intern_t names;
  dmd_pool_t of; /* by group: uint32_t, a name id */
} dmd_grouptypes_t;

static inline void dmd_grouptypes_init(dmd_grouptypes_t *types, const dmd_env_t *env) {
  dmd_intern_init(&types->names, env, "dmd.grouptypes");
  dmd_pool_init(&types->of, env, "dmd.grouptypes", sizeof(uint32_t));
}

static inline void dmd_grouptypes_destroy(dmd_grouptypes_t *types) {
  dmd_pool_destroy(&types->of);
  dmd_intern_destroy(&types->names);
}

/* Adds the type of the next group. */
static inline void dmd_grouptypes_add(dmd_grouptypes_t *types, uint32_t name) {
  uint32_t group = dmd_pool_add(&types->of);
  *DMD_POOL_AT(&types->of, uint32_t, group) = name;
}

static inline const char *dmd_grouptypes_name(const dmd_grouptypes_t *types, uint32_t group) {
  return dmd_intern_get_str(&types->names, *DMD_POOL_AT(&types->of, const uint32_t, group));
}

/* ---- Records. ---- */

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
  uint32_t n_all;     /* including those that dmd_records_filter removed */
  dmd_blocksum_t sum; /* of the n */
  int64_t excess;
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
  dmd_blocksum_t heap;
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

static inline dmd_blocksum_t dmd_record_sum(const dmd_record_t *r) {
  return (dmd_blocksum_t){r->usable, r->num, r->sampled, r->variance};
}

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

/* ---- Frames that measure. ----
 *
 * Finds who measured: which frames of a stack are code of measure.hpp, or of the crate for Rust.
 *
 * If they report a block, the report's stack begins with its functions, one per step from
 * container to container, but people want to see their own line. As for allocations (allocfns.h),
 * only the innermost frames are skipped. Functions are recognised by their namespace, inlined ones
 * by their file. The scopes of dmd.h, in the same namespace, only count if these functions use
 * them.
 *
 * Cost: a search in the names of a stack's innermost frames. */

/* How many of a stack's innermost frames only measure for their callers; frames of the C++ library
 * may be in between. 0 if it would be all frames. */
size_t dmd_measuring_frames(const dmd_profile_t *profile, const uint32_t *frames, size_t n);

/* ---- Fields. ----
 *
 * Describes the fields of a record.
 *
 * Text output, and the JSON of dmdv print and of dmdv check, show a record's fields under the same
 * names. This table is their only description, like dmd_fault_fields for faults. */

/* In JSON order. */
typedef enum {
  DMD_RECORD_BLOCKS,
  DMD_RECORD_BYTES, /* usable */
  DMD_RECORD_REQUESTED,
  DMD_RECORD_SLOP,
  DMD_RECORD_EXCESS, /* bytes that its reports count too often */
  DMD_RECORD_SIZES,  /* see dmd_record_sizes */
  DMD_RECORD_ALLOCATED_AT,
  DMD_RECORD_TAG,
  DMD_RECORD_REPORTER,
  DMD_RECORD_REPORTED_AT,
  DMD_RECORD_REPORTER_AGAIN,
  DMD_RECORD_REPORTED_AGAIN_AT,
  DMD_N_RECORD_FIELDS
} dmd_record_field_id_t;

typedef enum {
  DMD_RECORD_IS_NUMBER,
  DMD_RECORD_IS_SIZES,
  DMD_RECORD_IS_STACK,
  DMD_RECORD_IS_NAME
} dmd_record_field_kind_t;

typedef struct dmd_record_field {
  const char *key;   /* in JSON */
  const char *words; /* in text, for a stack or name: `Reported` at a stack, `Tag` with a name */
  dmd_record_field_kind_t kind;
  size_t place;    /* for a number or stack: offset in dmd_record_t */
  uint32_t report; /* for a field about a report: its number, from 1; otherwise 0 */
} dmd_record_field_t;

extern const dmd_record_field_t dmd_record_fields[DMD_N_RECORD_FIELDS];

/* The value of a number. */
static inline int64_t dmd_record_number(const dmd_record_field_t *field, const dmd_record_t *r) {
  return *(const int64_t *)(const void *)((const char *)r + field->place);
}

/* True if the record has the report that a field is about; always true for other fields. */
static inline bool dmd_record_has_report(const dmd_record_field_t *field, const dmd_record_t *r) {
  return field->report <= r->n_reported;
}

/* The cut stack of a stack field; DMD_NONE: not recorded. */
static inline uint32_t dmd_record_stack(const dmd_record_field_t *field, const dmd_record_t *r) {
  return *(const uint32_t *)(const void *)((const char *)r + field->place);
}

/* The value of a name field: an id of the profile's tags or names, DMD_NONE if none. Blocks of one
 * record may have different tags, and cut stacks may hide different reporters: then *several is
 * true and the result is DMD_NONE. */
uint32_t dmd_record_name(const dmd_records_t *records, const dmd_record_t *r,
                         dmd_record_field_id_t field, bool *several);

/* The text of that name; NULL if no name, or several, apply. */
const char *dmd_record_name_text(const dmd_records_t *records, const dmd_record_t *r,
                                 dmd_record_field_id_t field);

#endif
