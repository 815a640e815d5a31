/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * calibrate.h: how much the figures of equal runs differ, and which limits all of them keep.
 *
 * A limit that a second run of the same program breaks is worse than none. So somebody who sets up
 * a gate runs the program a few times and takes the limits from here.
 */
#ifndef DMD_READER_GATE_CALIBRATE_H
#define DMD_READER_GATE_CALIBRATE_H

#include "analysis/gate.h"
#include "base/out.h"

typedef struct dmdv_calibration {
  const dmd_subject_t *runs;
  char *const *files;      /* their names */
  size_t n;                /* two or more, all of one mode */
  const char *ignore_name; /* NULL: none; only for the command line that is printed */
  bool ignore_alloc_fns;   /* the same */
} dmdv_calibration_t;

/* Prints least, median and largest value of each figure, and a command line whose limits are the
 * tightest that every run keeps, each run against each other as its baseline. */
void dmdv_print_calibration(dmd_out_t *out, const dmdv_calibration_t *c);

#endif
