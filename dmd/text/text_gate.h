/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_gate.h: what a gate found, for people.
 *
 * The pieces are also what other formats put into their messages. No line begins with text from a
 * file, so that a CI system that obeys certain lines of a log finds none here.
 */
#ifndef DMD_TEXT_TEXT_GATE_H
#define DMD_TEXT_TEXT_GATE_H

#include "analysis/verdict.h"
#include "base/out.h"

enum {
  DMD_MAX_CAUSES = 5,       /* records shown of a broken limit */
  DMD_MAX_CAUSE_FRAMES = 5, /* of an allocation stack, after the allocation functions */
  DMD_MAX_REPORT_FRAMES = 3
};

/* `--max-unreported=10%`; --max-growth is two limits: `--max-growth=2% (total)` is one. */
void dmd_print_limit(dmd_out_t *out, const dmd_limit_t *limit);

/* The figure and what was allowed, as one line without its line end. */
void dmd_print_finding(dmd_out_t *out, const dmd_finding_t *finding);

/* For a broken limit: the records that caused it and what can be done, in several lines. */
void dmd_print_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *finding);

/* One line. */
void dmd_print_verdict(dmd_out_t *out, const dmd_verdict_t *v);

/* The whole as --format=text. */
void dmd_print_gate_text(dmd_out_t *out, const dmd_verdict_t *v);

#endif
