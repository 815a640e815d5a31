/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_calibration.h: the variation between equal runs, and the limits that all of them keep, for
 * people.
 */
#ifndef DMD_SHOW_TEXT_TEXT_CALIBRATION_H
#define DMD_SHOW_TEXT_TEXT_CALIBRATION_H

#include "analyse/limits/calibration.h"
#include "base/out.h"

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
