/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * verdict.h: one check of a profile against limits, with everything that is reported about it.
 *
 * The caller fills in the names, the subjects and what is ignored, then evaluates, then prints
 * (show/text/text_gate.h, show/text/gate_output.h).
 */
#ifndef DMD_ANALYSE_LIMITS_VERDICT_H
#define DMD_ANALYSE_LIMITS_VERDICT_H

#include "analyse/limits/gate.h"
#include "analyse/limits/ignore.h"

typedef struct dmd_verdict {
  const char *file, *baseline; /* file names; baseline NULL: none */
  dmd_subject_t now, before;   /* must have the same mode */
  const dmd_ignore_t *ignore;
  const char *ignore_name; /* NULL: none */
  uint32_t max_frames;     /* limit for the stacks of causes */
  dmd_finding_t *findings; /* one per evaluated limit */
  size_t n;
} dmd_verdict_t;

/* Evaluates the limits for which the profiles have data. Returns NULL, or why a mandatory limit
 * cannot be checked: *wrong is that limit, *which as in dmd_gate_why_not. Destroy the verdict in
 * either case. */
const char *dmd_verdict_evaluate(dmd_verdict_t *v, const dmd_limit_t *limits, size_t n,
                                 const dmd_limit_t **wrong, int *which);
void dmd_verdict_destroy(dmd_verdict_t *v);

size_t dmd_verdict_n_broken(const dmd_verdict_t *v);

/* The number of faults that are not misreports, counting each occurrence. */
uint64_t dmd_count_other_faults(const dmd_profile_t *profile);

#endif
