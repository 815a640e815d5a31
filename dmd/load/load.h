/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * load.h: a DMD version 5 document, ours or Firefox's, as a profile; one that about:memory saved as
 * memory reports.
 *
 * The document is read once, front to back, with its keys in any order; memory grows with its
 * distinct stacks, groups and reports. Keys that are not known are passed over. Errors are reported
 * with their place; nothing in a document can do more harm than that.
 */
#ifndef DMD_LOAD_LOAD_H
#define DMD_LOAD_LOAD_H

#include "analysis/amounts.h"
#include "load/source.h"
#include "profile/naming.h"
#include "profile/profile.h"

typedef struct dmd_load_options {
  bool ignore_alloc_fns;       /* leave out allocation functions at the start of stacks */
  bool contents;               /* of a scan's blocks: keep them, 8 bytes for each word */
  dmd_frame_view_t frame_view; /* which the profile gets */
  const dmd_namer_t *namer;    /* names frames that the document has no names of; NULL: nobody */
} dmd_load_options_t;

/* Fills an initialised, empty profile. False, with *fail filled in, if that fails; the profile then
 * holds a part of the document. Destroy it either way. Do not add groups or report sets to the
 * profile afterwards. */
bool dmd_load_profile(dmd_profile_t *profile, const dmd_source_t *source,
                      const dmd_load_options_t *options, dmd_fail_t *fail);

/* Adds the reports of a document that about:memory saved to an initialised collection. False, with
 * *fail filled in, when it cannot be read or breaks a rule that Firefox demands too. */
bool dmd_load_reports(dmd_amounts_t *amounts, const dmd_source_t *source, dmd_fail_t *fail);

/* Fills one of the two, which have the same host: the document's keys tell which it is. */
bool dmd_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const dmd_source_t *source,
                     const dmd_load_options_t *options, bool *is_profile, dmd_fail_t *fail);

#endif
