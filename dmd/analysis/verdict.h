/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * verdict.h: one check of a profile against limits, with all that there is to tell about it.
 *
 * The caller fills in the names, the subjects and what is ignored in them, then evaluates, then
 * prints (text/text_gate.h, text/gate_output.h).
 */
#ifndef DMD_ANALYSIS_VERDICT_H
#define DMD_ANALYSIS_VERDICT_H

#include "analysis/gate.h"
#include "analysis/ignore.h"

typedef struct dmd_verdict {
  const char *file, *baseline; /* names; baseline NULL: none */
  dmd_subject_t now, before;   /* of one mode */
  const dmd_ignore_t *ignore;
  const char *ignore_name; /* NULL: none */
  uint32_t max_frames;     /* that tell the stacks of causes apart */
  dmd_finding_t *findings; /* one for each limit that was evaluated */
  size_t n;
} dmd_verdict_t;

/* Evaluates those limits that the profiles have the data for. Returns NULL, or why a limit that
 * must be checked cannot be: *wrong is that limit, *which as in dmd_gate_why_not. Destroy the
 * verdict either way. */
const char *dmd_verdict_evaluate(dmd_verdict_t *v, const dmd_limit_t *limits, size_t n,
                                 const dmd_limit_t **wrong, int *which);
void dmd_verdict_destroy(dmd_verdict_t *v);

size_t dmd_verdict_n_broken(const dmd_verdict_t *v);

/* How many faults the profile has that are not misreports, each counted as often as it happened. */
uint64_t dmd_count_other_faults(const dmd_profile_t *profile);

#endif
