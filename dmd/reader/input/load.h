/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load.h: a DMD version 5 file, ours or Firefox's, as a profile; a file that about:memory saved as
 * memory reports.
 *
 * The file is read once, front to back, with its keys in any order; memory grows with its distinct
 * stacks, groups and reports. Keys that are not known are passed over. Errors in a file are
 * reported with their place; nothing in a file can do more harm than that.
 */
#ifndef DMD_READER_INPUT_LOAD_H
#define DMD_READER_INPUT_LOAD_H

#include "analysis/amounts.h"
#include "profile/profile.h"
#include "reader/host/fail.h"
#include "reader/input/input.h"

#include <stdbool.h>

typedef struct dmdv_load_options {
  bool ignore_alloc_fns;       /* leave out allocation functions at the start of stacks */
  bool contents;               /* of a scan's blocks: keep them, 8 bytes for each word */
  dmd_frame_view_t frame_view; /* which the profile gets */
} dmdv_load_options_t;

/* Fills an initialised, empty profile from the file with this name ("-": standard input). False,
 * with *fail filled in, if that fails; the profile then holds a part of the file. Destroy it either
 * way. Do not add groups or report sets to the profile afterwards. */
bool dmdv_load(dmd_profile_t *profile, const char *name, const dmdv_load_options_t *options,
               dmdv_fail_t *fail);

/* The same from an open input, which the caller closes. */
bool dmdv_load_input(dmd_profile_t *profile, dmdv_input_t *input,
                     const dmdv_load_options_t *options, dmdv_fail_t *fail);

/* Adds the reports of a file that about:memory saved to an initialised collection. False, with
 * *fail filled in, when it cannot be read or breaks a rule that Firefox demands too. */
bool dmdv_load_reports_input(dmd_amounts_t *amounts, dmdv_input_t *input, dmdv_fail_t *fail);

/* Fills one of the two from the file with this name, which may be of either kind: its keys tell
 * which. */
bool dmdv_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const char *name,
                      bool *is_profile, dmdv_fail_t *fail);

#endif
