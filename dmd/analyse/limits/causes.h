/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * causes.h: the records behind a finding, largest first.
 *
 * Only blocks that count for the limit become records (record.h): by allocation stack and, if
 * reported twice, by report stacks as well. If the finding is about growth, the causes are the
 * records that grew since the baseline. Stacks of the two profiles are then matched without line
 * numbers, since the baseline comes from an older source; a frame is shown with its line if that
 * function has only this one line in all these stacks.
 *
 * For blocks shared by several reporters, the causes of a reporter's limit contain its share, as
 * the metric does: they add up to it.
 */
#ifndef DMD_ANALYSE_LIMITS_CAUSES_H
#define DMD_ANALYSE_LIMITS_CAUSES_H

#include "analyse/limits/gate.h"
#include "analyse/records/record.h"

typedef struct dmd_causes {
  dmd_profile_t view; /* only the blocks that count; the records borrow from it */
  dmd_records_t records;
  dmd_section_t section; /* the section with all of them */
  uint32_t n;            /* number of records that are causes: the first ones in the section */
  uint32_t n_shrunk;     /* records that shrank */
  int64_t shrunk;        /* total bytes of the decrease, positive */
} dmd_causes_t;

/* Not for DMD_MISREPORTS, which have faults instead of records. before: NULL unless the finding is
 * about growth. */
void dmd_causes_init(dmd_causes_t *causes, const dmd_finding_t *finding, const dmd_subject_t *now,
                     const dmd_subject_t *before, uint32_t max_frames);
void dmd_causes_destroy(dmd_causes_t *causes);

static inline const dmd_record_t *dmd_causes_at(const dmd_causes_t *causes, uint32_t i) {
  return dmd_records_at(&causes->records, causes->records.section[causes->section].ids[i]);
}

/* A record's value in the baseline. The record's own values are the growth: its current value is
 * the sum of both. */
dmd_metric_t dmd_causes_before(const dmd_causes_t *causes, const dmd_record_t *r);

/* The ids of the profile's misreports, most frequent first; *n of them. The caller frees the array
 * with dmd_env_free(profile->env, ...). */
uint32_t *dmd_misreports(const dmd_profile_t *profile, uint32_t *n);

#endif
