/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * findings.h: what matters most about a heap, whichever analysis found it.
 *
 *   place        a line that allocated much, at the moment of the records
 *   unreported   a record of blocks that no reporter covered
 *   twice        a record of blocks that were reported twice
 *   growth       steady growth (analyse/time/growth.h): the bytes that were added
 *   waste        what could be saved (analyse/waste/waste.h), lost blocks among it
 *   claim        a wrong size that a function returned (analyse/claims/claimrules.h)
 *
 * If reporters ran, there are no places: the records without reports say more. Each kind of waste
 * has one finding at most, its largest, so that a line that wastes in three ways does not hide the
 * others. A finding of less than one percent of the heap is left out; waste other than lost blocks
 * needs three percent. The largest place or record always stays, and so do wrong sizes, which are
 * wrong however small.
 *
 * Cost: that of rows by line (analyse/records/rows.h); the analyses themselves are the caller's.
 */
#ifndef DMD_ANALYSE_FINDINGS_FINDINGS_H
#define DMD_ANALYSE_FINDINGS_FINDINGS_H

#include "analyse/claims/claimrules.h"
#include "analyse/records/rows.h"
#include "analyse/time/growth.h"
#include "analyse/waste/waste.h"

typedef enum {
  DMD_FINDING_PLACE,
  DMD_FINDING_UNREPORTED,
  DMD_FINDING_TWICE,
  DMD_FINDING_GROWTH,
  DMD_FINDING_WASTE,
  DMD_FINDING_CLAIM,
  DMD_N_FINDING_KINDS
} dmd_finding_kind_t;

/* The most findings of one kind. */
enum { DMD_FINDINGS_OF_KIND = 5 };

typedef struct dmd_finding {
  dmd_finding_kind_t kind;
  uint32_t id; /* of a place: its row, from 0; a record; of waste: its place in the order, from 0;
                  of a claim: a finding of the rules */
  uint32_t of; /* of a claim: its verdict; otherwise 0 */
  int64_t bytes;
  int64_t blocks; /* of a claim: calls; of growth: 0 */
} dmd_finding_t;

/* The analyses. Everything must outlive the findings. */
typedef struct dmd_findings_of {
  const dmd_records_t *records;
  bool has_reports;
  const dmd_growth_t *growth;     /* NULL: the heap does not grow steadily */
  const dmd_waste_t *waste;       /* NULL: there is no heap graph of the same moment */
  const dmd_claimrules_t *claims; /* NULL: likewise, or nothing was claimed */
} dmd_findings_of_t;

typedef struct dmd_findings {
  const dmd_findings_of_t *of;
  dmd_rows_t places;                                             /* by line; only without reports */
  dmd_finding_t all[DMD_N_FINDING_KINDS * DMD_FINDINGS_OF_KIND]; /* most bytes first */
  uint32_t n;
} dmd_findings_t;

/* Must not move until it is destroyed. */
void dmd_findings_init(dmd_findings_t *findings, const dmd_findings_of_t *of);
void dmd_findings_destroy(dmd_findings_t *findings);

/* Whether there are places, and these have less than half of the heap. */
bool dmd_findings_are_scattered(const dmd_findings_t *findings);

/* The word in JSON, such as "unreported". */
const char *dmd_finding_kind_name(dmd_finding_kind_t kind);

/* The section of the records that places add up. */
dmd_section_t dmd_findings_section(const dmd_profile_t *profile);

#endif
