/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profilereader.h: reads a DMD version 5 document (from dmd or Firefox) into a profile, and a
 * document that about:memory saved into memory reports.
 *
 * The document is read once, front to back, with its keys in any order; memory grows with the
 * distinct stacks, groups and reports. Unknown keys are ignored. Documents need not be trusted: an
 * invalid one causes an error with its place and nothing worse.
 */
#ifndef DMD_FILES_PROFILE_PROFILEREADER_H
#define DMD_FILES_PROFILE_PROFILEREADER_H

#include "analyse/tree/amounts.h"
#include "files/profile/source.h"
#include "model/profile/frame.h"
#include "model/profile/profile.h"

typedef struct dmd_load_options {
  bool ignore_alloc_fns;       /* leave out allocation functions at the start of stacks */
  bool contents;               /* keep the contents of a scan's blocks, 8 bytes for each word */
  dmd_moment_choice_t moment;  /* whose records the profile gets */
  dmd_frame_view_t frame_view; /* becomes the profile's */
  const dmd_namer_t *namer;    /* names frames that have no names in the document; may be NULL */
} dmd_load_options_t;

/* Fills an initialised, empty profile. On failure returns false with *fail filled in; the profile
 * then holds part of the document. Destroy it either way. Do not add groups or report sets to the
 * profile afterwards. */
bool dmd_load_profile(dmd_profile_t *profile, const dmd_source_t *source,
                      const dmd_load_options_t *options, dmd_fail_t *fail);

/* Adds the reports of a document that about:memory saved to an initialised collection. False, with
 * *fail filled in, if it cannot be read or breaks a rule that Firefox enforces too. */
bool dmd_load_reports(dmd_amounts_t *amounts, const dmd_source_t *source, dmd_fail_t *fail);

/* Fills the profile or the amounts, depending on the document's keys. Both must have the same
 * env. */
bool dmd_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const dmd_source_t *source,
                     const dmd_load_options_t *options, bool *is_profile, dmd_fail_t *fail);

#endif
