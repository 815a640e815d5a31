/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * causes.h: the records behind a finding, the largest first.
 *
 * Only the blocks that count for the limit are made into records (record.h): by allocation stack,
 * and if they were reported twice by report stacks as well. If the finding is about growth, the
 * causes are the records that grew since the baseline. Stacks of the two profiles are then matched
 * without line numbers, since the baseline is of an older source; a frame is shown with its line if
 * all these stacks have the function with this one line only.
 * Of blocks that several reporters share, the causes of a reporter's limit have its share, as the
 * figure has: they add up to it.
 */
#ifndef DMD_ANALYSIS_CAUSES_H
#define DMD_ANALYSIS_CAUSES_H

#include "analysis/gate.h"
#include "analysis/record.h"

typedef struct dmd_causes {
  dmd_profile_t view; /* only the blocks that count; the records borrow from it */
  dmd_records_t records;
  dmd_section_t section; /* that has them all */
  uint32_t n;            /* records that are causes: they come first in the section */
  uint32_t n_shrunk;     /* records that shrank */
  int64_t shrunk;        /* by how many bytes, as a positive number */
} dmd_causes_t;

/* Not for DMD_MISREPORTS, which have faults instead of records. before is NULL where the finding
 * is not on growth. */
void dmd_causes_init(dmd_causes_t *causes, const dmd_finding_t *finding, const dmd_subject_t *now,
                     const dmd_subject_t *before, uint32_t max_frames);
void dmd_causes_destroy(dmd_causes_t *causes);

static inline const dmd_record_t *dmd_causes_at(const dmd_causes_t *causes, uint32_t i) {
  return dmd_records_at(&causes->records, causes->records.section[causes->section].ids[i]);
}

/* What a record held in the baseline. The record's own figures are the growth: what it holds now is
 * the sum of the two. */
dmd_figure_t dmd_causes_before(const dmd_causes_t *causes, const dmd_record_t *r);

/* The ids of the profile's misreports, the most frequent first; *n of them. The caller gives the
 * array back with dmd_env_free(profile->env, ...). */
uint32_t *dmd_misreports(const dmd_profile_t *profile, uint32_t *n);

#endif
