/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gate_text.h: what a gate found, for people.
 *
 * The pieces are also what other formats put into their messages. No line begins with text from a
 * file, so that a CI system that obeys certain lines of a log finds none here.
 */
#ifndef DMD_READER_GATE_GATE_TEXT_H
#define DMD_READER_GATE_GATE_TEXT_H

#include "analysis/gate.h"
#include "base/out.h"
#include "reader/input/ignorefile.h"

/* All that there is to tell about one check. */
typedef struct dmdv_verdict {
  const char *file, *baseline; /* names; baseline NULL: none */
  dmd_subject_t now, before;
  const dmd_finding_t *findings;
  size_t n;
  const dmdv_ignorefile_t *ignore;
  const char *ignore_name; /* NULL: none */
  uint32_t max_frames;
} dmdv_verdict_t;

enum {
  DMDV_MAX_CAUSES = 5,       /* records shown of a broken limit */
  DMDV_MAX_CAUSE_FRAMES = 5, /* of an allocation stack, after the allocation functions */
  DMDV_MAX_REPORT_FRAMES = 3
};

size_t dmdv_verdict_n_broken(const dmdv_verdict_t *v);

/* 1234 -> `1,234`, an estimate as `~1,234`. */
void dmdv_print_number(dmd_out_t *out, int64_t v, bool sampled);

/* `--max-unreported=10%`; of the two that --max-growth is, which one: `--max-growth=2% (total)`. */
void dmdv_print_limit(dmd_out_t *out, const dmd_limit_t *limit);

/* `unreported`, or the name of a reporter or tag. */
const char *dmdv_what_name(const dmd_limit_t *limit);

/* In one line without its end: the figure and what was allowed. */
void dmdv_print_finding(dmd_out_t *out, const dmd_finding_t *finding);

/* Of a broken limit: the records that caused it and what can be done, in several lines. */
void dmdv_print_causes(dmd_out_t *out, const dmdv_verdict_t *v, const dmd_finding_t *finding);

/* One line. */
void dmdv_print_verdict(dmd_out_t *out, const dmdv_verdict_t *v);

/* How often the program did something wrong that is no misreport. */
uint64_t dmdv_count_other_faults(const dmd_profile_t *profile);

/* The whole as --format=text. */
void dmdv_print_gate_text(dmd_out_t *out, const dmdv_verdict_t *v);

/* Index of the first of n frames of a cut stack that is worth showing: behind the allocation
 * functions, or 0 where there is nothing else. */
size_t dmdv_first_own_frame(const dmd_profile_t *profile, const uint32_t *frames, size_t n);

#endif
