/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_calibration.h: the noise of equal runs, and the limits that all of them keep, for people.
 */
#ifndef DMD_TEXT_TEXT_CALIBRATION_H
#define DMD_TEXT_TEXT_CALIBRATION_H

#include "analysis/calibration.h"
#include "base/out.h"

/* For the command line that is printed. */
typedef struct dmd_calibration_command {
  const char *baseline;    /* the name of a run's file */
  const char *ignore_name; /* NULL: none */
  bool ignore_alloc_fns;
  const dmd_frame_view_t *view;
} dmd_calibration_command_t;

/* Prints least, median and largest value of each figure, and a command line whose limits are the
 * tightest that every run keeps, each run against each other as its baseline. */
void dmd_calibration_print(dmd_out_t *out, const dmd_calibration_t *c,
                           const dmd_calibration_command_t *command);

#endif
