/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_gate.h: the findings of a gate, for people.
 *
 * Other formats use these functions for their messages. No line begins with text from a file,
 * because CI systems interpret certain lines of a log as commands.
 */
#ifndef DMD_SHOW_TEXT_TEXT_GATE_H
#define DMD_SHOW_TEXT_TEXT_GATE_H

#include "analyse/limits/calibration.h"
#include "analyse/limits/gate.h"
#include "base/out.h"

enum {
  DMD_MAX_CAUSES = 5,       /* records shown for a broken limit */
  DMD_MAX_CAUSE_FRAMES = 5, /* of an allocation stack, after the allocation functions */
  DMD_MAX_REPORT_FRAMES = 3
};

/* `--max-unreported=10%`. --max-growth is two limits, such as `--max-growth=2% (total)`. */
void dmd_print_limit(dmd_out_t *out, const dmd_limit_t *limit);

/* The measured value and what was allowed, as one line without its line end. has_blocks: false for
 * memory reports. */
void dmd_print_finding(dmd_out_t *out, const dmd_finding_t *finding, bool has_blocks);

/* For a broken limit: the records that caused it and what to do, in several lines. */
void dmd_print_causes(dmd_out_t *out, const dmd_verdict_t *v, const dmd_finding_t *finding);

/* The verdict, as one line. */
void dmd_print_verdict(dmd_out_t *out, const dmd_verdict_t *v);

/* The whole report, as for --format=text. */
void dmd_print_gate_text(dmd_out_t *out, const dmd_verdict_t *v);

/* ---- Calibration. ----
 *
 * The variation between equal runs, and the limits that all of them keep, for
 * people. */

/* Values for the command line that is printed. */
typedef struct dmd_calibration_command {
  const char *baseline;    /* name of a run's file */
  const char *ignore_name; /* or NULL */
  bool ignore_alloc_fns;
  const dmd_frame_view_t *view;
} dmd_calibration_command_t;

/* Prints the least, median and largest value of each metric, and a command line with the tightest
 * limits that every run keeps with every other run as its baseline. */
void dmd_calibration_print(dmd_out_t *out, const dmd_calibration_t *c,
                           const dmd_calibration_command_t *command);

#endif
